package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/cmd/internal/cli"
	"github.com/matrix-nexus/skillkit/internal/atomicfile"
	"github.com/matrix-nexus/skillkit/internal/shell"
	"github.com/matrix-nexus/skillkit/loader"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
	"github.com/matrix-nexus/skillkit/skills"
)

// untrusted is the readiness of a skill whose workspace is not trusted. It
// comes before all others.
const untrusted requires.Readiness = "untrusted"

type trustCmd struct {
	Dir string `arg:"" optional:"" help:"The workspace: the folder that holds the folder skills."`
}

func (trustCmd) Help() string {
	return `Trusts the skills in DIR/skills as they are now. Until then, and again after any change in that folder, they are only listed: they are not offered to a model, nothing is installed for them, and they do not replace other skills of the same name. Look at them first.

Changes in folders named .git do not count. Those by the skills' own programs do: set PYTHONDONTWRITEBYTECODE=1 where Python is run on files in there, or it leaves a folder behind.

Without DIR it lists what is trusted, and whether that still holds.

--json prints {"workspaces": [{"dir", "digest", "since", "holds", "reason"}]}; with DIR each has "skills" too, the names of its skills.`
}

type untrustCmd struct {
	Dir string `arg:"" help:"The workspace."`
}

func (untrustCmd) Help() string {
	return `Forgets that the workspace DIR is trusted. DIR need not exist any more.`
}

// A trustee is a workspace in JSON.
type trustee struct {
	Dir string `json:"dir"` // absolute, without links
	trust
	Holds  bool     `json:"holds"`
	Reason string   `json:"reason"` // why it does not hold, or ""
	Skills []string `json:"skills,omitempty"`
}

type trustListing struct {
	Workspaces []trustee `json:"workspaces"`
}

// A trust records what was trusted.
type trust struct {
	Digest string    `json:"digest"` // of the folder skills, as of loader.Digest
	Since  time.Time `json:"since"`
}

func (c trustCmd) Run(a *app) error {
	if c.Dir == "" {
		return a.listTrust()
	}
	dir, err := a.workspace(c.Dir)
	if err != nil {
		return err
	}
	set, err := loader.LoadWorkspace(a.ctx, dir, &loader.Options{Lookup: a.env})
	if err != nil {
		return err
	}
	if set.Len() == 0 {
		for _, p := range set.IndexProblems() {
			if p.Severity > metadata.Info {
				return fmt.Errorf("%s has no skills that could be trusted: %s", dir, p)
			}
		}
		return fmt.Errorf("%s has no skills that could be trusted: they would be in %s", dir, filepath.Join(dir, "skills"))
	}
	digest, err := loader.Digest(a.ctx, filepath.Join(dir, "skills"))
	if err != nil {
		return err
	}
	record, err := a.readTrust()
	if err != nil {
		return err
	}
	t := trustee{Dir: dir, trust: trust{digest, time.Now().UTC().Truncate(time.Second)}, Holds: true}
	record[dir] = t.trust
	if err := a.writeTrust(record); err != nil {
		return err
	}
	for s := range set.All() {
		t.Skills = append(t.Skills, s.Name)
	}
	if a.flags.JSON {
		return a.out.JSON(trustListing{[]trustee{t}})
	}
	a.out.Printf("trusted %s with %s: %s\n%s\n", t.Dir, cli.Plural(len(t.Skills), "skill"), oneLine(strings.Join(t.Skills, ", ")), t.Digest)
	return nil
}

// listTrust prints what is trusted.
func (a *app) listTrust() error {
	record, err := a.readTrust()
	if err != nil {
		return err
	}
	l := trustListing{[]trustee{}}
	var rows [][]cell
	for _, dir := range slices.Sorted(maps.Keys(record)) {
		t := trustee{Dir: dir, trust: record[dir]}
		if t.Reason, err = a.changed(dir, t.trust); err != nil {
			return err
		}
		t.Holds = t.Reason == ""
		l.Workspaces = append(l.Workspaces, t)
		status := cell{"trusted since " + day(t.Since), cli.Green}
		if !t.Holds {
			status = cell{"no longer trusted: it " + t.Reason, cli.Yellow}
		}
		rows = append(rows, []cell{{dir, cli.Plain}, status})
	}
	switch {
	case a.flags.JSON:
		return a.out.JSON(l)
	case len(rows) == 0:
		a.out.Printf("no workspace is trusted\n")
	}
	a.out.table(rows)
	return nil
}

func (c untrustCmd) Run(a *app) error {
	record, err := a.readTrust()
	if err != nil {
		return err
	}
	dir, err := a.workspace(c.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		dir, err = loader.Abs(c.Dir, a.env)
	}
	if err != nil {
		return err
	}
	t, ok := record[dir]
	if !ok {
		return fmt.Errorf("%s is not trusted (\"skills trust\" shows what is)", dir)
	}
	delete(record, dir)
	if err := a.writeTrust(record); err != nil {
		return err
	}
	if a.flags.JSON {
		return a.out.JSON(trustListing{[]trustee{{Dir: dir, trust: t, Reason: "is no longer trusted"}}})
	}
	a.out.Printf("%s is no longer trusted\n", dir)
	return nil
}

// workspace returns the absolute path of a workspace, without links, which is
// what it is known by.
func (a *app) workspace(dir string) (string, error) {
	path, err := loader.Abs(dir, a.env)
	if err != nil {
		return "", fmt.Errorf("workspace %q: %w", dir, err)
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", err
	}
	if !utf8.ValidString(path) {
		return "", fmt.Errorf("workspace %q: the path is not UTF-8: rename the folder", path)
	}
	return path, nil
}

// addWorkspace makes the skills of w those of base and of the workspace. The
// latter win by name if the workspace is trusted. If it is not they are there to
// be listed, and lose.
func (w *world) addWorkspace(base *skills.Set) error {
	w.set, w.trusted = base, base
	dir := cmp.Or(w.app.flags.Workspace, w.config.Workspace)
	if dir == "" {
		return nil
	}
	own, err := loader.LoadWorkspace(w.app.ctx, dir, &loader.Options{Lookup: w.app.env})
	if err != nil {
		return err
	}
	if own.Len() > 0 {
		if w.distrust, err = w.app.distrust(dir); err != nil {
			return err
		}
	}
	if w.distrust == "" {
		w.set = skills.Merge(base, own)
		w.trusted = w.set
		return nil
	}
	shown, _ := loader.Abs(dir, w.app.env) // no error, since there are skills
	w.faults = append(w.faults, metadata.Problem{
		Code: "untrusted-workspace", Severity: metadata.Warning, File: filepath.Join(shown, "skills"),
		Message: "these skills are listed only: the workspace " + w.distrust,
	})
	w.set = skills.Merge(own, base)
	return nil
}

// distrusted returns why s is neither offered to a model nor installed for, or
// "" if its workspace is trusted.
func (w *world) distrusted(s *skills.Skill) string {
	if s.Source != skills.Workspace || w.distrust == "" {
		return ""
	}
	return "its workspace " + w.distrust
}

// distrust returns why the workspace dir is not trusted, as what follows its
// name, or "" if it is. The error is that of the context.
func (a *app) distrust(dir string) (string, error) {
	dir, err := a.workspace(dir)
	if err != nil {
		return "is not trusted: " + err.Error(), nil
	}
	record, err := a.readTrust()
	if err != nil {
		return "is not trusted: " + err.Error(), nil
	}
	t, ok := record[dir]
	if !ok {
		return "is not trusted; run: skills trust " + shell.Quote(dir), nil
	}
	reason, err := a.changed(dir, t)
	if reason != "" {
		reason += "; look at it, then run: skills trust " + shell.Quote(dir)
	}
	return reason, err
}

// changed returns how the workspace dir differs from what was trusted, or "".
// The error is that of the context.
func (a *app) changed(dir string, t trust) (string, error) {
	digest, err := loader.Digest(a.ctx, filepath.Join(dir, "skills"))
	switch {
	case a.ctx.Err() != nil:
		return "", a.ctx.Err()
	case err != nil:
		return "may have changed since it was trusted on " + day(t.Since) + " (" + err.Error() + ")", nil
	case digest != t.Digest:
		return "has changed since it was trusted on " + day(t.Since), nil
	}
	return "", nil
}

func day(t time.Time) string { return t.Local().Format(time.DateOnly) }

// A trustFile is the file in the state folder that records what is trusted.
type trustFile struct {
	Version    int              `json:"version"` // 1
	Workspaces map[string]trust `json:"workspaces"`
}

func (a *app) trustPath() (string, error) {
	state, err := a.env.State()
	return filepath.Join(state, "trust.json"), err
}

// readTrust returns what is trusted, by the path of the workspace. A record
// that cannot be read is an error: then nothing is trusted.
func (a *app) readTrust() (map[string]trust, error) {
	path, err := a.trustPath()
	if err != nil {
		return nil, err
	}
	fail := func(err error) (map[string]trust, error) {
		return nil, fmt.Errorf("the record of what is trusted, %s, cannot be used: %w", path, err)
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]trust{}, nil
	}
	const maxSize = 1 << 20 // bytes
	switch {
	case err != nil:
		return fail(err)
	case !info.Mode().IsRegular():
		return fail(errors.New("not a regular file"))
	case info.Size() > maxSize:
		return fail(fmt.Errorf("more than %d bytes", maxSize))
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0:
		return fail(errors.New("others may write to it: look at it, then run: chmod 600 " + path))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fail(err)
	}
	var f trustFile
	if err := json.Unmarshal(data, &f); err != nil {
		return fail(fmt.Errorf("%w; remove it to start anew", err))
	}
	if f.Version != 1 {
		return fail(fmt.Errorf("it has version %d, and this program knows version 1", f.Version))
	}
	if f.Workspaces == nil {
		f.Workspaces = map[string]trust{}
	}
	return f.Workspaces, nil
}

func (a *app) writeTrust(record map[string]trust) error {
	path, err := a.trustPath()
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(trustFile{1, record}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(path, append(data, '\n'))
}
