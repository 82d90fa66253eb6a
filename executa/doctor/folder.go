package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/metadata"
)

// A folder is what was found in that of the plugin, and in what it says of itself.
type folder struct {
	dir     string // empty if there is none
	err     error
	executa *manifest.Executa // nil if there is none
	beside  *manifest.Plugin  // the describe manifest beside it, or nil
	archive *manifest.Archive // nil if there is none
	// guess is the entrypoint that an installer would guess, or empty.
	guess  string
	others []string

	findings  []check.Finding // in the folder
	described []check.Finding // in the answer to describe
}

// maxListed is how many files of a folder are looked at for an entrypoint.
const maxListed = 4096

// lookAt reads the folder of the plugin and runs the rules of package check.
func lookAt(ctx context.Context, x *exam) folder {
	f := folder{dir: x.target.Dir}
	if f.dir != "" {
		x.step("look at its folder")
		f.err = f.read(ctx)
	}
	if x.described != nil {
		f.described = x.rules(ctx, &f)
	}
	return f
}

func (f *folder) read(ctx context.Context) error {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if data, err := readFile(root, manifest.ExecutaFile); err == nil {
		f.executa, _ = manifest.ParseExecuta(manifest.ExecutaFile, data)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if data, err := readFile(root, manifest.ArchiveFile); err == nil {
		if p, err := manifest.ParsePlugin(manifest.ArchiveFile, data); err == nil && p.Has("/tools") {
			f.beside = p
		} else {
			f.archive, _ = manifest.ParseArchive(manifest.ArchiveFile, data)
		}
	}
	if f.executa != nil && f.executa.ManifestFile != "" && manifest.IsLocal(f.executa.ManifestFile) {
		if data, err := readFile(root, f.executa.ManifestFile); err == nil {
			f.beside, _ = manifest.ParsePlugin(f.executa.ManifestFile, data)
		}
	}
	if f.executa == nil {
		f.entrypoint(root.FS())
		return nil
	}
	f.findings, err = findings(ctx, root.FS())
	return err
}

func readFile(root *os.Root, name string) ([]byte, error) {
	file, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, manifest.MaxFile+1))
}

// findings returns those that matter, in a folder with an executa.json.
func findings(ctx context.Context, fsys fs.FS) ([]check.Finding, error) {
	c, err := check.New(&check.Options{NoIgnore: true})
	if err != nil {
		return nil, err
	}
	report, err := c.Check(ctx, []check.Target{{FS: fsys}})
	if report == nil {
		return nil, err
	}
	return report.Findings, nil // what a rule that broke would have found is missing
}

// entrypoint finds out whether the program of an unpacked archive is a guess.
func (f *folder) entrypoint(fsys fs.FS) {
	b := manifest.Bundle{Archive: f.archive, Name: path.Base(filepath.ToSlash(f.dir))}
	_ = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || len(b.Files) == maxListed {
			return fs.SkipAll
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			b.Files = append(b.Files, manifest.File{Name: name, Executable: info.Mode()&0o111 != 0})
		}
		return nil
	})
	if e, err := b.Entrypoint(); err == nil && e.Level == 5 {
		f.guess, f.others = e.Path, e.Others
	}
}

// rules returns what package check finds in the answer to describe. Its rules
// read folders, so it is put into one.
func (x *exam) rules(ctx context.Context, f *folder) []check.Finding {
	dir, err := os.MkdirTemp(x.opts.TempDir, "skillkit-doctor-")
	if err != nil {
		return nil
	}
	defer os.RemoveAll(dir)
	about, err := json.Marshal(map[string]string{"tool_id": cmp.Or(x.id, "tool-dev-plugin"), "type": "binary"})
	if err != nil {
		return nil
	}
	for name, data := range map[string][]byte{manifest.ExecutaFile: about, manifest.ArchiveFile: x.script.described} {
		if os.WriteFile(filepath.Join(dir, name), data, 0o600) != nil {
			return nil
		}
	}
	list, _ := findings(ctx, os.DirFS(dir))
	return slices.DeleteFunc(list, func(g check.Finding) bool { return g.File != manifest.ArchiveFile })
}

// of returns the findings of rules, or, with without, those of all others that are
// no mere remarks.
func of(list []check.Finding, without bool, rules ...string) (found []check.Finding) {
	for _, f := range list {
		if in := slices.Contains(rules, f.Rule); in && !without || !in && without && f.Severity != metadata.Info {
			found = append(found, f)
		}
	}
	return found
}

// judge makes a verdict of findings.
func judge(list []check.Finding) verdict {
	v := verdict{state: Advice}
	if len(list) == 0 {
		return ok()
	}
	for _, f := range list {
		if f.Severity == metadata.Error {
			v.state = Fault
		}
		text := f.Message + " (" + f.Rule + ")"
		if f.IsValid() {
			text = f.File + ":" + f.Position.String() + ": " + text
		} else {
			text = f.File + ": " + text
		}
		v.evidence = append(v.evidence, text)
	}
	return v
}

// The rules that are checks of their own, or part of one.
var (
	archiveRules = []string{"asset-entrypoint-missing", "artifact-bare", "artifact-path", "entrypoint-outside"}
	publishRules = []string{"manifest-file-missing", "describe-manifest-missing"}
	ownRules     = []string{"tool-input-schema", "host-capability-unknown", "manifest-wrapped", "tool-name-duplicate"}
)

func (x *exam) namesAgree() verdict {
	if x.folder.dir == "" {
		return skipped("no folder was given")
	}
	names := map[string]string{} // by name, where
	var order []string
	add := func(name, where string) {
		if name == "" {
			return
		}
		if names[name] == "" {
			order = append(order, name)
			names[name] = where
		} else {
			names[name] += ", " + where
		}
	}
	if e := x.folder.executa; e != nil {
		add(cmp.Or(e.ToolID, e.Name, e.Slug), "executa.json")
	}
	if x.described != nil {
		add(x.described.Name, "describe")
	}
	if p := x.folder.beside; p != nil {
		add(p.Name, p.File)
	}
	if a := x.folder.archive; a != nil {
		add(a.Name, "manifest.json of the archive")
	}
	if len(order) < 2 {
		return ok()
	}
	var evidence []string
	for _, name := range order {
		evidence = append(evidence, name+" in "+names[name])
	}
	return advice(evidence...)
}

func (x *exam) archived() verdict {
	f := &x.folder
	switch {
	case f.dir == "":
		return skipped("no folder was given")
	case f.err != nil:
		return skipped(f.err.Error())
	case f.guess != "":
		return advice("an installer would start " + f.guess + "; there are also " + strings.Join(f.others, ", "))
	}
	return judge(of(f.findings, false, archiveRules...))
}

func (x *exam) published() verdict {
	f := &x.folder
	switch {
	case f.dir == "":
		return skipped("no folder was given")
	case f.err != nil:
		return skipped(f.err.Error())
	case f.executa == nil:
		return skipped("the folder has no executa.json")
	}
	if list := of(f.findings, false, publishRules...); len(list) > 0 {
		return judge(list)
	}
	if f.beside == nil || x.described == nil {
		return ok()
	}
	var evidence []string
	if a, b := toolNames(f.beside), toolNames(x.described); !slices.Equal(a, b) {
		evidence = append(evidence, f.beside.File+" has the tools "+strings.Join(a, ", ")+"; describe "+strings.Join(b, ", "))
	}
	if a, b := slices.Sorted(slices.Values(f.beside.HostCapabilities)), slices.Sorted(slices.Values(x.described.HostCapabilities)); !slices.Equal(a, b) {
		evidence = append(evidence, f.beside.File+" asks for "+cmp.Or(strings.Join(a, ", "), "nothing")+"; describe for "+cmp.Or(strings.Join(b, ", "), "nothing"))
	}
	return found(Advice, evidence).withRepair("save the answer to describe in " + f.beside.File + " whenever it changes: \"skills plugin describe --json\" prints it")
}

func toolNames(p *manifest.Plugin) (names []string) {
	for _, t := range p.Tools {
		names = append(names, t.Name)
	}
	slices.Sort(names)
	return names
}

func (x *exam) rest() verdict {
	f := &x.folder
	switch {
	case f.dir == "":
		return skipped("no folder was given")
	case f.err != nil:
		return fault(f.err.Error())
	case f.executa == nil:
		return skipped("the folder has no executa.json")
	}
	// What is said of the manifest is said of the answer to describe.
	list := slices.DeleteFunc(of(f.findings, true, slices.Concat(archiveRules, publishRules, ownRules)...),
		func(g check.Finding) bool {
			return f.beside != nil && x.described != nil && g.File == f.beside.File
		})
	return judge(list)
}
