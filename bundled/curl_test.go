package bundled_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

const apiToken = "example-token"

// curlKit serves, on the loopback interface, the API that the curl skill's
// commands speak to.
func curlKit(t *testing.T) func(*testing.T) box {
	need(t, "curl", "jq")
	return func(t *testing.T) box {
		srv := httptest.NewServer(api())
		t.Cleanup(srv.Close)
		return box{env: []string{"BASE_URL=" + srv.URL, "API_TOKEN=" + apiToken}}
	}
}

// api returns a handler that is strict about what it is sent, and answers the
// first search and the first page with 503, so that clients must repeat them.
func api() http.Handler {
	var calls atomic.Int32
	busy := func(w http.ResponseWriter) bool {
		first := calls.Add(1) == 1
		if first {
			http.Error(w, "busy", http.StatusServiceUnavailable)
		}
		return first
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /items", func(w http.ResponseWriter, r *http.Request) {
		if q := r.URL.Query(); q.Has("q") {
			if busy(w) {
				return
			}
			fmt.Fprintf(w, `{"q": %q, "limit": %q, "accept": %q}`, q.Get("q"), q.Get("limit"), r.Header.Get("Accept"))
		}
	})
	mux.HandleFunc("POST /items", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+apiToken {
			http.Error(w, "bad token", http.StatusUnauthorized)
			return
		}
		if r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Idempotency-Key") == "" {
			http.Error(w, "bad headers", http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusCreated)
		io.Copy(w, r.Body)
	})
	mux.HandleFunc("POST /upload", func(w http.ResponseWriter, r *http.Request) {
		f, header, err := r.FormFile("file")
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		defer f.Close()
		fmt.Fprintf(w, "title %q file %s type %s size %d\n", r.FormValue("title"),
			header.Filename, header.Header.Get("Content-Type"), header.Size)
	})
	mux.Handle("GET /files/data.bin", http.RedirectHandler("/blob", http.StatusFound))
	mux.HandleFunc("GET /blob", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, strings.Repeat("x", 4321))
	})
	mux.HandleFunc("GET /pages", func(w http.ResponseWriter, r *http.Request) {
		if busy(w) {
			return
		}
		switch r.URL.Query().Get("page") {
		case "1":
			io.WriteString(w, `[{"id":1},{"id":2}]`)
		case "2":
			io.WriteString(w, `[{"id":3}]`)
		default:
			io.WriteString(w, `[]`)
		}
	})
	return mux
}
