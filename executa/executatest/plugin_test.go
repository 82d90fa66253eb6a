package executatest_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/executa"
	"github.com/matrix-nexus/skillkit/executa/executatest"
	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/internal/leak"
)

// serve runs p and returns a function that writes lines to it and returns as many
// as it writes to them.
func serve(t *testing.T, p *executatest.Plugin) func(replies int, lines ...string) []string {
	t.Helper()
	leak.Check(t)
	in, toPlugin := io.Pipe()
	fromPlugin, out := io.Pipe()
	done := make(chan error)
	go func() {
		err := p.Serve(context.Background(), in, out)
		out.Close()
		done <- err
	}()
	t.Cleanup(func() {
		toPlugin.Close()
		rest, _ := io.ReadAll(fromPlugin)
		if err := <-done; err != nil || len(rest) > 0 {
			t.Errorf("Serve: got %v, and %q at the end", err, rest)
		}
	})
	r := bufio.NewReader(fromPlugin)
	return func(replies int, lines ...string) []string {
		t.Helper()
		go func() {
			for _, line := range lines {
				fmt.Fprintln(toPlugin, line)
			}
		}()
		got := []string{}
		for range replies {
			line, err := r.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, strings.TrimSpace(line))
		}
		return got
	}
}

func invoke(id int, tool, context string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"invoke","params":{"tool":%q,"arguments":{"a":1},"context":%s}}`, id, tool, context)
}

func TestPlugin(t *testing.T) {
	p := &executatest.Plugin{Tools: map[string]executatest.Tool{
		"call": func(_ context.Context, c *executatest.Call) (any, error) {
			return map[string]any{
				"tool": c.Tool, "arguments": c.Arguments, "key": c.Credentials["KEY"], "id": c.InvokeID,
				"deadline": c.Deadline.UnixMilli(),
			}, nil
		},
		"fails":  func(context.Context, *executatest.Call) (any, error) { return nil, errors.New("no such city") },
		"result": func(context.Context, *executatest.Call) (any, error) { return executatest.Result(`{"bare":1}`), nil },
		"error": func(context.Context, *executatest.Call) (any, error) {
			return nil, &executa.RPCError{Code: -32000, Message: "no", Data: json.RawMessage(`{"a":1}`)}
		},
		"raw": func(_ context.Context, c *executatest.Call) (any, error) {
			return nil, c.Write([]byte("not JSON\n"))
		},
	}}
	tests := []struct {
		name, line string
		want       []string
	}{
		{"health", `{"jsonrpc":"2.0","id":1,"method":"health"}`, []string{`{"jsonrpc":"2.0","id":1,"result":{"status":"ready"}}`}},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"none"}`, []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"unknown method none"}}`}},
		{"unknown tool", invoke(1, "none", "{}"), []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"unknown tool none"}}`}},
		{"not JSON", "no", []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"jsonrpc: not a JSON object"}}`}},
		{"bad parameters", `{"jsonrpc":"2.0","id":1,"method":"invoke","params":[]}`, []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"json: cannot unmarshal array into Go value of type`}},
		{"call", invoke(1, "call", `{"credentials":{"KEY":"k"},"invoke_id":"ff","deadline_ms":5}`), []string{
			`{"jsonrpc":"2.0","id":1,"result":{"success":true,"data":{"arguments":{"a":1},"deadline":5,"id":"ff","key":"k","tool":"call"}}}`,
		}},
		{"failure", invoke(1, "fails", "{}"), []string{`{"jsonrpc":"2.0","id":1,"result":{"success":false,"error":"no such city"}}`}},
		{"whole result", invoke(1, "result", "{}"), []string{`{"jsonrpc":"2.0","id":1,"result":{"bare":1}}`}},
		{"error", invoke(1, "error", "{}"), []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no","data":{"a":1}}}`}},
		{"raw line", invoke(1, "raw", "{}"), []string{"not JSON", `{"jsonrpc":"2.0","id":1,"result":{"success":true}}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := serve(t, p)(len(tt.want), tt.line)
			for i, want := range tt.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("got %s, want %s", got[i], want)
				}
			}
		})
	}
}

func TestPluginHandshake(t *testing.T) {
	const request = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2.0"}}`
	got := serve(t, &executatest.Plugin{Capabilities: json.RawMessage(`{"sampling":{}}`)})(1, request)[0]
	if want := `"protocolVersion":"2.0"`; !strings.Contains(got, want) || !strings.Contains(got, `"client_capabilities":{"sampling":{}}`) {
		t.Errorf("initialize: got %s", got)
	}
	got = serve(t, &executatest.Plugin{Protocol: "1.1"})(1, request)[0]
	if want := `{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"unknown method initialize"}}`; got != want {
		t.Errorf("initialize of version 1.1: got %s, want %s", got, want)
	}
}

func TestPluginManifest(t *testing.T) {
	const request = `{"jsonrpc":"2.0","id":1,"method":"describe"}`
	got := serve(t, &executatest.Plugin{Manifest: json.RawMessage(`{"tools":[]}`)})(1, request)[0]
	if want := `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`; got != want {
		t.Errorf("describe: got %s, want %s", got, want)
	}
	p := &executatest.Plugin{Tools: map[string]executatest.Tool{"b": nil, "a": nil}}
	var reply struct{ Result json.RawMessage }
	if err := json.Unmarshal([]byte(serve(t, p)(1, request)[0]), &reply); err != nil {
		t.Fatal(err)
	}
	m, err := manifest.ParsePlugin("", reply.Result)
	if err != nil || len(m.Problems) > 0 || len(m.Tools) != 2 || m.Tools[0].Name != "a" {
		t.Errorf("describe: got %s, %v, %v", reply.Result, m.Problems, err)
	}
}

func TestReverse(t *testing.T) {
	errs := make(chan error, 2)
	send := serve(t, &executatest.Plugin{Tools: map[string]executatest.Tool{
		"keep": func(ctx context.Context, c *executatest.Call) (any, error) {
			result, err := c.Reverse(ctx, "storage/set", map[string]any{"key": "k"})
			errs <- err
			return result, err
		},
		"tell": func(_ context.Context, c *executatest.Call) (any, error) {
			return nil, c.Progress("progress", 0.5)
		},
		"list": func(ctx context.Context, c *executatest.Call) (any, error) { return c.Reverse(ctx, "m", []int{1}) },
	}})
	// Both wait at the same time, and are answered in the other order.
	got := send(1, invoke(1, "keep", `{"invoke_id":"aa"}`))
	got = append(got, send(1, invoke(2, "keep", `{"invoke_id":"bb"}`))...)
	got = append(got, send(1, `{"jsonrpc":"2.0","id":"r2","error":{"code":-32021,"message":"no","data":[1]}}`)...)
	got = append(got, send(1, `{"jsonrpc":"2.0","id":"r9","result":{}}`, `{"jsonrpc":"2.0","id":"r1","result":{"etag":"e"}}`)...)
	got = append(got, send(2, invoke(3, "tell", `{"invoke_id":"cc"}`))...)
	want := []string{
		`{"jsonrpc":"2.0","id":"r1","method":"storage/set","params":{"context":{"invoke_id":"aa"},"key":"k"}}`,
		`{"jsonrpc":"2.0","id":"r2","method":"storage/set","params":{"context":{"invoke_id":"bb"},"key":"k"}}`,
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32021,"message":"no","data":[1]}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"success":true,"data":{"etag":"e"}}}`,
		`{"jsonrpc":"2.0","method":"executa/progress","params":{"context":{"invoke_id":"cc"},"data":0.5,"type":"progress"}}`,
		`{"jsonrpc":"2.0","id":3,"result":{"success":true}}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if rpc, ok := errors.AsType[*executa.RPCError](<-errs); !ok || rpc.Code != -32021 {
		t.Errorf("Reverse: got %v, want the error of the host", rpc)
	}
	if err := <-errs; err != nil {
		t.Error(err)
	}
	if got := send(1, invoke(4, "list", "{}"))[0]; !strings.Contains(got, "must be an object") {
		t.Errorf("parameters that are a list: got %s", got)
	}
}

// At the end of the input a call that waits for the host does so no longer.
func TestReverseAtTheEnd(t *testing.T) {
	leak.Check(t)
	p := &executatest.Plugin{Tools: map[string]executatest.Tool{
		"keep": func(ctx context.Context, c *executatest.Call) (any, error) { return c.Reverse(ctx, "m", nil) },
	}}
	var out bytes.Buffer
	if err := p.Serve(t.Context(), strings.NewReader(invoke(1, "keep", "{}")), &out); err != nil {
		t.Fatal(err)
	}
	if want := "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"success\":false,\"error\":\"context canceled\"}}\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("got %s, want it to end with %s", out.String(), want)
	}
}

func TestFile(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	const frame = len(`{"jsonrpc":"2.0","id":1,"result":{"success":true,"data":""}}` + "\n")
	for _, tt := range []struct {
		inline, size int
		file         bool
	}{
		{0, executatest.DefaultInline, false},
		{0, executatest.DefaultInline + 1, true},
		{frame, frame, false},
		{frame, frame + 1, true},
		{-1, executatest.DefaultInline + 1, false},
	} {
		text := strings.Repeat("x", tt.size-frame)
		got := serve(t, &executatest.Plugin{Inline: tt.inline, Tools: map[string]executatest.Tool{
			"text": func(context.Context, *executatest.Call) (any, error) { return text, nil },
		}})(1, invoke(1, "text", "{}"))[0]
		var pointer struct {
			ID   int
			File string `json:"__file_transport"`
		}
		if err := json.Unmarshal([]byte(got), &pointer); err != nil {
			t.Fatal(err)
		}
		if (pointer.File != "") != tt.file || pointer.ID != 1 {
			t.Errorf("Inline %d, %d bytes: got %.200s, want a file: %v", tt.inline, tt.size, got, tt.file)
		}
		if tt.file {
			data, err := os.ReadFile(pointer.File)
			if want := fmt.Sprintf("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"success\":true,\"data\":%q}}\n", text); err != nil || string(data) != want {
				t.Errorf("file: got %.200s, %v", data, err)
			}
		}
	}
}

func TestRaw(t *testing.T) {
	got := serve(t, &executatest.Plugin{Raw: func(out io.Writer, line []byte) bool {
		fmt.Fprintf(out, "saw %d bytes\n", len(line))
		return len(line) < 10
	}})(3, "short", `{"jsonrpc":"2.0","id":1,"method":"health"}`)
	want := []string{"saw 5 bytes", "saw 42 bytes", `{"jsonrpc":"2.0","id":1,"result":{"status":"ready"}}`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}
