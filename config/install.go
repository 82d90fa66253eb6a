package config

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"gopkg.in/yaml.v3"

	"github.com/matrix-nexus/skillkit/metadata"
)

// installKinds are the kinds of recipes that can run.
var installKinds = []string{"brew", "apt", "pip", "uv", "npm", "go", "download", "shell", "pipx", "cargo", "gem", "dnf", "choco", "winget"}

var nodeManagers = []string{"npm", "pnpm", "yarn", "bun"}

func (d *decoder) install(n *yaml.Node) Install {
	var in Install
	for key, value := range d.pairs(n, "install") {
		switch path := dotted("install", key.Value); key.Value {
		case "allow":
			in.Allow = d.only(value, path, d.allowed)
		case "prefer":
			for it := range d.items(value, path) {
				if kind, ok := d.kind(it, it.text); ok {
					in.Prefer = append(in.Prefer, kind)
				}
			}
		case "node_manager":
			if text, _ := d.text(value, path); text == "" || slices.Contains(nodeManagers, text) {
				in.NodeManager = text
			} else {
				d.problem(value, codeUnknownValue, "%s: not known; %s", path, hint(text, "it can be ", nodeManagers))
			}
		case "python_index":
			if text, _ := d.text(value, path); text != "" {
				in.PythonIndex = d.index(value, path, text)
			}
		default:
			d.unknown(key, " of install", "allow", "prefer", "node_manager", "python_index")
		}
	}
	return in
}

// only returns a list that limits something: nil if n says nothing, else what
// read returns, and never nil, so that a fault in it allows less rather than
// more.
func (d *decoder) only(n *yaml.Node, what string, read func(*yaml.Node, string) []string) []string {
	list := read(n, what)
	unset := n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" && n.Anchor == ""
	if list == nil && !unset {
		list = []string{}
	}
	return list
}

// allowed reads a list of kinds with or without a pattern.
func (d *decoder) allowed(n *yaml.Node, what string) (list []string) {
	for it := range d.items(n, what) {
		name, pattern, limited := strings.Cut(it.text, ":")
		kind, ok := d.kind(it, name)
		switch {
		case !ok:
		case !limited:
			list = append(list, string(kind))
		case pattern == "":
			d.problem(it.node, codeBadPattern, "%s: nothing after the colon; leave it out to allow all of that kind", it.what)
		case kind == metadata.KindDownload && strings.Contains(pattern, "://"):
			d.problem(it.node, codeBadPattern, "%s: would match no URL; leave the scheme out, as in download:example.com/**", it.what)
		case !doublestar.ValidatePattern(pattern):
			d.problem(it.node, codeBadPattern, "%s: not a pattern; close each [ and {, and write \\ before one that stands for itself", it.what)
		default:
			list = append(list, string(kind)+":"+pattern)
		}
	}
	return list
}

// kind returns the kind that name, which is in it, stands for.
func (d *decoder) kind(it item, name string) (metadata.Kind, bool) {
	kind, _ := metadata.ParseKind(name)
	if slices.Contains(installKinds, string(kind)) {
		return kind, true
	}
	d.problem(it.node, codeUnknownValue, "%s: not a kind of installer; %s", it.what, hint(name, "the kinds are ", installKinds))
	return "", false
}

// index returns text if it is a URL that packages may be fetched from.
func (d *decoder) index(n *yaml.Node, what, text string) string {
	u, err := url.Parse(text)
	fault := ""
	switch {
	case err != nil || u.Opaque != "" || u.Hostname() == "" || strings.ContainsAny(text, " \\"):
		fault = "not a URL; write one as in https://example.com/simple"
	case u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())):
		fault = "must start with https:// (http:// is for this machine only)"
	case u.User != nil:
		fault = "must not hold a user or password; put those into ~/.netrc"
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#"):
		fault = "must have neither ? nor #; leave them out"
	default:
		return text
	}
	d.problem(n, codeBadURL, "%s: %s", what, fault)
	return ""
}

func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}
