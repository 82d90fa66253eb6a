package install

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/http/httpproxy"
)

// Limits of a download.
const (
	// MaxDownload is the size in bytes of the largest file that is downloaded.
	MaxDownload = 4 << 30

	// MaxRedirects is the number of redirects that are followed.
	MaxRedirects = 5

	maxResponseHeader = 64 << 10 // bytes

	dialTimeout      = 30 * time.Second
	handshakeTimeout = 30 * time.Second
	headerTimeout    = 60 * time.Second // for the header of a response
	stallTimeout     = 60 * time.Second // for the next byte of a body

	progressPause = 100 * time.Millisecond // at least, between two reports
)

// A fetcher gets files over HTTP, with limits that tests replace.
type fetcher struct {
	proxy func(*url.URL) (*url.URL, error)
	// allowed says whether an https connection may be made to an address.
	allowed  func(netip.Addr) bool
	tls      *tls.Config
	maxBytes int64
	stall    time.Duration
}

func newFetcher(environ []string) *fetcher {
	return &fetcher{proxy: proxyFrom(environ), allowed: isPublic, maxBytes: MaxDownload, stall: stallTimeout}
}

// proxyFrom returns what tells the proxy for a URL by the variables HTTPS_PROXY,
// HTTP_PROXY and NO_PROXY of an environment, also in lower case.
func proxyFrom(environ []string) func(*url.URL) (*url.URL, error) {
	get := func(names ...string) string {
		for _, name := range names {
			for _, v := range slices.Backward(environ) {
				if value, ok := strings.CutPrefix(v, name+"="); ok && value != "" {
					return value
				}
			}
		}
		return ""
	}
	config := httpproxy.Config{
		HTTPProxy:  get("HTTP_PROXY", "http_proxy"),
		HTTPSProxy: get("HTTPS_PROXY", "https_proxy"),
		NoProxy:    get("NO_PROXY", "no_proxy"),
	}
	return config.ProxyFunc()
}

// fetch writes what the URL gives to w and returns its SHA-256 in hex.
func (f *fetcher) fetch(ctx context.Context, raw string, w io.Writer, progress func(bytes, total int64)) (sum string, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	resp, err := f.follow(ctx, raw)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.ContentLength > f.maxBytes {
		return "", fmt.Errorf("%s: the file of %d bytes is larger than %d", shown(raw), resp.ContentLength, f.maxBytes)
	}
	body := &stallReader{r: resp.Body, limit: f.stall}
	body.timer = time.AfterFunc(f.stall, func() { cancel(fmt.Errorf("no byte came for %v", f.stall)) })
	defer body.timer.Stop()
	hash := sha256.New()
	meter := &progressWriter{total: max(resp.ContentLength, 0), report: progress}
	meter.tell()
	n, err := io.Copy(io.MultiWriter(w, hash, meter), io.LimitReader(body, f.maxBytes+1))
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case err == nil && n > f.maxBytes:
		err = fmt.Errorf("the file is larger than %d bytes", f.maxBytes)
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("the connection ended after %d of %d bytes", n, meter.total)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", shown(raw), err)
	}
	meter.tell()
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// follow returns the response with status 200 that the URL leads to.
func (f *fetcher) follow(ctx context.Context, raw string) (*http.Response, error) {
	secure := false // once the connection was
	for range 1 + MaxRedirects {
		u, err := checkURL(raw)
		if err != nil {
			return nil, err
		}
		if secure && u.Scheme != "https" {
			return nil, fmt.Errorf("redirect from https to %s", shown(raw))
		}
		secure = u.Scheme == "https"
		resp, err := f.get(ctx, u)
		if err != nil {
			switch {
			case ctx.Err() != nil:
				err = context.Cause(ctx)
			case err == io.EOF:
				err = errors.New("the server ended the connection without an answer")
			}
			return nil, fmt.Errorf("%s: %w", shown(raw), err)
		}
		switch resp.StatusCode {
		case http.StatusOK:
			return resp, nil
		case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
			http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
			next, err := resp.Location()
			resp.Body.Close()
			if err != nil {
				return nil, fmt.Errorf("%s: redirect: %w", shown(raw), err)
			}
			raw = next.String()
		default:
			resp.Body.Close()
			return nil, fmt.Errorf("%s: the server answers %d %s", shown(raw), resp.StatusCode, http.StatusText(resp.StatusCode))
		}
	}
	return nil, fmt.Errorf("more than %d redirects", MaxRedirects)
}

// get makes one request. Each has a connection of its own, so that what may be
// connected to is known.
func (f *fetcher) get(ctx context.Context, u *url.URL) (*http.Response, error) {
	proxy, err := f.proxy(u)
	if err != nil {
		return nil, err
	}
	// What the operator configured as a proxy may be anywhere. It is then the
	// one that looks up the address, unless the URL holds one.
	permit := func(addr netip.Addr) bool { return true }
	if addr, err := netip.ParseAddr(u.Hostname()); proxy == nil || err == nil {
		permit = f.allowed
		if u.Scheme == "http" {
			permit = netip.Addr.IsLoopback
		}
		if err == nil && !permit(addr.Unmap()) {
			return nil, refusedAddress(addr)
		}
	}
	dialer := &net.Dialer{Timeout: dialTimeout}
	if proxy == nil {
		dialer.Control = func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil {
				return err
			}
			if !permit(to.Addr().Unmap()) {
				return refusedAddress(to.Addr())
			}
			return nil
		}
	}
	transport := &http.Transport{
		Proxy:                  func(*http.Request) (*url.URL, error) { return proxy, nil },
		DialContext:            dialer.DialContext,
		TLSClientConfig:        f.tls.Clone(),
		TLSHandshakeTimeout:    handshakeTimeout,
		ResponseHeaderTimeout:  headerTimeout,
		MaxResponseHeaderBytes: maxResponseHeader,
		DisableCompression:     true,
		DisableKeepAlives:      true,
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("User-Agent", "skillkit")
	return transport.RoundTrip(req)
}

func refusedAddress(addr netip.Addr) error {
	return fmt.Errorf("address %v is not one to download from", addr)
}

// reserved are the networks within those of hosts that anyone can reach which
// are not: the registries of special-purpose addresses of RFC 6890.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"), // of providers, behind which their customers are
	netip.MustParsePrefix("127.0.0.0/8"),
	netip.MustParsePrefix("169.254.0.0/16"),
	netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("224.0.0.0/3"), // multicast and what is above it
	netip.MustParsePrefix("2001::/23"),
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"), // 6to4, which holds an IPv4 address
	netip.MustParsePrefix("3fff::/20"),
}

var (
	globalUnicast = netip.MustParsePrefix("2000::/3")
	// nat64 holds the IPv4 addresses that a host without one reaches: RFC 6052.
	nat64 = netip.MustParsePrefix("64:ff9b::/96")
)

// isPublic reports whether an address is that of a host that anyone can reach.
func isPublic(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	if nat64.Contains(addr) {
		b := addr.As16()
		addr = netip.AddrFrom4([4]byte(b[12:]))
	}
	if !addr.Is4() && !globalUnicast.Contains(addr) {
		return false
	}
	return !slices.ContainsFunc(reserved, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// shown returns a URL as errors show it: without what may be a secret.
func shown(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "the URL"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// A stallReader restarts a timer with each read that brings something.
type stallReader struct {
	r     io.Reader
	timer *time.Timer
	limit time.Duration
}

func (s *stallReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if n > 0 {
		s.timer.Reset(s.limit)
	}
	return n, err
}

// A progressWriter reports how much was written to it.
type progressWriter struct {
	n, total int64
	last     time.Time
	report   func(bytes, total int64)
}

func (p *progressWriter) Write(b []byte) (int, error) {
	p.n += int64(len(b))
	if time.Since(p.last) >= progressPause {
		p.tell()
	}
	return len(b), nil
}

func (p *progressWriter) tell() {
	p.last = time.Now()
	if p.report != nil {
		p.report(p.n, p.total)
	}
}
