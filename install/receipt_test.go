package install

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/requires"
)

func newStore(t *testing.T) (state string, store receiptStore) {
	t.Helper()
	state = t.TempDir()
	store = receiptStore(filepath.Join(state, "receipts"))
	if err := os.Mkdir(string(store), 0o700); err != nil {
		t.Fatal(err)
	}
	return state, store
}

func sampleReceipt(id string) Receipt {
	return Receipt{
		Step: Step{
			ID: id, Kind: "npm", Label: "Install x", Argv: []string{"/usr/bin/npm", "install", "x"},
			Skills: []string{"a", "b"}, Provides: []Requirement{{requires.KindBin, "x"}}, Reason: "first of the file",
		},
		State:   ReceiptInstalled,
		Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Ended:   time.Date(2026, 1, 2, 3, 4, 9, 0, time.UTC),
		Files:   []string{"/state/bin/x"},
	}
}

func TestReceiptsRoundTrip(t *testing.T) {
	state, store := newStore(t)
	want := []Receipt{sampleReceipt("npm:a"), sampleReceipt("npm:b"), sampleReceipt("npm:c")}
	for _, i := range []int{2, 0, 1, 0} {
		if err := store.save(&want[i]); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Receipts(state)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Receipts (-want +got):\n%s", diff)
	}
	entries, _ := os.ReadDir(string(store))
	if len(entries) != len(want) {
		t.Errorf("the folder holds %d files, want %d", len(entries), len(want))
	}
	for _, e := range entries {
		if info, _ := e.Info(); info.Mode() != 0o600 {
			t.Errorf("%s has mode %v, want 0600", e.Name(), info.Mode())
		}
	}

	if err := store.remove("npm:b"); err != nil {
		t.Fatal(err)
	}
	if err := store.remove("npm:b"); err != nil {
		t.Errorf("the second removal: %v", err)
	}
	if r, err := store.load("npm:b"); r != nil || err != nil {
		t.Errorf("load of a removed receipt = %v, %v", r, err)
	}
}

func TestReceiptsNoFolder(t *testing.T) {
	if list, err := Receipts(filepath.Join(t.TempDir(), "none")); list != nil || err != nil {
		t.Errorf("Receipts = %v, %v; want none", list, err)
	}
}

// A file that is no receipt is named, and hides no other.
func TestReceiptsOddFiles(t *testing.T) {
	state, store := newStore(t)
	good := sampleReceipt("npm:good")
	if err := store.save(&good); err != nil {
		t.Fatal(err)
	}
	valid, err := os.ReadFile(filepath.Join(string(store), receiptFile("npm:good")))
	if err != nil {
		t.Fatal(err)
	}
	replaced := func(old, new string) string { return strings.Replace(string(valid), old, new, 1) }
	odd := map[string]string{
		"cut.json":             string(valid[:len(valid)/2]),
		"empty.json":           "",
		"null.json":            "null",
		"renamed.json":         string(valid),
		"notes.txt":            "remember the milk",
		receiptFile("npm:x"):   replaced(`"installed"`, `"perhaps"`),
		receiptFile("npm:y"):   replaced(`"/state/bin/x"`, `"bin/x"`),
		receiptFile("npm:big"): `{"step":{"id":"npm:big","label":"` + strings.Repeat("x", maxReceipt) + `"}}`,
		".hidden":              "not looked at",
		".x.json.tmp-1":        "left by a crash",
	}
	for name, text := range odd {
		if err := os.WriteFile(filepath.Join(string(store), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(string(store), "folder.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(string(store), "link.json")); err != nil {
		t.Fatal(err)
	}

	list, err := Receipts(state)
	if diff := cmp.Diff([]Receipt{good}, list); diff != "" {
		t.Errorf("Receipts (-want +got):\n%s", diff)
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("error %v is not joined", err)
	}
	if got, want := len(joined.Unwrap()), len(odd)-2+2; got != want {
		t.Errorf("%d errors, want %d:\n%v", got, want, err)
	}
	for _, err := range joined.Unwrap() {
		e, ok := errors.AsType[*ReceiptError](err)
		if !ok || filepath.Dir(e.File) != string(store) || !strings.Contains(err.Error(), "move it away") {
			t.Errorf("error %v (%T) does not name the file and the remedy", err, err)
		}
	}
	store.sweep()
	for name := range odd {
		_, err := os.Lstat(filepath.Join(string(store), name))
		if swept := errors.Is(err, fs.ErrNotExist); swept != strings.HasPrefix(name, ".") {
			t.Errorf("%s: swept is %v", name, swept)
		}
	}
}

func TestReceiptSize(t *testing.T) {
	_, store := newStore(t)
	r := sampleReceipt("npm:x")
	r.Step.Label = strings.Repeat("x", maxReceipt)
	if err := store.save(&r); err == nil {
		t.Error("a receipt that is too large was written")
	}
	size := func() int {
		info, err := os.Stat(filepath.Join(string(store), receiptFile("npm:x")))
		if err != nil {
			t.Fatal(err)
		}
		return int(info.Size()) - 1 // the line end at the end of the file
	}
	r.Step.Label = ""
	if err := store.save(&r); err != nil {
		t.Fatal(err)
	}
	r.Step.Label = strings.Repeat("x", maxReceipt-size()-1)
	if err := store.save(&r); err != nil || size() != maxReceipt-1 {
		t.Fatalf("a receipt of %d bytes: %v", size(), err)
	}
	if _, err := store.load("npm:x"); err != nil {
		t.Errorf("what was written cannot be read: %v", err)
	}
	r.Step.Label += "xx"
	if err := store.save(&r); err == nil {
		t.Error("a receipt of a byte too many was written")
	}
}

func TestReceiptFile(t *testing.T) {
	ids := []string{"npm:a/b", "npm:a-b", "NPM:A-B", "npm:a:b", "../../etc/passwd", "..", ".", "con", "ü", "/",
		strings.Repeat("x", 1000), strings.Repeat("x", 1001), "a\x00b", "a\nb", " "}
	seen := map[string]string{}
	for _, id := range ids {
		name := receiptFile(id)
		if !fs.ValidPath(name) || strings.ContainsAny(name, "/\\: \x00\n") || len(name) > 100 || name[0] == '.' {
			t.Errorf("receiptFile(%q) = %q is no safe name", id, name)
		}
		if other, ok := seen[strings.ToLower(name)]; ok {
			t.Errorf("%q and %q have one file, %s", id, other, name)
		}
		seen[strings.ToLower(name)] = id
	}
}

func FuzzReceipt(f *testing.F) {
	f.Add([]byte(`{"step":{"id":"a"},"state":"started","started":"2026-01-02T03:04:05Z","files":["/a"]}`))
	f.Add([]byte(`{"step":{"id":""},"state":"started"}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decodeReceipt(data)
		if (r == nil) == (err == nil) {
			t.Fatalf("decodeReceipt = %v, %v; want exactly one", r, err)
		}
		if err != nil {
			return
		}
		_, store := newStore(t)
		if err := store.save(r); err != nil {
			return // larger when written
		}
		again, err := store.load(r.Step.ID)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(r, again) && cmp.Diff(r, again) != "" {
			t.Errorf("read again (-want +got):\n%s", cmp.Diff(r, again))
		}
	})
}
