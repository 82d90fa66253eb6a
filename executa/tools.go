package executa

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"
	"unicode"

	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/registry"
)

// Limits of what is registered of a manifest. Tools over them are left out.
const (
	MaxTools    = 256 // of a plugin
	MaxToolName = 128 // bytes
)

// defs returns the tools of the plugin with that id for the registry, and what
// is wrong with them. A tool without a usable name is left out, one with bad
// parameters is not: what of them can be understood counts.
func defs(id string, m *manifest.Plugin, invoke func(ctx context.Context, tool string, call *registry.Call) (registry.Result, error)) ([]registry.Def, []error) {
	var list []registry.Def
	var problems []error
	report := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("plugin %q: "+format, append([]any{id}, args...)...))
	}
	seen := map[string]bool{}
	for i, tool := range m.Tools {
		switch {
		case len(list) == MaxTools:
			report("%d tools over the limit of %d are left out", len(m.Tools)-i, MaxTools)
			return list, problems
		case tool.Name == "":
			report("tool no. %d has no name and is left out", i+1)
			continue
		case len(tool.Name) > MaxToolName || strings.ContainsFunc(tool.Name, unicode.IsControl):
			report("tool %.40q is left out: a name has at most %d bytes and no control characters", tool.Name, MaxToolName)
			continue
		case seen[tool.Name]:
			report("tool %q is left out: an earlier one has the same name", tool.Name)
			continue
		}
		seen[tool.Name] = true
		list = append(list, registry.Def{
			Name:        registry.PluginToolName(id, tool.Name),
			Description: tool.Description,
			Schema:      toolSchema(&tool, report),
			ReportsSent: true,
			Invoke: func(ctx context.Context, call *registry.Call) (registry.Result, error) {
				return invoke(ctx, tool.Name, call)
			},
		})
	}
	return list, problems
}

// toolSchema returns the JSON Schema of the arguments of a tool.
func toolSchema(tool *manifest.Tool, report func(format string, args ...any)) json.RawMessage {
	if tool.Parameters == nil && tool.InputSchema != nil {
		report("tool %q: \"input_schema\" is not of the protocol and is used since there are no \"parameters\"", tool.Name)
		return tool.InputSchema
	}
	schema, issues := registry.ParamSchema(tool.Parameters)
	for _, issue := range issues {
		report("tool %q: parameters%s: %s", tool.Name, issue.Path, issue.Message)
	}
	return schema
}

// A toolInfo is what the host remembers of a tool, to tell whether it is still
// the same after the plugin was started again.
type toolInfo struct {
	sum     [sha256.Size]byte // of all that a caller knows of it
	timeout time.Duration
}

func toolInfos(m *manifest.Plugin, fallback time.Duration) map[string]toolInfo {
	infos := make(map[string]toolInfo, len(m.Tools))
	for _, tool := range m.Tools {
		if _, twice := infos[tool.Name]; twice {
			continue
		}
		hash := sha256.New()
		for _, part := range [][]byte{
			[]byte(tool.Description), compact(tool.Parameters), compact(tool.InputSchema),
			[]byte(tool.Timeout.String()), fmt.Append(nil, tool.Streaming),
		} {
			fmt.Fprintf(hash, "%d:%s", len(part), part)
		}
		infos[tool.Name] = toolInfo{
			sum:     [sha256.Size]byte(hash.Sum(nil)),
			timeout: cmp.Or(tool.Timeout, max(fallback, 0), manifest.DefaultTimeout),
		}
	}
	return infos
}

// compact returns raw without white space, or as it is if it is not JSON.
func compact(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// register puts the tools into a registry by means of add.
func (p *Plugin) register(add func([]registry.Def) (*registry.Handle, error)) error {
	p.publishing.Lock()
	defer p.publishing.Unlock()
	handle, err := add(p.defs(p.Manifest()))
	if err != nil {
		return err
	}
	if !p.adopt(handle) {
		return errors.Join(ErrClosed, handle.Retire(context.Background()))
	}
	p.host.mu.Lock()
	if p.life.Err() == nil {
		p.host.newest[p.id] = p
	}
	p.host.mu.Unlock()
	if p.life.Err() != nil { // the host was closed meanwhile
		return errors.Join(ErrClosed, handle.Retire(context.Background()))
	}
	return nil
}

// adopt makes handle that of the plugin's tools. It reports false if the plugin is
// retired, and does not know of handle then.
func (p *Plugin) adopt(handle *registry.Handle) bool {
	p.mu.Lock()
	if p.retired {
		p.mu.Unlock()
		return false
	}
	if p.handle != nil {
		p.stale = append(p.stale, p.handle)
	}
	p.handle = handle
	var old *registry.Handle
	if len(p.stale) > maxStale {
		old, p.stale = p.stale[0], p.stale[1:]
	}
	p.mu.Unlock()
	handle.OnRetire(func(ctx context.Context) error {
		p.mu.Lock()
		current := p.handle == handle
		p.mu.Unlock()
		if !current {
			return nil
		}
		return p.end(ctx)
	})
	if old != nil {
		_ = old.Retire(p.life) // its calls heed their context, and it has no other function
	}
	return true
}

// maxStale is how many earlier versions of its tools a generation keeps callable
// if the plugin describes others each time it starts.
const maxStale = 8

// defs returns the tools that m describes for the registry.
func (p *Plugin) defs(m *manifest.Plugin) []registry.Def {
	id, infos := p.ID(), toolInfos(m, p.spec.Timeout)
	list, problems := defs(id, m, func(ctx context.Context, tool string, call *registry.Call) (registry.Result, error) {
		return p.invoke(ctx, tool, infos[tool], call)
	})
	for _, err := range problems {
		p.host.log.Warn("plugin manifest", "plugin", id, "error", err)
	}
	return list
}

// publish takes in what a process that was just started describes, and puts its
// tools in the place of the earlier ones if they differ.
func (p *Plugin) publish(m *manifest.Plugin, tools map[string]toolInfo) error {
	p.publishing.Lock()
	defer p.publishing.Unlock()
	p.mu.Lock()
	old, handle := p.manifest, p.handle
	p.mu.Unlock()
	drift := handle != nil && !maps.Equal(tools, toolInfos(old, p.spec.Timeout))
	if drift {
		next, err := handle.Replace(p.defs(m)...)
		switch {
		case err == nil && p.adopt(next):
		case err == nil:
			return errors.Join(ErrClosed, next.Retire(context.Background()))
		case errors.Is(err, registry.ErrReplaced):
			// Only who holds on to this generation can call it; see ChangedError.
		default:
			return err
		}
	}
	p.mu.Lock()
	p.manifest = m
	p.mu.Unlock()
	if drift {
		p.host.emit(Event{Plugin: p.id, Kind: EventDrift, Old: old, New: m})
	}
	return nil
}
