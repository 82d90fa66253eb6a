package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/matrix-nexus/skillkit/publish"
)

type exportCmd struct {
	Dir    string `arg:"" help:"The folder of the skill."`
	Output string `short:"o" placeholder:"FILE" help:"Write FILE, in place of the standard output."`
}

func (exportCmd) Help() string {
	return `Writes a skill as the JSON payload that a catalogue takes: {"schema", "executa_type", "tool_id", "name", "description", "skill_content", "metadata", "files": [{"path", "mode", "content_b64"}], "logo", "readme", "sample_prompts", "visibility", "version"}. docs/payload.schema.json describes it. The files are those of "skills pack".

name, description, metadata and version come from SKILL.md, which is skill_content byte for byte. tool_id, logo, readme, sample_prompts and visibility come from DIR/.listing.json, a JSON object with these fields, if it is there; visibility is "private" by default.

With -o it prints what was written, with --json as {"path", "bytes", "digest", "name", "version"}.`
}

func (c exportCmd) Run(a *app) error {
	s, err := publish.ReadFolder(a.ctx, c.Dir)
	if err != nil {
		return err
	}
	data, err := s.Payload()
	if err != nil {
		return err
	}
	if c.Output == "" {
		a.out.Raw(string(data))
		return nil
	}
	dir, err := realPath(c.Dir)
	if err != nil {
		return err
	}
	if in, err := within(dir, c.Output); err != nil {
		return err
	} else if in {
		return fmt.Errorf("%s is in the folder that is exported; write it elsewhere with -o", c.Output)
	}
	if err := writeOutput(c.Output, data); err != nil {
		return err
	}
	h, err := s.Header()
	if err != nil {
		return err
	}
	return a.transferred("exported", transfer{c.Output, len(data), s.Digest(), h.Name, h.Version})
}

type importCmd struct {
	File   string `arg:"" help:"The payload."`
	Output string `short:"o" placeholder:"DIR" help:"The folder to make, in place of one in the working folder that has the name of the skill."`
	Force  bool   `help:"Replace the folder if it is there. Its skill goes; a folder that holds anything else is refused."`
}

func (importCmd) Help() string {
	return `Makes a folder of a payload that "skills export" wrote; exporting it again gives the same bytes. The payload is checked first: its schema, unknown and missing fields, each path, mode and content, and whether name, description, version and metadata are what its SKILL.md says. On any fault, and at any failure, nothing is made.

--json prints {"path", "bytes", "digest", "name", "version"}.`
}

func (c importCmd) Run(a *app) error {
	data, err := readPayload(c.File)
	if err != nil {
		return err
	}
	s, err := publish.ReadPayload(a.ctx, filepath.ToSlash(c.File), data)
	if err != nil {
		return err
	}
	h, err := s.Header()
	if err != nil {
		return err
	}
	dir := c.Output
	if dir == "" {
		dir = h.Name // which names a folder
	}
	if err := s.WriteFolder(a.ctx, dir, c.Force); err != nil {
		if errors.Is(err, fs.ErrExist) && !c.Force {
			return fmt.Errorf("%s is there already; name another folder with -o, or replace it with --force", dir)
		}
		return err
	}
	return a.transferred("imported", transfer{dir, len(data), s.Digest(), h.Name, h.Version})
}

// readPayload returns the content of a file, of at most one byte more than a
// payload may have.
func readPayload(file string) ([]byte, error) {
	if info, err := os.Stat(file); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file; import takes what export has written", file)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, publish.MaxPayload+1))
}

// A transfer is what export and import print.
type transfer struct {
	Path    string `json:"path"`
	Bytes   int    `json:"bytes"` // of the payload
	Digest  string `json:"digest"`
	Name    string `json:"name"`
	Version string `json:"version"`
}

func (a *app) transferred(verb string, t transfer) error {
	if a.flags.JSON {
		return a.out.JSON(t)
	}
	a.out.Printf("%s %s to %s\n%s\n", verb, oneLine(t.Name+" "+t.Version), near(t.Path), t.Digest)
	return nil
}
