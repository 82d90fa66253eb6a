package credentials

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/matrix-nexus/skillkit/internal/atomicfile"
	"github.com/matrix-nexus/skillkit/internal/shell"
)

// The names of the files in the folder of a store.
const (
	dataName = "credentials"
	keyName  = "credentials.key"
	lockName = "credentials.lock"
)

const (
	// header begins the file of values. It is the additional data of the seal, so
	// that no version can be taken for another.
	header    = "skillkit credentials 1\n"
	anyHeader = "skillkit credentials "
	// keySize is that of a key of AES-256, in bytes.
	keySize = 32
	// lockPoll is how often it is tried to become the one that writes.
	lockPoll = 20 * time.Millisecond
)

// A secret is a value behind a function, since that is what package fmt does not
// look into.
type secret func() string

func seal(value string) secret { return func() string { return value } }

// A snapshot is the values as they were in a file.
type snapshot struct {
	info   fs.FileInfo // of the file; nil if there was none
	values map[Entry]secret
}

// A record is a value in the file, in JSON.
type record struct {
	Entry
	Value string `json:"value"`
}

// read returns the values, which must not be changed.
func (s *Store) read() (map[Entry]secret, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := filepath.Join(s.dir, dataName)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		s.last = snapshot{}
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("credentials: %w", err)
	}
	// Each write makes a new file.
	if last := s.last.info; last != nil && os.SameFile(last, info) && last.ModTime().Equal(info.ModTime()) && last.Size() == info.Size() && last.Mode() == info.Mode() {
		return s.last.values, nil
	}
	s.last = snapshot{}
	data, info, err := readPrivate(path, MaxSize)
	if err != nil {
		return nil, fmt.Errorf("credentials: %w", err)
	}
	values, err := s.decode(path, data)
	if err != nil {
		return nil, fmt.Errorf("credentials: %w", err)
	}
	s.last = snapshot{info, values}
	return values, nil
}

// change lets f change the values while nobody else can.
func (s *Store) change(ctx context.Context, f func(map[Entry]secret) error) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("credentials: %w", err)
	}
	lock := flock.New(filepath.Join(s.dir, lockName), flock.SetPermissions(0o600))
	defer lock.Close()
	if _, err := lock.TryLockContext(ctx, lockPoll); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("another program is writing: %w", context.Cause(ctx))
		}
		return fmt.Errorf("credentials: %s: %w", s.dir, err)
	}
	s.mu.Lock()
	s.last = snapshot{} // so that it is read for certain
	s.mu.Unlock()
	old, err := s.read()
	if err != nil {
		return err
	}
	values := make(map[Entry]secret, len(old)+1)
	for e, v := range old {
		values[e] = v
	}
	if err := f(values); err != nil {
		return err
	}
	data, err := s.encode(values)
	if err == nil {
		err = atomicfile.Write(filepath.Join(s.dir, dataName), data)
	}
	if err != nil {
		return fmt.Errorf("credentials: %w", err)
	}
	return nil
}

// encode returns the content of a file with values.
func (s *Store) encode(values map[Entry]secret) ([]byte, error) {
	records := make([]record, 0, len(values))
	for e, v := range values {
		records = append(records, record{e, v()})
	}
	slices.SortFunc(records, func(a, b record) int { return compare(a.Entry, b.Entry) })
	plain, err := json.Marshal(records)
	if err != nil {
		return nil, errors.New("the values cannot be encoded") // which err might show
	}
	defer clear(plain)
	key, err := s.key(true)
	if err != nil {
		return nil, err
	}
	aead, err := newAEAD(key)
	if err != nil {
		return nil, err
	}
	// The nonce is random. A key would have to seal 2^32 times before two of them
	// are likely to be equal.
	nonce := make([]byte, aead.NonceSize())
	rand.Read(nonce) // never fails
	data := append([]byte(header), nonce...)
	if data = aead.Seal(data, nonce, plain, []byte(header)); len(data) > MaxSize {
		return nil, fmt.Errorf("all values together exceed %d bytes", MaxSize)
	}
	return data, nil
}

// decode returns the values in the content of a file.
func (s *Store) decode(path string, data []byte) (map[Entry]secret, error) {
	sealed, ok := bytes.CutPrefix(data, []byte(header))
	if !ok {
		if bytes.HasPrefix(data, []byte(anyHeader)) {
			return nil, fmt.Errorf("%s: another version of this program has written it, with another format", path)
		}
		return nil, damaged(path)
	}
	key, err := s.key(false)
	if err != nil {
		return nil, err
	}
	aead, err := newAEAD(key)
	if err != nil {
		return nil, err
	}
	n := aead.NonceSize()
	if len(sealed) < n {
		return nil, damaged(path)
	}
	plain, err := aead.Open(nil, sealed[:n], sealed[n:], []byte(header))
	if err != nil {
		return nil, fmt.Errorf("%s does not go with the key in %s: one of them was changed; restore both from a backup, or remove both and set the credentials again", path, keyName)
	}
	defer clear(plain)
	var records []record
	if json.Unmarshal(plain, &records) != nil { // whose error might show a value
		return nil, damaged(path)
	}
	values := make(map[Entry]secret, len(records))
	for _, r := range records {
		values[r.Entry] = seal(r.Value)
	}
	return values, nil
}

func damaged(path string) error {
	return fmt.Errorf("%s is damaged: restore it from a backup, or remove it and set the credentials again", path)
}

func newAEAD(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// key returns the key. If create is set it makes one, unless there are values that
// another has sealed.
func (s *Store) key(create bool) ([]byte, error) {
	path := filepath.Join(s.dir, keyName)
	text, _, err := readPrivate(path, 2*keySize+1)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(s.dir, dataName)); create && errors.Is(err, fs.ErrNotExist) {
			return newKey(path)
		}
		return nil, fmt.Errorf("%s is missing, with which %s is sealed: restore it from a backup, or remove the other too and set the credentials again", path, dataName)
	}
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(string(bytes.TrimSuffix(text, []byte("\n"))))
	if err != nil || len(key) != keySize {
		return nil, damaged(path)
	}
	return key, nil
}

// newKey makes the file path with a new key, which is an error if there is one.
func newKey(path string) ([]byte, error) {
	key := make([]byte, keySize)
	rand.Read(key) // never fails
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	_, err = f.WriteString(hex.EncodeToString(key) + "\n")
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path)
		return nil, err
	}
	return key, nil
}

// readPrivate reads a file of at most limit bytes that is for its owner only.
func readPrivate(path string, limit int64) ([]byte, fs.FileInfo, error) {
	info, err := os.Stat(path) // opening a pipe would wait
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, nil, err
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return nil, nil, fmt.Errorf("%s has mode %#o, which lets others at it: run: chmod 600 %s", path, mode, shell.Quote(path))
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, nil, err
	}
	if int64(len(data)) > limit {
		return nil, nil, fmt.Errorf("%s exceeds %d bytes", path, limit)
	}
	return data, info, nil
}
