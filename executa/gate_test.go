package executa

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/internal/jsonrpc"
)

// Number and name are those of the page of the method.
func TestRefusals(t *testing.T) {
	t.Run("item 22 an error has a name beside its number", func(t *testing.T) {
		for _, tt := range []struct {
			method, capability                    string
			unnegotiated, undeclared, ungranted   int64
			unnegotiated2, undeclared2, notGrant2 string
		}{
			{"sampling/createMessage", "llm.sample", -32008, -32008, -32001, "SAMPLING_NOT_NEGOTIATED", "SAMPLING_NOT_NEGOTIATED", "SAMPLING_NOT_GRANTED"},
			{"agent/complete", "llm.sample", -32041, -32041, -32041, "AGENT_NOT_GRANTED", "AGENT_NOT_GRANTED", "AGENT_NOT_GRANTED"},
			{"agent/session.create", "llm.agent.auto", -32041, -32041, -32041, "AGENT_NOT_GRANTED", "AGENT_NOT_GRANTED", "AGENT_NOT_GRANTED"},
			{"storage/list", "aps.kv", -32021, -32021, -32021, "STORAGE_NOT_GRANTED", "STORAGE_NOT_GRANTED", "STORAGE_NOT_GRANTED"},
			{"files/list", "aps.files", -32021, -32021, -32021, "STORAGE_NOT_GRANTED", "STORAGE_NOT_GRANTED", "STORAGE_NOT_GRANTED"},
			{"image/generate", "llm.image", -32107, -32107, -32101, "IMAGE_NOT_NEGOTIATED", "IMAGE_NOT_NEGOTIATED", "IMAGE_NOT_GRANTED"},
			{"image/edit", "llm.image.edit", -32107, -32107, -32101, "IMAGE_NOT_NEGOTIATED", "IMAGE_NOT_NEGOTIATED", "IMAGE_NOT_GRANTED"},
			{"host/uploadFile", "host.upload", -32210, -32201, -32201, "UPLOAD_NOT_NEGOTIATED", "UPLOAD_NOT_GRANTED", "UPLOAD_NOT_GRANTED"},
			{"embeddings/create", "llm.embed", -32507, -32501, -32501, "EMBEDDINGS_NOT_NEGOTIATED", "EMBEDDINGS_NOT_GRANTED", "EMBEDDINGS_NOT_GRANTED"},
		} {
			t.Run(tt.method, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					allow := false
					opts := &Options{Services: map[string]Service{tt.method: echo}, Gate: gateFuncs{enter: func(context.Context, *ReverseCall) error {
						if !allow {
							return errors.New("the user has not allowed it")
						}
						return nil
					}}}
					g := newRig(t, opts)
					g.begins("a")
					if got, ok := Capability(tt.method); got != tt.capability || !ok {
						t.Errorf("it takes %q, want %q", got, tt.capability)
					}
					check := func(what string, code int64, name, detail string) {
						t.Helper()
						g.line(`{"id":1,"method":%q}`, tt.method)
						synctest.Wait()
						var got struct {
							Error struct {
								Code    int64
								Message string
								Data    struct{ ErrorCode, Detail string }
							}
						}
						if len(g.sent) != 1 || json.Unmarshal([]byte(g.sent[0]), &got) != nil {
							t.Fatalf("%s: sent %q", what, g.sent)
						}
						if got.Error.Code != code || got.Error.Data.ErrorCode != name || got.Error.Message == "" || !strings.Contains(got.Error.Data.Detail, detail) {
							t.Errorf("%s: got %+v", what, got.Error)
						}
						if strings.Contains(g.sent[0], "the user has not") {
							t.Errorf("%s: the text of a plain error is sent", what)
						}
						g.sent = nil
					}
					all := slices.DeleteFunc(manifest.Capabilities(), func(c string) bool { return c == tt.capability })
					g.negotiated(false, nil, &manifest.Plugin{HostCapabilities: []string{tt.capability}})
					check("v1", tt.unnegotiated, tt.unnegotiated2, "2.0")
					g.negotiated(true, nil, &manifest.Plugin{HostCapabilities: all})
					check("not declared", tt.undeclared, tt.undeclared2, fmt.Sprintf("host_capabilities [%q]", tt.capability))
					// What initialize says does not matter.
					g.negotiated(true, nil, &manifest.Plugin{HostCapabilities: []string{tt.capability}})
					check("not granted", tt.ungranted, tt.notGrant2, "")
					allow = true
					g.line(`{"id":1,"method":%q}`, tt.method)
					g.want(echoed("1", "a", "{}"))
					if n := strings.Count(g.logs.String(), "did not declare"); n != 1 {
						t.Errorf("%d log lines say what is not declared", n)
					}
				})
			})
		}
		// The words of the pages on lifecycle and pitfalls.
		for method, want := range map[string]string{"sampling/createMessage": "not_negotiated", "storage/get": "not_granted", "host/uploadFile": "Upload token missing — host did not authorize host/uploadFile"} {
			n := negotiation{v2: true}
			if err, _ := n.check("demo", method); err.Message != want {
				t.Errorf("%s: %q, want %q", method, err.Message, want)
			}
		}
	})
}

// A method that the host has added needs version 2 and nothing else.
func TestOtherMethods(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, &Options{Services: map[string]Service{"tool.call": echo}})
		g.begins("a")
		g.negotiated(true, nil, &manifest.Plugin{})
		g.line(`{"id":1,"method":"tool.call"}`)
		g.want(echoed("1", "a", "{}"))
		g.negotiated(false, nil, &manifest.Plugin{})
		g.line(`{"id":1,"method":"tool.call"}`)
		synctest.Wait()
		if len(g.sent) != 1 || !strings.Contains(g.sent[0], `"code":-32601`) {
			t.Errorf("sent %q", g.sent)
		}
		if capability, ok := Capability("tool.call"); ok {
			t.Errorf("it takes %q", capability)
		}
		if err := NotGranted("tool.call"); err.Code != -32000 {
			t.Errorf("got %v", err)
		}
	})
}

type gateFuncs struct {
	enter func(context.Context, *ReverseCall) error
	leave func(*ReverseCall, json.RawMessage, error)
}

func (g gateFuncs) Enter(ctx context.Context, c *ReverseCall) error { return g.enter(ctx, c) }
func (g gateFuncs) Leave(c *ReverseCall, result json.RawMessage, err error) {
	if g.leave != nil {
		g.leave(c, result, err)
	}
}

// A gate is told what came of each call that it let pass, before the plugin is.
func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stubborn := make(chan struct{})
		var log []string
		g := newRig(t, &Options{
			Services: map[string]Service{
				"ok":    func(context.Context, *ReverseCall) (json.RawMessage, error) { return json.RawMessage(`{"n":1}`), nil },
				"fails": func(context.Context, *ReverseCall) (json.RawMessage, error) { return nil, errors.New("broken") },
				"null":  func(context.Context, *ReverseCall) (json.RawMessage, error) { return nil, nil },
				"panic": func(context.Context, *ReverseCall) (json.RawMessage, error) { panic("x") },
				"late": func(context.Context, *ReverseCall) (json.RawMessage, error) {
					<-stubborn
					return json.RawMessage(`{}`), nil
				},
				"no": echo, "enter": echo, "leave": func(context.Context, *ReverseCall) (json.RawMessage, error) { return json.RawMessage(`{}`), nil },
			},
			Gate: gateFuncs{
				enter: func(_ context.Context, c *ReverseCall) error {
					switch c.Method {
					case "no":
						return fmt.Errorf("gate: %w", &RPCError{Code: -32006, Message: "8 calls at most"})
					case "enter":
						panic("in Enter")
					}
					log = append(log, "enter "+c.Method+" "+c.Tool+" "+string(c.Params))
					return nil
				},
				leave: func(c *ReverseCall, result json.RawMessage, err error) {
					log = append(log, fmt.Sprintf("leave %s %s %v", c.Method, result, err))
					if c.Method == "leave" {
						panic("in Leave")
					}
				},
			},
		})
		send := g.send
		g.send = func(ctx context.Context, m *jsonrpc.Message) error {
			log = append(log, "answer")
			return send(ctx, m)
		}
		g.begins("a")
		for _, method := range []string{"ok", "fails", "null", "panic", "no", "enter", "leave", "late"} {
			g.line(`{"id":1,"method":%q,"params":{"k":1}}`, method)
			synctest.Wait()
		}
		g.end("a")
		synctest.Wait()
		close(stubborn)
		synctest.Wait()
		want := `enter ok tool-a {"k":1}
leave ok {"n":1} <nil>
answer
enter fails tool-a {"k":1}
leave fails  broken
answer
enter null tool-a {"k":1}
leave null  the result is not JSON: unexpected end of JSON input
answer
enter panic tool-a {"k":1}
leave panic  panic: x
answer
answer
answer
enter leave tool-a {"k":1}
leave leave {} <nil>
answer
enter late tool-a {"k":1}
answer
leave late {} <nil>`
		if got := strings.Join(log, "\n"); got != want {
			t.Errorf("got\n%s", got)
		}
		if !strings.Contains(strings.Join(g.sent, "\n"), `"code":-32006,"message":"8 calls at most"`) {
			t.Errorf("sent %q", g.sent)
		}
	})
}
