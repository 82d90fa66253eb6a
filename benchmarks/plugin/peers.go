package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/matrix-nexus/skillkit/executa"
	"github.com/matrix-nexus/skillkit/registry"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lineSize is the length in bytes of the lines of the floor, which is about that
// of a small call.
const lineSize = 180

// A peer calls a tool with a text, which says how large the answer of the tool
// large is. The floor has one tool.
type peer struct {
	call  func(ctx context.Context, tool, text string) error
	close func()
}

// peers start the process at the other end.
var peers = map[string]func(ctx context.Context, self string) (peer, error){
	"floor":  startFloor,
	"ours":   startOurs,
	"mcp":    startMCP,
	"python": startPython,
}

func startFloor(ctx context.Context, self string) (peer, error) {
	cmd := exec.CommandContext(ctx, self, rolePong)
	in, err := cmd.StdinPipe()
	if err != nil {
		return peer{}, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return peer{}, err
	}
	if err := cmd.Start(); err != nil {
		return peer{}, err
	}
	line := []byte(strings.Repeat("x", lineSize-1) + "\n")
	r := bufio.NewReaderSize(out, 64<<10)
	return peer{
		func(context.Context, string, string) error {
			if _, err := in.Write(line); err != nil {
				return err
			}
			_, err := r.ReadSlice('\n')
			return err
		},
		func() { in.Close(); _ = cmd.Wait() },
	}, nil
}

func startOurs(ctx context.Context, self string) (peer, error) {
	return startHost(ctx, self, rolePlugin)
}

func startPython(ctx context.Context, _ string) (peer, error) {
	return startHost(ctx, python...)
}

// python is a plugin as an author writes it who does not care for speed.
var python = []string{"python3", "-c", `
import json, sys

def answer(request):
    if request["method"] == "describe":
        return {"result": ` + manifest + `}
    if request["method"] == "invoke":
        text = request["params"]["arguments"]["text"]
        return {"result": {"success": True, "data": {"text": text}}}
    return {"error": {"code": -32601, "message": "unknown method"}}

for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer(request)}), flush=True)
`}

func startHost(ctx context.Context, command ...string) (peer, error) {
	r := registry.New(nil)
	h := executa.NewHost(r, &executa.Options{Environ: os.Environ()})
	p, err := h.Register(ctx, executa.Spec{ID: "bench", Command: command, MaxInFlight: 64})
	if err != nil {
		return peer{}, err
	}
	tools := map[string]*registry.Tool{}
	for _, t := range p.Tools() {
		tools[strings.TrimPrefix(t.Original(), "bench_")] = t
	}
	return peer{
		func(ctx context.Context, tool, text string) error {
			result, err := tools[tool].Invoke(ctx, registry.Call{Arguments: json.RawMessage(`{"text":"` + text + `"}`)})
			if err == nil && result.IsError {
				err = errors.New(result.Text)
			}
			return err
		},
		func() { _ = h.Close(context.Background()) },
	}, nil
}

func startMCP(ctx context.Context, self string) (peer, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, nil)
	s, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.Command(self, roleMCP)}, nil)
	if err != nil {
		return peer{}, err
	}
	return peer{
		func(ctx context.Context, tool, text string) error {
			result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: map[string]any{"text": text}})
			if err == nil && result.IsError {
				err = errors.New("the tool failed")
			}
			return err
		},
		func() { _ = s.Close() },
	}, nil
}

// ceiling is how many calls a second the plugin answers when its requests are in a
// file and the answers are read and thrown away.
func ceiling(ctx context.Context, n int, command ...string) (float64, error) {
	f, err := os.CreateTemp("", "requests-")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	w := bufio.NewWriter(f)
	for i := range n {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"method":"invoke","params":{"tool":"echo","arguments":{"text":%q},"invoke_id":"0123456789abcdef0123456789abcdef",`+
			`"context":{"invoke_id":"0123456789abcdef0123456789abcdef","plugin_name":"bench","deadline_ms":1790000000000}}}`+"\n", i, shortText)
	}
	if err := w.Flush(); err != nil {
		return 0, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout = f, io.Discard // through a pipe, as ever
	took, err := timed(cmd.Run)
	return float64(n) / took.Seconds(), err
}
