package install

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/matrix-nexus/skillkit/internal/line"
	"github.com/matrix-nexus/skillkit/internal/shell"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// A need is a requirement that is missing.
type need struct {
	Requirement
	names  []string        // the alternatives of any_bins, else the one name
	items  []requires.Item // what the report says of each
	step   string          // the ID of the step that brings it, or empty
	reason string          // what to do about it, if no recipe can, or empty
}

// needsOf returns what a report says is missing, any_bins as one need.
func needsOf(r *requires.Report) []need {
	var needs []need
	anyOf := -1
	for _, it := range r.Missing() {
		if it.Kind == requires.KindAnyBin && anyOf >= 0 {
			n := &needs[anyOf]
			n.Name += anySeparator + it.Name
			n.names = append(n.names, it.Name)
			n.items = append(n.items, it)
			continue
		}
		if it.Kind == requires.KindAnyBin {
			anyOf = len(needs)
		}
		needs = append(needs, need{Requirement: Requirement{it.Kind, it.Name}, names: []string{it.Name}, items: []requires.Item{it}})
	}
	return needs
}

// describe names a need for people.
func (n *need) describe() string {
	switch n.Kind {
	case requires.KindEnv:
		return "an environment variable"
	case requires.KindConfig:
		return "a value of the configuration"
	case requires.KindSkill:
		return "a skill"
	case requires.KindTool:
		return "a tool of the agent"
	}
	quoted := make([]string, len(n.names))
	for i, name := range n.names {
		quoted[i] = quote(name)
	}
	return line.Cut(strings.Join(quoted, " or "), 200)
}

func quote(s string) string { return strconv.Quote(line.Cut(s, 80)) }

// byHand says what to do about a need that no recipe can meet.
func byHand(n *need, goos string) string {
	switch n.Kind {
	case requires.KindEnv:
		return "set it in the configuration or in the environment"
	case requires.KindConfig:
		return "set it in the configuration"
	case requires.KindSkill:
		return "add that skill to a folder of skills"
	case requires.KindTool:
		return "the agent must offer that tool"
	}
	refused := 0
	for _, it := range n.items {
		switch it.State {
		case requires.StateOffPath:
			return it.String() + ": " + shell.PutOnPath(goos, filepath.Dir(it.Where))
		case requires.StateRefused:
			refused++
		}
	}
	if refused == len(n.items) {
		return "its name is not one to look up; the skill must name it plainly"
	}
	return ""
}

// programName guesses what the program of a package is called.
func programName(kind metadata.Kind, pkg string) string {
	switch kind {
	case metadata.KindBrew:
		name, _, _ := strings.Cut(pkg[strings.LastIndexByte(pkg, '/')+1:], "@")
		return name
	case metadata.KindGo:
		elems := strings.Split(bareName(kind, pkg), "/")
		last := elems[len(elems)-1]
		if len(elems) > 1 && len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
			last = elems[len(elems)-2]
		}
		return last
	}
	name := bareName(kind, pkg)
	return name[strings.LastIndexByte(name, '/')+1:]
}
