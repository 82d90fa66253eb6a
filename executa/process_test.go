package executa_test

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
	"sync"
	"testing"
	"time"

	"github.com/matrix-nexus/skillkit/executa"
	"github.com/matrix-nexus/skillkit/executa/executatest"
)

// sessionPrograms are the plugins that the tests of Process run.
func sessionPrograms() executatest.Programs {
	return executatest.Programs{"plain-echo": echo, "byte-by-byte": byteByByte, "last-words": lastWords, "closes-input": closesInput}
}

// echo answers with the arguments, as quickly as it can.
func echo() {
	in, out := bufio.NewReaderSize(os.Stdin, 2<<20), bufio.NewWriterSize(os.Stdout, 64<<10)
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return
		}
		id, _, _ := bytes.Cut(line[len(`{"jsonrpc":"2.0","id":`):], []byte(","))
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":`, id)
		switch _, rest, isInvoke := bytes.Cut(line, []byte(`"arguments":`)); {
		case isInvoke:
			args, _, _ := bytes.Cut(rest, []byte(`,"invoke_id"`))
			fmt.Fprintf(out, `{"success":true,"data":%s}`, args)
		case bytes.Contains(line, []byte(`"describe"`)):
			fmt.Fprint(out, `{"name":"echo","tools":[{"name":"echo","parameters":[{"name":"text","type":"string"}]}]}`)
		default:
			fmt.Fprint(out, `{"protocolVersion":"2.0"}`)
		}
		fmt.Fprint(out, "}\n")
		if in.Buffered() == 0 {
			out.Flush()
		}
	}
}

// rawly serves a plugin whose calls are answered by f.
func rawly(f func(out io.Writer, id json.RawMessage)) {
	p := &executatest.Plugin{Protocol: "1.1", Tools: map[string]executatest.Tool{"t": nil}}
	p.Raw = func(out io.Writer, line []byte) bool {
		if !bytes.Contains(line, []byte(`"invoke"`)) {
			return false
		}
		f(out, lineID(line))
		return true
	}
	p.Main()
}

func byteByByte() {
	rawly(func(out io.Writer, id json.RawMessage) {
		for _, c := range fmt.Appendf(nil, "{\"id\":%s,\"result\":{\"success\":true,\"data\":\"— 漢字 🔧\"}}\r\n", id) {
			out.Write([]byte{c})
		}
	})
}

// lastWords ends while it is called, after an answer without LF.
func lastWords() {
	rawly(func(out io.Writer, id json.RawMessage) {
		fmt.Fprintln(os.Stderr, "out of memory")
		fmt.Fprintf(out, `{"id":%s,"result":{"success":true,"data":"last"}}`, id)
		os.Exit(3)
	})
}

// closesInput does not end with its input.
func closesInput() {
	rawly(func(out io.Writer, id json.RawMessage) {
		os.Stdin.Close()
		fmt.Fprintf(out, `{"id":%s,"result":{"success":true,"data":"closed"}}`+"\n", id)
		select {}
	})
}

// start starts a program of the tests.
func startProgram(t testing.TB, name string, opts *executa.Options) *executa.Process {
	t.Helper()
	p, err := executa.Start(t.Context(), executatest.Spec(name), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return p
}

// B45 with a process: its reply comes byte by byte.
func TestB45Process(t *testing.T) {
	p := startProgram(t, "byte-by-byte", nil)
	r, _, err := p.Invoke(t.Context(), executa.Invocation{Tool: "t"})
	if r.Text != "— 漢字 🔧" || err != nil {
		t.Errorf("%q, %v", r.Text, err)
	}
}

// B38, B55 with a process: one that ends says how, and what it wrote before counts.
func TestB38Process(t *testing.T) {
	p := startProgram(t, "last-words", nil)
	r, sent, err := p.Invoke(t.Context(), executa.Invocation{Tool: "t"})
	if r.Text != "last" || !sent || err != nil {
		t.Errorf("%q, %v, %v", r.Text, sent, err)
	}
	<-p.Done()
	for _, err := range []error{p.Err(), second(p.Invoke(t.Context(), executa.Invocation{Tool: "t"}))} {
		exit, ok := errors.AsType[*executa.ExitError](err)
		if !ok || exit.Status != "exit status 3" || !strings.Contains(exit.Stderr, "out of memory") {
			t.Errorf("error is %v", err)
		}
	}
}

func second[A, B any](_ A, _ B, err error) error { return err }

// B27: a plugin that does not read its input any more is ended, and the call that
// could not be sent says so.
func TestB27Process(t *testing.T) {
	p := startProgram(t, "closes-input", &executa.Options{Grace: 50 * time.Millisecond})
	if r, _, err := p.Invoke(t.Context(), executa.Invocation{Tool: "t"}); r.Text != "closed" || err != nil {
		t.Fatalf("%q, %v", r.Text, err)
	}
	_, sent, err := p.Invoke(t.Context(), executa.Invocation{Tool: "t", Arguments: fmt.Appendf(nil, `{"a":"%s"}`, strings.Repeat("x", 1<<19))})
	if _, ok := errors.AsType[*executa.ExitError](err); !ok || sent {
		t.Errorf("%v, %v", sent, err)
	}
}

// B54 with a process: lines of many callers are not mixed.
func TestB54Process(t *testing.T) {
	p := startProgram(t, "plain-echo", nil)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			args := fmt.Appendf(nil, `{"a":"%s"}`, strings.Repeat(string(rune('A'+i)), 64<<10))
			r, _, err := p.Invoke(t.Context(), executa.Invocation{Tool: "echo", Arguments: args})
			if err != nil || !bytes.Equal(r.Data, args) {
				t.Errorf("%.20s… of %d bytes, %v", r.Data, len(r.Data), err)
			}
		})
	}
	wg.Wait()
}

func BenchmarkInvoke(b *testing.B) {
	p := startProgram(b, "plain-echo", nil)
	args := json.RawMessage(`{"text":"` + strings.Repeat("x", 40) + `"}`)
	call := func() {
		if r, _, err := p.Invoke(context.Background(), executa.Invocation{Tool: "echo", Arguments: args}); err != nil || r.IsError {
			b.Errorf("%+v, %v", r, err)
		}
	}
	b.Run("1", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			call()
		}
	})
	b.Run("64", func(b *testing.B) {
		b.ReportAllocs()
		b.SetParallelism(32)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				call()
			}
		})
	})
}
