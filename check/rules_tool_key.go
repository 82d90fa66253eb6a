package check

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/executa/manifest"
)

// The keys that are read of each kind of object.
var (
	executaKeys    = []string{"tool_id", "slug", "name", "version", "executa_type", "type", "enabled", "description", "command", "distribution", "manifest_file"}
	profileKeys    = []string{"type", "package_name", "executable_name", "supports_protocol", "capabilities", "binary_urls", "binary_artifacts", "active", "profiles"}
	pluginKeys     = []string{"name", "display_name", "version", "description", "author", "homepage", "icon", "category", "license", "tags", "tools", "credentials", "host_capabilities", "runtime"}
	toolKeyNames   = []string{"name", "description", "parameters", "timeout", "streaming", "input_schema"}
	credentialKeys = []string{"name", "display_name", "description", "required", "sensitive", "default"}
)

func toolKeys(p *Pass) {
	e := p.Tool.Executa
	misspelt(p, &e.Document, "", e.Extra, executaKeys)
	for _, d := range e.Profiles {
		misspelt(p, &e.Document, d.Pointer, d.Extra, profileKeys)
	}
	q := p.Tool.Plugin
	if q == nil {
		return
	}
	misspelt(p, &q.Document, "", q.Extra, pluginKeys)
	for _, t := range q.Tools {
		misspelt(p, &q.Document, t.Pointer, t.Extra, toolKeyNames)
	}
	for _, c := range q.Credentials {
		misspelt(p, &q.Document, c.Pointer, c.Extra, credentialKeys)
	}
}

// misspelt reports the keys that are all but one that is read.
func misspelt(p *Pass, d *manifest.Document, pointer string, extra map[string]json.RawMessage, known []string) {
	for _, key := range slices.Sorted(maps.Keys(extra)) {
		i := slices.IndexFunc(known, func(k string) bool {
			a, b := squeezed(key), squeezed(k)
			return a == b || len(key) > 4 && oneSlip(a, b) && !d.Has(manifest.Join(pointer, k))
		})
		if i >= 0 && !strings.HasPrefix(key, "_") {
			p.ReportFilef(d.File, d.KeyAt(manifest.Join(pointer, key)), "key %s is not read; did you mean %s?", short(key), known[i])
		}
	}
}

// squeezed returns a key in lower case without hyphens and underscores.
func squeezed(key string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(key))
}

// oneSlip reports whether a becomes b when one letter is added, left out or
// changed, or two neighbours are swapped.
func oneSlip(a, b string) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) < 2 && len(b) < 2 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}
