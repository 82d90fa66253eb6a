package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/internal/jsonrpc"
)

func TestDecode(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	tests := []struct {
		name, line string
		want       jsonrpc.Message
	}{
		{"request", `{"jsonrpc":"2.0","id":1,"method":"invoke","params":{"a":[1,{"b":null}]}}`,
			jsonrpc.Message{ID: raw("1"), HasMethod: true, Method: "invoke", Params: raw(`{"a":[1,{"b":null}]}`)}},
		{"notification", `{"method":"executa/progress","params":{}}`,
			jsonrpc.Message{HasMethod: true, Method: "executa/progress", Params: raw("{}")}},
		{"reply", ` { "id" : "a-1" , "result" : { "x" : 1.50 } } `, jsonrpc.Message{ID: raw(`"a-1"`), Result: raw(`{ "x" : 1.50 }`)}},
		{"B26 id 9007199254740993", `{"id":9007199254740993,"result":{}}`, jsonrpc.Message{ID: raw("9007199254740993"), Result: raw("{}")}},
		{"B26 id 1.5", `{"id":1.5,"result":{}}`, jsonrpc.Message{ID: raw("1.5"), Result: raw("{}")}},
		{"B26 id null", `{"id":null,"result":{}}`, jsonrpc.Message{ID: raw("null"), Result: raw("{}")}},
		{"neither result nor error", `{"jsonrpc":"2.0","id":3}`, jsonrpc.Message{ID: raw("3")}},
		{"result null", `{"id":3,"result":null}`, jsonrpc.Message{ID: raw("3"), Result: raw("null")}},
		{"error", `{"id":3,"error":{"code":-32601,"message":"Unknown \u00e4","data":{"n":1.0}}}`,
			jsonrpc.Message{ID: raw("3"), Error: &jsonrpc.Error{Code: -32601, Message: "Unknown ä", Data: raw(`{"n":1.0}`)}}},
		{"error data null", `{"id":3,"error":{"code":1,"message":"m","data":null}}`,
			jsonrpc.Message{ID: raw("3"), Error: &jsonrpc.Error{Code: 1, Message: "m"}}},
		{"error null", `{"id":3,"error":null,"result":1}`, jsonrpc.Message{ID: raw("3"), Result: raw("1")}},
		{"error is text", `{"id":3,"error":"boom"}`, jsonrpc.Message{ID: raw("3"), Error: &jsonrpc.Error{Message: "boom"}}},
		{"odd error", `{"id":3,"error":{"code":"-5","message":[1]}}`, jsonrpc.Message{ID: raw("3"), Error: &jsonrpc.Error{Code: -5, Message: "[1]"}}},
		{"code with fraction", `{"id":3,"error":{"code":-32000.0,"message":""}}`, jsonrpc.Message{ID: raw("3"), Error: &jsonrpc.Error{Code: -32000}}},
		{"code out of range", `{"id":3,"error":{"code":1e99}}`, jsonrpc.Message{ID: raw("3"), Error: &jsonrpc.Error{}}},
		{"file", `{"id":3,"__file_transport":"/tmp/x.json"}`, jsonrpc.Message{ID: raw("3"), File: "/tmp/x.json"}},
		{"method null", `{"id":3,"method":null,"result":{}}`, jsonrpc.Message{ID: raw("3"), Result: raw("{}")}},
		{"method no text", `{"id":3,"method":7}`, jsonrpc.Message{ID: raw("3"), HasMethod: true}},
		{"last key counts", `{"id":1,"id":2,"error":{},"error":null,"method":"x","method":null}`, jsonrpc.Message{ID: raw("2")}},
		{"other case is another key", `{"ID":1,"Result":{}}`, jsonrpc.Message{}},
		{"escaped key", `{"\u0069d":1}`, jsonrpc.Message{ID: raw("1")}},
		{"not UTF-8", "{\"id\":1,\"method\":\"a\xffb\",\"params\":\"\xff\"}",
			jsonrpc.Message{ID: raw("1"), HasMethod: true, Method: "a\uFFFDb", Params: raw("\"\xff\"")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var m jsonrpc.Message
			if err := jsonrpc.Decode([]byte(tt.line), &m); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, m); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeNotObject(t *testing.T) {
	for _, line := range []string{
		"", " ", "hello", "[]", "42", "null", `"x"`, "{", "}", `{"id":1`, `{"id":1}}`, `{"id":1} {}`, `{"id":1,}`, `{id:1}`,
		`{"id":01}`, `{"id":1.}`, `{"id":.5}`, `{"id":-}`, `{"id":1e}`, `{"id":+1}`, `{"id":tru}`, `{"id":"\x"}`, `{"id":"\u12g4"}`,
		"{\"id\":\"a\tb\"}", `{"id" 1}`, `{"id":1 "a":2}`, `{"a":[1 2]}`, `{"a":[1,]}`, "{\"id\":1}\x00", "\uFEFF{}",
		`{"a":` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + `}`,
	} {
		m := jsonrpc.Message{ID: json.RawMessage("1")}
		if err := jsonrpc.Decode([]byte(line), &m); err != jsonrpc.ErrNotObject || m.ID != nil {
			t.Errorf("%.40q: %v, %+v", line, err, m)
		}
	}
	deep := `{"a":` + strings.Repeat("[", 9999) + strings.Repeat("]", 9999) + `}`
	if err := jsonrpc.Decode([]byte(deep), new(jsonrpc.Message)); err != nil {
		t.Errorf("10000 levels: %v", err)
	}
}

func TestAppend(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	tests := []struct {
		m    jsonrpc.Message
		want string
	}{
		{jsonrpc.Message{ID: raw("0"), HasMethod: true, Method: "initialize", Params: raw("{}")}, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`},
		{jsonrpc.Message{HasMethod: true, Method: "a\"\\\n\x01é\xff"}, `{"jsonrpc":"2.0","method":"a\"\\\n\u0001é` + "\uFFFD" + `"}`},
		{jsonrpc.Message{ID: raw(`"x"`), Result: raw("{\r\n \"a\": \"\xff\"\n}")}, "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{   \"a\": \"\uFFFD\" }}"},
		{jsonrpc.Message{ID: raw("null")}, `{"jsonrpc":"2.0","id":null,"result":{}}`},
		{jsonrpc.Message{ID: raw("1"), Error: &jsonrpc.Error{Code: -1, Message: "m", Data: raw("{}")}}, `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":{}}}`},
		{jsonrpc.Message{ID: raw("1"), File: "/a b"}, `{"jsonrpc":"2.0","id":1,"__file_transport":"/a b"}`},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want+"\n", string(jsonrpc.Append(nil, &tt.m))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func Example() {
	var m jsonrpc.Message
	if err := jsonrpc.Decode([]byte(`{"jsonrpc":"2.0","id":9007199254740993,"method":"storage/get"}`), &m); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%s", jsonrpc.Append(nil, &jsonrpc.Message{ID: m.ID, Error: &jsonrpc.Error{Code: -32601, Message: "no " + m.Method}}))
	// Output: {"jsonrpc":"2.0","id":9007199254740993,"error":{"code":-32601,"message":"no storage/get"}}
}

// encoding/json is what the parts must agree with.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{}}`, `{"id":"a","result":[1,-2.5e+7,true,false,null,"\u00e4\n"]}`,
		`{"error":{"code":1,"message":"x","data":[]},"error":null}`, `{"\u0069d":1,"__file_transport":"/x"}`, "{\"id\":\"\xff\"}", "[]", "",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if got, want := jsonrpc.Valid(line), json.Valid(line); got != want {
			t.Fatalf("Valid(%q) = %v, want %v", line, got, want)
		}
		sameValue(t, line)
		var m jsonrpc.Message
		var want map[string]json.RawMessage
		err, wantErr := jsonrpc.Decode(line, &m), json.Unmarshal(line, &want)
		if wantErr == nil && want == nil { // null
			return
		}
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("Decode(%q): %v, want %v", line, err, wantErr)
		}
		for key, got := range map[string]json.RawMessage{"id": m.ID, "params": m.Params, "result": m.Result} {
			if !bytes.Equal(got, want[key]) {
				t.Errorf("%s is %q, want %q", key, got, want[key])
			}
		}
		var method string
		json.Unmarshal(want["method"], &method)
		if m.Method != method || m.HasMethod != (want["method"] != nil && string(want["method"]) != "null") {
			t.Errorf("method is %q, %v, want %q", m.Method, m.HasMethod, want["method"])
		}
		if (m.Error != nil) != (want["error"] != nil && string(want["error"]) != "null") {
			t.Errorf("error is %v, want %q", m.Error, want["error"])
		}
		if err != nil {
			return
		}
		out := jsonrpc.Append(nil, &m)
		if !utf8.Valid(out) || bytes.IndexByte(out, '\n') != len(out)-1 || !json.Valid(out) {
			t.Errorf("%q is appended as %q", line, out)
		}
	})
}

func sameValue(t *testing.T, text []byte) {
	t.Helper()
	var want any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err := d.Decode(&want)
	got, ok := jsonrpc.Value(text)
	if ok != json.Valid(text) {
		t.Fatalf("Value(%q) is %v", text, ok)
	}
	if ok && (err != nil || !cmp.Equal(want, got)) {
		t.Fatalf("Value(%q) = %#v, want %#v", text, got, want)
	}
}

func TestValue(t *testing.T) {
	for _, text := range []string{
		`{}`, ` { "a" : [ ] , "a" : {"b":[1,-2.50,true,false,null,"x\u00e4\ud800"]} } `, `[1,[2,[]]]`, `12345678901234567890`, `"x"`, `null`, `true`,
		``, `{`, `[`, `[1,]`, `{"a":1,}`, `{"a"}`, `[1 2]`, `tru`, `1 2`, `{1:2}`, "\"\xff\"",
	} {
		sameValue(t, []byte(text))
	}
	for depth, ok := range map[int]bool{10000: true, 10001: false} {
		if _, got := jsonrpc.Value([]byte(strings.Repeat("[", depth) + strings.Repeat("]", depth))); got != ok {
			t.Errorf("depth %d: %v", depth, got)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	line := []byte(`{"jsonrpc":"2.0","id":1234,"result":{"success":true,"data":{"echo":"` + strings.Repeat("x", 100) + `"},"duration_ms":1}}`)
	var m jsonrpc.Message
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if err := jsonrpc.Decode(line, &m); err != nil {
			b.Fatal(err)
		}
	}
}
