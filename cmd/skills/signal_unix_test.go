//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/install"
)

// startSlow starts onboard with an installer that is a shell script and may wait
// for the FIFO, which it makes.
func (m *machine) startSlow(t *testing.T, fifo, script string) (*exec.Cmd, io.ReadCloser) {
	t.Helper()
	m.skill(t, "slow", `{"requires":{"bins":["sk-slow"]},"install":[{"id":"npm","kind":"npm","package":"sk-slow"}]}`)
	bin := filepath.Join(m.dir, "bin")
	m.write(t, filepath.Join(bin, "npm"), "#!/bin/sh\n"+script)
	if err := errors.Join(os.Chmod(filepath.Join(bin, "npm"), 0o755), syscall.Mkfifo(fifo, 0o600)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("skills", "onboard", "--root", m.root, "--yes")
	cmd.Env = []string{"HOME=" + m.home, "PATH=" + bin + ":/usr/bin:/bin"}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, stdout
}

// Whoever presses Ctrl-C twice does not leave an installer to itself.
func TestSecondInterrupt(t *testing.T) {
	m := newMachine(t)
	fifo := filepath.Join(m.dir, "fifo")
	cmd, stdout := m.startSlow(t, fifo, "trap 'echo asked to end; read x <"+fifo+"; exit 1' TERM\necho ready\nwhile :; do sleep 0.1; done\n")
	lines := bufio.NewScanner(stdout)
	await := func(text string) {
		for lines.Scan() {
			if strings.HasSuffix(lines.Text(), text) {
				return
			}
		}
		t.Errorf("it never said %q", text)
	}
	await("ready")
	cmd.Process.Signal(os.Interrupt)
	await("asked to end")
	cmd.Process.Signal(os.Interrupt)
	// The installer waits for this, or the open fails since it is gone.
	if err := os.WriteFile(fifo, []byte("x\n"), 0); err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, stdout)
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("it ended with %v", err)
	}
	receipts, err := install.Receipts(m.state)
	if err != nil || len(receipts) != 1 || receipts[0].State != install.ReceiptFailed {
		t.Errorf("receipts %+v, %v", receipts, err)
	}
}

// An output that is closed, as by head(1), does not leave one to itself either.
func TestOutputClosed(t *testing.T) {
	m := newMachine(t)
	fifo := filepath.Join(m.dir, "fifo")
	cmd, stdout := m.startSlow(t, fifo, "echo ready\nread x <"+fifo+"\necho more\n: >"+filepath.Join(m.dir, "done")+"\n")
	for lines := bufio.NewScanner(stdout); lines.Scan() && !strings.HasSuffix(lines.Text(), "ready"); {
	}
	stdout.Close()
	if err := os.WriteFile(fifo, []byte("x\n"), 0); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it may end as it likes
	receipts, err := install.Receipts(m.state)
	if err != nil || len(receipts) != 1 || receipts[0].State != install.ReceiptInstalled {
		t.Errorf("receipts %+v, %v", receipts, err)
	}
}

// A question that comes after the end is not asked: what reads the answer would
// leave the terminal without echo, once that was restored.
func TestAskAfterTheEnd(t *testing.T) {
	tty, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminal:", err)
	}
	defer tty.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var asked bytes.Buffer
	a := &app{ctx: ctx, stdin: tty, stderr: &asked, out: newPrinter(io.Discard, cli.NewLookup(nil))}
	if a.terminal() == nil {
		t.Skip("this is no terminal here")
	}
	if _, err := a.ask("question", func(*os.File) (string, error) { return "answer", nil }); !errors.Is(err, context.Canceled) || asked.Len() > 0 {
		t.Errorf("got %v after %q", err, &asked)
	}
}
