package publish_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/matrix-nexus/skillkit/publish"
)

// A skill of a hundred files of 10 kB, with a .gitignore.
func benchFolder(b *testing.B) string {
	files := map[string]string{"SKILL.md": manifest, ".gitignore": "*.log\n/out/\n**/tmp/\n"}
	for i := range 100 {
		files[fmt.Sprintf("data/%d/%d.csv", i%7, i)] = strings.Repeat("1;2;3;4;5\n", 1000)
	}
	return write(b, files)
}

func BenchmarkReadFolder(b *testing.B) {
	dir := benchFolder(b)
	for b.Loop() {
		read(b, dir)
	}
}

func BenchmarkDigest(b *testing.B) {
	s := read(b, benchFolder(b))
	for b.Loop() {
		s.Digest()
	}
}

func BenchmarkPack(b *testing.B) {
	s := read(b, benchFolder(b))
	for b.Loop() {
		if err := s.Pack(io.Discard, publish.TarGz); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadPayload(b *testing.B) {
	data := payloadOf(b, read(b, benchFolder(b)))
	for b.Loop() {
		if _, err := publish.ReadPayload(b.Context(), "x.json", data); err != nil {
			b.Fatal(err)
		}
	}
}
