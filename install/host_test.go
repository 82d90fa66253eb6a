package install_test

import (
	"strings"

	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// A fakeHost has what it lists, each as "kind name" or, for programs, as an
// absolute path. Folders of off are outside PATH.
type fakeHost struct {
	files []string
	off   []string
	has   []string
}

func (h *fakeHost) Refresh()       {}
func (h *fakeHost) Disabled() bool { return false }

func (h *fakeHost) Lookup(kind requires.Kind, name string) requires.Status {
	switch kind {
	case requires.KindBin, requires.KindAnyBin:
		if strings.ContainsAny(name, `/\`) || name == "" {
			return requires.Status{State: requires.StateRefused}
		}
		for _, f := range h.files {
			if strings.HasSuffix(f, "/"+name) {
				return requires.Status{State: requires.StateFound, Where: f}
			}
		}
		for _, f := range h.off {
			if strings.HasSuffix(f, "/"+name) {
				return requires.Status{State: requires.StateOffPath, Where: f}
			}
		}
	default:
		for _, s := range h.has {
			if s == string(kind)+" "+name {
				return requires.Status{State: requires.StateFound}
			}
		}
	}
	return requires.Status{State: requires.StateMissing}
}

func reqs(names ...string) []metadata.Requirement {
	var list []metadata.Requirement
	for _, name := range names {
		list = append(list, metadata.Requirement{Name: name})
	}
	return list
}
