package converter

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/internal/line"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/registry"
	"github.com/matrix-nexus/skillkit/skills"
)

// SystemPrompt returns what skills add to every conversation: how to run
// Python, if an offered skill is in python mode, and each always skill in
// full, in order of name. It is empty when there is nothing to say.
//
// What [Status] hides and what sets disable-model-invocation is left out; an
// always skill needs no description.
func SystemPrompt(set *skills.Set, opts *Options) string {
	o := opts.withDefaults()
	list := slices.DeleteFunc(o.candidates(set), func(c candidate) bool {
		return c.err != nil || !c.manifest.Always && line.Fold(c.manifest.Description) == ""
	})
	var sections []string
	if slices.ContainsFunc(list, func(c candidate) bool { return c.manifest.ExecutionMode == metadata.ModePython }) {
		sections = append(sections, fmt.Sprintf(uvSection, o.ExecTool))
	}
	for _, c := range list {
		if !c.manifest.Always {
			continue
		}
		_, fileParam, _ := schemaOf(c)
		t := &tool{Skill: c.Skill, opts: o, fileParam: fileParam}
		text, err := t.instructions(nil, nil)
		if err != nil {
			text = "Skill: " + line.Fold(c.Name) + "\nIts instructions cannot be read: " + line.Fold(err.Error()) + "\n"
		}
		sections = append(sections, strings.TrimRight(text, "\n")+"\n")
	}
	return strings.Join(sections, "\n")
}

// uvSection is the part of the system prompt about Python.
const uvSection = "Python packages:\n" +
	"Some skills run Python. Run it via `%s` with `uv run --with PACKAGE python script.py`, one --with for each " +
	"package: that makes packages available for the one run and changes nothing on the system. " +
	"Prefer this to the system's pip, and never install into the system's Python. " +
	"Where uv is not installed, use a virtual environment.\n"

// minDescription is the length in code points below which a shortened
// description is not worth its place in a [Catalogue].
const minDescription = 24

// Catalogue returns the skills that have a tool as an XML element
// available_skills, in order of name, each with its name, the name of its
// tool where that differs, and its description on one line. All is escaped,
// once.
//
// When that exceeds [Options.TokenBudget], all descriptions are cut to the
// length that fits, then dropped. Names that do not fit even so are counted
// in a last element, omitted. It is empty when no skill has a tool.
func Catalogue(set *skills.Set, opts *Options) string {
	o := opts.withDefaults()
	var items []item
	longest := 0
	for _, c := range o.candidates(set) {
		if c.err != nil {
			continue
		}
		description := line.Fold(c.manifest.Description)
		if description == "" {
			continue
		}
		longest = max(longest, utf8.RuneCountInString(description))
		items = append(items, newItem(c.Name, description))
	}
	if len(items) == 0 {
		return ""
	}
	shown, length := len(items), longest
	if o.TokenBudget > 0 {
		shown, length = fit(items, longest, o.TokenBudget)
	}
	var b strings.Builder
	b.WriteString(catalogueHead)
	for _, it := range items[:shown] {
		b.WriteString(it.line(length))
	}
	b.WriteString(omitted(len(items) - shown))
	b.WriteString(catalogueFoot)
	return b.String()
}

const (
	catalogueHead = "<available_skills>\n"
	catalogueFoot = "</available_skills>\n"
)

// An item is a line of the catalogue.
type item struct {
	names       string // elements
	description string // text
}

func newItem(name, description string) item {
	names := "<name>" + html.EscapeString(line.Fold(name)) + "</name>"
	if t := registry.ModelName(name); t != name {
		names += "<tool>" + html.EscapeString(t) + "</tool>"
	}
	return item{names, description}
}

// line formats it with the description cut to n code points; 0 drops it.
func (it item) line(n int) string {
	if n == 0 {
		return "<skill>" + it.names + "</skill>\n"
	}
	return "<skill>" + it.names + "<description>" + html.EscapeString(line.Cut(it.description, n)) + "</description></skill>\n"
}

// omitted returns the element that counts n skills for which there is no
// room, or nothing.
func omitted(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("<omitted count=\"%d\">more skills, for which there is no room here; their tools can be called</omitted>\n", n)
}

// fit returns how many of items a catalogue of budget tokens can show, and the
// length in code points of their descriptions, which are at most longest.
func fit(items []item, longest, budget int) (shown, length int) {
	room := 4*budget - weight(catalogueHead+catalogueFoot)
	total := func(n int) (sum int) {
		for _, it := range items {
			sum += weight(it.line(n))
		}
		return sum
	}
	if total(longest) <= room {
		return len(items), longest
	}
	// The greatest length that fits, found by bisection.
	low, high := minDescription-1, longest // low fits, or is too short; high does not fit
	for low+1 < high {
		if mid := low + (high-low)/2; total(mid) <= room {
			low = mid
		} else {
			high = mid
		}
	}
	if low >= minDescription {
		return len(items), low
	}
	if total(0) <= room {
		return len(items), 0
	}
	room -= weight(omitted(len(items)))
	for _, it := range items {
		if room -= weight(it.line(0)); room < 0 {
			break
		}
		shown++
	}
	return shown, 0
}

// weight estimates the size of s in quarters of a token.
func weight(s string) (n int) {
	for _, r := range s {
		if r < utf8.RuneSelf {
			n++
		} else {
			n += 4
		}
	}
	return n
}
