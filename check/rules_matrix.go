package check

import (
	"cmp"

	"github.com/matrix-nexus/skillkit/metadata"
)

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
				declared(p, "one such as productivity", "category_name", "category")
			}
		},
	},
}

// declared reports that the vendor block has none of the fields, of which the
// first is the documented one. values says what to add.
func declared(p *Pass, values string, names ...string) {
	for _, q := range p.Doc.Problems {
		if q.Code == "metadata-unreadable" || q.Code == "vendor-not-mapping" {
			return // what it declares is not known
		}
	}
	for _, name := range names {
		if _, ok := p.Doc.Vendor(name); ok {
			return
		}
	}
	pos, block := vendorBlock(p)
	p.Reportf(pos, "%s does not declare %s; add %s in metadata.%s", block, names[0], values, cmp.Or(p.Doc.Manifest.VendorKey, "matrix"))
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
