package executa

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The page on pitfalls, no. 13.
func TestProgress(t *testing.T) {
	big := strings.Repeat("x", MaxProgress-2)
	for _, tt := range []struct {
		name, params string
		want         string // type and data; empty if it is dropped
	}{
		{"progress", `{"type":"progress","data":{"n":1.50},"context":{"invoke_id":"a"}}`, `progress {"n":1.50}`},
		{"tool_update", `{"type":"tool_update","data":[1],"context":{"invoke_id":"a"}}`, `tool_update [1]`},
		{"another type", `{"type":"completed","data":1,"context":{"invoke_id":"a"}}`, `progress 1`},
		{"type that is no text", `{"type":{},"data":null,"context":{"invoke_id":"a"}}`, `progress null`},
		{"no type, no data", `{"context":{"invoke_id":"a"}}`, `progress `},
		{"8 KiB", `{"data":"` + big + `","context":{"invoke_id":"a"}}`, `progress "` + big + `"`},
		{"8 KiB and a byte", `{"data":"x` + big + `","context":{"invoke_id":"a"}}`, ""},
		{"no context", `{"data":1}`, ""},
		{"metadata", `{"data":1,"metadata":{"executa_invoke_id":"a"}}`, ""},
		{"unknown call", `{"data":1,"context":{"invoke_id":"x"}}`, ""},
		{"call without a receiver", `{"data":1,"context":{"invoke_id":"sync"}}`, ""},
		{"call that has ended", `{"data":1,"context":{"invoke_id":"ended"}}`, ""},
		{"list", `[]`, ""},
		{"nothing", `null`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newRig(t, &Options{})
				var got []string
				tell := func(p Progress) { got = append(got, p.Type+" "+string(p.Data)) }
				g.begin(&active{id: "a", ctx: t.Context(), progress: tell})
				if tt.name == "call without a receiver" {
					g.begins("sync")
				}
				g.begin(&active{id: "ended", ctx: t.Context(), progress: tell})
				g.end("ended")
				g.line(`{"method":"executa/progress","params":%s}`, tt.params)
				g.end("a")
				var want []string
				_, dropped := g.counts()
				if tt.want != "" {
					want, dropped = []string{tt.want}, dropped+1
				}
				if diff := cmp.Diff(want, got); diff != "" || dropped != 1 {
					t.Errorf("%d dropped; (-want +got):\n%s", dropped, diff)
				}
				g.want()
			})
		})
	}
}

// No second has more than 50 events of a call, and other calls do not suffer.
func TestProgressRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, &Options{})
		count := map[string]int{}
		for _, id := range []string{"a", "b"} {
			g.begin(&active{id: id, ctx: t.Context(), progress: func(Progress) { count[id]++ }})
		}
		tell := func(id string, n int) {
			for range n {
				g.line(`{"method":"executa/progress","params":{"context":{"invoke_id":%q}}}`, id)
				synctest.Wait()
			}
		}
		tell("a", ProgressPerCall-1)
		time.Sleep(time.Second - 1)
		tell("a", 2)
		if _, dropped := g.counts(); count["a"] != ProgressPerCall || dropped != 1 {
			t.Errorf("%d delivered, %d dropped", count["a"], dropped)
		}
		tell("b", 1)
		time.Sleep(time.Nanosecond)
		tell("a", ProgressPerCall)
		if _, dropped := g.counts(); count["a"] != 2*ProgressPerCall-1 || count["b"] != 1 || dropped != 2 {
			t.Errorf("%d and %d delivered, %d dropped", count["a"], count["b"], dropped)
		}
		g.end("a")
		g.end("b")
	})
}

// A slow receiver holds up neither the reader nor, for long, its own call; it is not
// called after that has ended.
func TestProgressSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, &Options{})
		ctx, cancel := context.WithCancel(t.Context())
		var got []string
		unblock := make(chan struct{})
		tell := func(p Progress) {
			<-unblock
			got = append(got, string(p.Data))
		}
		send := func(id string, n int) {
			for i := range n {
				g.line(`{"method":"executa/progress","params":{"data":%d,"context":{"invoke_id":%q}}}`, i, id)
				if i%ProgressPerCall == ProgressPerCall-1 {
					time.Sleep(time.Second)
				}
			}
		}
		// One is being delivered, the newest 50 wait.
		g.begin(&active{id: "a", ctx: ctx, progress: tell})
		send("a", 2*ProgressPerCall)
		if _, dropped := g.counts(); dropped != ProgressPerCall-1 {
			t.Errorf("%d dropped", dropped)
		}
		start := time.Now()
		g.end("a")
		if d := time.Since(start); d != progressGrace {
			t.Errorf("end takes %v", d)
		}
		close(unblock)
		synctest.Wait()
		if diff := cmp.Diff([]string{"0"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		// What came before the end of a call is delivered.
		got = nil
		g.begin(&active{id: "b", ctx: ctx, progress: func(p Progress) {
			time.Sleep(time.Millisecond)
			got = append(got, string(p.Data))
		}})
		send("b", 10)
		g.end("b")
		if len(got) != 10 {
			t.Errorf("got %q", got)
		}
		// Not if nobody waits for it.
		got = nil
		unblock = make(chan struct{})
		g.begin(&active{id: "c", ctx: ctx, progress: tell})
		send("c", 10)
		synctest.Wait()
		time.AfterFunc(time.Millisecond, func() { close(unblock) })
		cancel()
		g.end("c")
		if diff := cmp.Diff([]string{"0"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestProgressPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, &Options{})
		n := 0
		g.begin(&active{id: "a", ctx: t.Context(), progress: func(p Progress) { n++; panic("in the receiver") }})
		for i := range 2 {
			g.line(`{"method":"executa/progress","params":{"data":%d,"context":{"invoke_id":"a"}}}`, i)
		}
		g.end("a")
		if n != 2 || !strings.Contains(g.logs.String(), "in the receiver") {
			t.Errorf("%d delivered, log:\n%s", n, g.logs)
		}
	})
}

func TestWithProgress(t *testing.T) {
	called := ""
	ctx := WithProgress(t.Context(), func(p Progress) { called = fmt.Sprint(p.Type) })
	ctx.Value(progressKey{}).(func(Progress))(Progress{Type: "progress"})
	if called != "progress" {
		t.Error("the receiver is not in the context")
	}
}
