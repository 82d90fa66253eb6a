//go:build unix

package install_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/requires"
)

// From what a skill lacks to having it, and back. B10: brew is not on PATH, and
// the program beside it that it needs is found all the same. B30: as root the
// next recipe is taken, of which the installer is here.
func TestPlanRunRemove(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		root bool
		want metadata.Kind
	}{{"B10 brew", false, metadata.KindBrew}, {"B30 root", true, metadata.KindNpm}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			brew := `#!/bin/sh
set -e
case "$1 $2" in
"install hello") brew-helper; ` + bringing("$ROOT/off/hello") + ` ;;
"uninstall hello") rm $ROOT/off/hello ;;
*) echo "unknown: $*"; exit 1 ;;
esac`
			npm := `#!/bin/sh
set -e
while [ "$1" != -- ]; do
	[ "$1" != --prefix ] || prefix=$2
	[ "$1" != uninstall ] || undo=1
	shift
done
[ "$2" = hello-npm ]
[ -z "$undo" ] || { rm $prefix/bin/hello; exit; }
mkdir -p $prefix/bin
` + bringing("$prefix/bin/hello")
			for name, text := range map[string]string{"brew": brew, "brew-helper": "#!/bin/sh\n", "npm": npm} {
				if err := os.WriteFile(filepath.Join(s.off, name), []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			s.opts.Superuser = tt.root
			m := &metadata.Manifest{Name: "greeter"}
			m.Requires.Bins = []metadata.Requirement{{Name: "hello"}}
			m.Install = []metadata.Recipe{
				{ID: "brew", Kind: metadata.KindBrew, Packages: []string{"hello"}, Bins: []string{"hello"}},
				{ID: "go", Kind: metadata.KindGo, Packages: []string{"example.com/hello"}, Bins: []string{"hello"}},
				{ID: "npm", Kind: metadata.KindNpm, Packages: []string{"hello-npm"}, Bins: []string{"hello"}},
			}
			plan := install.NewPlan([]install.Target{{Name: m.Name, Manifest: m, Report: requires.Check(m, s.opts.Host)}}, &s.opts)
			if len(plan.Steps) != 1 || plan.Steps[0].Kind != tt.want {
				t.Fatalf("plan %+v", plan)
			}
			out := s.statuses(t.Context(), plan.Steps, install.StatusOffPath)[0]
			link := filepath.Join(s.state, "bin", "hello")
			if !exists(link) {
				t.Errorf("no link: %s", out.Detail)
			}
			if r := requires.Check(m, s.opts.Host); r.Items[0].State != requires.StateOffPath {
				t.Errorf("report %+v", r)
			}

			receipts, err := install.Receipts(s.state)
			if err != nil {
				t.Fatal(err)
			}
			removal := install.NewRemoval(m.Name, nil, receipts, &s.opts)
			if len(removal.Steps) != 1 || len(removal.Unresolved) != 0 {
				t.Fatalf("removal %+v", removal)
			}
			s.statuses(t.Context(), removal.Steps, install.StatusVerified)
			if exists(link) || len(s.receipts()) != 0 {
				t.Error("the link or the receipt is still there")
			}
			again := install.NewPlan([]install.Target{{Name: m.Name, Manifest: m, Report: requires.Check(m, s.opts.Host)}}, &s.opts)
			if diff := cmp.Diff(plan, again); diff != "" {
				t.Errorf("the plan afterwards (-before +now):\n%s", diff)
			}
		})
	}
}
