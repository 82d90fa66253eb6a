package manifest

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/matrix-nexus/skillkit/internal/posjson"
	"github.com/matrix-nexus/skillkit/metadata"
)

// DefaultTimeout is how long a call may take if the tool does not say.
const DefaultTimeout = 60 * time.Second

// A Plugin is what a plugin says of itself: its answer to describe, or the
// manifest.json beside an executa.json that holds the same.
type Plugin struct {
	Document
	Name                   string // empty in most that are in use; see [Identity]
	DisplayName            string
	Version, Description   string
	Author, Homepage, Icon string
	Category, License      string
	Tags                   []string
	Tools                  []Tool
	Credentials            []Credential
	HostCapabilities       []string // see [Capabilities]
	// Runtime is free-form; nil if there is none.
	Runtime json.RawMessage
	// Extra are the keys that are not known.
	Extra map[string]json.RawMessage
}

// A Tool is one that a [Plugin] offers.
type Tool struct {
	Name, Description string
	// Parameters is the list of parameters, which registry.ParamSchema makes
	// a JSON Schema of; nil if there is none.
	Parameters json.RawMessage
	// InputSchema is a JSON Schema in the manner of MCP, which the protocol does
	// not know; nil if there is none.
	InputSchema json.RawMessage
	// Timeout is how long a call may take, in whole seconds; zero means
	// [DefaultTimeout]. It is never negative.
	Timeout   time.Duration
	Streaming bool
	Extra     map[string]json.RawMessage
	Pointer   string // to the tool; see [Document.At]
}

// A Credential is a secret, or another setting, that a plugin wants to be given.
type Credential struct {
	Name, DisplayName, Description string
	Required                       bool   // true unless the file says false
	Sensitive                      bool   // true unless the file says false
	Default                        string // empty if there is none
	Extra                          map[string]json.RawMessage
	Pointer                        string // to the credential; see [Document.At]
}

// ParsePlugin reads the manifest of a plugin. file is what positions show, empty
// means manifest.json. A manifest that is wrapped in an object, as in a whole
// reply, is read with a problem. The error is a [*SyntaxError].
func ParsePlugin(file string, data []byte) (*Plugin, error) {
	d, err := parse(file, ArchiveFile, data)
	if err != nil {
		return nil, err
	}
	d.unwrap()
	p := &Plugin{}
	o := d.object(&d.root, "")
	p.Name = o.text("name")
	p.DisplayName = o.text("display_name")
	p.Version = o.text("version")
	p.Description = o.text("description")
	p.Author = o.text("author")
	p.Homepage = o.text("homepage")
	p.Icon = o.text("icon")
	p.Category = o.text("category")
	p.License = o.text("license")
	p.Tags = o.texts("tags")
	for t := range o.objects("tools") {
		p.Tools = append(p.Tools, tool(t))
	}
	for c := range o.objects("credentials") {
		p.Credentials = append(p.Credentials, credential(c))
	}
	p.HostCapabilities = o.texts("host_capabilities")
	p.Runtime = o.raw("runtime")
	p.Extra = o.extra()
	p.Document = *d
	p.sort()
	return p, nil
}

// unwrap makes the manifest inside another object the root.
func (d *Document) unwrap() {
	for d.root.Member("tools") == nil {
		m := d.root.Member("manifest")
		if m == nil && d.root.Member("jsonrpc") != nil {
			m = d.root.Member("result")
		}
		if m == nil || m.Val.Kind != posjson.Object {
			return
		}
		d.report(metadata.Error, codeWrapped, m.Start,
			"the manifest is inside %q, where hosts do not look for it; make it the whole of the file, or of the result of describe", m.Key)
		d.root = m.Val
	}
}

func tool(o *object) Tool {
	t := Tool{
		Pointer:     o.at,
		Name:        o.text("name"),
		Description: o.text("description"),
		Parameters:  o.raw("parameters"),
		InputSchema: o.raw("input_schema"),
		Streaming:   o.flag("streaming", false),
	}
	if n := o.get("timeout"); n != nil {
		s, err := strconv.ParseInt(n.Text, 10, 64)
		if n.Kind != posjson.Number || err != nil || s < 1 {
			o.d.report(metadata.Warning, codeWrongType, n.Start, "timeout must be a whole number of seconds from 1 on; %d is taken", DefaultTimeout/time.Second)
		} else {
			t.Timeout = time.Duration(min(s, maxTimeout)) * time.Second
		}
	}
	t.Extra = o.extra()
	return t
}

// maxTimeout, in seconds, keeps a Duration from overflowing.
const maxTimeout = 1 << 30

func credential(o *object) Credential {
	c := Credential{
		Pointer:     o.at,
		Name:        o.text("name"),
		DisplayName: o.text("display_name"),
		Description: o.text("description"),
		Required:    o.flag("required", true),
		Sensitive:   o.flag("sensitive", true),
		Default:     o.text("default"),
	}
	c.Extra = o.extra()
	return c
}
