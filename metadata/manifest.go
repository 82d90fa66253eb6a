package metadata

import (
	"cmp"
	"encoding/json"
)

// A Manifest holds what the frontmatter of a SKILL.md declares. Fields that
// are absent or unreadable are zero; what was unreadable is a [Problem].
type Manifest struct {
	// Name is the declared name, else the name of the folder that holds the
	// file, else empty. It is untrusted text: never use it as a path.
	Name string
	// Description is what a model sees before the skill is chosen, with line
	// breaks as YAML gives them. A skill without one is not offered as a tool.
	Description string

	// License and Compatibility are text as written, for people.
	License       string
	Compatibility string
	// AllowedTools are the entries of allowed-tools, from either form (a list,
	// or text divided by commas or blanks outside parentheses).
	AllowedTools []string
	// ArgumentHint says what arguments the skill expects, as in "[file] [page]".
	ArgumentHint string
	// UserInvocable is user-invocable; true when absent.
	UserInvocable bool
	// DisableModelInvocation is disable-model-invocation: the skill is not
	// offered to a model.
	DisableModelInvocation bool
	// Version and Author are informational: the text as written.
	Version string
	Author  string

	// VendorKey is the key under metadata whose value the fields below come
	// from, such as "matrix"; empty when metadata was consumed directly or is
	// absent.
	VendorKey string

	Always       bool   // load into every conversation
	SkillKey     string // overrides Name as the key; see [Manifest.Key]
	PrimaryEnv   string // the environment variable onboarding asks for
	Emoji        string // text, not checked for being an emoji
	Homepage     string // text, not checked for being a URL
	CategoryName string // category_name, else category
	// OS limits the systems the skill is for, as values of GOOS; empty means
	// no limit. A name that is not known is kept in lower case and matches
	// nothing.
	OS []string
	// ExecutionMode is [ModePrompt] when absent or unknown.
	ExecutionMode Mode
	// Parameters is the declared parameters array as JSON, or nil.
	Parameters json.RawMessage

	Requires Requires
	// RequiresUnknown means that the part of the file that may hold
	// requirements could not be read: they are unknown, not none.
	RequiresUnknown bool
	Install         []Recipe
	Uninstall       []Recipe

	// Extra holds the top-level keys of the frontmatter that are not read
	// above, metadata apart, and VendorExtra those of the vendor block: values
	// of the types encoding/json decodes into an any, numbers as [json.Number].
	Extra       map[string]any
	VendorExtra map[string]any
}

// Key returns the identifier that configuration uses: SkillKey, else Name.
func (m *Manifest) Key() string { return cmp.Or(m.SkillKey, m.Name) }

// A Mode hints how the body of a skill is meant to be run.
type Mode string

// The execution modes of the skill-format page.
const (
	ModePrompt Mode = "prompt"
	ModeBash   Mode = "bash"
	ModePython Mode = "python"
	ModeAPI    Mode = "api"
	ModeHybrid Mode = "hybrid"
)

// Requires names what a skill needs where it runs. Entries keep the order of
// the file, without empty ones and doubles.
type Requires struct {
	Bins           []Requirement // executables that must all be on PATH
	AnyBins        []Requirement // of which one must be
	Env            []Requirement // environment variables
	Config         []Requirement // dotted configuration keys
	PythonPackages []Requirement // distributions, with version specifiers as written
	Skills         []Requirement // other skills
	Tools          []Requirement // tools of the host

	// The Optional lists are reported and never make a skill unready.
	OptionalBins           []Requirement
	OptionalEnv            []Requirement
	OptionalConfig         []Requirement
	OptionalPythonPackages []Requirement
}

// A Requirement is one thing that [Requires] names.
type Requirement struct {
	Name string
	Pos  Position // where the name stands in the file
}

// A Recipe is one entry of install or uninstall: untrusted text that says
// how to get or remove what the skill needs.
type Recipe struct {
	ID    string
	Kind  Kind
	Label string
	// Bins are the executables that the recipe makes available.
	Bins []string
	// OS limits the recipe, as [Manifest.OS] does the skill.
	OS []string

	// Packages are the operands of the package manager: formula, package,
	// packages, module and their aliases, several names split on blanks.
	Packages []string
	// Command is a raw shell command, or empty.
	Command string

	// The rest is for kind download.
	URL             string
	SHA256          string // of what URL gives, as written
	Archive         string // its format, such as "tar.gz", as written
	Extract         bool   // false when absent
	StripComponents int    // folders to drop from the paths in the archive, 0 or more
	TargetDir       string // never use it as a path as it is

	// Extra holds the keys that are not read above, as in [Manifest.Extra].
	Extra map[string]any
	Pos   Position // where the entry starts in the file
}

// A Kind names the installer of a [Recipe]. Documented aliases are folded
// (node is npm); an unknown kind is kept as written.
type Kind string

// The documented kinds, Shell for uninstall only; then those that are known
// and run only when asked for; then those that are shown and never run.
const (
	KindBrew     Kind = "brew"
	KindPip      Kind = "pip"
	KindApt      Kind = "apt"
	KindNpm      Kind = "npm"
	KindGo       Kind = "go"
	KindUv       Kind = "uv"
	KindDownload Kind = "download"
	KindShell    Kind = "shell"

	KindPipx   Kind = "pipx"
	KindCargo  Kind = "cargo"
	KindGem    Kind = "gem"
	KindDnf    Kind = "dnf"
	KindChoco  Kind = "choco"
	KindWinget Kind = "winget"

	KindExec   Kind = "exec"
	KindScript Kind = "script"
	KindManual Kind = "manual"
)
