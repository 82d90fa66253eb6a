package executa_test

import (
	"maps"
	"os"
	"testing"

	"github.com/matrix-nexus/skillkit/executa/executatest"
)

// TestMain lets the test binary be each of the programs: start one with
// executatest.Spec(name).
func TestMain(m *testing.M) {
	all := programs()
	maps.Copy(all, hostPrograms())
	maps.Copy(all, sessionPrograms())
	os.Exit(executatest.Run(m, all))
}

// programs are the plugins that break the protocol.
func programs() executatest.Programs {
	all := executatest.Programs{}
	for role, main := range roles() {
		all["bad "+role] = main
	}
	return all
}
