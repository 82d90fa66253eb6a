package unpack_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/internal/unpack"
)

func TestFiles(t *testing.T) {
	list := func(data []byte, format unpack.Format, opts *unpack.Options) ([]string, error) {
		var got []string
		err := unpack.Files(t.Context(), bytes.NewReader(data), int64(len(data)), format, opts, func(name string, perm fs.FileMode, body io.Reader) error {
			text, err := io.ReadAll(body)
			got = append(got, fmt.Sprintf("%s %o %s", name, perm, text))
			return err
		})
		return got, err
	}
	files := []file{{name: "x/"}, {name: "x/b", body: "2"}, {name: "x/a", body: "1", mode: 0o777}}
	want := []string{"b 644 2", "a 755 1"} // as they stand in the archive
	for format, data := range map[unpack.Format][]byte{unpack.Tar: tarOf(t, files...), unpack.Zip: zipOf(t, files...)} {
		got, err := list(data, format, &unpack.Options{StripComponents: 1})
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: error %v (-want +got):\n%s", format, err, diff)
		}
	}
	for name, bad := range map[string]file{
		"link": {name: "l", link: "x/a"}, "up": {name: "../y", body: "y"}, "twice": {name: "x/A", body: "y"},
	} {
		got, err := list(tarOf(t, append(files, bad)...), unpack.Tar, nil)
		if e, ok := errors.AsType[*unpack.Error](err); !ok || !errors.Is(e, unpack.ErrUnsafe) || len(got) > 0 {
			t.Errorf("%s: got %q, error %v", name, got, err)
		}
	}
	wrong := errors.New("wrong")
	data := zipOf(t, files...)
	calls := 0
	err := unpack.Files(t.Context(), bytes.NewReader(data), int64(len(data)), unpack.Zip, nil, func(string, fs.FileMode, io.Reader) error {
		calls++
		return wrong
	})
	if err != wrong || calls != 1 {
		t.Errorf("%d calls, error %v", calls, err)
	}
}
