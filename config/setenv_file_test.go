package config_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/config"
)

// stored returns the variables of skill a in the file at path.
func stored(t *testing.T, path string) []string {
	t.Helper()
	c, problems, err := config.Load(path)
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	return c.Skill("a", "").Environ("")
}

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

func TestSetEnv(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "new", "skillkit", "config.yaml")
	for _, value := range []string{"one", "two", "two"} {
		if err := config.SetEnv(path, "a", "T", value); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"T=" + value}, stored(t, path)); diff != "" {
			t.Errorf("variables (-want +got):\n%s", diff)
		}
	}
	if runtime.GOOS != "windows" {
		if got := mode(t, path); got != 0o600 {
			t.Errorf("the file has mode %v", got)
		}
		if got := mode(t, filepath.Dir(path)).Perm(); got != 0o700 {
			t.Errorf("the folder has mode %v", got)
		}
		// It is made private even if the value is there already.
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := config.SetEnv(path, "a", "T", "two"); err != nil || mode(t, path) != 0o600 {
			t.Errorf("the file that was open has mode %v, %v", mode(t, path), err)
		}
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := config.SetEnv(path, "a", "T", "two"); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("the file was written for nothing, %v", err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

func TestSetEnvLinks(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "dotfiles", "skillkit.yaml"), filepath.Join(dir, "config.yaml")
	if err := os.Mkdir(filepath.Dir(target), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("dotfiles", "skillkit.yaml"), link); err != nil {
		t.Skip(err)
	}
	if err := config.SetEnv(link, "a", "T", "x"); err == nil {
		t.Error("a link that leads nowhere was written to")
	}
	if err := os.WriteFile(target, []byte("# mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := config.SetEnv(link, "a", "T", "x"); err != nil {
		t.Fatal(err)
	}
	if mode(t, link)&fs.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
	data, err := os.ReadFile(target)
	if err != nil || !strings.HasPrefix(string(data), "# mine\nskills:") {
		t.Errorf("the target holds %q, %v", data, err)
	}
}

func TestSetEnvRefused(t *testing.T) {
	const secret = "s3cr3t"
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good.yaml", "roots: []\n")
	for _, tt := range []struct{ path, skill, name, value, want string }{
		{good, "a", "LD_PRELOAD", secret, "LD_PRELOAD cannot be set for a skill"},
		{good, "a", "path", secret, "path cannot be set for a skill"},
		{good, "a", "", secret, "not the name of an environment variable"},
		{good, "a", "T=" + secret, secret, "not the name of an environment variable"},
		{good, "a", "T\x00", secret, "not the name of an environment variable"},
		{good, "a", "\xff", secret, "not the name of an environment variable"},
		{good, "", "T", secret, `"" is not the name of a skill`},
		{good, "\xff", "T", secret, `"\xff" is not the name of a skill`},
		{good, "a", "T", secret + "\x00", "the value for T is not text: it holds a NUL or is not UTF-8"},
		{good, "a", "T", secret + "\xff", "the value for T is not text: it holds a NUL or is not UTF-8"},
		{good, "a", "T", secret + strings.Repeat("x", config.MaxFile), good + ": would become larger than the limit of 1048576 bytes"},
		{write("bad.yaml", "a: ["), "a", "T", secret, filepath.Join(dir, "bad.yaml") + ":1:5: not YAML: did not find expected node content"},
		{write("list.yaml", "skills:\n  a: [s3cr3t]\n"), "a b", "T", secret, ""},
		{write("list.yaml", "skills:\n  a: [s3cr3t]\n"), "a", "T", secret, filepath.Join(dir, "list.yaml") + ":2:6: cannot be edited in this form, so nothing was changed; write skills.a.env.T by hand"},
		{write("large.yaml", strings.Repeat("#", config.MaxFile+1)), "a", "T", secret, filepath.Join(dir, "large.yaml") + ": larger than the limit of 1048576 bytes"},
		{os.DevNull, "a", "T", secret, "write " + os.DevNull + ": not a regular file"},
		{dir, "a", "T", secret, "write " + dir + ": not a regular file"},
	} {
		before, _ := os.ReadFile(tt.path)
		err := config.SetEnv(tt.path, tt.skill, tt.name, tt.value)
		if tt.want == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if err == nil || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("the error shows the value: %v", err)
		}
		if after, _ := os.ReadFile(tt.path); string(after) != string(before) {
			t.Errorf("%s was changed", tt.path)
		}
	}
	if err := config.SetEnv(filepath.Join(good, "config.yaml"), "a", "T", secret); err == nil {
		t.Error("a file was taken for a folder")
	} else if _, ok := errors.AsType[*fs.PathError](err); !ok {
		t.Errorf("got %v, want a *fs.PathError", err)
	}
}

// The limit is that of the file as it becomes.
func TestSetEnvLimit(t *testing.T) {
	edit := func(comment int) error {
		_, err := config.SetEnvText("c.yaml", []byte("#"+strings.Repeat("x", comment)+"\n"), "a", "T", "x")
		return err
	}
	added := len("#\nskills:\n  a:\n    env:\n      T: \"x\"\n")
	if err := edit(config.MaxFile - added); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	if err := edit(config.MaxFile - added + 1); err == nil {
		t.Error("past the limit: no error")
	}
}

// Writers at the same time may lose a change, but never a file.
func TestSetEnvAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	var wg sync.WaitGroup
	for _, name := range []string{"A", "B", "C", "D"} {
		wg.Go(func() {
			for range 10 {
				if err := config.SetEnv(path, "a", name, "x"); err != nil && runtime.GOOS != "windows" {
					t.Error(err) // a file that is being read cannot be replaced there
				}
			}
		})
	}
	wg.Wait()
	if got := stored(t, path); len(got) == 0 {
		t.Error("nothing is stored")
	}
}
