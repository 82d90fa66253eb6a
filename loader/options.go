package loader

import (
	"io/fs"
	"log/slog"
	"time"

	"github.com/matrix-nexus/skillkit/skills"
)

// EnvDir is the environment variable that names the folder of the base set.
const EnvDir = "MATRIX_SKILLS_DIR"

// Options configure a [Loader]. The zero Options, like a nil *Options, find
// nothing: each source is named by its option. A leading "~" or "~/" in a
// folder stands for the user's home folder, and a relative one is relative to
// the working directory.
//
// The base set is the first of the folder in [EnvDir], the folder "skills" in
// Runtime, and Bundled that exists and holds a SKILL.md.
type Options struct {
	// Lookup finds an environment variable, as [os.LookupEnv] does. It is
	// asked for [EnvDir], and for the home folder: HOME, or USERPROFILE on
	// Windows. Nil means an empty environment.
	Lookup func(name string) (value string, ok bool)

	// Runtime is the folder of the installed runtime; empty means none.
	Runtime string
	// Bundled is the embedded set; nil means none. It must not change.
	Bundled fs.FS
	// NoBase leaves the base set out, so that Roots alone count.
	NoBase bool

	// Roots are laid over the base set: of skills with one name, that of the
	// last root wins.
	Roots []Root

	// Workspace is a folder whose subfolder "skills" is laid over the roots;
	// empty means none.
	Workspace string
	// WorkspaceAllow are folders outside a workspace root that links in it
	// may lead into.
	WorkspaceAllow []string

	// Exclude are doublestar globs over slash-separated paths relative to the
	// root; folders that match one are not walked.
	Exclude []string
	// Nested also looks for skills inside skills. By default the walk stops
	// at a skill, since a SKILL.md below one is most often a sample.
	Nested bool
	// NoVendorAliases is [metadata.Options.NoVendorAliases].
	NoVendorAliases bool

	// Debounce is how long [Loader.Watch] waits for further events before it
	// rescans; zero or less means 100 ms.
	Debounce time.Duration
	// Poll is how often [Loader.Watch] rescans what sends no events; zero or
	// less means 2 s.
	Poll time.Duration

	// Logger gets what [Loader.Watch] cannot report otherwise; nil means that
	// nothing is logged.
	Logger *slog.Logger
}

// A Root is a tree of skills.
type Root struct {
	// Dir is a folder of the operating system. It may be a link, may be
	// missing (that is a problem of severity info), and may lie in a folder
	// that a walk would pass over.
	Dir string
	// FS is used in place of Dir when it is not nil. Links in it are not
	// followed. It must be safe for concurrent use and, since paths show where
	// a skill is from, should have a Name.
	FS fs.FS
	// Name stands for FS in paths; empty means "fs".
	Name string
	// Source defaults to [skills.Extra]. A root of source [skills.Workspace]
	// is not trusted: see the package comment on links.
	Source skills.Source
}
