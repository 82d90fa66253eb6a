package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/matrix-nexus/skillkit/internal/atomicfile"
	"github.com/matrix-nexus/skillkit/requires"
)

// maxReceipt is the size in bytes of the largest receipt that is written or
// read. Usual ones have one or two thousand.
const maxReceipt = 1 << 20

// A Receipt records a step that was begun. It is written before the step
// begins, so that none that was begun is without one, and again when it ends.
// When the same step is run again its receipt goes on: the skills and the files
// are added to those it has.
type Receipt struct {
	Step    Step         `json:"step"` // its Skills are those that use it now
	State   ReceiptState `json:"state"`
	Started time.Time    `json:"started"` // in UTC, to the second, as is Ended
	Ended   time.Time    `json:"ended,omitzero"`
	// Error is why the step failed, without the output of the installer, or
	// that a removal was begun and not brought to its end.
	Error string `json:"error,omitempty"`
	// Files are the absolute paths that the step put in place, as far as it
	// is for this package to remove them: links, programs built by go, the
	// folder of a download.
	Files []string `json:"files,omitempty"`
	// SHA256 is that of what was downloaded, in lower-case hex.
	SHA256 string `json:"sha256,omitempty"`
}

// Check looks up in h what the step of r was to bring, each of its Provides and
// Bins. It is how to find out what became of a step that is [ReceiptStarted]
// and of which no run knows the end. Of any_bins there is one item, whose name
// is that of the requirement. h may have to be refreshed before.
func (r *Receipt) Check(h Host) []requires.Item { return lookUp(&r.Step, h) }

// A ReceiptError tells of a receipt that cannot be read. What it records is
// not known to [NewRemoval] then.
type ReceiptError struct {
	File string
	Err  error
}

func (e *ReceiptError) Error() string {
	return fmt.Sprintf("receipt %s: %v: mend the file, or move it away and remove by hand what its step installed", e.File, e.Err)
}

func (e *ReceiptError) Unwrap() error { return e.Err }

// Receipts returns the receipts in a state folder, sorted by the ID of their
// steps. Without the folder there are none. The error joins a [*ReceiptError]
// for each file that is no receipt, or is the error of reading the folder; the
// receipts that can be read are returned in any case. A file whose name begins
// with a dot is none of them.
//
// No lock is taken, since receipts are replaced in one step: one that is
// [ReceiptStarted] may be that of a run that is at work.
func Receipts(state string) ([]Receipt, error) {
	store := receiptStore(filepath.Join(state, "receipts"))
	entries, err := os.ReadDir(string(store))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Receipt
	var errs []error
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		switch r, err := store.read(e.Name()); {
		case errors.Is(err, fs.ErrNotExist): // removed meanwhile
		case err != nil:
			errs = append(errs, err)
		default:
			list = append(list, *r)
		}
	}
	slices.SortFunc(list, func(a, b Receipt) int { return strings.Compare(a.Step.ID, b.Step.ID) })
	return list, errors.Join(errs...)
}

// A receiptStore is the folder that holds the receipts.
type receiptStore string

// load returns the receipt of a step, or nil if there is none.
func (s receiptStore) load(id string) (*Receipt, error) {
	r, err := s.read(receiptFile(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return r, err
}

func (s receiptStore) read(name string) (*Receipt, error) {
	file := filepath.Join(string(s), name)
	r, err := readReceipt(file)
	if err == nil && receiptFile(r.Step.ID) != name {
		err = fmt.Errorf("the file is not named for the step %q", r.Step.ID)
	}
	if err != nil {
		return nil, &ReceiptError{file, err}
	}
	return r, nil
}

func readReceipt(file string) (*Receipt, error) {
	info, err := os.Lstat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a file")
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxReceipt+1))
	if err != nil {
		return nil, err
	}
	return decodeReceipt(data)
}

// decodeReceipt reads what save writes. Fields of a later version are ignored.
func decodeReceipt(data []byte) (*Receipt, error) {
	if len(data) > maxReceipt {
		return nil, fmt.Errorf("larger than %d bytes", maxReceipt)
	}
	r := new(Receipt)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, err
	}
	if r.Step.ID == "" {
		return nil, errors.New("no id of a step")
	}
	switch r.State {
	case ReceiptStarted, ReceiptInstalled, ReceiptFailed:
	default:
		return nil, fmt.Errorf("state %q is not known", r.State)
	}
	for _, file := range r.Files {
		if !filepath.IsAbs(file) {
			return nil, fmt.Errorf("path %q is not absolute", file)
		}
	}
	return r, nil
}

// save puts a receipt in place so that after a crash at any moment either the
// one before or this one is there.
func (s receiptStore) save(r *Receipt) error {
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	if len(data) > maxReceipt {
		return fmt.Errorf("receipt of step %q: larger than %d bytes", r.Step.ID, maxReceipt)
	}
	return atomicfile.Write(filepath.Join(string(s), receiptFile(r.Step.ID)), append(data, '\n'))
}

// remove removes the receipt of a step, if there is one. After a crash of the
// system it may be back, and can be removed again.
func (s receiptStore) remove(id string) error {
	err := os.Remove(filepath.Join(string(s), receiptFile(id)))
	return ignoreMissing(err)
}

// sweep removes what was left behind when the process was killed while it wrote
// a receipt. No run may be at work.
func (s receiptStore) sweep() {
	entries, _ := os.ReadDir(string(s))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			_ = os.Remove(filepath.Join(string(s), e.Name()))
		}
	}
}

// receiptFile returns the name of the file for a step: what of its ID may
// stand in a name on every system, for people, and a digest of the ID, which
// keeps apart what looks the same then.
func receiptFile(id string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '.', r == '_':
			return r
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, id)
	safe = strings.Trim(safe[:min(len(safe), 60)], "-.")
	sum := sha256.Sum256([]byte(id))
	return safe + "-" + hex.EncodeToString(sum[:12]) + ".json"
}
