package loader_test

import (
	"io/fs"
	"sync"
	"testing/fstest"
)

// fakeFS is a file system that counts what is opened and can be made to fail.
type fakeFS struct {
	fstest.MapFS

	mu    sync.Mutex
	errs  map[string]error
	opens int
}

// fail makes opening and listing path return err; nil ends that.
func (f *fakeFS) fail(path string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.errs == nil {
		f.errs = make(map[string]error)
	}
	f.errs[path] = err
}

func (f *fakeFS) opened() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.opens
}

func (f *fakeFS) failure(op, name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.errs[name]; err != nil {
		return &fs.PathError{Op: op, Path: name, Err: err}
	}
	return nil
}

func (f *fakeFS) Open(name string) (fs.File, error) {
	if err := f.failure("open", name); err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.opens++
	files := f.MapFS
	f.mu.Unlock()
	return files.Open(name)
}

func (f *fakeFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := f.failure("readdir", name); err != nil {
		return nil, err
	}
	f.mu.Lock()
	files := f.MapFS
	f.mu.Unlock()
	return files.ReadDir(name)
}
