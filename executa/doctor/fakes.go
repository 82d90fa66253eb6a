package doctor

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"

	"github.com/matrix-nexus/skillkit/executa"
)

// fakes are credentials that were made up.
type fakes struct {
	mu     sync.Mutex
	values map[string]string // by name
	real   bool              // one was supplied
}

func newFakes() *fakes { return &fakes{values: make(map[string]string)} }

// fakeLength is less than what executa hides, so that what a plugin does with such
// a value can be seen.
const fakeLength = 5

// resolver returns one that makes up what next does not have.
func (f *fakes) resolver(next executa.Resolver) executa.Resolver {
	return func(ctx context.Context, plugin, name string) (string, bool, error) {
		if next != nil {
			value, found, err := next(ctx, plugin, name)
			if found || err != nil {
				f.mu.Lock()
				f.real = f.real || found
				f.mu.Unlock()
				return value, found, err
			}
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.values[name] == "" {
			f.values[name] = rand.Text()[:fakeLength]
		}
		return f.values[name], true, nil
	}
}

// hide puts the names of made-up credentials in the place of their values.
func (f *fakes) hide(text string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, value := range f.values {
		text = strings.ReplaceAll(text, value, "[made-up "+name+"]")
	}
	return text
}
