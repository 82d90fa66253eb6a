package config

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/requires"
)

// A Plugin is what the configuration says about an Executa plugin: which program
// it is and how it runs. It has a Dir or a Command, or both.
type Plugin struct {
	ID string // the tool id, which is the key in the file
	// Dir is the folder of the plugin, in the form of [Config.Roots].
	Dir string
	// Command is the program with its arguments, nil if the folder says it. The
	// program is a name to look up on PATH or a path: from Dir, or, where there
	// is none, in the form of [Config.Roots].
	Command    []string
	InheritEnv bool // all of the host's environment, with the secrets in it
	Disabled   bool
	// MaxInFlight is how many calls it works on at a time. Zero means the
	// default.
	MaxInFlight int
	// Timeout is how long a call may take whose tool does not say. Zero means
	// the default.
	Timeout time.Duration
	SHA256  string // of the program, 64 hex digits in lower case, or empty
	// LenientResult and CompatName are for plugins that do not keep to the
	// protocol.
	LenientResult, CompatName bool

	env map[string]secret
}

// Environ returns the variables that the plugin gets on top of its environment,
// as "NAME=value", sorted. They are secrets, and the caller's to keep.
func (p *Plugin) Environ() []string {
	var environ []string
	for _, name := range slices.Sorted(maps.Keys(p.env)) {
		environ = append(environ, name+"="+p.env[name]())
	}
	return environ
}

// Limits on numbers of a plugin.
const (
	maxInFlight = 1024
	maxTimeout  = 24 * 60 * 60 // seconds
)

var pluginKeys = []string{"dir", "command", "env", "inherit_env", "enabled", "max_in_flight", "timeout", "sha256", "lenient_result", "compat_name"}

var (
	pluginID   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._:-]{0,127}$`) // as registry.ValidID has it
	providerID = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)
	sha256Hex  = regexp.MustCompile(`^[0-9A-Fa-f]{64}$`)
)

// plugins returns the plugins sorted by id.
func (d *decoder) plugins(n *yaml.Node) []Plugin {
	byID := make(map[string]Plugin)
	for key, value := range d.pairs(n, "plugins") {
		delete(byID, key.Value) // of equal keys the last is read, and may be at fault
		if !pluginID.MatchString(key.Value) {
			d.problem(key, codeUnknownValue, "plugins: %q is not a tool id; use letters, digits and . _ : -, a letter first, at most 128", key.Value)
			continue
		}
		p := Plugin{ID: key.Value}
		if d.plugin(&p, key, value, dotted("plugins", key.Value)) {
			byID[key.Value] = p
		}
	}
	return sortedValues(byID)
}

func sortedValues[V any](m map[string]V) (list []V) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		list = append(list, m[key])
	}
	return list
}

// plugin reads p. It reports false if it is not certain which program is meant:
// a fault must not run another, or one that somebody wanted to be checked or
// left alone.
func (d *decoder) plugin(p *Plugin, key, n *yaml.Node, path string) bool {
	sound := true
	for key, value := range d.pairs(n, path) {
		faults := len(d.problems)
		switch path := dotted(path, key.Value); key.Value {
		case "dir":
			p.Dir, _ = d.text(value, path)
			sound = sound && len(d.problems) == faults
		case "command":
			p.Command = d.command(value, path)
			sound = sound && len(d.problems) == faults
		case "enabled":
			p.Disabled = !d.flag(value, path, true)
			sound = sound && len(d.problems) == faults
		case "sha256":
			p.SHA256 = d.digest(value, path)
			sound = sound && len(d.problems) == faults
		case "env":
			p.env = d.env(value, path, "a plugin")
		case "inherit_env":
			p.InheritEnv = d.flag(value, path, false)
		case "max_in_flight":
			p.MaxInFlight = d.number(value, path, maxInFlight)
		case "timeout":
			p.Timeout = time.Duration(d.number(value, path, maxTimeout)) * time.Second
		case "lenient_result":
			p.LenientResult = d.flag(value, path, false)
		case "compat_name":
			p.CompatName = d.flag(value, path, false)
		default:
			d.unknown(key, " of a plugin", pluginKeys...)
		}
	}
	if sound && p.Dir == "" && len(p.Command) == 0 {
		d.problem(key, codeMissingKey, "%s: has neither dir nor command; say where the plugin is", path)
		return false
	}
	return sound
}

// command returns a list of texts, of which all but the first may be empty.
func (d *decoder) command(n *yaml.Node, what string) (argv []string) {
	if n.Kind != yaml.SequenceNode {
		d.texts(n, what) // says what is wrong
		return nil
	}
	for i, item := range n.Content {
		what := what + "[" + strconv.Itoa(i) + "]"
		text, ok := d.text(item, what)
		if ok && i == 0 && text == "" || !ok && item.ShortTag() == "!!null" {
			d.problem(item, codeWrongType, "%s: want text, got nothing", what)
		}
		argv = append(argv, text)
	}
	return argv
}

func (d *decoder) digest(n *yaml.Node, what string) string {
	text, ok := d.text(n, what)
	if ok && !sha256Hex.MatchString(text) {
		d.problem(n, codeWrongType, "%s: want the 64 hex digits of a SHA-256", what)
		return ""
	}
	return strings.ToLower(text)
}

// number returns a number from 1 to limit, or 0.
func (d *decoder) number(n *yaml.Node, what string, limit int) int {
	text, ok := d.text(n, what)
	if !ok {
		return 0
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 || number > limit {
		d.problem(n, codeWrongType, "%s: want a whole number from 1 to %d", what, limit)
		return 0
	}
	return number
}

var (
	providerKeys = []string{"name", "auth_type", "fields", "credential_mapping"}
	authTypes    = []string{"oauth2", "api_key"}
)

// providers returns the credential providers sorted by id.
func (d *decoder) providers(n *yaml.Node) []manifest.Provider {
	byID := make(map[string]manifest.Provider)
	for key, value := range d.pairs(n, "providers") {
		delete(byID, key.Value)
		if !providerID.MatchString(key.Value) {
			d.problem(key, codeUnknownValue, "providers: %q is not the id of a provider; use a-z, 0-9 and . _ -, at most 64", key.Value)
			continue
		}
		p := manifest.Provider{ID: key.Value, Name: key.Value}
		if d.provider(&p, key, value, dotted("providers", key.Value)) {
			byID[key.Value] = p
		}
	}
	return sortedValues(byID)
}

// provider reads p, and reports false if it would be of no use.
func (d *decoder) provider(p *manifest.Provider, key, n *yaml.Node, path string) bool {
	var fields, mapping *yaml.Node
	faults := len(d.problems)
	for key, value := range d.pairs(n, path) {
		switch path := dotted(path, key.Value); key.Value {
		case "name":
			if text, _ := d.text(value, path); text != "" {
				p.Name = text
			}
		case "auth_type":
			if text, ok := d.text(value, path); ok && !slices.Contains(authTypes, text) {
				d.problem(value, codeUnknownValue, "%s: not known; %s", path, hint(text, "it can be ", authTypes))
			} else {
				p.Auth = text
			}
		case "fields":
			fields = value
		case "credential_mapping":
			mapping = value
		default:
			d.unknown(key, " of a provider", providerKeys...)
		}
	}
	if p.Auth == "" {
		if len(d.problems) == faults {
			d.problem(key, codeMissingKey, "%s: auth_type is missing; it can be %s", path, strings.Join(authTypes, ", "))
		}
		return false
	}
	if fields != nil {
		d.fields(p, fields, dotted(path, "fields"))
	}
	if p.Auth == "api_key" && p.Fields == nil {
		d.problem(key, codeMissingKey, "%s: fields is missing; name what the user has to enter", path)
		return false
	}
	if mapping != nil {
		d.mapping(p, mapping, dotted(path, "credential_mapping"))
	}
	if len(p.Mapping) == 0 {
		d.problem(key, codeMissingKey, "%s: credential_mapping gives no credential to plugins; add one", path)
		return false
	}
	return true
}

func (d *decoder) fields(p *manifest.Provider, n *yaml.Node, path string) {
	for it := range d.items(n, path) {
		switch {
		case p.Auth == "oauth2":
			d.problem(it.node, codeUnknownValue, "%s: nothing is entered for oauth2; leave fields out", it.what)
		case !credentialName(it.text):
			d.problem(it.node, codeWrongType, "%s: not a name; use letters, digits and _", it.what)
		case !slices.Contains(p.Fields, it.text):
			p.Fields = append(p.Fields, it.text)
		}
	}
}

// mapping reads which credential is which field.
func (d *decoder) mapping(p *manifest.Provider, n *yaml.Node, path string) {
	known := p.Fields
	if p.Auth == "oauth2" {
		known = []string{manifest.AccessToken}
	}
	p.Mapping = make(map[string]string)
	for key, value := range d.pairs(n, path) {
		if !credentialName(key.Value) {
			d.problem(key, codeWrongType, "%s: not the name of a credential; use letters, digits and _", path)
			continue
		}
		what := dotted(path, key.Value)
		if text, ok := d.text(value, what); ok && slices.Contains(known, text) {
			p.Mapping[key.Value] = text
		} else if ok {
			// What stands there may be the secret itself.
			d.problem(value, codeUnknownValue, "%s: not a field of the provider; it can be %s", what, strings.Join(known, ", "))
		}
	}
}

// credentialName reports whether name looks like an environment variable, as
// which plugins fall back to it.
func credentialName(name string) bool {
	for i, c := range []byte(name) {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || i > 0 && '0' <= c && c <= '9') {
			return false
		}
	}
	return name != "" && len(name) <= 128 && !requires.LoaderVariable(name)
}
