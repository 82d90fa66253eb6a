package install

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/matrix-nexus/skillkit/internal/line"
	"github.com/matrix-nexus/skillkit/internal/pydist"
	"github.com/matrix-nexus/skillkit/internal/unpack"
	"github.com/matrix-nexus/skillkit/metadata"
)

// MaxPackages is the number of packages that one recipe may name.
const MaxPackages = 64

// The kinds that [Options.Kinds] and [Options.Allow] choose from.
var (
	documentedKinds = []metadata.Kind{metadata.KindBrew, metadata.KindPip, metadata.KindApt, metadata.KindNpm,
		metadata.KindGo, metadata.KindUv, metadata.KindDownload, metadata.KindShell}
	extraKinds = []metadata.Kind{metadata.KindPipx, metadata.KindCargo, metadata.KindGem, metadata.KindDnf,
		metadata.KindChoco, metadata.KindWinget}
)

var refuseAllowed = &refusal{why: "is not among what may be installed"}

// build returns the step that a recipe asks for, and those before it, or why
// the recipe is passed over. Which skills it serves and why is left open.
func (m *machine) build(skill string, mf *metadata.Manifest, r *metadata.Recipe) (step Step, before []Step, no *refusal) {
	if no = m.passOver(r); no != nil {
		return Step{}, nil, no
	}
	step = Step{Kind: r.Kind, Bins: slices.Clone(r.Bins)}
	at := func(err error) *refusal { return &refusal{why: err.Error() + position(r.Pos), bad: true} }
	if err := CheckRecipe(r); err != nil {
		return Step{}, nil, at(err)
	}
	var err error
	switch {
	case r.Kind == metadata.KindShell, r.Kind == metadata.KindDownload && r.URL == "":
		no = m.shell(&step, r)
	case r.Kind == metadata.KindDownload:
		no, err = m.download(&step, skill, r)
	default:
		before, no, err = m.packages(&step, mf, r)
	}
	if err != nil {
		no = at(err)
	}
	if no != nil {
		return Step{}, nil, no
	}
	step.Label = cmp.Or(line.Cut(line.Fold(r.Label), 120), step.Label)
	return step, before, nil
}

// position says where in its file a recipe stands.
func position(pos metadata.Position) string {
	if pos.Line == 0 {
		return ""
	}
	return " (at " + pos.String() + ")"
}

// passOver says why a recipe is not for this machine, whatever it holds.
func (m *machine) passOver(r *metadata.Recipe) *refusal {
	listed := slices.ContainsFunc(m.Allow, func(a string) bool {
		kind, _, _ := strings.Cut(a, ":")
		return kind == string(r.Kind)
	})
	switch {
	case r.Kind == "":
		return &refusal{why: "names no kind"}
	case r.Kind == metadata.KindExec || r.Kind == metadata.KindScript || r.Kind == metadata.KindManual:
		why := "kind " + string(r.Kind) + " is never run"
		if text := line.Fold(cmp.Or(r.Command, r.Label)); text != "" {
			why += "; it says " + quote(text)
		}
		return &refusal{why: why}
	case !slices.Contains(documentedKinds, r.Kind) && !slices.Contains(extraKinds, r.Kind):
		return &refusal{why: "kind " + quote(string(r.Kind)) + " is not known"}
	case len(r.OS) > 0 && !slices.Contains(r.OS, m.GOOS):
		return &refusal{why: "is for " + line.Cut(line.Fold(strings.Join(r.OS, ", ")), 80) + "; this is " + m.GOOS}
	case m.Kinds != nil && !slices.Contains(m.Kinds, r.Kind):
		return &refusal{why: "kind " + string(r.Kind) + " is not to be used"}
	case m.Kinds == nil && !listed && slices.Contains(extraKinds, r.Kind):
		return &refusal{why: "kind " + string(r.Kind) + " is used only when it is asked for by name"}
	case m.Allow != nil && !listed:
		return refuseAllowed
	case !filepath.IsAbs(m.State):
		return &refusal{why: "no folder for the state is given"}
	}
	return nil
}

// allowed reports whether the list of what may be installed has a name of a
// kind that is listed at all.
func (m *machine) allowed(kind metadata.Kind, name string) bool {
	return m.Allow == nil || slices.ContainsFunc(m.Allow, func(a string) bool {
		k, pattern, limited := strings.Cut(a, ":")
		if k != string(kind) {
			return false
		}
		ok, err := doublestar.Match(pattern, name)
		return !limited || ok && err == nil
	})
}

// packages is a step of an installer that is given names.
func (m *machine) packages(step *Step, mf *metadata.Manifest, r *metadata.Recipe) (before []Step, no *refusal, err error) {
	switch {
	case len(r.Packages) == 0:
		return nil, &refusal{why: "names no package"}, nil
	case len(r.Packages) > MaxPackages:
		return nil, &refusal{why: fmt.Sprintf("names more than %d packages", MaxPackages)}, nil
	}
	intoPython := r.Kind == metadata.KindPip || r.Kind == metadata.KindUv && len(r.Bins) == 0 && len(mf.Requires.PythonPackages) > 0
	for _, pkg := range r.Packages {
		if pkg, err = operand(mf, r, pkg); err != nil {
			return nil, nil, err
		}
		if !m.allowed(r.Kind, allowName(r.Kind, pkg)) {
			return nil, refuseAllowed, nil
		}
		if !slices.Contains(step.Packages, pkg) {
			step.Packages = append(step.Packages, pkg)
		}
	}
	if intoPython && r.Kind == metadata.KindUv {
		if uv, _ := m.program("uv"); uv == "" {
			return nil, lacks("uv"), nil
		}
		step.Kind = metadata.KindPip // uv does the same then
	}
	c, no := m.command(step.Kind, step.Packages, nil)
	if no != nil {
		return nil, no, nil
	}
	if cask, _ := r.Extra["cask"].(bool); cask && r.Kind == metadata.KindBrew {
		c.argv = slices.Insert(c.argv, 2, "--cask")
	}
	if c.linkFrom != "" && intoPython && len(r.Bins) == 0 && len(mf.Requires.PythonPackages) > 0 {
		c.linkFrom, c.binDir = "", "" // it is there to be imported
	}
	step.Argv, step.Env, step.Unset, step.LinkFrom, step.BinDir = c.argv, c.env, c.unset, c.linkFrom, c.binDir
	step.ID = string(step.Kind) + ":" + strings.Join(slices.Sorted(slices.Values(step.Packages)), ",")
	step.Label = "Install " + line.Cut(strings.Join(step.Packages, " "), 80) + " (" + string(r.Kind) + ")"
	return c.before, nil, nil
}

// operand completes the name of a package by what else the recipe or the skill
// says about it.
func operand(mf *metadata.Manifest, r *metadata.Recipe, pkg string) (string, error) {
	switch r.Kind {
	case metadata.KindGo:
		if !strings.Contains(pkg, "@") {
			pkg += "@latest"
		}
	case metadata.KindBrew:
		// A formula of a tap is named with it, which adds the tap.
		if tap, _ := r.Extra["tap"].(string); tap != "" && !strings.Contains(pkg, "/") {
			pkg = tap + "/" + pkg
			if err := checkPackage(r.Kind, pkg); err != nil {
				return "", err
			}
		}
	case metadata.KindPip, metadata.KindUv:
		got, err := parsePython(pkg)
		if err != nil {
			return "", err
		}
		for _, q := range mf.Requires.PythonPackages {
			if want, err := parsePython(q.Name); err == nil && want.name == got.name {
				got.extras = cmp.Or(got.extras, want.extras)
				got.spec = joinClauses(got.spec, want.spec)
			}
		}
		return got.String(), nil
	}
	return pkg, nil
}

// allowName returns what patterns of [Options.Allow] are compared with.
func allowName(kind metadata.Kind, pkg string) string {
	name := bareName(kind, pkg)
	if kind == metadata.KindPip || kind == metadata.KindUv || kind == metadata.KindPipx {
		return pydist.Normalize(name)
	}
	return name
}

// shell is a step that hands the command of a recipe to a shell.
func (m *machine) shell(step *Step, r *metadata.Recipe) *refusal {
	if strings.TrimSpace(r.Command) == "" {
		return &refusal{why: "has neither a URL nor a command"}
	}
	switch {
	case m.GOOS == "windows":
		return &refusal{why: "runs a shell command, which is not done on Windows"}
	case !m.AllowShell:
		return &refusal{why: "runs a shell command, which was not allowed: " + quote(line.Fold(r.Command)), shell: true}
	case m.Allow != nil && !slices.Contains(m.Allow, string(r.Kind)): // a pattern cannot tell what a command does
		return refuseAllowed
	}
	sh, _ := m.program("sh")
	if sh == "" {
		return lacks("sh")
	}
	sum := sha256.Sum256([]byte(r.Command))
	step.ID = "shell:" + hex.EncodeToString(sum[:6])
	step.Label = "Run " + line.Cut(line.Fold(r.Command), 80)
	step.Argv, step.Shell = []string{sh, "-c", r.Command}, true
	return nil
}

// download is a step that fetches a URL.
func (m *machine) download(step *Step, skill string, r *metadata.Recipe) (*refusal, error) {
	u, err := checkURL(r.URL)
	if err != nil {
		return nil, err
	}
	if !m.allowed(r.Kind, u.Host+u.EscapedPath()) {
		return refuseAllowed, nil
	}
	d := &Download{URL: r.URL, SHA256: strings.ToLower(strings.TrimSpace(r.SHA256)), StripComponents: r.StripComponents}
	if d.Archive, err = archiveOf(r, u); err != nil {
		return nil, err
	}
	if format := unpack.Format(d.Archive); format == "" || format.Single() {
		d.StripComponents = 0
		file := downloadName(u, d.Archive)
		switch {
		case len(r.Bins) != 1:
			d.File = file
		case m.GOOS == "windows" && filepath.Ext(r.Bins[0]) == "" && strings.EqualFold(path.Ext(file), ".exe"):
			d.File = r.Bins[0] + ".exe"
		default:
			d.File = r.Bins[0]
		}
	}
	dir := filepath.Join(slug(skill), slug(cmp.Or(strings.TrimSpace(r.TargetDir), r.ID, r.URL)))
	d.Dir = m.state("tools", dir)
	step.ID = "download:" + filepath.ToSlash(dir)
	step.Label = "Download " + line.Cut(u.Host+u.Path, 80)
	step.Download, step.BinDir = d, m.state("bin")
	return nil, nil
}

// downloadName returns the name of the single file that a URL gives.
func downloadName(u *url.URL, archive string) string {
	return strings.TrimSuffix(path.Base(u.Path), "."+archive)
}

// archiveOf returns the format of what a URL gives, or "" if it is one file as
// it is.
func archiveOf(r *metadata.Recipe, u *url.URL) (string, error) {
	format, ok := unpack.FormatOf(u.Path)
	switch {
	case r.Archive != "":
		if format, ok = unpack.ParseFormat(r.Archive); !ok {
			return "", fmt.Errorf("archive format %s cannot be unpacked", quote(r.Archive))
		}
	case !ok && r.Extract:
		return "", fmt.Errorf("the format of the archive %s is not known; the recipe must name it in archive", quote(r.URL))
	}
	return string(format), nil
}

var (
	slugForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9_-]{0,62}[a-z0-9])?$`)
	// deviceForm are the names that are not those of files on Windows.
	deviceForm = regexp.MustCompile(`^(con|prn|aux|nul|com\d|lpt\d)$`)
)

// slug returns a file name for any text: the text if it is one everywhere,
// else what is left of it, a dot and a part of its hash. No two texts share one.
func slug(s string) string {
	if slugForm.MatchString(s) && !deviceForm.MatchString(s) {
		return s
	}
	words := strings.FieldsFunc(strings.ToLower(s), func(c rune) bool { return !('a' <= c && c <= 'z' || '0' <= c && c <= '9') })
	text := strings.Join(words, "-")
	sum := sha256.Sum256([]byte(s))
	return "x-" + text[:min(len(text), 48)] + "." + hex.EncodeToString(sum[:6])
}
