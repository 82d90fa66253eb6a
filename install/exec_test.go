package install

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEnviron(t *testing.T) {
	for _, tt := range []struct {
		name    string
		goos    string
		environ []string
		step    Step
		want    []string
	}{
		{
			name:    "loader variables and those of another folder",
			environ: []string{"HOME=/h", "LD_PRELOAD=/x.so", "ld_audit=x", "DYLD_INSERT_LIBRARIES=x", "LDFLAGS=-s", "PWD=/clone", "OLDPWD=/", "PATH=/bin"},
			want:    []string{"HOME=/h", "LDFLAGS=-s", "PATH=/bin:/opt/tool", "PWD=/state"},
		},
		{
			name:    "what the step takes out and sets",
			environ: []string{"PIP_INDEX_URL=http://evil", "PIP_USER=1", "PIPX=1", "PYTHONPATH=/x", "PATH=/bin:/opt/tool"},
			step:    Step{Unset: []string{"PIP_*", "PYTHONPATH"}, Env: []string{"PIP_INDEX_URL=http://good", "PIPX=2"}},
			want:    []string{"PIPX=1", "PATH=/bin:/opt/tool", "PWD=/state", "PIP_INDEX_URL=http://good", "PIPX=2"}, // the last one counts
		},
		{
			name:    "pnpm refuses to install into a folder that is not on PATH",
			environ: []string{"PATH=/bin"},
			step:    Step{BinDir: "/state/bin"},
			want:    []string{"PATH=/bin:/opt/tool:/state/bin", "PWD=/state"},
		},
		{name: "no environment", want: []string{"PATH=/opt/tool", "PWD=/state"}},
		{name: "empty PATH", environ: []string{"PATH="}, want: []string{"PATH=/opt/tool", "PWD=/state"}},
		{name: "values with =", environ: []string{"A=b=c", "B="}, want: []string{"A=b=c", "B=", "PATH=/opt/tool", "PWD=/state"}},
		{
			name: "case on Windows", goos: "windows",
			environ: []string{"Path=C:\\bin", "pip_user=1", "=C:=C:\\", "Ld_Preload=x"},
			step:    Step{Unset: []string{"PIP_*"}},
			want:    []string{"=C:=C:\\", "Path=C:\\bin;/opt/tool", "PWD=/state"},
		},
		{
			name:    "case elsewhere",
			environ: []string{"pip_user=1", "Path=x"},
			step:    Step{Unset: []string{"PIP_*"}},
			want:    []string{"pip_user=1", "Path=x", "PATH=/opt/tool", "PWD=/state"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.step.Argv = []string{"/opt/tool/installer"}
			got := environ(&tt.step, &Options{State: "/state", GOOS: tt.goos, Environ: tt.environ})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("environ (-want +got):\n%s", diff)
			}
		})
	}
}
