package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The roles in which this program starts itself.
const (
	rolePong   = "pong"   // sends each line back
	rolePlugin = "plugin" // an Executa plugin
	roleMCP    = "mcp"    // an MCP server with an equal tool
)

// The tools that both have.
const (
	toolEcho  = "echo"  // returns the text
	toolLarge = "large" // returns as many bytes as text says
)

func play(role string) error {
	switch role {
	case rolePong:
		return pong(os.Stdin, os.Stdout)
	case rolePlugin:
		return plugin(os.Stdin, os.Stdout)
	case roleMCP:
		return mcpServer()
	}
	return nil
}

// pong is the floor: what two processes and two pipes cost.
func pong(in io.Reader, out io.Writer) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return nil
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
}

// manifest is what the plugin answers describe with.
const manifest = `{"name":"bench","version":"1.0.0","description":"x","tools":[` +
	`{"name":"echo","description":"Returns the text.","parameters":[{"name":"text","type":"string","description":"the text"}]},` +
	`{"name":"large","description":"Returns much.","parameters":[{"name":"text","type":"string","description":"bytes"}]}]}`

// plugin is one as an author would write it who cares for speed: it looks for what
// it needs, and writes when there is nothing more to read.
func plugin(in io.Reader, out io.Writer) error {
	r, w := bufio.NewReaderSize(in, 1<<20), bufio.NewWriterSize(out, 64<<10)
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return w.Flush()
		}
		_, rest, _ := bytes.Cut(line, []byte(`"id":`))
		id, _, _ := bytes.Cut(rest, []byte(","))
		if err := reply(w, line, bytes.TrimRight(id, "}\n")); err != nil {
			return err
		}
		if r.Buffered() == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
		}
	}
}

func reply(w *bufio.Writer, line, id []byte) error {
	w.WriteString(`{"jsonrpc":"2.0","id":`)
	w.Write(id)
	_, rest, invoke := bytes.Cut(line, []byte(`"arguments":{"text":"`))
	switch {
	case bytes.Contains(line, []byte(`"initialize"`)):
		w.WriteString(`,"error":{"code":-32601,"message":"unknown method"}}`)
	case !invoke:
		w.WriteString(`,"result":` + manifest + `}`)
	case bytes.Contains(line, []byte(`"tool":"large"`)):
		size, _, _ := strings.Cut(string(rest), `"`)
		n, err := strconv.Atoi(size)
		if err != nil {
			return err
		}
		return large(w, id, n)
	default:
		text, _, _ := bytes.Cut(rest, []byte(`"`))
		w.WriteString(`,"result":{"success":true,"data":{"text":"`)
		w.Write(text)
		w.WriteString(`"}}}`)
	}
	return w.WriteByte('\n')
}

// large answers with n bytes, from 4 MiB on through a file.
func large(w *bufio.Writer, id []byte, n int) error {
	rest := `,"result":{"success":true,"data":"` + strings.Repeat("x", n) + `"}}` + "\n"
	if n < 4<<20 {
		_, err := w.WriteString(rest)
		return err
	}
	name := filepath.Join(os.TempDir(), "executa-resp-"+string(id)+".json")
	if err := os.WriteFile(name, []byte(`{"jsonrpc":"2.0","id":`+string(id)+rest), 0o600); err != nil {
		return err
	}
	path, err := json.Marshal(name)
	if err != nil {
		return err
	}
	_, err = w.WriteString(`,"__file_transport":` + string(path) + "}\n")
	return err
}

// text are the arguments of the tools of the MCP server.
type text struct {
	Text string `json:"text" jsonschema:"the text"`
}

// mcpServer has tools with handlers as the SDK's documentation shows them.
func mcpServer() error {
	s := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: toolEcho, Description: "Returns the text."}, func(_ context.Context, _ *mcp.CallToolRequest, in text) (*mcp.CallToolResult, text, error) {
		return nil, in, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: toolLarge, Description: "Returns much."}, func(_ context.Context, _ *mcp.CallToolRequest, in text) (*mcp.CallToolResult, any, error) {
		n, err := strconv.Atoi(in.Text)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Repeat("x", max(n, 0))}}}, nil, err
	})
	return s.Run(context.Background(), &mcp.StdioTransport{})
}
