package install

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// serve starts a server on loopback.
func serve(t *testing.T, handler http.HandlerFunc) (url string) {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

// fetched runs f and returns what it wrote.
func fetched(t *testing.T, f *fetcher, url string) (string, error) {
	t.Helper()
	var buf bytes.Buffer
	sum, err := f.fetch(t.Context(), url, &buf, nil)
	if want := fmt.Sprintf("%x", sha256.Sum256(buf.Bytes())); err == nil && sum != want {
		t.Errorf("sum: got %s, want %s", sum, want)
	}
	if (sum == "") != (err != nil) {
		t.Errorf("got %q and %v, want exactly one of them", sum, err)
	}
	return buf.String(), err
}

// fails checks that an error says what it should, and no secret.
func fails(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want an error with %q", err, want)
	}
	if err != nil && strings.Contains(err.Error(), "secret") {
		t.Errorf("the error shows a secret: %v", err)
	}
}

func TestFetch(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		// The server compresses for those who ask, and says so of what is.
		if got := r.Header.Get("Accept-Encoding"); got != "identity" {
			t.Errorf("Accept-Encoding: got %q", got)
		}
		w.Header().Set("Content-Encoding", "gzip")
		fmt.Fprint(w, "\x1f\x8bnot really")
	})
	got, err := fetched(t, newFetcher(nil), base+"/x?token=secret")
	if want := "\x1f\x8bnot really"; got != want || err != nil {
		t.Errorf("got %q, %v; want %q as it came", got, err, want)
	}
}

func TestFetchProgress(t *testing.T) {
	body := strings.Repeat("x", 1<<20)
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		io.WriteString(w, body)
	})
	var reports []string
	_, err := newFetcher(nil).fetch(t.Context(), base, io.Discard, func(n, total int64) {
		reports = append(reports, fmt.Sprint(n, " of ", total))
	})
	if err != nil || len(reports) < 2 || reports[0] != "0 of 1048576" || reports[len(reports)-1] != "1048576 of 1048576" {
		t.Errorf("got %q, %v", reports, err)
	}
}

func TestFetchFaults(t *testing.T) {
	tests := []struct {
		name    string
		handler http.HandlerFunc
		want    string
	}{
		{"404", http.NotFound, "the server answers 404 Not Found"},
		{"500", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500) }, "the server answers 500"},
		{"204", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) }, "the server answers 204"},
		{"short body", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "short")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, "the connection ended after 5 of 100 bytes"},
		{"endless body", func(w http.ResponseWriter, r *http.Request) {
			block := make([]byte, 4096)
			for {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		}, "the file is larger than 1048576 bytes"},
		{"large by its own account", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1048577")
			io.WriteString(w, "x")
		}, "the file of 1048577 bytes is larger than 1048576"},
		{"stalled body", func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "some")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "no byte came for 50ms"},
		{"huge header", func(w http.ResponseWriter, r *http.Request) {
			for i := range 100 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 1000))
			}
		}, "exceeded 65536 bytes"},
		{"redirect loop", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path+"?token=secret", http.StatusFound)
		}, "more than 5 redirects"},
		{"redirect to a file", redirect("file:///etc/passwd"), "is not https"},
		{"redirect to nowhere", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(302) }, "redirect: http: no Location header"},
		{"redirect with a password", redirect("https://user:secret@example.com/"), "holds a user or a password"},
		{"redirect to http", redirect("http://192.0.2.1/"), "is not https"},
		{"redirect to a private address", redirect("https://10.0.0.1/"), "address 10.0.0.1 is not one to download from"},
		{"redirect to loopback by https", redirect("https://localhost:1/"), "is not one to download from"},
		{"no answer", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }, "the server ended the connection without an answer"},
		{"not HTTP", func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				io.WriteString(conn, "SSH-2.0-x\r\n\r\n")
				conn.Close()
			}
		}, "malformed HTTP"},
	}
	for _, tt := range tests {
		t.Run("B35 "+tt.name, func(t *testing.T) {
			f := newFetcher(nil)
			f.maxBytes = 1 << 20
			if tt.name == "stalled body" {
				f.stall = 50 * time.Millisecond
			}
			_, err := fetched(t, f, serve(t, tt.handler)+"/file")
			fails(t, err, tt.want)
		})
	}
	t.Run("at the limit", func(t *testing.T) {
		f := newFetcher(nil)
		f.maxBytes = 1 << 20
		got, err := fetched(t, f, serve(t, func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 1<<20)) }))
		if len(got) != 1<<20 || err != nil {
			t.Errorf("got %d bytes, %v", len(got), err)
		}
	})
	for raw, want := range map[string]string{
		"http://example.com/x":         "is not https",
		"ftp://example.com/x":          "is not https",
		"https://user:secret@host/x":   "holds a user or a password",
		"https://10.1.2.3/x":           "is not one to download from",
		"https://[::1]/x":              "is not one to download from",
		"https://[::ffff:10.0.0.1]/x":  "is not one to download from",
		"https://169.254.169.254/meta": "is not one to download from",
	} {
		_, err := fetched(t, newFetcher(nil), raw)
		fails(t, err, want)
	}
}

func TestFetchRedirects(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
		if n == 0 {
			fmt.Fprint(w, "here")
			return
		}
		codes := []int{301, 302, 303, 307, 308}
		w.Header().Set("Location", fmt.Sprint("../", n-1)) // relative
		w.WriteHeader(codes[n%len(codes)])
	})
	if got, err := fetched(t, newFetcher(nil), base+"/5"); got != "here" || err != nil {
		t.Errorf("five redirects: got %q, %v", got, err)
	}
	_, err := fetched(t, newFetcher(nil), base+"/6")
	fails(t, err, "more than 5 redirects")
}

// tlsFetcher returns a fetcher to which the addresses of a server on loopback
// are public, and its certificate known.
func tlsFetcher(s *httptest.Server) *fetcher {
	f := newFetcher(nil)
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	f.tls = &tls.Config{RootCAs: pool}
	f.allowed = netip.Addr.IsLoopback
	return f
}

func TestFetchTLS(t *testing.T) {
	plain := serve(t, func(w http.ResponseWriter, r *http.Request) { t.Error("reached by http") })
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/down" {
			http.Redirect(w, r, plain, http.StatusFound)
			return
		}
		fmt.Fprint(w, "safe")
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	f := tlsFetcher(s)
	if got, err := fetched(t, f, s.URL); got != "safe" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	_, err := fetched(t, f, s.URL+"/down")
	fails(t, err, "redirect from https to http")

	f.tls = nil
	_, err = fetched(t, f, s.URL)
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); !ok {
		t.Errorf("unknown certificate: got %v", err)
	}
	// A name that leads to loopback is refused when its address is known.
	_, err = fetched(t, newFetcher(nil), strings.Replace(s.URL, "127.0.0.1", "localhost", 1))
	fails(t, err, "is not one to download from")
}

// A proxy is where the operator says, and never for loopback.
func TestFetchProxy(t *testing.T) {
	var asked []string
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.Host)
		w.WriteHeader(http.StatusBadGateway)
	})
	environ := []string{"HTTPS_PROXY=http://ignored.invalid", "HTTPS_PROXY=" + proxy, "no_proxy=direct.example"}
	_, err := fetched(t, newFetcher(environ), "https://files.example/x")
	fails(t, err, "Bad Gateway")
	if len(asked) != 1 || asked[0] != "CONNECT files.example:443" {
		t.Errorf("the proxy was asked for %q", asked)
	}
	_, err = fetched(t, newFetcher(environ), "https://10.0.0.1/x")
	fails(t, err, "address 10.0.0.1 is not one to download from")
	if len(asked) != 1 {
		t.Errorf("the proxy was asked for %q", asked)
	}
	direct, err := newFetcher(environ).proxy(&url.URL{Scheme: "https", Host: "direct.example"})
	if direct != nil || err != nil {
		t.Errorf("no_proxy: got %v, %v", direct, err)
	}
}

func TestIsPublic(t *testing.T) {
	for addr, want := range map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "100.63.255.255": true, "100.128.0.0": true, "172.15.0.1": true, "172.32.0.1": true,
		"2606:4700::1111": true, "::ffff:8.8.8.8": true, "64:ff9b::808:808": true, "223.255.255.255": true,
		"10.0.0.1": false, "172.16.0.1": false, "172.31.255.255": false, "192.168.1.1": false, "127.0.0.1": false, "127.1.2.3": false,
		"0.0.0.0": false, "0.1.2.3": false, "169.254.169.254": false, "100.64.0.1": false, "100.127.255.255": false,
		"224.0.0.1": false, "239.1.1.1": false, "240.0.0.1": false, "255.255.255.255": false, "198.18.0.1": false, "192.0.2.1": false,
		"::": false, "::1": false, "fe80::1": false, "fe80::1%eth0": false, "fc00::1": false, "fd12::1": false, "ff02::1": false,
		"::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "64:ff9b::a00:1": false, "64:ff9b:1::1": false,
		"2001:db8::1": false, "2002:7f00:1::1": false, "2001::1": false, "fec0::1": false, "::127.0.0.1": false,
	} {
		if got := isPublic(netip.MustParseAddr(addr)); got != want {
			t.Errorf("isPublic(%s): got %t, want %t", addr, got, want)
		}
	}
}

// The limit is on the time between two bytes, not on the whole.
func TestStallReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		s := &stallReader{r: r, limit: stallTimeout, timer: time.AfterFunc(stallTimeout, cancel)}
		go func() {
			for range 10 {
				time.Sleep(stallTimeout - 1)
				w.Write([]byte("x"))
			}
			w.Close()
		}()
		if got, err := io.ReadAll(s); string(got) != "xxxxxxxxxx" || err != nil || ctx.Err() != nil {
			t.Errorf("a slow body: got %q, %v, %v", got, err, ctx.Err())
		}
		time.Sleep(stallTimeout)
		synctest.Wait()
		if ctx.Err() == nil {
			t.Error("the timer did not end the request")
		}
	})
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	}
}
