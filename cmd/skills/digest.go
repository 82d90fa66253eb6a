package main

import (
	"github.com/matrix-nexus/skillkit/publish"
)

type digestCmd struct {
	Path string `arg:"" help:"The folder of a skill, an archive of one, or a payload (.json)."`
}

func (digestCmd) Help() string {
	return `Prints the content digest of a skill: which revision it is. It covers the path, size, content and executable bit of each file that "skills pack" takes, and nothing else: it is the same for the folder, its archive and its payload, on every machine.

It is not the digest that "skills trust" records, which covers all files of a workspace, those that are not published among them.

--json prints {"digest", "size", "files": [{"path", "size", "executable"}], "left_out": [{"path", "why", "detail"}]}.`
}

func (c digestCmd) Run(a *app) error {
	s, err := publish.Open(a.ctx, c.Path)
	if err != nil {
		return err
	}
	if a.flags.JSON {
		return a.out.JSON(struct {
			Digest  string            `json:"digest"`
			Size    int64             `json:"size"`
			Files   []packedFile      `json:"files"`
			LeftOut []publish.LeftOut `json:"left_out"`
		}{s.Digest(), s.Size(), packedFiles(s), nonNil(s.LeftOut)})
	}
	a.out.Printf("%s\n", s.Digest())
	return nil
}
