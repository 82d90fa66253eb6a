package credentials_test

import (
	"testing"

	"github.com/gofrs/flock"
)

// lock takes the lock of a store, as another program would.
func lock(t *testing.T, path string) (unlock func()) {
	t.Helper()
	l := flock.New(path)
	if ok, err := l.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	return func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}
