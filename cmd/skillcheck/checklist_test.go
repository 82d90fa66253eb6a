package main

import (
	"slices"
	"testing"

	"github.com/matrix-nexus/skillkit/check"
)

// The checklists go by rules that there are.
func TestChecklistRules(t *testing.T) {
	var ids []string
	for _, r := range check.Rules() {
		ids = append(ids, r.ID)
	}
	for _, l := range checklists {
		for _, it := range l.items {
			for _, id := range it.rules {
				if !slices.Contains(ids, id) {
					t.Errorf("%s: no rule %q", it.title, id)
				}
			}
			if len(it.rules) == 0 && it.rest == "" {
				t.Errorf("%s: nothing decides", it.title)
			}
		}
	}
}
