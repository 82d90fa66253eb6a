package executa_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/matrix-nexus/skillkit/executa"
	"github.com/matrix-nexus/skillkit/registry"
)

// behindHost registers a plugin in a role and returns its tool "run".
func behindHost(t *testing.T, language, role string) *registry.Tool {
	t.Helper()
	h := newHost(t, specOf(t, language, role))
	reg := registry.New(nil)
	host := executa.NewHost(reg, &h.opts)
	t.Cleanup(func() {
		if err := host.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if _, err := host.Register(t.Context(), h.spec); err != nil {
		t.Fatal(err)
	}
	tool, err := reg.Lookup("bad_run")
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// What the host does before it sends a call keeps some plugins from going wrong.
func TestBadBehindHost(t *testing.T) {
	for _, language := range languages("go python") {
		t.Run("item 4 stuck with four calls "+language, func(t *testing.T) {
			tool := behindHost(t, language, "pool")
			var wg sync.WaitGroup
			for range 16 {
				wg.Go(func() {
					r, err := tool.Invoke(t.Context(), registry.Call{})
					if err != nil || r.IsError || r.Text != "answered" {
						t.Errorf("got %+v, %v", r, err)
					}
				})
			}
			wg.Wait()
		})
	}
	t.Run("item 5 silent on wrong arguments", func(t *testing.T) {
		tool := behindHost(t, "python", "swallows")
		for _, args := range []string{`{}`, `{"text":"a","other":1}`, `{"text":1}`} {
			_, err := tool.Invoke(t.Context(), registry.Call{Arguments: json.RawMessage(args)})
			if _, ok := errors.AsType[*registry.InvalidInput](err); !ok {
				t.Errorf("%s: got %v, want invalid input", args, err)
			}
		}
		r, err := tool.Invoke(t.Context(), registry.Call{Arguments: json.RawMessage(`{"text":"a"}`)})
		if err != nil || r.Text != "answered" {
			t.Errorf("got %+v, %v", r, err)
		}
	})
}
