package executa

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/internal/jsonrpc"
)

// A script is a plugin at the other end of two pipes.
type script struct {
	t      *testing.T
	in     *jsonrpc.Reader
	out    io.Writer
	killed <-chan struct{}
}

// sleep returns earlier if the plugin is killed.
func (s *script) sleep(d time.Duration) {
	select {
	case <-s.killed:
	case <-time.After(d):
	}
}

// next returns the next message of the host; ok is false when it has closed.
func (s *script) next() (m jsonrpc.Message, ok bool) {
	line, err := s.in.Next()
	if err != nil {
		return m, false
	}
	if err := jsonrpc.Decode(bytes.Clone(line), &m); err != nil {
		s.t.Errorf("host wrote %.200q", line)
	}
	return m, true
}

func (s *script) write(format string, args ...any) {
	_, _ = fmt.Fprintf(s.out, format, args...) // the host may be gone
}

// describe answers initialize and describe.
func (s *script) describe(version, manifest string) {
	m, _ := s.next()
	if version == protocol2 {
		s.write(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2.0","serverInfo":{}}}`+"\n", m.ID)
	} else {
		s.write(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`+"\n", m.ID)
	}
	m, _ = s.next()
	s.write(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, manifest)
}

const oneTool = `{"name":"p","tools":[{"name":"t"},{"name":"slow","timeout":600}]}`

// serve answers each call with what f returns, in order.
func (s *script) serve(f func(m jsonrpc.Message) string) {
	for m, ok := s.next(); ok; m, ok = s.next() {
		if m.HasMethod {
			s.write("%s", f(m))
		}
	}
}

func ok(m jsonrpc.Message) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"success":true,"data":"done"}}`+"\n", m.ID)
}

// startOverPipes runs plugin at the other end of pipes, and does all of startProcess but
// the launch. When plugin returns, it has ended.
func startOverPipes(t *testing.T, spec *Spec, opts *Options, first bool, plugin func(*script)) (*Process, string, error) {
	t.Helper()
	theirIn, ourOut := io.Pipe()
	ourIn, theirOut := io.Pipe()
	p := newProcess("p", spec, opts)
	gone, killed := make(chan struct{}), make(chan struct{})
	var once sync.Once
	p.stop = func(ctx context.Context) {
		ourOut.Close()
		timer := time.NewTimer(DefaultGrace)
		defer timer.Stop()
		select {
		case <-gone:
			return
		case <-ctx.Done():
		case <-timer.C:
		}
		once.Do(func() { close(killed); theirOut.Close(); theirIn.Close() })
		<-gone
	}
	p.exit = func() *ExitError {
		return &ExitError{Plugin: p.conn.name(), Status: "exit status 3", Stderr: "its last words"}
	}
	go func() {
		defer close(gone)
		defer theirIn.Close()
		defer theirOut.Close()
		plugin(&script{t, jsonrpc.NewReader(theirIn, 64<<20), theirOut, killed})
	}()
	p.serve(ourOut, ourIn, "")
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if n := pending(p); n > 0 {
			t.Errorf("%d requests are still pending", n)
		}
	})
	stage, err := p.handshake(t.Context(), spec.ID, first)
	return p, stage, err
}

// session starts a plugin that has one tool.
func session(t *testing.T, opts *Options, plugin func(*script)) *Process {
	t.Helper()
	p, _, err := startOverPipes(t, &Spec{ID: "p"}, opts, true, func(s *script) {
		s.describe("1.1", oneTool)
		plugin(s)
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func pending(p *Process) int {
	p.conn.mu.Lock()
	defer p.conn.mu.Unlock()
	return len(p.conn.pending)
}

// inBubble runs a test whose time is faked, with a context that ends before it.
func inBubble(t *testing.T, f func(t *testing.T)) { t.Helper(); synctest.Test(t, f) }

func TestInitializeRequest(t *testing.T) {
	none := Service(nil)
	tests := []struct {
		name     string
		services map[string]Service
		want     string
	}{
		{"no services", nil, `{"fileTransport":true,"progress":{}}`},
		{"all", map[string]Service{"sampling/createMessage": none, "agent/session.run": none, "image/generate": none, "image/edit": none,
			"storage/get": none, "host/uploadFile": none, "embeddings/create": none},
			`{"agent":{},"embeddings":{},"fileTransport":true,"image":{},"image.edit":{},"progress":{},` +
				`"sampling":{"maxCallsPerInvoke":8,"maxTokensPerCall":8192,"modalities":["text"],"responseFormat":["json_object","json_schema"]},` +
				`"storage":{"files":false,"kv":true},"upload":{}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				var lines []string
				opts := &Options{Services: tt.services, Trace: func(_ string, sent bool, line []byte) {
					if sent {
						lines = append(lines, string(line))
					}
				}}
				p, _, err := startOverPipes(t, &Spec{ID: "p"}, opts, true, func(s *script) { s.describe("2.0", oneTool); s.serve(ok) })
				if err != nil {
					t.Fatal(err)
				}
				want := []string{
					`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":` + tt.want +
						`,"clientInfo":{"name":"skillkit","version":"1"},"protocolVersion":"2.0"}}`,
					`{"jsonrpc":"2.0","id":1,"method":"describe"}`,
				}
				if diff := cmp.Diff(want, lines); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if p.Protocol() != "2.0" {
					t.Errorf("protocol is %s", p.Protocol())
				}
			})
		})
	}
}

func TestInitializeAnswer(t *testing.T) {
	tests := []struct {
		name, answer string // without the id
		want         string
	}{
		{"serverInfo", `"result":{"protocolVersion":"2.0","serverInfo":{"name":"x"},"capabilities":{}}`, "2.0"},
		{"server_info", `"result":{"server_info":{},"protocolVersion":"2.0","client_capabilities":{"sampling":{}}}`, "2.0"},
		{"another version", `"result":{"protocolVersion":"1.1"}`, "1.1"},
		{"a later version", `"result":{"protocolVersion":"2.1"}`, "1.1"},
		{"no version", `"result":{}`, "1.1"},
		{"version is a number", `"result":{"protocolVersion":2.0}`, "1.1"},
		{"no object", `"result":[]`, "1.1"},
		{"no result", `"x":1`, "1.1"},
		{"unknown method", `"error":{"code":-32601,"message":"no"}`, "1.1"},
		{"another error", `"error":{"code":-1,"message":"no"}`, "1.1"},
		{"error that is text", `"error":"no"`, "1.1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p, stage, err := startOverPipes(t, &Spec{ID: "p"}, &Options{}, true, func(s *script) {
					m, _ := s.next()
					s.write(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, tt.answer)
					m, _ = s.next()
					s.write(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, oneTool)
					s.serve(ok)
				})
				if err != nil || p.Protocol() != tt.want {
					t.Errorf("%s, %s, %v", p.Protocol(), stage, err)
				}
			})
		})
	}
}

// The union of both keys counts (item 0.6).
func TestClaimedCapabilities(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p, _, err := startOverPipes(t, &Spec{ID: "p"}, &Options{}, true, func(s *script) {
			m, _ := s.next()
			s.write(`{"id":%s,"result":{"protocolVersion":"2.0","capabilities":{"storage":{"kv":true}},"client_capabilities":{"sampling":{}}}}`+"\n", m.ID)
			m, _ = s.next()
			s.write(`{"id":%s,"result":%s}`+"\n", m.ID, oneTool)
			s.serve(ok)
		})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]json.RawMessage{"storage": json.RawMessage(`{"kv":true}`), "sampling": json.RawMessage(`{}`)}
		if diff := cmp.Diff(want, p.router.terms.claimed); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// A plugin that says nothing to initialize speaks version 1. What it answers late
// confuses nothing.
func TestInitializeTimeout(t *testing.T) {
	for _, tt := range []struct {
		first bool
		want  time.Duration
	}{{true, DefaultColdStart - DescribeTimeout}, {false, 5 * time.Second}} {
		inBubble(t, func(t *testing.T) {
			begin := time.Now()
			var waited time.Duration
			p, _, err := startOverPipes(t, &Spec{ID: "p"}, &Options{}, tt.first, func(s *script) {
				late, _ := s.next()
				m, _ := s.next()
				waited = time.Since(begin)
				s.write(`{"id":%s,"result":{"protocolVersion":"2.0"}}`+"\n", late.ID)
				s.write(`{"id":%s,"result":%s}`+"\n", m.ID, oneTool)
				s.serve(ok)
			})
			if err != nil || p.Protocol() != "1.1" || waited != tt.want || p.Stats().UnknownReplies != 1 {
				t.Errorf("%s, %v after %s, want %s; %+v", p.Protocol(), err, waited, tt.want, p.Stats())
			}
		})
	}
}

func TestHandshakeFails(t *testing.T) {
	answer := func(result string) func(*script) {
		return func(s *script) { s.describe("1.1", result); s.serve(ok) }
	}
	tests := []struct {
		name, id string
		plugin   func(*script)
		stage    string
		want     string // in the error
	}{
		{"E10 wrapped manifest", "p", answer(`{"manifest":{"name":"x","tools":[]}}`), "describe", "pitfall 5"},
		{"two tools of one name", "p", answer(`{"tools":[{"name":"a"},{"name":"b"},{"name":"a"}]}`), "describe", `two tools named "a"`},
		{"no object", "p", answer(`[]`), "describe", "object"},
		{"null", "p", answer(`null`), "describe", "object"},
		{"no id", "", answer(`{"tools":[]}`), "describe", "Spec.ID"},
		{"bad id", "", answer(`{"name":"1 2","tools":[]}`), "describe", `"1 2"`},
		{"error", "p", func(s *script) {
			s.next()
			s.write(`{"id":0,"error":{}}` + "\n")
			s.next()
			s.write(`{"id":1,"error":{"code":-32603,"message":"broken"}}` + "\n")
			s.serve(ok)
		}, "describe", "broken (code -32603)"},
		{"silent", "p", func(s *script) { s.serve(func(jsonrpc.Message) string { return "" }) }, "describe", "no answer within"},
		{"ends at once", "p", func(s *script) {}, "initialize", "exit status 3"},
		{"ends after initialize", "p", func(s *script) { s.next(); s.write(`{"id":0,"error":{}}` + "\n") }, "describe", "exit status 3"},
		{"closes its output", "p", func(s *script) { s.out.(io.Closer).Close(); s.sleep(time.Hour) }, "initialize", "exit status 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				_, stage, err := startOverPipes(t, &Spec{ID: tt.id}, &Options{}, true, tt.plugin)
				if err == nil || stage != tt.stage || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%s: %v", stage, err)
				}
			})
		})
	}
}

func TestStartTakesUnknownKeysAndNames(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p, _, err := startOverPipes(t, &Spec{}, &Options{}, false, func(s *script) {
			s.describe("1.1", `{"display_name":"My Tool!","x":{},"tools":[{"name":"t","y":1}]}`)
			s.serve(ok)
		})
		if err != nil || p.ID() != "my-tool" || p.conn.name() != "my-tool" || p.router.plugin != "my-tool" {
			t.Errorf("%q, %v", p.ID(), err)
		}
	})
}

func invoke(p *Process, ctx context.Context) (string, bool, error) {
	r, sent, err := p.Invoke(ctx, Invocation{Tool: "t"})
	return r.Text, sent, err
}

// Item 0.2: the id of the call is at both places. Item 0.11: there is no null.
// Item 0.20: the name of the tool may be sent twice.
func TestInvokeRequest(t *testing.T) {
	for _, compat := range []bool{false, true} {
		for _, args := range []string{"", " ", `{"n":1.0,"big":12345678901234567890,"s":"\u00e4` + "\xff" + `",` + "\n" + `"a":[]}`} {
			inBubble(t, func(t *testing.T) {
				var got string
				p, _, err := startOverPipes(t, &Spec{ID: "p", CompatName: compat}, &Options{}, true, func(s *script) {
					s.describe("1.1", oneTool)
					s.serve(func(m jsonrpc.Message) string { got = string(m.Params); return ok(m) })
				})
				if err != nil {
					t.Fatal(err)
				}
				r, sent, err := p.Invoke(t.Context(), Invocation{Tool: "t", Arguments: json.RawMessage(args)})
				if err != nil || !sent || r.Text != "done" {
					t.Fatalf("%+v, %v, %v", r, sent, err)
				}
				var params struct {
					InvokeID string `json:"invoke_id"`
				}
				if err := json.Unmarshal([]byte(got), &params); err != nil || len(params.InvokeID) != 32 {
					t.Fatalf("%s: %v", got, err)
				}
				name := ""
				if compat {
					name = `"name":"t",`
				}
				if strings.TrimSpace(args) == "" {
					args = "{}"
				}
				sentArgs := strings.NewReplacer("\n", " ", "\xff", "\uFFFD").Replace(args)
				want := fmt.Sprintf(`{"tool":"t",%s"arguments":%s,"invoke_id":"%s","context":{"invoke_id":"%[3]s","plugin_name":"p","deadline_ms":%d}}`,
					name, sentArgs, params.InvokeID, time.Now().Add(60*time.Second).UnixMilli())
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestInvokeRefused(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := session(t, &Options{}, func(s *script) {
			if m, ok := s.next(); ok {
				t.Errorf("the plugin was sent %s", m.Params)
			}
		})
		boom := errors.New("boom")
		for _, inv := range []Invocation{
			{Tool: "other"},
			{Tool: "t", Arguments: json.RawMessage(`[]`)},
			{Tool: "t", Arguments: json.RawMessage(`{"a":}`)},
			{Tool: "t", Arguments: json.RawMessage(`{} {}`)},
			{Tool: "t", Sent: func() error { return boom }},
		} {
			inv.settled = func() { t.Errorf("%+v: settled", inv) }
			if _, sent, err := p.Invoke(t.Context(), inv); err == nil || sent || (inv.Sent != nil && err != boom) {
				t.Errorf("%s %s: %v, %v", inv.Tool, inv.Arguments, sent, err)
			}
		}
	})
}

// Item 0.10: a request is as long as MaxRequest at most.
func TestMaxRequest(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var size int
		p := session(t, &Options{Trace: func(_ string, sent bool, line []byte) {
			if sent {
				size = len(line)
			}
		}}, func(s *script) { s.serve(ok) })
		call := func(n int) (bool, error) {
			_, sent, err := p.Invoke(t.Context(), Invocation{Tool: "t", Arguments: fmt.Appendf(nil, `{"a":"%s"}`, strings.Repeat("x", n))})
			return sent, err
		}
		if _, err := call(0); err != nil {
			t.Fatal(err)
		}
		room := MaxRequest - size - 1 // the id of the second call has a digit more than that of the first
		room++
		if sent, err := call(room); !sent || err != nil || size != MaxRequest {
			t.Errorf("%v, %v, %d bytes", sent, err, size)
		}
		if sent, err := call(room + 1); sent || !errors.Is(err, ErrTooLarge) {
			t.Errorf("%v, %v", sent, err)
		}
	})
}

func TestReplies(t *testing.T) {
	good := `"result":{"success":true,"data":"done"}`
	long := strings.Repeat("x", 2000)
	tests := []struct {
		name, lines string // of the answer to the request 2
		text        string
		err         string
		stats       Stats
	}{
		{"B26 id as string", `{"id":"2",` + good + "}\n", "done", "", Stats{}},
		{"B26 id with fraction", `{"id":2.0,` + good + "}\n", "done", "", Stats{}},
		{"B26 id with exponent", `{"id":2e0,` + good + "}\n", "done", "", Stats{}},
		{"B26 other ids first", `{"id":7,` + good + "}\n" + `{"id":"abc",` + good + "}\n" + `{"id":null,` + good + "}\n{" + good + "}\n" +
			`{"id":2.5,` + good + "}\n" + `{"id":-2,` + good + "}\n" + `{"id":9007199254740993,` + good + "}\n" + `{"id":2,` + good + "}\n", "done", "", Stats{UnknownReplies: 7}},
		{"B26 request with an id like ours", `{"id":2,"method":"x/y","params":{}}` + "\n" + `{"id":2,` + good + "}\n", "done", "", Stats{ReverseCalls: 1}},
		{"twice", `{"id":2,` + good + "}\n" + `{"id":2,` + good + "}\n", "done", "", Stats{UnknownReplies: 1}},
		{"key order", "{" + good + `,"id":2}` + "\n", "done", "", Stats{}},
		{"CRLF", `{"id":2,` + good + "}\r\n", "done", "", Stats{}},
		{"noise", "hello\n[]\n42\nnull\n\"x\"\n{\"id\":2,\n" + `{"id":2,` + good + "}\n", "done", "", Stats{Noise: 6}},
		{"neither result nor error", `{"id":2}` + "\n", "", `neither "result" nor "error"`, Stats{}},
		{"result null", `{"id":2,"result":null}` + "\n", "", "must be an object", Stats{}},
		{"result is text", `{"id":2,"result":"ok"}` + "\n", "", "must be an object", Stats{}},
		{"over-long line", `{"id":2,"result":{"success":true,"data":"` + long + `"}}` + "\n", "", "__file_transport", Stats{LongLines: 1}},
		{"over-long line, id last", `{"result":{"success":true,"data":"` + long + `"},"id":2}` + "\n", "", "__file_transport", Stats{LongLines: 1}},
		{"over-long line of nobody", long + "\n" + `{"id":2,` + good + "}\n", "done", "", Stats{LongLines: 1, UnknownReplies: 1}},
		{"over-long request", `{"id":2,"method":"x","params":"` + long + `"}` + "\n" + `{"id":2,` + good + "}\n", "done", "", Stats{LongLines: 1, ReverseCalls: 1}},
		{"no folder for files", `{"id":2,"__file_transport":"/etc/passwd"}` + "\n", "", "TMPDIR", Stats{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := session(t, &Options{MaxLine: 1000}, func(s *script) {
					s.next()
					s.write("%s", tt.lines)
					s.serve(ok)
				})
				text, sent, err := invoke(p, t.Context())
				if text != tt.text || !sent || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
					t.Errorf("%q, %v, %v", text, sent, err)
				}
				if err != nil && !isType[*ProtocolError](err) {
					t.Errorf("error is a %T", err)
				}
				if text, _, err := invoke(p, t.Context()); text != "done" || err != nil {
					t.Errorf("the next call: %q, %v", text, err)
				}
				if diff := cmp.Diff(tt.stats, p.Stats()); diff != "" {
					t.Errorf("stats (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// B15: lines of any length up to the limit, and one past it.
func TestB15LongLines(t *testing.T) {
	const limit = 6 << 20
	for _, size := range []int{70_000, 1<<20 + 1, 5 << 20, limit, limit + 1} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := session(t, &Options{MaxLine: limit}, func(s *script) {
					m, _ := s.next()
					head := fmt.Sprintf(`{"id":%s,"result":{"success":true,"data":"`, m.ID)
					s.write("%s%s%s\n", head, strings.Repeat("x", size-len(head)-3), `"}}`)
					s.serve(ok)
				})
				text, _, err := invoke(p, t.Context())
				if tooLong := size > limit; tooLong != isType[*ProtocolError](err) || (len(text) > 0) == tooLong {
					t.Errorf("%d bytes of text, %v", len(text), err)
				}
				if text, _, err := invoke(p, t.Context()); text != "done" || err != nil {
					t.Errorf("the next call: %q, %v", text, err)
				}
			})
		})
	}
}

// B45: a character may come in parts.
func TestB45ByteByByte(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := session(t, &Options{}, func(s *script) {
			m, _ := s.next()
			line := []byte(fmt.Sprintf(`{"id":%s,"result":{"success":true,"data":"— 漢字 🔧 \u00e4`+"\xff"+`"}}`+"\r\n", m.ID))
			for i := range line {
				_, _ = s.out.Write(line[i : i+1])
			}
			s.serve(ok)
		})
		if text, _, err := invoke(p, t.Context()); text != "— 漢字 🔧 ä\uFFFD" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	})
}

// B29: a call whose caller gives up leaves nothing behind once it is answered.
func TestB29LateReplies(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := session(t, &Options{}, func(s *script) {
			s.serve(func(m jsonrpc.Message) string { time.Sleep(200 * time.Millisecond); return ok(m) })
		})
		var settled atomic.Int32
		for range 1000 {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			before := settled.Load()
			_, sent, err := p.Invoke(ctx, Invocation{Tool: "t", settled: func() { settled.Add(1) }})
			cancel()
			if !sent || err != context.DeadlineExceeded || settled.Load() != before {
				t.Fatalf("%v, %v, settled %d times", sent, err, settled.Load())
			}
			time.Sleep(200 * time.Millisecond)
		}
		if n := pending(p); n != 0 || settled.Load() != 1000 || p.Stats().UnknownReplies != 1000 {
			t.Errorf("%d pending, %d settled, %+v", n, settled.Load(), p.Stats())
		}
		if text, _, err := invoke(p, t.Context()); text != "done" || err != nil {
			t.Errorf("the next call: %q, %v", text, err)
		}
	})
}

// An invoke without an answer in time condemns the process: it takes no new calls,
// and ends when the others are done.
func TestTimeout(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := session(t, &Options{}, func(s *script) {
			s.next()
			slow, _ := s.next()
			time.Sleep(90 * time.Second)
			s.write("%s", ok(slow))
			s.serve(ok)
		})
		settled := 0
		go func() {
			_, sent, err := p.Invoke(t.Context(), Invocation{Tool: "t", settled: func() { settled++ }})
			want := &TimeoutError{Plugin: "p", Method: "invoke", Tool: "t", After: 60 * time.Second}
			if diff := cmp.Diff(want, err); diff != "" || !sent || settled != 1 {
				t.Errorf("sent %v, settled %d, (-want +got):\n%s", sent, settled, diff)
			}
			if p.accepts() {
				t.Error("the process accepts calls")
			}
			if _, sent, err := invoke(p, t.Context()); sent || !errors.Is(err, ErrClosed) {
				t.Errorf("%v, %v", sent, err)
			}
			if err := p.Err(); err != nil {
				t.Errorf("it has ended already: %v", err)
			}
		}()
		time.Sleep(time.Second)
		r, _, err := p.Invoke(t.Context(), Invocation{Tool: "slow"})
		if r.Text != "done" || err != nil {
			t.Errorf("%q, %v", r.Text, err)
		}
		<-p.Done()
		if !isType[*TimeoutError](p.Err()) {
			t.Errorf("error is %v", p.Err())
		}
	})
}

// The time of a call goes on when its caller has given up.
func TestTimeoutOfAbandonedCall(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := session(t, &Options{}, func(s *script) { s.serve(func(jsonrpc.Message) string { return "" }) })
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("enough"))
		defer cancel()
		begin := time.Now()
		settled := make(chan struct{})
		_, sent, err := p.Invoke(ctx, Invocation{Tool: "t", Timeout: 10 * time.Second, settled: func() { close(settled) }})
		if !sent || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "enough") || time.Since(begin) != time.Second {
			t.Errorf("%v, %v", sent, err)
		}
		if !p.accepts() {
			t.Error("the process is condemned already")
		}
		<-settled
		if p.accepts() || time.Since(begin) != 10*time.Second {
			t.Errorf("settled after %s", time.Since(begin))
		}
		<-p.Done()
		if !isType[*TimeoutError](p.Err()) {
			t.Errorf("error is %v", p.Err())
		}
	})
}

// B38: what was written before the end counts, also without LF (B55). Who still
// waits gets to know how it ended.
func TestB38End(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := session(t, &Options{}, func(s *script) {
			first, _ := s.next()
			s.next()
			s.write("%s", strings.TrimSuffix(ok(first), "\n"))
		})
		var settled atomic.Int32
		var wg sync.WaitGroup
		errs := make([]error, 2)
		for i := range errs {
			wg.Go(func() {
				_, sent, err := p.Invoke(t.Context(), Invocation{Tool: "t", settled: func() { settled.Add(1) }})
				if !sent {
					t.Errorf("not sent: %v", err)
				}
				errs[i] = err
			})
			synctest.Wait()
		}
		wg.Wait()
		want := []error{nil, &ExitError{Plugin: "p", Status: "exit status 3", Stderr: "its last words"}}
		if diff := cmp.Diff(want, errs, cmp.Comparer(func(a, b error) bool { return reflect.DeepEqual(a, b) })); diff != "" || settled.Load() != 2 {
			t.Errorf("settled %d (-want +got):\n%s", settled.Load(), diff)
		}
		if _, sent, err := invoke(p, t.Context()); sent || !isType[*ExitError](err) {
			t.Errorf("afterwards: %v, %v", sent, err)
		}
		if !isType[*ExitError](p.Err()) {
			t.Errorf("error is %v", p.Err())
		}
	})
}

// Close lets calls that run go on for a while, answers what the plugin asks, and
// refuses new ones.
func TestProcessClose(t *testing.T) {
	for _, tt := range []struct {
		name   string
		takes  time.Duration
		drain  time.Duration
		want   time.Duration // until Close returns
		answer bool
	}{
		{"call ends in time", 3 * time.Second, 0, 3 * time.Second, true},
		{"call takes longer", time.Hour, 2 * time.Second, 2*time.Second + DefaultGrace, false},
		{"no drain", time.Hour, -1, DefaultGrace, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := session(t, &Options{Drain: tt.drain}, func(s *script) {
					m, _ := s.next()
					s.sleep(tt.takes)
					s.write("%s", ok(m))
					s.serve(ok)
				})
				var wg sync.WaitGroup
				wg.Go(func() {
					r, sent, err := p.Invoke(t.Context(), Invocation{Tool: "slow"})
					if !sent || tt.answer != (err == nil) || tt.answer != (r.Text == "done") || !tt.answer && !isType[*ExitError](err) {
						t.Errorf("%q, %v, %v", r.Text, sent, err)
					}
				})
				synctest.Wait()
				begin := time.Now()
				for range 2 {
					wg.Go(func() {
						if err := p.Close(context.Background()); err != nil || time.Since(begin) != tt.want {
							t.Errorf("%v after %s", err, time.Since(begin))
						}
					})
				}
				synctest.Wait()
				if _, sent, err := invoke(p, t.Context()); sent || !errors.Is(err, ErrClosed) {
					t.Errorf("%v, %v", sent, err)
				}
				wg.Wait()
				if p.Err() != ErrClosed {
					t.Errorf("error is %v", p.Err())
				}
			})
		})
	}
}

func TestProcessCloseAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := session(t, &Options{}, func(s *script) { s.serve(func(jsonrpc.Message) string { return "" }) })
		go func() {
			if _, _, err := invoke(p, t.Context()); !isType[*ExitError](err) {
				t.Errorf("error is %v", err)
			}
		}()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		begin := time.Now()
		if err := p.Close(ctx); err != nil || time.Since(begin) != 0 {
			t.Errorf("%v after %s", err, time.Since(begin))
		}
		synctest.Wait()
	})
}

// B54: a plugin that does not read holds a call no longer than its context.
func TestB54PluginDoesNotRead(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := session(t, &Options{Drain: -1}, func(s *script) { <-s.killed })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var wg sync.WaitGroup
		var sentCalls, settled atomic.Int32
		for range 50 {
			wg.Go(func() {
				_, sent, err := p.Invoke(ctx, Invocation{Tool: "t", Arguments: fmt.Appendf(nil, `{"a":"%s"}`, strings.Repeat("x", 64<<10)), settled: func() { settled.Add(1) }})
				if err != context.DeadlineExceeded {
					t.Errorf("error is %v", err)
				}
				if sent {
					sentCalls.Add(1)
				}
			})
		}
		wg.Wait()
		if sentCalls.Load() != 1 || pending(p) != 1 {
			t.Errorf("%d were sent, %d are pending", sentCalls.Load(), pending(p))
		}
		if err := p.Close(ctx); err != nil || settled.Load() != 1 {
			t.Errorf("%v, %d settled", err, settled.Load())
		}
	})
}

// Item 0.7, and the health of a plugin that is busy or silent.
func TestHealth(t *testing.T) {
	tests := []struct {
		answer string
		want   Health
		err    string
	}{
		{`"result":{"status":"ready","message":"m","details":{"n":1}}`, Health{Status: "ready", Message: "m", Details: json.RawMessage(`{"n":1}`)}, ""},
		{`"result":{"status":"healthy"}`, Health{Status: "ready", Raw: "healthy"}, ""},
		{`"result":{"status":"ok","details":null}`, Health{Status: "ready", Raw: "ok"}, ""},
		{`"result":{"status":"error"}`, Health{Status: "error"}, ""},
		{`"result":{"status":"initializing"}`, Health{Status: "initializing"}, ""},
		{`"result":{"status":"Fine"}`, Health{Status: "unknown", Raw: "Fine"}, ""},
		{`"result":{"status":true}`, Health{Status: "unknown", Raw: "true"}, ""},
		{`"result":{}`, Health{Status: "unknown"}, ""},
		{`"error":{"code":-32601,"message":"no"}`, Health{Status: "ready"}, ""},
		{`"error":{"code":-32603,"message":"no"}`, Health{}, "no (code -32603)"},
		{`"result":"fine"`, Health{}, "must be an object"},
		{``, Health{}, "no answer within 3s"},
	}
	for _, tt := range tests {
		inBubble(t, func(t *testing.T) {
			p := session(t, &Options{}, func(s *script) {
				s.serve(func(m jsonrpc.Message) string {
					if tt.answer == "" {
						return ""
					}
					return fmt.Sprintf(`{"id":%s,%s}`+"\n", m.ID, tt.answer)
				})
			})
			h, err := p.Health(t.Context())
			if diff := cmp.Diff(tt.want, h); diff != "" || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: %v (-want +got):\n%s", tt.answer, err, diff)
			}
			if !p.accepts() {
				t.Errorf("%s: the process is condemned", tt.answer)
			}
		})
	}
}

const needy = `{"name":"p","tools":[{"name":"t"}],"credentials":[{"name":"TOKEN"},{"name":"TOKEN"},{"name":""},` +
	`{"name":"UNITS","required":false,"sensitive":false,"default":"metric"},{"name":"EXTRA","required":false}]}`

func TestCredentials(t *testing.T) {
	boom := errors.New("boom")
	tests := []struct {
		name   string
		values map[string]string
		err    error
		want   string // in the context
	}{
		{"given", map[string]string{"TOKEN": "secret-\"1\"", "OTHER": "x"}, nil, `"credentials":{"TOKEN":"secret-\"1\"","UNITS":"metric"}`},
		{"all", map[string]string{"TOKEN": "secret-1", "UNITS": "imperial", "EXTRA": "e"}, nil, `"credentials":{"TOKEN":"secret-1","UNITS":"imperial","EXTRA":"e"}`},
		{"missing", nil, &CredentialError{Plugin: "p", Missing: []string{"TOKEN"}}, ""},
		{"B43 empty", map[string]string{"TOKEN": ""}, &CredentialError{Plugin: "p", Missing: []string{"TOKEN"}}, ""},
		{"error", map[string]string{"TOKEN": "error"}, boom, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				var got string
				opts := &Options{Credentials: func(_ context.Context, plugin, name string) (string, bool, error) {
					if name != "TOKEN" && name != "UNITS" && name != "EXTRA" || plugin != "p" {
						t.Errorf("asked for %s of %s", name, plugin)
					}
					v, ok := tt.values[name]
					if v == "error" {
						return "", false, boom
					}
					return v, ok, nil
				}}
				p, _, err := startOverPipes(t, &Spec{ID: "p"}, opts, true, func(s *script) {
					s.describe("1.1", needy)
					s.serve(func(m jsonrpc.Message) string { got = string(m.Params); return ok(m) })
				})
				if err != nil {
					t.Fatal(err)
				}
				_, sent, err := invoke(p, t.Context())
				switch want := tt.err.(type) {
				case nil:
					if err != nil || !strings.Contains(got, want0(tt.want)) {
						t.Errorf("%s, %v", got, err)
					}
				case *CredentialError:
					if diff := cmp.Diff(error(want), err); diff != "" || sent || got != "" {
						t.Errorf("sent %v (-want +got):\n%s", sent, diff)
					}
				default:
					if !errors.Is(err, want) || sent || got != "" {
						t.Errorf("sent %v, %v", sent, err)
					}
				}
			})
		})
	}
}

func want0(s string) string { return `"context":{` + s + `,"invoke_id"` }

// Item 0.19: what a plugin writes does not hold what it was given.
func TestSecretsAreHidden(t *testing.T) {
	const secret = `se"cret\value`
	quoted, _ := json.Marshal(secret)
	tests := []struct{ name, answer string }{
		{"data", `"result":{"success":true,"data":{"token":` + string(quoted) + `}}`},
		{"text", `"result":{"success":true,"data":` + string(quoted) + `}`},
		{"failure", `"result":{"success":false,"error":` + string(quoted) + `}`},
		{"no success", `"result":{"x":` + string(quoted) + `}`},
		{"no object", `"result":` + string(quoted)},
		{"error", `"error":{"code":1,"message":` + string(quoted) + `,"data":[` + string(quoted) + `]}`},
		{"file", `"__file_transport":` + string(quoted)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				var mu sync.Mutex
				var seen strings.Builder
				opts := &Options{
					Credentials: func(context.Context, string, string) (string, bool, error) { return secret, true, nil },
					Trace: func(_ string, _ bool, line []byte) {
						mu.Lock()
						defer mu.Unlock()
						seen.Write(line)
					},
				}
				p, _, err := startOverPipes(t, &Spec{ID: "p"}, opts, true, func(s *script) {
					s.describe("1.1", `{"name":"p","tools":[{"name":"t"}],"credentials":[{"name":"TOKEN"}]}`)
					s.serve(func(m jsonrpc.Message) string { return fmt.Sprintf(`{"id":%s,%s}`+"\n", m.ID, tt.answer) })
				})
				if err != nil {
					t.Fatal(err)
				}
				r, _, err := p.Invoke(t.Context(), Invocation{Tool: "t"})
				mu.Lock()
				defer mu.Unlock()
				all := fmt.Sprintf("%s %s %v %s", r.Text, r.Data, err, &seen)
				if strings.Contains(all, "cret") || !strings.Contains(all, "redacted") || r.Data != nil && !json.Valid(r.Data) {
					t.Error(all)
				}
			})
		})
	}
}
