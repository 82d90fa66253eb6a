package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// terminal returns the terminal that standard input is, or nil.
func (a *app) terminal() *os.File {
	if f, ok := a.stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// confirm asks a question that is answered with yes or no. No is the default.
func (a *app) confirm(question string) (bool, error) {
	answer, err := a.ask(question+" [y/N] ", readLine)
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", err
}

// askSecret asks for a value that is not shown while it is typed.
func (a *app) askSecret(question string) (string, error) {
	tty := a.terminal()
	if tty == nil {
		return "", errNoTerminal
	}
	// The reader below is not joined when the context ends, and the terminal
	// is left without echo: that is mended here.
	state, err := term.GetState(int(tty.Fd()))
	if err != nil {
		return "", err
	}
	defer term.Restore(int(tty.Fd()), state)
	value, err := a.ask(question, func(f *os.File) (string, error) {
		value, err := term.ReadPassword(int(f.Fd()))
		return string(value), err
	})
	fmt.Fprintln(a.stderr)
	return value, err
}

var errNoTerminal = errors.New("standard input is no terminal")

// ask shows a question on standard error and reads the answer from the
// terminal. The end of the input is an empty answer. When the context of the
// command ends, what reads is left behind, for the process is about to end.
func (a *app) ask(question string, read func(*os.File) (string, error)) (string, error) {
	tty := a.terminal()
	if tty == nil {
		return "", errNoTerminal
	}
	if err := a.ctx.Err(); err != nil {
		return "", err
	}
	if err := a.out.Flush(); err != nil {
		return "", err
	}
	fmt.Fprint(a.stderr, visible(question, false))
	type result struct {
		text string
		err  error
	}
	c := make(chan result, 1)
	go func() {
		text, err := read(tty)
		c <- result{text, err}
	}()
	select {
	case <-a.ctx.Done():
		fmt.Fprintln(a.stderr)
		return "", a.ctx.Err()
	case r := <-c:
		if errors.Is(r.err, io.EOF) {
			fmt.Fprintln(a.stderr)
			r.err = nil
		}
		return r.text, r.err
	}
}

// readLine reads a line and nothing after it, which is for the next question.
func readLine(f *os.File) (string, error) {
	var line []byte
	for b := make([]byte, 1); ; {
		n, err := f.Read(b)
		if n == 1 && b[0] != '\n' {
			line = append(line, b[0])
		}
		if err != nil || n == 1 && b[0] == '\n' {
			return string(line), err
		}
	}
}
