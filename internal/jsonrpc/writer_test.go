package jsonrpc_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/matrix-nexus/skillkit/internal/jsonrpc"
)

// pipes are the two kinds of writers: one that can be tried, and one that blocks.
var pipes = map[string]func(t *testing.T) (io.ReadCloser, io.WriteCloser){
	"file": func(t *testing.T) (io.ReadCloser, io.WriteCloser) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close(); w.Close() })
		return r, w
	},
	"blocking": func(t *testing.T) (io.ReadCloser, io.WriteCloser) {
		r, w := io.Pipe()
		t.Cleanup(func() { r.Close(); w.Close() })
		return r, w
	},
}

// B54: lines of many goroutines are not mixed.
func TestB54WriterKeepsLinesWhole(t *testing.T) {
	for name, pipe := range pipes {
		for _, size := range []int{10, 64 << 10} {
			t.Run(fmt.Sprint(name, " ", size), func(t *testing.T) {
				r, f := pipe(t)
				w := jsonrpc.NewWriter(f)
				var wg sync.WaitGroup
				for i := range 50 {
					wg.Go(func() {
						for range 4 {
							line := fmt.Appendf(nil, "%s\n", strings.Repeat(string(rune('A'+i)), size+i))
							if sent, err := w.Write(t.Context(), line); !sent || err != nil {
								t.Errorf("%v, %v", sent, err)
							}
						}
					})
				}
				go func() { wg.Wait(); f.Close() }()
				n := 0
				for in := bufio.NewReader(r); ; n++ {
					line, err := in.ReadBytes('\n')
					if err == io.EOF {
						break
					}
					if want := size + int(line[0]-'A'); err != nil || len(line)-1 != want || bytes.Count(line, line[:1]) != want {
						t.Fatalf("%.20q… of %d bytes, %v", line, len(line), err)
					}
				}
				if n != 200 {
					t.Errorf("%d lines", n)
				}
			})
		}
	}
}

// B54: a plugin that does not read holds nobody longer than his context, and not
// Close. A line of which a byte was written is written to its end later; the others
// are taken back.
func TestB54WriterToOneThatDoesNotRead(t *testing.T) {
	for name, pipe := range pipes {
		t.Run(name, func(t *testing.T) {
			r, f := pipe(t)
			w := jsonrpc.NewWriter(f)
			ctx, cancel := context.WithCancel(t.Context())
			big := bytes.Repeat([]byte("x"), 1<<20)
			big[len(big)-1] = '\n'
			var sent, unsent, wg = atomic.Int32{}, atomic.Int32{}, sync.WaitGroup{}
			for range 20 {
				wg.Go(func() {
					s, err := w.Write(ctx, big)
					if err != context.Canceled {
						t.Errorf("error is %v", err)
					}
					if s {
						sent.Add(1)
					} else {
						unsent.Add(1)
					}
				})
			}
			var first [1]byte
			if _, err := r.Read(first[:]); err != nil { // now one is on its way
				t.Fatal(err)
			}
			cancel()
			wg.Wait()
			if sent.Load() != 1 || unsent.Load() != 19 {
				t.Errorf("%d sent, %d not", sent.Load(), unsent.Load())
			}
			go func() {
				if s, err := w.Write(t.Context(), []byte("next\n")); !s || err != nil {
					t.Errorf("%v, %v", s, err)
				}
				f.Close()
			}()
			rest, err := io.ReadAll(r)
			if want := string(big[1:]) + "next\n"; err != nil || string(rest) != want {
				t.Errorf("%d bytes, want %d: %v", len(rest), len(want), err)
			}
		})
	}
}

func TestWriterClose(t *testing.T) {
	for name, pipe := range pipes {
		t.Run(name, func(t *testing.T) {
			r, f := pipe(t)
			w := jsonrpc.NewWriter(f)
			big := bytes.Repeat([]byte("x"), 1<<20)
			type outcome struct {
				sent bool
				err  error
			}
			begun := make(chan outcome, 1)
			go func() {
				sent, err := w.Write(t.Context(), big)
				begun <- outcome{sent, err}
			}()
			var first [1]byte
			if _, err := r.Read(first[:]); err != nil {
				t.Fatal(err)
			}
			w.Close()
			w.Close()
			if sent, err := w.Write(t.Context(), []byte("a\n")); sent || err != jsonrpc.ErrClosed {
				t.Errorf("%v, %v", sent, err)
			}
			f.Close() // ends the one that has begun
			if got := <-begun; !got.sent || got.err == nil {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestWriterCloseEndsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, f := io.Pipe()
		w := jsonrpc.NewWriter(f)
		go w.Write(t.Context(), []byte("first\n"))
		synctest.Wait()
		var err error
		var sent bool
		go func() { sent, err = w.Write(t.Context(), []byte("second\n")) }()
		synctest.Wait()
		w.Close()
		synctest.Wait()
		if sent || err != jsonrpc.ErrClosed {
			t.Errorf("%v, %v", sent, err)
		}
		if line, err := bufio.NewReader(r).ReadString('\n'); line != "first\n" {
			t.Errorf("%q, %v", line, err)
		}
	})
}

// B27: a reader that has gone is an error.
func TestB27WriterToOneThatHasGone(t *testing.T) {
	for name, pipe := range pipes {
		t.Run(name, func(t *testing.T) {
			r, f := pipe(t)
			w := jsonrpc.NewWriter(f)
			r.Close()
			_, err := w.Write(t.Context(), bytes.Repeat([]byte("x"), 1<<20))
			if err == nil {
				t.Error("no error")
			}
			if sent, err2 := w.Write(t.Context(), []byte("a\n")); sent || !errors.Is(err2, err) {
				t.Errorf("%v, %v", sent, err2)
			}
		})
	}
}

func TestWriterContextHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if sent, err := jsonrpc.NewWriter(io.Discard).Write(ctx, []byte("a\n")); sent || err != context.Canceled {
		t.Errorf("%v, %v", sent, err)
	}
}

func BenchmarkWriter(b *testing.B) {
	line := []byte(strings.Repeat("x", 180) + "\n")
	bench := func(b *testing.B, write func() error) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := write(); err != nil {
					b.Error(err)
				}
			}
		})
	}
	pipe := func(b *testing.B) *os.File {
		r, w, err := os.Pipe()
		if err != nil {
			b.Fatal(err)
		}
		go io.Copy(io.Discard, r)
		b.Cleanup(func() { w.Close(); r.Close() })
		return w
	}
	for _, parallel := range []int{1, 8, 64} {
		b.Run(fmt.Sprint("Writer ", parallel), func(b *testing.B) {
			w := jsonrpc.NewWriter(pipe(b))
			b.SetParallelism(parallel)
			bench(b, func() error { _, err := w.Write(b.Context(), line); return err })
		})
		b.Run(fmt.Sprint("os.File ", parallel), func(b *testing.B) {
			w := pipe(b)
			b.SetParallelism(parallel)
			bench(b, func() error { _, err := w.Write(line); return err })
		})
	}
}
