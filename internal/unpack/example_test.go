package unpack_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"

	"github.com/matrix-nexus/skillkit/internal/unpack"
)

func ExampleExtract() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	dst, err := os.OpenRoot(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer dst.Close()

	var data bytes.Buffer
	w := gzip.NewWriter(&data)
	fmt.Fprint(w, "<html>no such release</html>")
	w.Close()

	format, _ := unpack.FormatOf("tool-1.2.tgz")
	err = unpack.Extract(context.Background(), dst, bytes.NewReader(data.Bytes()), int64(data.Len()), format, nil)
	fmt.Println(err)
	// Output: tar.gz: in it, this is an HTML page, not a tar file
}
