package executa_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/matrix-nexus/skillkit/executa"
	"github.com/matrix-nexus/skillkit/executa/executatest"
	"github.com/matrix-nexus/skillkit/registry"
)

// hostPrograms are the plugins that the tests of Host run, and a program that is
// a host itself.
func hostPrograms() executatest.Programs {
	return executatest.Programs{
		"worker":    worker,
		"worker2":   func() { serveWorker("2.0", nil) },
		"deaf":      deaf,
		"mute":      mute,
		"once":      once,
		"hostile":   hostile,
		"tiny-host": tinyHost,
		"soak1":     func() { soakPlugin("1.1") },
		"soak2":     func() { soakPlugin("2.0") },
	}
}

// worker is a plugin of protocol 1.1, which works on several calls at a time.
func worker() { serveWorker("1.1", nil) }

// deaf is a worker that ignores SIGTERM and the end of its input.
func deaf() {
	signal.Ignore(syscall.SIGTERM)
	serveWorker("1.1", nil)
	select {}
}

// mute does not describe itself.
func mute() {
	serveWorker("1.1", func(out io.Writer, line []byte) bool {
		if !bytes.Contains(line, []byte(`"describe"`)) {
			return false
		}
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"broken"}}`+"\n", lineID(line))
		return true
	})
}

// once ends after it has answered a call, with status 0.
func once() {
	served := make(chan struct{})
	done := sync.OnceFunc(func() { close(served) })
	p := &executatest.Plugin{
		Protocol: "1.1",
		Manifest: workerManifest,
		Tools: map[string]executatest.Tool{
			"echo": func(context.Context, *executatest.Call) (any, error) { done(); return "answered", nil },
		},
	}
	go func() {
		<-served
		// The answer is written after the tool has returned. It is known to be
		// written when the next line is, by the one writer there is.
		time.Sleep(50 * time.Millisecond)
		os.Exit(0)
	}()
	p.Main()
}

// hostile writes much that it should not before it answers.
func hostile() {
	serveWorker("1.1", func(out io.Writer, line []byte) bool {
		if !bytes.Contains(line, []byte(`"invoke"`)) {
			return false
		}
		for range 10 {
			out.Write(bytes.Repeat([]byte("noise\x00\xff\xfe"), 1<<20/8))
			fmt.Fprintln(out)
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":999,"result":{"success":true,"data":"of no call"}}`+"\n")
		}
		for range 3 {
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"success":true,"data":"the first"}}`+"\n", lineID(line))
		}
		return true
	})
}

func lineID(line []byte) json.RawMessage {
	var m struct{ ID json.RawMessage }
	if err := json.Unmarshal(line, &m); err != nil {
		panic(err)
	}
	return m.ID
}

// workerManifest describes the tools of serveWorker.
var workerManifest = func() json.RawMessage {
	var tools []string
	for _, name := range []string{"echo", "append", "block", "late", "stop"} {
		timeout := 60
		if name == "stop" {
			timeout = 1
		}
		tools = append(tools, fmt.Sprintf(`{"name": %q, "description": "The tool %s.", "timeout": %d, "parameters": [
			{"name": "text", "type": "string", "required": false},
			{"name": "file", "type": "string", "required": false},
			{"name": "then", "type": "string", "required": false}]}`, name, name, timeout))
	}
	return json.RawMessage(`{"version": "1.0.0", "tools": [` + strings.Join(tools, ",") + `]}`)
}()

type workerArgs struct{ Text, File, Then string }

func serveWorker(protocol string, raw func(io.Writer, []byte) bool) {
	tool := func(f func(ctx context.Context, call *executatest.Call, args workerArgs) (any, error)) executatest.Tool {
		return func(ctx context.Context, call *executatest.Call) (any, error) {
			var args workerArgs
			if err := json.Unmarshal(call.Arguments, &args); err != nil {
				return nil, err
			}
			return f(ctx, call, args)
		}
	}
	p := &executatest.Plugin{
		Protocol: protocol,
		Manifest: workerManifest,
		Raw:      raw,
		Tools: map[string]executatest.Tool{
			// echo answers with the text and the number of the generation.
			"echo": tool(func(_ context.Context, _ *executatest.Call, args workerArgs) (any, error) {
				return args.Text + os.Getenv("GENERATION"), nil
			}),
			// append adds a line to a file and does what then says.
			"append": tool(func(ctx context.Context, call *executatest.Call, args workerArgs) (any, error) {
				if err := appendLine(args.File, args.Text); err != nil {
					return nil, err
				}
				return nil, misbehave(ctx, call, args.Then)
			}),
			// block starts a process, tells the pids of both, and waits for the
			// end of its input.
			"block": tool(func(ctx context.Context, _ *executatest.Call, args workerArgs) (any, error) {
				child := exec.Command("sleep", "1000")
				if err := child.Start(); err != nil {
					return nil, err
				}
				go child.Wait()
				if err := writeFile(args.File, fmt.Sprintf("%d %d", os.Getpid(), child.Process.Pid)); err != nil {
					return nil, err
				}
				<-ctx.Done()
				return "ended" + os.Getenv("GENERATION"), nil
			}),
			// late says that it began, and answers when there is another file.
			"late": tool(func(_ context.Context, _ *executatest.Call, args workerArgs) (any, error) {
				if err := writeFile(args.File, ""); err != nil {
					return nil, err
				}
				for {
					if _, err := os.Stat(args.Then); err == nil {
						return "late", nil
					}
					time.Sleep(time.Millisecond)
				}
			}),
			// stop never answers.
			"stop": tool(func(context.Context, *executatest.Call, workerArgs) (any, error) { select {} }),
		},
	}
	p.Main()
}

func misbehave(ctx context.Context, call *executatest.Call, how string) error {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	const answer = `{"jsonrpc":"2.0","id":%d,"result":`
	switch how {
	case "":
		return nil
	case "die":
		_ = self.Kill()
	case "half a line":
		call.Write(fmt.Appendf(nil, answer+`{"succ`, 2))
		_ = self.Kill()
	case "wrong id":
		call.Write(fmt.Appendf(nil, answer+`{"success":true}}`+"\n", 4711))
		_ = self.Kill()
	case "no JSON":
		call.Write([]byte("{\"jsonrpc\":\"2.0\",\n"))
		_ = self.Kill()
	case "wait":
		<-ctx.Done()
	default:
		return fmt.Errorf("%q is not known", how)
	}
	<-ctx.Done()
	return nil
}

// appendLine adds a line to a file in one write.
func appendLine(file, line string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(line + "\n")
	return err
}

// writeFile makes a file that is never seen empty.
func writeFile(file, text string) error {
	if err := os.WriteFile(file+".new", []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// tinyHost is a host that is killed while a call runs. The folder that it works
// in is the working directory.
func tinyHost() {
	fail := func(err error) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	journal, err := executa.OpenJournal("journal")
	if err != nil {
		fail(err)
	}
	reg := registry.New(nil)
	host := executa.NewHost(reg, &executa.Options{Journal: journal, TempDir: "."})
	if _, err := host.Register(context.Background(), executatest.Spec("worker")); err != nil {
		fail(err)
	}
	dir, err := os.Getwd()
	if err != nil {
		fail(err)
	}
	tool, err := reg.Lookup("worker_append")
	if err != nil {
		fail(err)
	}
	for id, then := range map[string]string{"done": "", "killed": "wait"} {
		arguments, _ := json.Marshal(map[string]string{"file": filepath.Join(dir, id), "text": id, "then": then})
		call := registry.Call{ID: id, Arguments: arguments}
		if then == "" {
			if _, err := tool.Invoke(context.Background(), call); err != nil {
				fail(err)
			}
			continue
		}
		go tool.Invoke(context.Background(), call)
	}
	for {
		_, done := os.Stat("done")
		_, began := os.Stat("killed")
		if done == nil && began == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	fmt.Println("ready")
	select {}
}

// The tool of each plugin of the soak. Before anything else it adds a line with
// the id of the call to a file, in one write: the effect that is counted.
const soakManifest = `{"version": "1.0.0", "tools": [{"name": "run", "description": "Runs.", "timeout": 2, "parameters": [
	{"name": "id", "type": "string"}, {"name": "how", "type": "string"}]}]}`

// soakPlugin is the one in Go.
func soakPlugin(protocol string) {
	p := &executatest.Plugin{
		Protocol: protocol,
		Manifest: json.RawMessage(soakManifest),
		Tools: map[string]executatest.Tool{"run": func(_ context.Context, call *executatest.Call) (any, error) {
			var args struct{ ID, How string }
			if err := json.Unmarshal(call.Arguments, &args); err != nil {
				return nil, err
			}
			if err := appendLine(os.Getenv("SOAK_FILE"), args.ID); err != nil {
				return nil, err
			}
			switch args.How {
			case "slow":
				time.Sleep(rand.N(50 * time.Millisecond))
			case "noise":
				if err := call.Write(slices.Concat(bytes.Repeat([]byte("noise\x00\xff"), 1000), []byte("\n[1]\n{}\n"))); err != nil {
					return nil, err
				}
				fmt.Fprintln(os.Stderr, strings.Repeat("noise", 1000))
			case "fail":
				return nil, errors.New("it failed")
			case "large":
				return args.ID + strings.Repeat("é", rand.N(1<<20)), nil // over 512 KiB by a file
			case "die":
				return nil, misbehave(context.Background(), call, "die")
			case "stall":
				select {}
			}
			return args.ID, nil
		}},
	}
	p.Main()
}
