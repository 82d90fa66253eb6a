package check

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/executa/manifest"
	"github.com/matrix-nexus/skillkit/internal/closest"
	"github.com/matrix-nexus/skillkit/metadata"
)

// maxCompatibility is the length of the longest compatibility in code points.
const maxCompatibility = 500

// standardRules look at the other fields at the top level, and at always.
var standardRules = []*Rule{
	{
		ID:    "compatibility-length",
		Title: "compatibility that is empty or of more than 500 characters",
		Doc: `
compatibility tells people in a line what the skill needs: a product, a system, access to
the network. It has 1 to 500 characters. Leave an empty one out, and move a long one to the body.
`,
		Bad:        goodHeader + "compatibility: \"\"\n",
		Good:       goodHeader + "compatibility: Needs kubectl and access to the cluster\n",
		Source:     "https://agentskills.io/specification#compatibility-field; 6 of 20,982 published skills are longer",
		Severity:   metadata.Warning,
		SeverityIn: strict,
		Run:        compatibilityLength,
	},
	{
		ID:    "unknown-field",
		Title: "field that is not known",
		Doc: `
A key at the top level is none of the documented fields, nor one that a common reader knows. It may be
a slip of the pen, so that the field it should be is missing; the message names the nearest. In the block
under metadata, which may hold what only its vendor knows, a key is reported if it is nearly a documented one. The
specification at agentskills.io allows name, description, license, compatibility, metadata and
allowed-tools alone; put the rest under metadata.
`,
		Bad:        goodHeader + "lisence: MIT\n",
		Good:       goodHeader + "license: MIT\n",
		Source:     "https://agentskills.io/specification#frontmatter; agnix rule CC-SK-017",
		Severity:   metadata.Info,
		SeverityIn: map[Profile]metadata.Severity{AgentSkills: metadata.Warning},
		Run:        unknownField,
	},
	{
		ID:    "metadata-not-strings",
		Title: "metadata that is more than text",
		Doc: `
In the specification at agentskills.io metadata maps text to text. Its readers refuse lists and mappings
inside, and some refuse numbers and booleans. Quote the values, or put the structure elsewhere.
`,
		Bad:      goodName + goodDescription + "metadata: {\"author\": {\"name\": \"me\"}}\n",
		Good:     goodName + goodDescription + "metadata:\n  author: me\n",
		Source:   "https://agentskills.io/specification#metadata-field; 7,866 of 8,733 published skills with metadata",
		Severity: metadata.Warning,
		Profiles: []Profile{AgentSkills},
		Run:      metadataNotStrings,
	},
	{
		ID:    "license-missing",
		Title: "no license",
		Doc: `
Without a license nobody may copy or change the skill. Name one, such as MIT, or a file in the
folder that holds its text.
`,
		Bad:      goodHeader,
		Good:     goodHeader + "license: MIT\n",
		Source:   "https://agentskills.io/specification#license-field; skill-scanner rule MANIFEST_MISSING_LICENSE",
		Severity: metadata.Info,
		Off:      true,
		Run:      licenseMissing,
	},
	{
		ID:    "version-not-semver",
		Title: "version that is no semantic version",
		Doc: `
Publishing takes versions of three numbers, such as 1.4.0, and orders them by those. YAML also turns
an unquoted 1.10 into the number 1.1. Write three numbers.
`,
		Bad:      goodHeader + "version: 1.10\n",
		Good:     goodHeader + "version: 1.10.0\n",
		Source:   "https://semver.org; 32 of 20,982 published skills have a number with one point",
		Severity: metadata.Info,
		Run:      versionNotSemver,
	},
	{
		ID:    "homepage-not-url",
		Title: "homepage that is no web address",
		Doc: `
homepage is shown as a link, which works for a whole address alone, one that starts with https:// or http://.
`,
		Bad:      goodName + goodDescription + `metadata: {"matrix": {"homepage": "example.com/deploy", "execution_mode": "prompt", "category_name": "operations"}}` + "\n",
		Good:     goodName + goodDescription + `metadata: {"matrix": {"homepage": "https://example.com/deploy", "execution_mode": "prompt", "category_name": "operations"}}` + "\n",
		Source:   "skill-format page, section Recognized fields",
		Severity: metadata.Info,
		Run:      homepageNotURL,
	},
	{
		ID:    "always-true",
		Title: "skill that is in every conversation",
		Doc: `
With always: true the whole body is in the prompt of each conversation, wanted or not, and a user who installs
the skill cannot tell. It is meant for a few foundations, such as uv. Leave it out, and let
the description bring the skill up. For a foundation, say so in a skillcheck-ignore comment.
`,
		Bad:      goodName + goodDescription + `metadata: {"matrix": {"always": true, "execution_mode": "prompt", "category_name": "operations"}}` + "\n",
		Good:     goodHeader,
		Source:   "skill-format page, section Recognized fields; 83 of 20,982 published skills",
		Severity: metadata.Warning,
		Profiles: vendorProfiles,
		Run:      alwaysTrue,
	},
	{
		ID:    "always-requires",
		Title: "always together with requirements",
		Doc: `
A skill with always: true is in the prompt even where what it requires is missing, and the model
then tries in vain. Say in the body what to do in that case.
`,
		Bad:      goodName + goodDescription + `metadata: {"matrix": {"always": true, "requires": {"env": ["DEPLOY_TARGET"]}, "execution_mode": "prompt", "category_name": "operations"}}` + "\n",
		Good:     goodHeader,
		Source:   "skill-format page, section Recognized fields",
		Severity: metadata.Info,
		Profiles: vendorProfiles,
		Run:      alwaysRequires,
	},
}

func compatibilityLength(p *Pass) {
	f, ok := p.Doc.Top("compatibility")
	if !ok || p.hasProblem("wrong-type", f.Pos) {
		return
	}
	switch n := utf8.RuneCountInString(p.Doc.Manifest.Compatibility); {
	case n == 0:
		p.reportValue(f, "compatibility is empty; leave it out")
	case n > maxCompatibility:
		p.reportValue(f, "compatibility has %d characters; at most %d are allowed", n, maxCompatibility)
	}
}

// standardFields are those of agentskills.io, topFields the others that this module
// or a common reader knows at the top level, and knownFields all of them.
var (
	standardFields = []string{"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
	topFields      = []string{
		"argument-hint", "user-invocable", "disable-model-invocation", "version", "author",
		"agent", "arguments", "categories", "category", "command-arg-mode", "command-dispatch", "command-tool",
		"context", "display-name", "dependencies", "effort", "hooks", "homepage", "icon", "keywords", "language",
		"model", "paths", "permissions", "repository", "shell", "source", "tags", "title", "tools", "when_to_use",
	}
	knownFields = slices.Concat(standardFields, topFields, vendorFields)
)

func unknownField(p *Pass) {
	known := standardFields
	if p.Options.Profile != AgentSkills {
		known = knownFields
	}
	for f := range p.Doc.Tops() {
		key := f.Key
		if slices.Contains(known, key) {
			continue
		}
		if p.Options.Profile != AgentSkills && p.readElsewhere(f) {
			continue
		}
		advice := ""
		if near := closest.Names(key, known); len(near) > 0 {
			advice = "; is it " + strings.Join(near, " or ") + "?"
		} else if p.Options.Profile == AgentSkills {
			advice = "; the specification allows " + strings.Join(known, ", ") + " alone"
		}
		found := Finding{Position: f.KeyPos, Message: fmt.Sprintf("%q is not a known field%s", clip(key), advice)}
		if p.Options.Profile == AgentSkills {
			found.Message = fmt.Sprintf("the field %q is not in the specification%s", clip(key), advice)
		}
		p.Report(found)
	}
	if p.Options.Profile != AgentSkills {
		misspeltVendorField(p)
	}
}

// readElsewhere reports whether another rule tells what the key of f is.
func (p *Pass) readElsewhere(f metadata.Field) bool {
	return slices.ContainsFunc(p.Doc.Problems, func(q metadata.Problem) bool {
		return q.Position == f.KeyPos && (q.Code != "key-spelling" || p.Options.Profile == Matrix)
	})
}

func metadataNotStrings(p *Pass) {
	meta, ok := p.Doc.Top("metadata")
	if !ok {
		return
	}
	if _, ok := meta.Value().(string); ok {
		p.reportValue(meta, "metadata is text; want a mapping of text to text")
		return
	}
	for f := range meta.All() {
		if _, ok := f.Value().(string); !ok {
			p.Reportf(f.KeyPos, "%q under metadata is not text; quote the value, or put it elsewhere", clip(f.Key))
		}
	}
}

func licenseMissing(p *Pass) {
	if p.Doc.Manifest.License == "" {
		p.Reportf(metadata.Position{Line: 1, Column: 1}, "no license; name one, such as MIT")
	}
}

func versionNotSemver(p *Pass) {
	f, ok := p.Doc.Top("version")
	if v := p.Doc.Manifest.Version; ok && v != "" && !manifest.ValidVersion(strings.TrimPrefix(v, "v")) {
		p.reportValue(f, "version %q is no semantic version; write three numbers, as in 1.4.0", clip(v))
	}
}

func homepageNotURL(p *Pass) {
	f, ok := p.Doc.Vendor("homepage")
	text := p.Doc.Manifest.Homepage
	if !ok || text == "" {
		return
	}
	if u, err := url.Parse(text); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		p.reportValue(f, "homepage %q is no web address; write it whole, with https://", clip(text))
	}
}

func alwaysTrue(p *Pass) {
	if f, ok := p.Doc.Vendor("always"); ok && p.Doc.Manifest.Always {
		p.reportValue(f, "the body is in the prompt of every conversation; leave always out unless others build on this skill")
	}
}

func alwaysRequires(p *Pass) {
	r := &p.Doc.Manifest.Requires
	if f, ok := p.Doc.Vendor("requires"); ok && p.Doc.Manifest.Always &&
		len(r.Bins)+len(r.AnyBins)+len(r.Env)+len(r.Config)+len(r.PythonPackages) > 0 {
		p.Reportf(f.KeyPos, "a skill with always is in the prompt even where its requirements are missing; say in the body what to do then")
	}
}
