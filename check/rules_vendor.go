package check

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/metadata"
)

// vendorRules are for the form of metadata and the block in it.
var vendorRules = []*Rule{
	{
		ID:    "vendor-block-twice",
		Title: "two vendor blocks that are equal",
		Doc: `
Of matrix, openclaw and nexus the first that is there is read, then a few older
keys, and the others are ignored. Two equal blocks do no harm until one of them
is changed. Keep the one that is read, unless a client needs the other.
`,
		Bad: "name: deploy\ndescription: Roll out a release. Use when a release is due.\nmetadata:\n" +
			"  openclaw: {\"emoji\": \"🚀\"}\n  clawdbot: {\"emoji\": \"🚀\"}\n",
		Good:     vendorText(`, "emoji": "🚀"`),
		Source:   "skill-format page, section The metadata blob; 51 of 20,982 published skills",
		Severity: metadata.Info,
		Profiles: vendorProfiles,
		Run:      vendorTwice,
	},
	{
		ID:    "metadata-not-json",
		Title: "metadata is not one line of JSON",
		Doc: `
The page defines metadata as a JSON blob on one line. Readers that take a YAML
parser, as this one does, accept a mapping too; those that take the line
literally find nothing, or fail at a comma before a closing bracket. Write the
same values as strict JSON on the line of the key.
`,
		Bad: "name: deploy\ndescription: Roll out a release. Use when a release is due.\nmetadata:\n" +
			"  matrix:\n    execution_mode: prompt\n    category_name: operations\n",
		Good:     goodHeader,
		Source:   "skill-format page, section Top-level frontmatter; 51 % of 8,771 published blobs are of that form, 39 % are YAML mappings",
		Severity: metadata.Info,
		Profiles: []Profile{Matrix},
		Run:      metadataNotJSON,
	},
}

// vendorTwice reports the blocks that are equal to the one that is read. What
// differs is for conflicting-vendor-blocks.
func vendorTwice(p *Pass) {
	meta, ok := p.Doc.Top("metadata")
	key := p.Doc.Manifest.VendorKey
	read, found := meta.Field(key)
	if !ok || !found {
		return
	}
	block, _ := read.Value().(map[string]any)
	if len(block) == 0 {
		return
	}
	for f := range meta.All() {
		if f.Key != read.Key && reflect.DeepEqual(f.Value(), read.Value()) {
			p.Reportf(f.KeyPos, "%s repeats %s, which is read; this one is ignored", short(f.Key), short(key))
		}
	}
}

// metadataNotJSON reports a mapping that is not written as JSON on the line of
// its key. What a text holds is for the parser to tell.
func metadataNotJSON(p *Pass) {
	meta, ok := p.Doc.Top("metadata")
	if !ok || p.hasProblem("metadata-not-yaml", meta.Pos) {
		return // which is worse
	}
	if _, ok := meta.Value().(map[string]any); !ok {
		return
	}
	if p.Offset(meta.Pos) >= len(p.Data) || p.Data[p.Offset(meta.Pos)] != '{' {
		p.Reportf(meta.KeyPos, "metadata is a YAML mapping; write it as JSON on this line")
		return
	}
	if meta.Pos.Line != meta.KeyPos.Line {
		p.Reportf(meta.KeyPos, "metadata does not stand on the line of its key; write it as JSON on this line")
		return
	}
	rest, _, _ := bytes.Cut(p.Data[p.Offset(meta.Pos):], []byte("\n"))
	dec := json.NewDecoder(bytes.NewReader(rest))
	var v map[string]any
	switch err := dec.Decode(&v); {
	case err == nil:
	case bytes.HasSuffix(bytes.TrimSpace(rest), []byte("}")):
		pos, what := meta.Pos, err.Error()
		if e, ok := errors.AsType[*json.SyntaxError](err); ok && e.Offset > 0 {
			at := p.Offset(meta.Pos) + int(e.Offset) - 1
			if r, _ := utf8.DecodeRune(p.Data[at:]); r >= utf8.RuneSelf {
				what = fmt.Sprintf("%q stands where only ASCII may; quotes are written \"", r)
			}
			pos = p.Position(at)
		}
		p.Reportf(pos, "metadata is not strict JSON: %s", what)
	default:
		p.Reportf(meta.KeyPos, "metadata goes on over several lines; write it as JSON on this line")
	}
}

// matrixRules are for what only the skill-format page asks for.
var matrixRules = []*Rule{
	{
		ID:    "execution-mode-missing",
		Title: "no execution_mode",
		Doc: `
The mode decides what a model is told to do with the body: follow it, run its
commands, run its Python, or call an API. Without one it is prompt, so that the
commands of a skill are read and not run. Say it even where prompt is meant.
`,
		Bad:      "name: deploy\ndescription: Roll out a release. Use when a release is due.\nmetadata: {\"matrix\": {\"category_name\": \"operations\"}}\n",
		Good:     goodHeader,
		Source:   "skill-format page, section Recognized fields; none of 20,982 published skills has it",
		Severity: metadata.Warning,
		Profiles: []Profile{Matrix},
		Run:      func(p *Pass) { declared(p, "prompt, bash, python, api or hybrid", "execution_mode") },
	},
	{
		ID:    "category-missing",
		Title: "no category_name",
		Doc: `
The catalogue groups skills by their category, such as productivity,
data-analysis, network or office. One without a category is found by search
alone. Take one that other skills have before making up another.
`,
		Bad:      "name: deploy\ndescription: Roll out a release. Use when a release is due.\nmetadata: {\"matrix\": {\"execution_mode\": \"prompt\"}}\n",
		Good:     goodHeader,
		Source:   "skill-format page, section Recognized fields",
		Severity: metadata.Warning,
		Profiles: []Profile{Matrix},
		Run: func(p *Pass) {
			if p.Doc.Manifest.CategoryName == "" {
				declared(p, "one such as productivity", "category_name")
			}
		},
	},
}

// declared reports that the skill does not have the field of the vendor block.
// values says what to add.
func declared(p *Pass, values, name string) {
	for _, q := range p.Doc.Problems {
		if q.Code == "metadata-unreadable" || q.Code == "vendor-not-mapping" {
			return // what it declares is not known
		}
	}
	if _, ok := p.Doc.Vendor(name); ok {
		return
	}
	pos, block := vendorBlock(p)
	p.Reportf(pos, "%s does not declare %s; add %s in metadata.%s", block, name, values, cmp.Or(p.Doc.Manifest.VendorKey, "matrix"))
}

// vendorBlock returns where the vendor block stands, and what it is called.
func vendorBlock(p *Pass) (metadata.Position, string) {
	meta, ok := p.Doc.Top("metadata")
	key := p.Doc.Manifest.VendorKey
	if block, found := meta.Field(key); ok && found {
		return block.KeyPos, key
	}
	if block, found := p.Doc.Top(key); key != "" && found {
		return block.KeyPos, key
	}
	if ok {
		return meta.KeyPos, "metadata"
	}
	return metadata.Position{Line: 1, Column: 1}, "the frontmatter"
}
