package executa_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/executa"
	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/registry"
)

// services returns what the example plugins ask of a host, as simple as it can be.
// seen gets what was asked for.
func services(t *testing.T, seen func(method string)) map[string]executa.Service {
	t.Helper()
	var mu sync.Mutex
	notes := map[string]json.RawMessage{}
	drive := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPut || string(body) != "Grüße" {
			http.Error(w, "wrong", http.StatusBadRequest)
		}
		w.Header().Set("ETag", `"tag"`)
	}))
	t.Cleanup(drive.Close)
	replies := map[string]func(p map[string]json.RawMessage) any{}
	type object = map[string]any
	text := func(p map[string]json.RawMessage) any {
		var m []struct{ Content struct{ Text string } }
		_ = json.Unmarshal(p["messages"], &m)
		return object{"role": "assistant", "content": object{"type": "text", "text": "about: " + m[0].Content.Text}, "model": "m"}
	}
	replies["sampling/createMessage"], replies["agent/complete"] = text, text
	replies["agent/session.create"] = func(map[string]json.RawMessage) any { return object{"app_session_uuid": "u"} }
	replies["agent/session.run"] = func(p map[string]json.RawMessage) any {
		return object{"run_id": "r", "frames": []object{
			{"event": "run_meta"}, {"event": "token", "text": "do"}, {"event": "token", "text": "ne"}, {"event": "final", "text": "done"},
		}}
	}
	replies["agent/session.history"] = func(map[string]json.RawMessage) any { return object{"messages": []int{}} }
	replies["agent/session.delete"] = func(map[string]json.RawMessage) any { return object{"deleted": true} }
	replies["storage/get"] = func(p map[string]json.RawMessage) any {
		mu.Lock()
		defer mu.Unlock()
		value, ok := notes[string(p["key"])]
		if !ok {
			return object{"value": nil, "exists": false, "etag": nil}
		}
		return object{"value": value, "exists": true, "etag": "e1"}
	}
	replies["storage/set"] = func(p map[string]json.RawMessage) any {
		mu.Lock()
		defer mu.Unlock()
		if _, ok := notes[string(p["key"])]; ok != (string(p["if_match"]) == `"e1"`) {
			return &executa.RPCError{Code: -32023, Message: "PRECONDITION_FAILED"}
		}
		notes[string(p["key"])] = p["value"]
		return object{"etag": "e1", "size_bytes": 1}
	}
	replies["storage/list"] = func(map[string]json.RawMessage) any {
		mu.Lock()
		defer mu.Unlock()
		items := []object{}
		for key := range notes {
			items = append(items, object{"key": json.RawMessage(key)})
		}
		return object{"items": items, "next_cursor": nil}
	}
	replies["storage/delete"] = func(p map[string]json.RawMessage) any {
		mu.Lock()
		defer mu.Unlock()
		delete(notes, string(p["key"]))
		return object{"deleted": true}
	}
	replies["files/upload_begin"] = func(map[string]json.RawMessage) any { return object{"presigned_url": drive.URL, "put_url": drive.URL} }
	replies["files/upload_complete"] = func(p map[string]json.RawMessage) any {
		return object{"path": p["path"], "etag": p["etag"], "size_bytes": 7}
	}
	replies["files/download_url"] = func(map[string]json.RawMessage) any { return object{"url": "https://drive.example/f"} }
	replies["files/list"] = func(map[string]json.RawMessage) any { return object{"items": []object{{"path": "a.txt"}}} }
	replies["files/delete"] = func(map[string]json.RawMessage) any { return object{"deleted": true} }
	picture := func(p map[string]json.RawMessage) any {
		return object{"images": []object{{"url": "https://pictures.example/" + strings.Trim(string(p["prompt"]), `"`)}}, "model": "painter"}
	}
	replies["image/generate"], replies["image/edit"] = picture, picture
	replies["host/uploadFile"] = func(p map[string]json.RawMessage) any {
		return object{"download_url": "https://share.example/f", "size_bytes": len(p["content_b64"])}
	}
	replies["embeddings/create"] = func(map[string]json.RawMessage) any {
		return object{"data": []object{{"index": 0, "embedding": []float64{0.5, 1}}}}
	}
	all := map[string]executa.Service{}
	for method, reply := range replies {
		all[method] = func(_ context.Context, call *executa.ReverseCall) (json.RawMessage, error) {
			seen(call.Method)
			var p map[string]json.RawMessage
			if err := json.Unmarshal(call.Params, &p); err != nil || p["context"] != nil || call.InvokeID == "" {
				t.Errorf("%s: got %s, %v", call.Method, call.Params, err)
			}
			v := reply(p)
			if err, ok := v.(error); ok {
				return nil, err
			}
			return json.Marshal(v)
		}
	}
	return all
}

// exampleSpec returns how the example plugin in a language is started.
func exampleSpec(t *testing.T, language string) executa.Spec {
	spec := executa.Spec{Dir: filepath.Join("..", "testdata", "plugins", language)}
	if language == "go" {
		// The closed environment leaves a cache that is elsewhere than usual
		// unknown, and compiling all anew takes longer than a start may.
		cache, err := exec.Command("go", "env", "GOCACHE").Output()
		if err != nil {
			t.Fatal(err)
		}
		spec.Env = []string{"GOCACHE=" + strings.TrimSpace(string(cache))}
	}
	return spec
}

func TestExamples(t *testing.T) {
	for _, language := range languages("node python go") {
		t.Run(language, func(t *testing.T) {
			h := newHost(t, exampleSpec(t, language))
			if language == "python" {
				h.opts.Environ = append(slices.Clip(h.opts.Environ), "PATH="+filepath.Dir(python())+string(os.PathListSeparator)+os.Getenv("PATH"))
			}
			var mu sync.Mutex
			asked := map[string]bool{}
			h.opts.Services = services(t, func(method string) {
				mu.Lock()
				defer mu.Unlock()
				asked[method] = true
			})
			reg := registry.New(nil)
			host := executa.NewHost(reg, &h.opts)
			t.Cleanup(func() {
				if err := host.Close(context.Background()); err != nil {
					t.Error(err)
				}
			})
			p, err := host.Register(t.Context(), h.spec)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := p.ID(), "example-"+language; got != want {
				t.Errorf("ID: got %q, want %q", got, want)
			}
			if state := p.Status().State; state != executa.StateStopped {
				t.Errorf("before the first call: got %s, want it to be stopped", state)
			}
			for _, tt := range exampleCalls {
				t.Run(tt.tool, func(t *testing.T) {
					tool, err := reg.Lookup(registry.PluginToolName(p.ID(), tt.tool))
					if err != nil {
						t.Fatal(err)
					}
					var progress []string
					ctx := executa.WithProgress(t.Context(), func(e executa.Progress) { progress = append(progress, string(e.Data)) })
					got, err := tool.Invoke(ctx, registry.Call{Arguments: json.RawMessage(tt.args)})
					tt.check(t, got, err)
					if tt.tool == "count" && len(progress) != 3 {
						t.Errorf("progress: got %q, want 3 events", progress)
					}
				})
			}
			if len(asked) != len(h.opts.Services) {
				t.Errorf("%d of %d methods were called: %v", len(asked), len(h.opts.Services), asked)
			}

			// Without services each of them is refused, and the tool says so.
			h.opts.Services = nil
			bare := executa.NewHost(registry.New(nil), &h.opts)
			defer bare.Close(context.Background())
			q, err := bare.Register(t.Context(), h.spec)
			if err != nil {
				t.Fatal(err)
			}
			for _, tool := range q.Tools() {
				name := strings.TrimPrefix(tool.Original(), q.ID()+"_")
				args := map[string]string{
					"summarize": `{"text":"a"}`, "complete": `{"prompt":"a"}`, "converse": `{"message":"a"}`, "remember": `{"note":"a","text":"b"}`,
					"save_file": `{"path":"a","content":"b"}`, "draw": `{"prompt":"a"}`, "share": `{"filename":"a","content":"b"}`, "embed": `{"texts":["a"]}`,
				}[name]
				if args == "" {
					continue
				}
				got, err := tool.Invoke(t.Context(), registry.Call{Arguments: json.RawMessage(args)})
				if err != nil || !got.IsError || !strings.Contains(string(got.Data), "-32601") {
					t.Errorf("%s without a service: got %+v, %v; want -32601", name, got, err)
				}
			}
		})
	}
}

// exampleCalls are calls of the tools that all example plugins have.
var exampleCalls = []struct {
	tool, args string
	check      func(*testing.T, registry.Result, error)
}{
	{"types", `{"text":"ü\u2028 🙂","count":9007199254740993,"ratio":1.5,"flag":false,"mode":"fast","tags":["a"],"sizes":[1,2],"words":["b"],"options":{"deep":[{}]}}`,
		// JavaScript has no such number.
		func(t *testing.T, r registry.Result, err error) {
			t.Helper()
			var got, want any
			text := strings.ReplaceAll(string(r.Data), "9007199254740992", "9007199254740993")
			d := json.NewDecoder(strings.NewReader(text))
			d.UseNumber()
			w := json.NewDecoder(strings.NewReader(`{"text":"ü\u2028 🙂","count":9007199254740993,"ratio":1.5,"flag":false,"mode":"fast","tags":["a"],"sizes":[1,2],"words":["b"],"options":{"deep":[{}]}}`))
			w.UseNumber()
			if err := errors.Join(err, d.Decode(&got), w.Decode(&want)); err != nil {
				t.Fatal(err, r.Text)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		}},
	{"types", `{"text":"a"}`, wantData(`{"text":"a","count":1,"mode":"safe"}`)},
	{"types", `{"text":"a","mode":"slow"}`, refused},
	{"types", `{"text":"a","sizes":["1"]}`, refused},
	{"types", `{"text":"a","words":[1]}`, refused},
	{"types", `{"text":"a","tags":[""]}`, refused},
	{"types", `{"text":"a","count":1.5}`, refused},
	{"types", `{"text":"a","other":1}`, refused},
	{"types", `{}`, refused},
	{"whoami", `{}`, wantData(`{"token":"20 characters","greeting":"hello","signed":false}`)},
	{"report", `{"rows":20000}`, func(t *testing.T, r registry.Result, err error) {
		t.Helper()
		var got struct {
			Rows []struct {
				ID   int
				Note string
			}
		}
		if err := errors.Join(err, json.Unmarshal(r.Data, &got)); err != nil {
			t.Fatal(err, r.Text)
		}
		if len(r.Data) < 1<<20 || len(got.Rows) != 20000 || got.Rows[19999].ID != 19999 || got.Rows[0].Note != "— ünïcode 行 🙂" {
			t.Errorf("got %d bytes and %d rows", len(r.Data), len(got.Rows))
		}
	}},
	{"report", `{"rows":-1}`, func(t *testing.T, r registry.Result, err error) {
		t.Helper()
		if want := "there cannot be fewer than no rows"; err != nil || !r.IsError || r.Text != want {
			t.Errorf("got %+v, %v; want %q", r, err, want)
		}
	}},
	{"count", `{"steps":3}`, wantData(`{"steps":3}`)},
	{"summarize", `{"text":"milk"}`, wantData(`{"summary":"about: Summarize:\nmilk"}`)},
	{"complete", `{"prompt":"milk"}`, wantData(`{"text":"about: milk"}`)},
	{"converse", `{"message":"milk"}`, wantData(`{"text":"done","messages":0}`)},
	{"remember", `{"note":"a","text":"one"}`, wantData(`{"before":null,"etag":"e1","notes":["notes/a"]}`)},
	{"remember", `{"note":"a","text":"two","forget":true}`, wantData(`{"before":{"text":"one"},"etag":"e1","notes":["notes/a"]}`)},
	{"save_file", `{"path":"a.txt","content":"Grüße","discard":true}`, wantData(`{"path":"a.txt","bytes":7,"url":"https://drive.example/f","files":["a.txt"]}`)},
	{"draw", `{"prompt":"sun"}`, wantData(`{"url":"https://pictures.example/sun","model":"painter"}`)},
	{"draw", `{"prompt":"sun","restyle":"moon"}`, wantData(`{"url":"https://pictures.example/moon","model":"painter"}`)},
	{"share", `{"filename":"a","content":"abc"}`, wantData(`{"url":"https://share.example/f","bytes":6}`)},
	{"embed", `{"texts":["a"]}`, wantData(`{"vectors":[[0.5,1]]}`)},
}

// wantData returns a check that a call has succeeded with the data want.
func wantData(want string) func(*testing.T, registry.Result, error) {
	return func(t *testing.T, r registry.Result, err error) {
		t.Helper()
		var g, w any
		if err := errors.Join(err, json.Unmarshal([]byte(want), &w)); err != nil {
			t.Fatal(err)
		}
		_ = json.Unmarshal(r.Data, &g)
		if diff := cmp.Diff(w, g); diff != "" || r.IsError {
			t.Errorf("data (-want +got):\n%s\n%s", diff, r.Text)
		}
	}
}

// refused checks that a call was refused before it was sent.
func refused(t *testing.T, r registry.Result, err error) {
	t.Helper()
	if _, ok := errors.AsType[*registry.InvalidInput](err); !ok {
		t.Errorf("got %+v, %v; want invalid input", r, err)
	}
}

// What the example plugins answer describe with is in their manifest.json, and
// is the same in all but names.
func TestExampleManifests(t *testing.T) {
	var first *manifest.Plugin
	for _, language := range languages("node python go") {
		t.Run(language, func(t *testing.T) {
			h := newHost(t, exampleSpec(t, language))
			p := h.start(t)
			file := filepath.Join(h.spec.Dir, "manifest.json")
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := manifest.ParsePlugin(file, data)
			if err != nil || len(want.Problems) > 0 {
				t.Fatal(err, want.Problems)
			}
			got := p.Manifest()
			if p.Protocol() != "2.0" || len(got.Problems) > 0 || got.Name != p.ID() {
				t.Errorf("got protocol %s, name %q, problems %v", p.Protocol(), got.Name, got.Problems)
			}
			clear := func(m *manifest.Plugin) manifest.Plugin {
				c := *m
				c.Document = manifest.Document{}
				c.Runtime = nil
				return c
			}
			ignore := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Document" }, cmp.Ignore())
			raw := cmp.Transformer("json", func(m json.RawMessage) (v any) { _ = json.Unmarshal(m, &v); return v })
			if diff := cmp.Diff(clear(want), clear(got), ignore, raw); diff != "" {
				t.Errorf("describe differs from manifest.json (-want +got):\n%s", diff)
			}
			if first == nil {
				first = got
			}
			if diff := cmp.Diff(first.Tools, got.Tools, raw); diff != "" {
				t.Errorf("the tools are others than those of the first plugin (-want +got):\n%s", diff)
			}
		})
	}
}
