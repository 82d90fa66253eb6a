package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/matrix-nexus/skillkit/install"
	"github.com/matrix-nexus/skillkit/requires"
)

// A machine is a home folder, a folder of skills and an environment to run the
// command in.
type machine struct {
	dir     string // of all that follows
	home    string
	root    string // the skills
	state   string
	environ []string
	// exec runs the command, in this process if it is nil.
	exec func(t *testing.T, environ, args []string) (stdout, stderr string, status int)
}

// newMachine returns an empty machine whose PATH is that of the test after the
// folder that is to be put on PATH.
func newMachine(t *testing.T) *machine {
	dir := t.TempDir()
	m := &machine{dir: dir, home: filepath.Join(dir, "home"), root: filepath.Join(dir, "skills")}
	m.state = filepath.Join(m.home, ".local", "state", "skillkit")
	for _, d := range []string{m.home, m.root} {
		if err := os.MkdirAll(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	m.environ = []string{
		"HOME=" + m.home,
		"PATH=" + filepath.Join(m.state, "bin") + string(os.PathListSeparator) + os.Getenv("PATH"),
	}
	return m
}

// skill adds a skill with that vendor block.
func (m *machine) skill(t *testing.T, name, vendor string) {
	t.Helper()
	m.write(t, filepath.Join(m.root, name, "SKILL.md"),
		"---\nname: "+name+"\ndescription: A skill for a test.\nmetadata: {\"matrix\":"+vendor+"}\n---\nBody.\n")
}

func (m *machine) write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// skills runs the command and checks its exit status.
func (m *machine) skills(t *testing.T, want int, args ...string) (stdout string) {
	t.Helper()
	args = append([]string{"--root", m.root}, args...)
	var out, errs string
	var status int
	if m.exec != nil {
		out, errs, status = m.exec(t, m.environ, args)
	} else {
		var stdout, stderr bytes.Buffer
		status = run(t.Context(), args, strings.NewReader(""), &stdout, &stderr, m.environ)
		out, errs = stdout.String(), stderr.String()
	}
	if status != want {
		t.Fatalf("skills %q: exit status %d, want %d\n%s%s", args, status, want, out, errs)
	}
	return out
}

// decode reads JSON that the command printed.
func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// readiness returns what doctor says of a skill.
func (m *machine) readiness(t *testing.T, name string) requires.Readiness {
	t.Helper()
	d := decode[diagnosis](t, m.skills(t, exitOK, "doctor", "--json"))
	for _, s := range d.Skills {
		if s.Name == name {
			return s.Readiness
		}
	}
	t.Fatalf("doctor does not know %q", name)
	return ""
}

// roundTrip checks a skill, gets what it misses, checks that it is ready,
// removes what was installed, and checks that it is missing again. kinds are
// those of the steps.
func (m *machine) roundTrip(t *testing.T, name string, kinds ...string) {
	t.Helper()
	if got := m.readiness(t, name); got != requires.Missing {
		t.Fatalf("before the install the skill is %s", got)
	}
	m.skills(t, exitFailed, "doctor", name)

	plan := decode[install.Plan](t, m.skills(t, exitOK, "onboard", "--skill", name, "--plan", "--json"))
	var got []string
	for _, s := range plan.Steps {
		got = append(got, string(s.Kind))
	}
	if !slices.Equal(got, kinds) || len(plan.Unresolved) > 0 {
		t.Fatalf("the plan has steps of the kinds %q, want %q; unresolved %+v", got, kinds, plan.Unresolved)
	}
	if got := m.readiness(t, name); got != requires.Missing {
		t.Fatalf("after --plan the skill is %s", got)
	}

	result := decode[onboarding](t, m.skills(t, exitOK, "onboard", "--skill", name, "--yes", "--json"))
	for _, o := range result.Outcomes {
		if o.Status != install.StatusVerified {
			t.Errorf("step %s: %s: %s", o.Step.ID, o.Status, o.Detail)
		}
	}
	m.skills(t, exitOK, "doctor", name)
	if plan := decode[install.Plan](t, m.skills(t, exitOK, "onboard", "--skill", name, "--plan", "--json")); len(plan.Steps) > 0 {
		t.Errorf("there is still something to install: %+v", plan.Steps)
	}

	m.skills(t, exitOK, "uninstall", "--skill", name, "--yes")
	if got := m.readiness(t, name); got != requires.Missing {
		t.Errorf("after the removal the skill is %s", got)
	}
	m.skills(t, exitFailed, "uninstall", "--skill", name, "--yes") // nothing is left
	if receipts, err := install.Receipts(m.state); len(receipts) > 0 && slices.ContainsFunc(receipts, func(r install.Receipt) bool {
		return slices.Contains(r.Step.Skills, name)
	}) || err != nil {
		t.Errorf("receipts are left: %+v, %v", receipts, err)
	}
}

// serve serves files over loopback HTTP and returns the URL.
func serve(t *testing.T, files map[string][]byte) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if strings.HasSuffix(r.URL.Path, "/") {
			w.Header().Set("Content-Type", "text/html")
		}
		w.Write(data)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func sum(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// tgz returns a tar.gz archive with one program.
func tgz(t *testing.T, name, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
		t.Fatal(err)
	}
	w.Write([]byte(text))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const script = "#!/bin/sh\necho hello from skillkit\n"

func TestOnboardDownload(t *testing.T) {
	needUnix(t)
	m := newMachine(t)
	archive := tgz(t, "tool-1.0/bin/sk-archived", script)
	url := serve(t, map[string][]byte{"/tool.tar.gz": archive, "/sk-raw": []byte(script)})
	m.skill(t, "archived", `{"requires":{"bins":["sk-archived"]},"install":[{"id":"get","kind":"download","url":"`+url+
		`/tool.tar.gz","sha256":"`+sum(archive)+`","archive":"tar.gz","extract":true,"stripComponents":1,"bins":["sk-archived"]}]}`)
	m.skill(t, "raw", `{"requires":{"bins":["sk-raw"]},"install":[{"id":"get","kind":"download","url":"`+url+
		`/sk-raw","sha256":"`+sum([]byte(script))+`","bins":["sk-raw"]}]}`)
	m.skill(t, "wrong", `{"requires":{"bins":["sk-wrong"]},"install":[{"id":"get","kind":"download","url":"`+url+
		`/sk-raw","sha256":"`+sum(nil)+`","bins":["sk-wrong"]}]}`)
	m.skill(t, "gone", `{"requires":{"bins":["sk-gone"]},"install":[{"id":"get","kind":"download","url":"`+url+
		`/gone.tar.gz","archive":"tar.gz","extract":true,"bins":["sk-gone"]}]}`)
	m.roundTrip(t, "archived", "download")
	m.roundTrip(t, "raw", "download")

	for name, want := range map[string]string{"wrong": "sha256", "gone": "404"} {
		out := m.skills(t, exitFailed, "onboard", "--skill", name, "--yes")
		if !strings.Contains(out, want) || !strings.Contains(out, "failed") {
			t.Errorf("onboard of %q does not say %q:\n%s", name, want, out)
		}
		if got := m.readiness(t, name); got != requires.Missing {
			t.Errorf("skill %q is %s", name, got)
		}
	}
}

// wheel returns a Python wheel with a package and a program of that name.
func wheel(t *testing.T, name, version string) []byte {
	t.Helper()
	info := name + "-" + version + ".dist-info/"
	files := []struct{ name, text string }{
		{name + "/__init__.py", "def main():\n    print('hello from skillkit')\n"},
		{info + "METADATA", "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n"},
		{info + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"},
		{info + "entry_points.txt", "[console_scripts]\n" + name + " = " + name + ":main\n"},
	}
	var b bytes.Buffer
	var record strings.Builder
	z := zip.NewWriter(&b)
	add := func(name, text string) {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(text))
	}
	for _, f := range files {
		add(f.name, f.text)
		h := sha256.Sum256([]byte(f.text))
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(h[:]), len(f.text))
	}
	fmt.Fprintf(&record, "%sRECORD,,\n", info)
	add(info+"RECORD", record.String())
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The package index is served by the test, and variables that would send pip
// elsewhere are set, as they may be on a machine.
func TestOnboardPip(t *testing.T) {
	needUnix(t)
	if testing.Short() {
		t.Skip("makes virtual environments, which takes a while")
	}
	python, err := exec.Command("python3", "-c", "import venv, ensurepip, sys; print(sys.executable)").Output()
	if err != nil {
		t.Skip("needs python3 with venv and ensurepip")
	}
	m := newMachine(t)
	// A PATH without uv, which would provide the packages.
	bin := filepath.Join(m.dir, "bin")
	if err := os.Mkdir(bin, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(strings.TrimSpace(string(python)), filepath.Join(bin, "python3")); err != nil {
		t.Fatal(err)
	}
	m.environ[1] = "PATH=" + filepath.Join(m.state, "bin") + ":" + bin + ":/bin"
	url := serve(t, map[string][]byte{
		"/simple/sk-hello/":                    []byte(`<a href="/files/sk_hello-1.5-py3-none-any.whl">sk_hello-1.5-py3-none-any.whl</a>`),
		"/files/sk_hello-1.5-py3-none-any.whl": wheel(t, "sk_hello", "1.5"),
	})
	m.write(t, filepath.Join(m.home, ".config", "skillkit", "config.yaml"), "install:\n  python_index: "+url+"/simple\n  allow: [pip]\n")
	m.environ = append(m.environ, "PIP_INDEX_URL=http://127.0.0.1:1/", "PIP_NO_INDEX=1", "PIP_TARGET="+m.dir, "PIP_REQUIRE_HASHES=1", "PIP_USER=1", "PYTHONPATH="+m.dir)
	m.skill(t, "package", `{"execution_mode":"python","requires":{"python_packages":["sk-hello>=1.2"]},"install":[{"id":"pip","kind":"pip","package":"sk-hello"}]}`)
	m.skill(t, "program", `{"requires":{"bins":["sk_hello"]},"install":[{"id":"pip","kind":"pip","package":"sk-hello","bins":["sk_hello"]}]}`)
	m.skill(t, "newer", `{"requires":{"python_packages":["sk-hello>=2"]}}`)
	m.roundTrip(t, "package", "pip", "pip")
	m.skills(t, exitFailed, "onboard", "--skill", "newer", "--yes")

	// One install serves both, and stays until neither needs it.
	m.skills(t, exitOK, "onboard", "--skill", "package", "--skill", "program", "--yes")
	out, err := exec.Command(filepath.Join(m.state, "bin", "sk_hello")).Output()
	if err != nil || string(out) != "hello from skillkit\n" {
		t.Errorf("the program says %q, %v", out, err)
	}
	answer := m.skills(t, exitOK, "call", "package")
	if interpreter := filepath.Join(m.state, "python", "bin", "python"); !strings.Contains(answer, interpreter) {
		t.Errorf("the tool does not name %s:\n%s", interpreter, answer)
	}
	m.skills(t, exitOK, "uninstall", "--skill", "package", "--yes")
	if got := m.readiness(t, "program"); got != requires.Ready {
		t.Errorf("the skill that still needs the package is %s", got)
	}
	m.skills(t, exitOK, "uninstall", "--skill", "program", "--yes")
	for _, name := range []string{"package", "program"} {
		if got := m.readiness(t, name); got != requires.Missing {
			t.Errorf("skill %q is %s", name, got)
		}
	}
	entries, err := filepath.Glob(filepath.Join(m.dir, "sk_hello*"))
	if len(entries) > 0 || err != nil {
		t.Errorf("a variable of the machine sent pip elsewhere: %v, %v", entries, err)
	}
}
