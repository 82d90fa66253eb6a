package converter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/matrix-nexus/skillkit/internal/line"
	"github.com/matrix-nexus/skillkit/internal/shell"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/registry"
	"github.com/matrix-nexus/skillkit/skills"
)

const (
	// maxFilesShown is how many supporting files stand above the body; the
	// rest are counted, and listed on request.
	maxFilesShown = 50
	// maxValueShown is the length in code points to which a parameter value
	// is cut above the body, so that it cannot push the body out of the
	// answer. Placeholders in the body get it whole.
	maxValueShown = 2000
)

// instructions returns the text of the skill for a call with args. The body
// stands last, since it is untrusted: nothing after it can be faked.
func (t *tool) instructions(args map[string]json.RawMessage, ignored []registry.Issue) (string, error) {
	st := t.opts.status(t.Skill)
	if st.Hidden != "" {
		return "", &NotOfferedError{Skill: t.Name, Reason: st.Hidden}
	}
	m, err := t.Manifest()
	if err != nil {
		return "", err
	}
	body, err := t.Body()
	if err != nil {
		return "", err
	}

	var b strings.Builder
	fmt.Fprintf(&b, "Skill: %s\n%s\n", line.Fold(t.Name), hint(m, t.opts.ExecTool))
	writeDependencies(&b, m, st)
	dir := t.writeFolder(&b, strings.Contains(body, baseDirMark))
	t.writeArguments(&b, args, ignored)
	b.WriteString("\nInstructions:\n\n")
	body = strings.TrimLeft(body, "\r\n")
	b.WriteString(fill(body, dir, text(args[argumentsParam]), m.ArgumentHint != ""))
	return b.String(), nil
}

// hint says how the body is meant to be run.
func hint(m *metadata.Manifest, exec string) string {
	var what string
	switch m.ExecutionMode {
	case metadata.ModeBash:
		what = fmt.Sprintf("Run the example commands via `%s` (bash/shell).", exec)
	case metadata.ModePython:
		what = fmt.Sprintf("Run the Python via `%s`, preferring `%s`.", exec, uvRun(m.Requires.PythonPackages))
	case metadata.ModeAPI:
		what = fmt.Sprintf("This skill describes an HTTP call: use `%s` to run `curl` or similar.", exec)
	case metadata.ModeHybrid:
		what = fmt.Sprintf("Mix bash and Python as the body suggests, running both via `%s`; for Python prefer `%s`.",
			exec, uvRun(m.Requires.PythonPackages))
	default:
		return "Execution mode: prompt. Follow the instructions in the body."
	}
	return fmt.Sprintf("Execution mode: %s. %s", m.ExecutionMode, what)
}

// uvRun returns the command that runs a script with packages at hand.
func uvRun(packages []metadata.Requirement) string {
	var b strings.Builder
	b.WriteString("uv run ")
	for _, p := range packages {
		b.WriteString("--with " + shell.Quote(line.Fold(p.Name)) + " ")
	}
	b.WriteString("python script.py")
	return b.String()
}

// writeDependencies lists what the skill declares that it needs, what of it
// is not to be had here, and how to get that.
func writeDependencies(b *strings.Builder, m *metadata.Manifest, st Status) {
	r := &m.Requires
	head := "\nDependencies:\n"
	for _, kind := range []struct {
		label string
		list  []metadata.Requirement
	}{
		{"programs", r.Bins},
		{"one of the programs", r.AnyBins},
		{"environment variables", r.Env},
		{"configuration keys", r.Config},
		{"Python packages", r.PythonPackages},
		{"skills", r.Skills},
		{"tools", r.Tools},
		{"optional programs", r.OptionalBins},
		{"optional environment variables", r.OptionalEnv},
		{"optional configuration keys", r.OptionalConfig},
		{"optional Python packages", r.OptionalPythonPackages},
	} {
		if len(kind.list) == 0 {
			continue
		}
		names := make([]string, len(kind.list))
		for i, q := range kind.list {
			names[i] = line.Fold(q.Name)
		}
		fmt.Fprintf(b, "%s- %s: %s\n", head, kind.label, strings.Join(names, ", "))
		head = ""
	}
	if m.RequiresUnknown {
		b.WriteString(head + "- not known in full: part of the skill's metadata cannot be read\n")
	} else if st.Ready && head == "" {
		b.WriteString("All that is required is here.\n")
	}
	if st.Python != "" {
		fmt.Fprintf(b, "The Python packages are installed for %s.\n", shell.Quote(line.Fold(st.Python)))
	}
	writeList(b, "\nMissing here:\n", st.Missing)
	writeList(b, "How to get it:\n", st.Remedies)
}

func writeList(b *strings.Builder, head string, items []string) {
	for i, item := range items {
		if i == 0 {
			b.WriteString(head)
		}
		b.WriteString("- " + line.Fold(item) + "\n")
	}
}

// writeFolder tells where the skill's folder is and what is in it, and
// returns its path, or "" if it has none. A skill that is not on disk gets a
// folder only if something needs its path.
func (t *tool) writeFolder(b *strings.Builder, pathNeeded bool) (dir string) {
	files, more, err := t.Files("")
	switch {
	case t.OnDisk:
		dir = t.Dir
	case t.opts.Materialize != nil && (pathNeeded || len(files) > 0):
		var failed error
		if dir, failed = t.opts.Materialize(t.Skill); failed != nil {
			dir = ""
			fmt.Fprintf(b, "\nThe skill's folder could not be written to disk: %s\n", line.Fold(failed.Error()))
		}
	}
	if dir != "" {
		fmt.Fprintf(b, "\nFolder: %s\n", exact(dir))
	} else if pathNeeded {
		fmt.Fprintf(b, "\nFolder: none on disk; %s in the instructions stands for it\n", baseDirMark)
	}
	if err != nil {
		fmt.Fprintf(b, "Supporting files: unknown, the folder could not be listed: %s\n", line.Fold(err.Error()))
		return dir
	}
	if len(files) == 0 {
		return dir
	}
	fmt.Fprintf(b, "\nSupporting files; to read one, call the tool %s with {%q: PATH}:\n", registry.ModelName(t.Name), t.fileParam)
	writeFiles(b, files[:min(len(files), maxFilesShown)])
	if rest := len(files) - maxFilesShown; rest > 0 {
		fmt.Fprintf(b, "- and %s more; to list them, call it with {%q: \"**\"} or a narrower glob\n", count(rest, more), t.fileParam)
	}
	return dir
}

// count formats n, or that it is more.
func count(n int, more bool) string {
	if more {
		return fmt.Sprintf("over %d", n)
	}
	return fmt.Sprint(n)
}

func writeFiles(b *strings.Builder, files []skills.File) {
	for _, f := range files {
		fmt.Fprintf(b, "- %s (%d bytes)\n", exact(f.Path), f.Size)
	}
}

// writeArguments repeats the arguments of the call as JSON, which keeps each
// on a line, and says which did not fit.
func (t *tool) writeArguments(b *strings.Builder, args map[string]json.RawMessage, ignored []registry.Issue) {
	if text(args[argumentsParam]) == "" {
		delete(args, argumentsParam)
	}
	head := "\nArguments:\n"
	for _, name := range slices.Sorted(maps.Keys(args)) {
		fmt.Fprintf(b, "%s- %s: %s\n", head, line.Fold(name), line.Cut(compact(args[name]), maxValueShown))
		head = ""
	}
	head = "\nFaults of the arguments (what does not fit was ignored):\n"
	for _, issue := range ignored {
		where := line.Fold(issue.Path)
		if where != "" {
			where += ": "
		}
		fmt.Fprintf(b, "%s- %s%s\n", head, where, line.Fold(issue.Message))
		head = ""
	}
}

// exact returns s on one line: as it is, or as a JSON string, since a path must
// come back as it is.
func exact(s string) string {
	if line.Fold(s) == s {
		return s
	}
	return string(marshal(s))
}

// file returns the text of the supporting file at path or, where that is a
// folder or a glob, the list of files below it.
func (t *tool) file(name string) (string, error) {
	if st := t.opts.status(t.Skill); st.Hidden != "" {
		return "", &NotOfferedError{Skill: t.Name, Reason: st.Hidden}
	}
	data, err := t.ReadFile(name)
	for _, final := range []error{nil, fs.ErrInvalid, skills.ErrNotText, skills.ErrTooLarge} {
		if errors.Is(err, final) {
			return data, err
		}
	}
	pattern := name
	if !isGlob(name) {
		pattern = path.Join(name, "**")
	}
	files, more, listErr := t.Files(pattern)
	if listErr != nil {
		return "", listErr
	}
	switch {
	case len(files) > 0:
	case isGlob(name):
		return "", fmt.Errorf("skill %q: no supporting file matches %q; {%q: \"**\"} lists all", t.Name, name, t.fileParam)
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("skill %q: there is no file %q; {%q: \"**\"} lists all", t.Name, name, t.fileParam)
	default:
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s supporting files match %s:\n", count(len(files), more), line.Fold(pattern))
	writeFiles(&b, files)
	return b.String(), nil
}

func isGlob(path string) bool { return strings.ContainsAny(path, "*?[{") }

// text returns the string that raw holds; of another value its JSON, of
// nothing or null the empty string.
func text(raw json.RawMessage) string {
	var s *string
	if err := json.Unmarshal(raw, &s); err != nil {
		return string(raw)
	}
	if s == nil {
		return ""
	}
	return *s
}

// compact returns raw without blanks between its parts.
func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return line.Fold(string(raw))
	}
	return b.String()
}
