package executa

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/internal/jsonrpc"
	"github.com/matrix-nexus/skillkit/registry"
)

func TestDecodeResult(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	const unclear = "so that it does not say whether the tool failed; it is "
	tests := []struct {
		raw, lenient string // lenient: the result with LenientResult, if it is another
		want         registry.Result
		problem      string
	}{
		{raw: `{"success":true,"data":"text\nof 2 lines"}`, want: registry.Result{Text: "text\nof 2 lines", Data: raw(`"text\nof 2 lines"`)}},
		{raw: `{"duration_ms":1,"data":{ "n" : 1.50, "big":12345678901234567890, "s" : "a \" b" },"success":true,"tool":"t"}`,
			want: registry.Result{Text: `{"n":1.50,"big":12345678901234567890,"s":"a \" b"}`, Data: raw(`{ "n" : 1.50, "big":12345678901234567890, "s" : "a \" b" }`)}},
		{raw: `{"success":true,"data":[]}`, want: registry.Result{Text: "[]", Data: raw("[]")}},
		{raw: `{"success":true,"data":0}`, want: registry.Result{Text: "0", Data: raw("0")}},
		{raw: `{"success":true,"data":null}`},
		{raw: `{"success":true}`},
		{raw: `{"success":true,"data":{"error":"no key"}}`, want: registry.Result{Text: `{"error":"no key"}`, Data: raw(`{"error":"no key"}`)}},
		{raw: `{"success":true,"error":"ignored","data":1}`, want: registry.Result{Text: "1", Data: raw("1")}},
		{raw: "{\"success\":true,\"data\":\"a\xffb\"}", want: registry.Result{Text: "a\uFFFDb", Data: raw("\"a\xffb\"")}},
		{raw: "{\"success\":true,\"data\":[\"a\xffb\"]}", want: registry.Result{Text: "[\"a\uFFFDb\"]", Data: raw("[\"a\xffb\"]")}},
		{raw: `{"success":false,"error":"city not found"}`, want: registry.Result{IsError: true, Text: "city not found"}},
		{raw: `{"success":false,"error":{"code": 1},"data":{"a":1}}`, want: registry.Result{IsError: true, Text: `{"code":1}`, Data: raw(`{"a":1}`)}},
		{raw: `{"success":false}`, want: registry.Result{IsError: true, Text: "the tool failed and did not say why"}},
		{raw: `{"success":false,"error":" ","data":"d"}`, want: registry.Result{IsError: true, Text: "the tool failed and did not say why", Data: raw(`"d"`)}},
		{raw: `{"success":false,"error":null}`, want: registry.Result{IsError: true, Text: "the tool failed and did not say why"}},
		{raw: `{"count":3}`, want: registry.Result{IsError: true, Data: raw(`{"count":3}`), Text: `the plugin's answer has no "success", ` + unclear + `{"count":3}`}, lenient: `{"count":3}`},
		{raw: `{"success":"true","data":1}`, want: registry.Result{IsError: true, Data: raw(`{"success":"true","data":1}`),
			Text: `the plugin's answer has a "success" that is neither true nor false, ` + unclear + `{"success":"true","data":1}`}},
		{raw: ``, problem: "neither"},
		{raw: `null`, problem: "object"},
		{raw: `"text"`, problem: "object"},
		{raw: `[{"success":true}]`, problem: "object"},
	}
	for _, tt := range tests {
		for _, lenient := range []bool{false, true} {
			in := raw(tt.raw)
			if tt.raw == "" {
				in = nil
			}
			want := tt.want
			if lenient && tt.lenient != "" {
				want = registry.Result{Text: tt.lenient, Data: raw(tt.lenient)}
			}
			got, problem := decodeResult(in, lenient)
			if diff := cmp.Diff(want, got); diff != "" || (problem == "") != (tt.problem == "") || !strings.Contains(problem, tt.problem) {
				t.Errorf("%s: %s (-want +got):\n%s", tt.raw, problem, diff)
			}
		}
	}
}

func TestDecodeResultShowsPart(t *testing.T) {
	for n, whole := range map[int]bool{maxShown: true, maxShown + 1: false} {
		r, _ := decodeResult(json.RawMessage(`{"x":"`+strings.Repeat("é", n/2-4)+strings.Repeat("x", n%2)+`"}`), false)
		if strings.HasSuffix(r.Text, "\"}") != whole || !utf8.ValidString(r.Text) {
			t.Errorf("%d bytes: …%s", n, r.Text[len(r.Text)-30:])
		}
	}
}

func TestRPCResult(t *testing.T) {
	got := rpcResult(&jsonrpc.Error{Code: -32001, Message: "[-32001] no \"grant\"", Data: json.RawMessage(`{"errorCode": "X"}`)})
	want := registry.Result{
		IsError: true,
		Text:    `[-32001] no "grant" (code -32001): {"errorCode":"X"}`,
		Data:    json.RawMessage(`{"code":-32001,"message":"[-32001] no \"grant\"","data":{"errorCode": "X"}}`),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// encoding/json is what must be agreed with.
func FuzzResult(f *testing.F) {
	for _, s := range []string{`{"success":true,"data":{"a":[1, 2]}}`, `{"success":false,"error":"x"}`, `{"success":1}`, `{}`, `[]`, "{\"success\":true,\"data\":\"\xff\\ud800\"}"} {
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, raw []byte, lenient bool) {
		if !json.Valid(raw) {
			return // a reply is valid
		}
		raw = []byte(strings.TrimSpace(string(raw)))
		got, problem := decodeResult(raw, lenient)
		if !utf8.ValidString(got.Text) || !utf8.ValidString(problem) {
			t.Fatalf("not UTF-8: %q, %q", got.Text, problem)
		}
		if got.Data != nil && !json.Valid(got.Data) {
			t.Fatalf("data is %q", got.Data)
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(raw, &object) != nil || object == nil {
			if problem == "" {
				t.Fatalf("%q is no problem", raw)
			}
			return
		}
		if problem != "" {
			t.Fatalf("%q: %s", raw, problem)
		}
		if success := string(object["success"]); success == "true" || success == "false" {
			if got.IsError != (success == "false") {
				t.Fatalf("%q: %+v", raw, got)
			}
			if data := object["data"]; data != nil && string(data) != "null" && string(got.Data) != string(data) {
				t.Fatalf("data is %q, want %q", got.Data, data)
			}
			var want any
			if text := got.Text; success == "true" && got.Data != nil && got.Data[0] != '"' && json.Unmarshal([]byte(text), &want) != nil {
				t.Fatalf("text of %q is %q", got.Data, text)
			}
		}
	})
}
