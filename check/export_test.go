package check

// Add makes c run another rule, which is none of the package's.
func (c *Checker) Add(r *Rule) {
	c.rules = append(c.rules, r)
	c.severity[r.ID] = c.opts.severity(r)
	c.ids = append(c.ids, r.ID)
}

// WordEnd is wordEnd.
var WordEnd = wordEnd

// MaxHeadMarks is maxHeadMarks.
const MaxHeadMarks = maxHeadMarks
