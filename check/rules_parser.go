package check

import "github.com/matrix-nexus/skillkit/metadata"

// parserRules report what the parser found: each code of a problem is a rule.
var parserRules = []*Rule{
	{
		ID:    "unquoted-colon",
		Title: "unquoted colon in a value",
		Doc: `
A colon and a blank inside a plain value start a mapping in YAML, so most
readers refuse the whole frontmatter and the skill is never offered. Quote the value.
`,
		Bad:       "name: deploy\ndescription: Deploy: staging first. Use when a release is due.\n",
		Good:      "name: deploy\ndescription: \"Deploy: staging first. Use when a release is due.\"\n",
		Source:    "YAML 1.2.2, section 7.3.3; 323 of 453 author-made YAML failures in 20,982 published skills",
		Severity:  metadata.Error,
		RunFolder: problems,
	},
}

// problems reports the problems that have the code of the rule.
func problems(p *Pass) {
	if p.Err != nil && p.Err.Code == p.Rule.ID {
		p.Reportf(p.Err.Pos, "%s", p.Err.Msg)
	}
	if p.Doc == nil {
		return
	}
	for _, q := range p.Doc.Problems {
		if q.Code == p.Rule.ID {
			p.Reportf(q.Position, "%s", q.Message)
		}
	}
}
