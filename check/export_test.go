package check

import "github.com/matrix-nexus/skillkit/metadata"

// Add makes c run another rule, which is none of the package's.
func (c *Checker) Add(r *Rule) {
	c.rules = append(c.rules, r)
	c.severity[r.ID] = c.opts.severity(r)
	c.ids = append(c.ids, r.ID)
}

func (p *Pass) ReplaceKey(f metadata.Field, key, message string, changes ...string) *Fix {
	return p.replaceKey(f, key, message, changes...)
}

func (p *Pass) ReplaceValue(f metadata.Field, text, message string, changes ...string) *Fix {
	return p.replaceValue(f, text, message, changes...)
}

// WordEnd is wordEnd.
var WordEnd = wordEnd

// MaxHeadMarks is maxHeadMarks.
const MaxHeadMarks = maxHeadMarks
