package publish

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/matrix-nexus/skillkit/skills"
)

// Open reads the skill at file: a folder, an archive, or a payload, whose name
// ends in .json. See [ReadFolder], [ReadArchive] and [ReadPayload], whose errors
// it returns, besides those of the file system.
func Open(ctx context.Context, file string) (*Skill, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	shown := filepath.ToSlash(file)
	switch {
	case info.IsDir(), strings.EqualFold(filepath.Base(file), skills.FileName):
		return ReadFolder(ctx, file) // which refuses a file
	case !info.Mode().IsRegular():
		return nil, &FileError{Path: shown, Reason: "neither a folder nor a regular file"}
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if strings.EqualFold(filepath.Ext(file), ".json") {
		data, err := io.ReadAll(io.LimitReader(f, MaxPayload+1))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", shown, err)
		}
		return ReadPayload(ctx, shown, data)
	}
	return ReadArchive(ctx, shown, f, info.Size())
}
