package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/internal/proc"
)

const (
	// policyTimeout is how long a policy program may think about one step.
	policyTimeout = 30 * time.Second
	// policyGrace is how long it may take to end after SIGTERM.
	policyGrace = time.Second
	// maxAnswer is the size in bytes of the longest answer that is read.
	maxAnswer = 64 << 10
)

// askPolicy runs the policy program for one step. An error blocks the step;
// warn is told why the program warns.
func (a *app) askPolicy(program string, step install.Step, timeout time.Duration, warn func(string)) error {
	in, err := json.Marshal(step)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(a.ctx, timeout, fmt.Errorf("no answer within %v", timeout))
	defer cancel()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	// A program that ignores SIGPIPE goes on when nobody reads any more.
	out := &capped{max: maxAnswer, full: func() { end(fmt.Errorf("an answer of more than %d bytes", maxAnswer)) }}
	cmd := exec.Command(program)
	cmd.Env = a.environ
	cmd.Stdin = bytes.NewReader(append(in, '\n'))
	cmd.Stdout = out
	cmd.Stderr = a.stderr
	if err := proc.Run(ctx, cmd, policyGrace); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return fmt.Errorf("policy %s: %w", program, err)
	}
	line, _, _ := strings.Cut(string(out.text), "\n")
	answer, reason, _ := strings.Cut(strings.TrimSpace(line), " ")
	reason = oneLine(reason)
	switch strings.TrimSuffix(answer, ":") {
	case "allow":
		return nil
	case "warn":
		warn(fmt.Sprintf("policy %s warns of %s: %s", program, step.ID, reason))
		return nil
	case "block":
		if reason == "" {
			reason = "no reason given"
		}
		return fmt.Errorf("policy %s blocks it: %s", program, reason)
	}
	return fmt.Errorf("policy %s answered %q; want a line that starts with allow, warn or block", program, fitWidth(line, 80))
}

// capped keeps what is written to it up to a size, and calls full for more.
type capped struct {
	text []byte
	max  int // in bytes
	full func()
}

func (c *capped) Write(p []byte) (int, error) {
	if len(c.text)+len(p) > c.max {
		c.full()
		return 0, io.ErrShortWrite
	}
	c.text = append(c.text, p...)
	return len(p), nil
}
