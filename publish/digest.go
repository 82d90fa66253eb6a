package publish

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// digestHeader is the first line of what a content digest is taken of. It
// changes with the meaning of the lines below it.
const digestHeader = "skillkit content 1\n"

// Manifest returns the text that [Skill.Digest] is taken of.
//
// The first line is "skillkit content 1". Each file has one more, in the order
// of paths compared byte by byte: its permissions, 644 or 755, its size in bytes
// in decimal, the SHA-256 of its content in lower-case hex, and its path, with
// one blank between them. Each line ends in a line feed.
func (s *Skill) Manifest() string {
	var b strings.Builder
	b.WriteString(digestHeader)
	for i := range s.Files {
		f := &s.Files[i]
		fmt.Fprintf(&b, "%o %d %x %s\n", f.mode(), len(f.Data), sha256.Sum256(f.Data), f.Path)
	}
	return b.String()
}

// Digest returns the content digest of s: "sha256:" and the SHA-256 in hex of
// [Skill.Manifest]. It is the same for a folder, for what is packed of it and
// for its payload, whatever the order in which files are found, their times and
// their owners.
//
// It says which revision of a skill this is. What it does not cover, such as
// files that git ignores, an agent may still read: to decide whether a folder is
// trusted take loader.Digest, which covers everything.
func (s *Skill) Digest() string {
	sum := sha256.Sum256([]byte(s.Manifest()))
	return "sha256:" + hex.EncodeToString(sum[:])
}
