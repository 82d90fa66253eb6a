package executa_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/matrix-nexus/skillkit/executa"
	"github.com/matrix-nexus/skillkit/executa/executatest"
)

// badManifest is that of a plugin in a role, in all languages.
const badManifest = `{"name": "bad", "version": "1.0.0", "description": "Breaks the protocol.", "tools": [
	{"name": "ok", "description": "Answers.", "parameters": []},
	{"name": "run", "description": "Does what is wrong.", "parameters": [
		{"name": "text", "type": "string", "required": false},
		{"name": "file", "type": "string", "required": false},
		{"name": "n", "type": "integer", "required": false}]}],
	"credentials": [{"name": "GITHUB_ACCESS_TOKEN", "required": false}],
	"host_capabilities": ["llm.sample", "aps.kv", "host.upload"]}`

// forever is longer than a test may take.
const forever = time.Hour

var storageGet = map[string]any{"scope": "tool", "key": "k"}

// runArgs are the arguments of the tool "run".
type runArgs struct {
	Text, File string
	N          int
}

func argsOf(c *executatest.Call) (a runArgs) {
	_ = json.Unmarshal(c.Arguments, &a)
	return a
}

// A frame is what a role looks at of a line.
type frame struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Tool      string
		Name      string
		Arguments runArgs
		Context   struct {
			InvokeID string `json:"invoke_id"`
		}
	}
}

// runs decodes a line if it is a call of "run".
func runs(line []byte) (f frame, ok bool) {
	_ = json.Unmarshal(line, &f)
	return f, f.Method == "invoke" && f.Params.Tool == "run"
}

func answered(id json.RawMessage, data string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"success":true,"data":%s}}`, id, data) + "\n"
}

// roles returns the plugins that break the protocol, by what they do. Those with
// the same name in bad.py and bad.js do the same; "ok" answers in all of them.
func roles() executatest.Programs {
	programs := executatest.Programs{}
	add := func(name string, p executatest.Plugin) {
		if p.Manifest == nil {
			p.Manifest = json.RawMessage(badManifest)
		}
		if p.Inline == 0 {
			p.Inline = -1
		}
		run := p.Tools["run"]
		p.Tools = map[string]executatest.Tool{
			"run": run,
			"ok":  func(context.Context, *executatest.Call) (any, error) { return "ok", nil },
		}
		programs[name] = p.Main
	}
	run := func(name string, f func(ctx context.Context, c *executatest.Call) (any, error)) {
		add(name, executatest.Plugin{Tools: map[string]executatest.Tool{"run": f}})
	}
	// raw is for what happens with each line; onRun for the calls of "run".
	raw := func(name string, f func(out io.Writer, line []byte) bool) {
		add(name, executatest.Plugin{Raw: f})
	}
	onRun := func(name string, f func(out io.Writer, r frame)) {
		raw(name, func(out io.Writer, line []byte) bool {
			r, ok := runs(line)
			if ok {
				f(out, r)
			}
			return ok
		})
	}
	describeAs := func(name, result string) {
		raw(name, func(out io.Writer, line []byte) bool {
			var f frame
			if _ = json.Unmarshal(line, &f); f.Method != "describe" {
				return false
			}
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", f.ID, result)
			return true
		})
	}
	answer := func(name, format string) {
		onRun(name, func(out io.Writer, r frame) { fmt.Fprintf(out, format+"\n", r.ID) })
	}

	// Lines.
	run("long line", func(_ context.Context, c *executatest.Call) (any, error) {
		return strings.Repeat("x", argsOf(c).N), nil
	})
	onRun("byte by byte", func(out io.Writer, r frame) {
		for _, b := range []byte(strings.TrimSpace(answered(r.ID, `"— 行 🙂"`)) + "\r\n") {
			_, _ = out.Write([]byte{b})
		}
	})
	bom := sync.OnceFunc(func() { _, _ = os.Stdout.WriteString("\xef\xbb\xbf") })
	raw("byte order mark", func(io.Writer, []byte) bool { bom(); return false })
	onRun("no newline", func(out io.Writer, r frame) {
		_, _ = io.WriteString(out, strings.TrimSpace(answered(r.ID, `"answered"`)))
		os.Exit(0)
	})
	onRun("noise", func(out io.Writer, r frame) {
		fmt.Fprint(out, "debug: about to answer\n[]\n42\nnull\n\n{not json}\n\xff\xfe\n", answered(r.ID, `"answered"`))
	})
	raw("params", func(out io.Writer, line []byte) bool {
		r, _ := runs(line)
		if r.Method != "invoke" {
			return false
		}
		text, _ := json.Marshal(string(line))
		fmt.Fprint(out, answered(r.ID, string(text)))
		return true
	})

	// Answers.
	onRun("id as text", func(out io.Writer, r frame) {
		fmt.Fprint(out, answered(fmt.Appendf(nil, "%q", r.ID), `"matched"`))
	})
	onRun("stray", func(out io.Writer, r frame) {
		const no = `"error":{"code":-32601,"message":"no method"}}` + "\n"
		fmt.Fprint(out, `{"jsonrpc":"2.0","id":null,`+no+`{"jsonrpc":"2.0",`+no,
			`{"jsonrpc":"2.0","id":123456,"result":{}}`+"\n", `{"jsonrpc":"2.0","id":"x","result":{}}`+"\n", answered(r.ID, `"answered"`))
	})
	onRun("twice", func(out io.Writer, r frame) {
		fmt.Fprint(out, answered(r.ID, `"first"`), answered(r.ID, `"second"`))
	})
	answer("null data", `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"no","data":null}}`)
	answer("neither", `{"jsonrpc":"2.0","id":%s}`)
	answer("list result", `{"jsonrpc":"2.0","id":%s,"result":[1]}`)
	onRun("bare", func(out io.Writer, r frame) {
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"value":%q}}`+"\n", r.ID, r.Params.Name)
	})
	describeAs("wrapped", `{"manifest":`+strings.ReplaceAll(badManifest, "\n", "")+`}`)
	describeAs("list of tools", `["ok"]`)
	describeAs("no tools", `{"name":"bad","version":"1.0.0"}`)
	describeAs("no name", strings.ReplaceAll(strings.Replace(badManifest, `"name": "bad", `, "", 1), "\n", ""))
	words := []string{"healthy", "ok", "ready", "error", "initializing", "busy"}
	raw("health", func(out io.Writer, line []byte) bool {
		var f frame
		if _ = json.Unmarshal(line, &f); f.Method != "health" {
			return false
		}
		if len(words) == 0 {
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no method"}}`+"\n", f.ID)
			return true
		}
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"status":%q,"message":"said"}}`+"\n", f.ID, words[0])
		words = words[1:]
		return true
	})

	// Ends.
	programs["exits at once"] = func() {
		fmt.Fprintln(os.Stderr, "what is this argument?")
		os.Exit(2)
	}
	exits := func(out io.Writer, r frame) {
		fmt.Fprint(out, answered(r.ID, `"answered"`))
		os.Exit(0)
	}
	onRun("replies and exits", exits)
	onRun("one shot", exits)
	var first json.RawMessage
	onRun("dies in between", func(out io.Writer, r frame) {
		if first == nil {
			first = r.ID
			return
		}
		fmt.Fprint(out, answered(first, `"answered"`))
		fmt.Fprintln(os.Stderr, "last words")
		os.Exit(3)
	})
	onRun("kills itself", func(_ io.Writer, r frame) {
		f, err := os.OpenFile(r.Params.Arguments.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, _ = f.WriteString("ran\n")
			f.Close()
		}
		p, _ := os.FindProcess(os.Getpid())
		_ = p.Kill()
		time.Sleep(forever)
	})
	ignores := executatest.Plugin{Manifest: json.RawMessage(badManifest)}
	programs["ignores all"] = func() {
		signal.Ignore(syscall.SIGTERM)
		ignores.Tools = map[string]executatest.Tool{
			"ok": func(context.Context, *executatest.Call) (any, error) { return "ok", nil },
		}
		ignores.Main()
		time.Sleep(forever)
	}
	onRun("answers late", func(out io.Writer, r frame) {
		time.AfterFunc(200*time.Millisecond, func() { fmt.Fprint(out, answered(r.ID, `"answered"`)) })
	})
	run("waits for host", func(ctx context.Context, c *executatest.Call) (any, error) {
		// Also after the end of standard input: the process does not end before.
		return c.Reverse(context.WithoutCancel(ctx), "storage/get", storageGet)
	})
	run("child", func(_ context.Context, c *executatest.Call) (any, error) { return startChild(false) })
	run("child of its own session", func(_ context.Context, c *executatest.Call) (any, error) { return startChild(true) })

	// The pipes.
	after := func(name string, f func()) {
		raw(name, func(out io.Writer, line []byte) bool {
			var r frame
			if _ = json.Unmarshal(line, &r); r.Method != "describe" {
				return false
			}
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", r.ID, strings.ReplaceAll(badManifest, "\n", ""))
			f()
			time.Sleep(forever)
			return true
		})
	}
	after("stops reading", func() {})
	after("closes stdin", func() { os.Stdin.Close() })
	onRun("closes stdout", func(io.Writer, frame) {
		os.Stdout.Close()
		time.Sleep(forever)
	})
	onRun("floods stderr", func(out io.Writer, r frame) {
		for range 10 {
			_, _ = os.Stderr.WriteString(strings.Repeat("x", 1<<20))
		}
		fmt.Fprint(out, answered(r.ID, `"answered"`))
	})
	run("echo", func(_ context.Context, c *executatest.Call) (any, error) { return len(argsOf(c).Text), nil })
	var held []json.RawMessage
	raw("holds", func(out io.Writer, line []byte) bool {
		r, ok := runs(line)
		if ok {
			held = append(held, r.ID)
		} else if r.Method == "invoke" {
			for _, id := range held {
				fmt.Fprint(out, answered(id, `"late"`))
			}
			held = nil
		}
		return ok
	})

	// The start.
	raw("ignores initialize", func(out io.Writer, line []byte) bool {
		var f frame
		_ = json.Unmarshal(line, &f)
		return f.Method == "initialize" // it is not answered
	})
	programs["answers nothing"] = func() { _, _ = io.Copy(io.Discard, os.Stdin) }
	var known atomic.Bool
	raw("answers out of order", func(out io.Writer, line []byte) bool {
		var f frame
		if _ = json.Unmarshal(line, &f); f.Method == "initialize" {
			time.AfterFunc(50*time.Millisecond, func() {
				known.Store(true)
				fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2.0"}}`+"\n", f.ID)
			})
			return true
		}
		if !known.Load() {
			os.Exit(9)
		}
		return false
	})

	// Files.
	onRun("points outside", func(out io.Writer, r frame) {
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"__file_transport":%q}`+"\n", r.ID, r.Params.Arguments.File)
	})
	onRun("points", pointTo)
	programs["pointer request"] = pointerRequest

	// Calls of the host.
	run("many reverse", func(ctx context.Context, c *executatest.Call) (any, error) {
		var wg sync.WaitGroup
		var failed atomic.Value
		for range argsOf(c).N {
			wg.Go(func() {
				if _, err := c.Reverse(ctx, "storage/get", storageGet); err != nil {
					failed.Store(err)
				}
			})
		}
		wg.Wait()
		err, _ := failed.Load().(error)
		return "all answered", err
	})
	run("long reverse", func(ctx context.Context, c *executatest.Call) (any, error) {
		return c.Reverse(ctx, "host/uploadFile", map[string]any{
			"mode": "inline", "filename": "f", "mime_type": "text/plain", "content_b64": strings.Repeat("A", 11185000),
		})
	})
	run("refused", func(ctx context.Context, c *executatest.Call) (any, error) {
		_, one := c.Reverse(ctx, "no/such", nil)
		_, two := c.Reverse(ctx, "storage/get", map[string]any{
			"scope": "tool", "key": "k", "context": map[string]string{"invoke_id": strings.Repeat("0", 32)},
		})
		return []any{codes(one), codes(two)}, nil
	})
	programs["uncorrelated"] = uncorrelated
	run("progress", func(_ context.Context, c *executatest.Call) (any, error) {
		tell := func(kind, data, context string) {
			line := fmt.Sprintf(`{"jsonrpc":"2.0","method":"executa/progress","params":{"type":%q,"data":%q%s}}`+"\n", kind, data, context)
			_ = c.Write([]byte(line))
		}
		own := fmt.Sprintf(`,"context":{"invoke_id":%q}`, c.InvokeID)
		tell("progress", "first", own)
		tell("completed", "second", own)
		tell("progress", "unknown call", `,"context":{"invoke_id":"00000000000000000000000000000000"}`)
		tell("progress", "no context", "")
		tell("progress", strings.Repeat("x", 8193), own)
		return "answered", nil
	})
	programs["reverse ids"] = reverseIDs
	programs["pool"] = pool

	// Secrets.
	run("tells", func(_ context.Context, c *executatest.Call) (any, error) {
		token := c.Credentials["GITHUB_ACCESS_TOKEN"]
		fmt.Fprintf(os.Stderr, "the request: {\"credentials\":{\"GITHUB_ACCESS_TOKEN\":%q}}\n", token)
		switch argsOf(c).Text {
		case "data":
			return map[string]string{"token": token}, nil
		case "error":
			return nil, fmt.Errorf("401 for %s", token)
		}
		return nil, rpcError(-32000, "401 for "+token, map[string]string{"token": token})
	})
	run("environment", func(context.Context, *executatest.Call) (any, error) {
		env := map[string]string{}
		for _, entry := range os.Environ() {
			name, value, _ := strings.Cut(entry, "=")
			env[name] = value
		}
		return env, nil
	})
	return programs
}

// startChild starts a process that holds the standard output, and returns its id.
func startChild(session bool) (any, error) {
	cmd := exec.Command("sleep", "1000")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if session {
		cmd = exec.Command("setsid", "sleep", "1000")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return cmd.Process.Pid, nil
}

// pointTo writes a reply into a file that is wrong in the way the argument text
// says, and points to it.
func pointTo(out io.Writer, r frame) {
	dir := os.TempDir()
	file := filepath.Join(dir, "executa-reply.json")
	content := strings.TrimSpace(answered(r.ID, `"from a file"`))
	switch r.Params.Arguments.Text {
	case "missing":
		file += "x"
	case "folder":
		file = dir
	case "relative":
		file = "executa-reply.json"
	case "dots":
		file = dir + "/../" + filepath.Base(dir) + "/../executa-reply.json"
	case "other id":
		content = answered(json.RawMessage("99999"), `"from a file"`)
	case "nested":
		content = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"__file_transport":%q}`, r.ID, file)
	case "not JSON":
		content = "{"
	case "too large":
		content += strings.Repeat(" ", r.Params.Arguments.N)
	}
	if r.Params.Arguments.Text == "link" {
		_ = os.Symlink(r.Params.Arguments.File, file)
	} else if filepath.IsAbs(file) && file != dir {
		_ = os.WriteFile(filepath.Join(dir, "executa-reply.json"), []byte(content), 0o600)
	}
	fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"__file_transport":%q}`+"\n", r.ID, file)
}

// handler answers what "run" asks of the host, by the text of the reply's id.
type handler map[string]func(line []byte)

// serveReplies is a plugin that calls the host in its own way: call makes the calls
// for a "run".
func serveReplies(call func(out io.Writer, r frame, replies handler)) {
	replies := handler{}
	var mu sync.Mutex
	p := executatest.Plugin{
		Manifest: json.RawMessage(badManifest),
		Tools:    map[string]executatest.Tool{"ok": func(context.Context, *executatest.Call) (any, error) { return "ok", nil }},
		Raw: func(out io.Writer, line []byte) bool {
			mu.Lock()
			defer mu.Unlock()
			r, ok := runs(line)
			if ok {
				call(out, r, replies)
				return true
			}
			if r.Method != "" {
				return false
			}
			if f := replies[string(r.ID)]; f != nil {
				f(line)
			}
			return true
		},
	}
	p.Main()
}

func pointerRequest() {
	serveReplies(func(out io.Writer, r frame, replies handler) {
		file := filepath.Join(os.TempDir(), "executa-request.json")
		request := fmt.Sprintf(`{"jsonrpc":"2.0","id":"p","method":"storage/get","params":{"scope":"tool","key":"k","context":{"invoke_id":%q}}}`, r.Params.Context.InvokeID)
		if err := os.WriteFile(file, []byte(request), 0o600); err != nil {
			panic(err)
		}
		replies[`"p"`] = func(line []byte) {
			var m struct{ Result, Error json.RawMessage }
			_ = json.Unmarshal(line, &m)
			fmt.Fprint(out, answered(r.ID, string(append(m.Result, m.Error...))))
		}
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":"p","__file_transport":%q}`+"\n", file)
	})
}

// reverseIDs uses ids of each kind, its own call's too, and returns how they come
// back.
func reverseIDs() {
	serveReplies(func(out io.Writer, r frame, replies handler) {
		ids := []string{`"abc"`, "7", "9007199254740993", "1.5", `"ü\u00fc"`, string(r.ID)}
		var seen []string
		for _, id := range ids {
			replies[id] = func(line []byte) {
				var f frame
				_ = json.Unmarshal(line, &f)
				if seen = append(seen, string(f.ID)); len(seen) == len(ids) {
					slices.Sort(seen)
					text, _ := json.Marshal(seen)
					fmt.Fprint(out, answered(r.ID, string(text)))
				}
			}
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"method":"storage/get","params":{"scope":"tool","key":"k","context":{"invoke_id":%q}}}`+"\n", id, r.Params.Context.InvokeID)
		}
	})
}

// uncorrelated calls the host for two calls at the same time, and does not say for
// which.
func uncorrelated() {
	var held []frame
	serveReplies(func(out io.Writer, r frame, replies handler) {
		if held = append(held, r); len(held) < 2 {
			return
		}
		var lines string
		for i, r := range held {
			replies[fmt.Sprint(i)] = func(line []byte) {
				var m struct{ Result, Error json.RawMessage }
				_ = json.Unmarshal(line, &m)
				fmt.Fprint(out, answered(r.ID, string(append(m.Result, m.Error...))))
			}
			lines += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"storage/get","params":{"scope":"tool","key":"k"}}`+"\n", i)
		}
		_, _ = io.WriteString(out, lines)
	})
}

// pool has four workers that run the calls, and also hand on the replies of the
// host.
func pool() {
	work := make(chan func(), 1000)
	for range 4 {
		go func() {
			for f := range work {
				f()
			}
		}()
	}
	serveReplies(func(out io.Writer, r frame, replies handler) {
		answer := make(chan struct{})
		replies[string(r.ID)] = func([]byte) { work <- func() { close(answer) } }
		work <- func() {
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"method":"storage/get","params":{"scope":"tool","key":"k","context":{"invoke_id":%q}}}`+"\n", r.ID, r.Params.Context.InvokeID)
			<-answer
			fmt.Fprint(out, answered(r.ID, `"answered"`))
		}
	})
}

// codes returns the code and the errorCode of an error that the host answered with.
func codes(err error) [2]any {
	rpc, ok := errors.AsType[*executa.RPCError](err)
	if !ok {
		return [2]any{}
	}
	var data struct {
		ErrorCode string `json:"errorCode"`
	}
	_ = json.Unmarshal(rpc.Data, &data)
	return [2]any{rpc.Code, data.ErrorCode}
}

func rpcError(code int64, message string, data any) error {
	text, _ := json.Marshal(data)
	return &executa.RPCError{Code: code, Message: message, Data: text}
}
