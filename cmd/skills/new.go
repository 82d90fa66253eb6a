package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/check"
	"github.com/matrix-nexus/skillkit/metadata"
	"github.com/matrix-nexus/skillkit/publish"
	"github.com/matrix-nexus/skillkit/skills"
)

type newCmd struct {
	Name   string `arg:"" help:"The name of the skill: lower-case letters and digits, with hyphens between words."`
	Output string `short:"o" placeholder:"DIR" help:"Make the folder NAME in DIR, in place of the working folder."`
	Mode   string `enum:"prompt,bash,python,api,hybrid" default:"prompt" placeholder:"MODE" help:"How its instructions are meant to be run: prompt (the default), bash, python, api or hybrid."`
}

func (newCmd) Help() string {
	return `Makes a folder with a SKILL.md to start from: a small skill that works and that skillcheck --strict finds nothing wrong with. Nothing is overwritten.

--json prints {"path", "name", "mode"}; path is that of the SKILL.md.`
}

// templates holds one file for each mode.
//
//go:embed template
var templates embed.FS

func (c newCmd) Run(a *app) error {
	if reason := publish.CheckName(c.Name); reason != "" {
		return fmt.Errorf("the name %q %s", c.Name, reason)
	}
	text, err := fs.ReadFile(templates, path.Join("template", c.Mode+".md"))
	if err != nil {
		return err
	}
	words := strings.ReplaceAll(c.Name, "-", " ")
	first, size := utf8.DecodeRuneInString(words)
	title := string(unicode.ToTitle(first)) + words[size:]
	text = []byte(strings.NewReplacer("{{name}}", c.Name, "{{words}}", words, "{{title}}", title).Replace(string(text)))
	if err := c.lint(a, text); err != nil {
		return err
	}
	s := &publish.Skill{Path: c.Name, Files: []publish.File{{Path: skills.FileName, Data: text}}}
	dir := filepath.Join(c.Output, c.Name)
	if err := s.WriteFolder(a.ctx, dir, false); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s is there already; choose another name, or another place with -o", dir)
		}
		return err
	}
	file := filepath.Join(dir, skills.FileName)
	if a.flags.JSON {
		return a.out.JSON(struct {
			Path string `json:"path"`
			Name string `json:"name"`
			Mode string `json:"mode"`
		}{file, c.Name, c.Mode})
	}
	a.out.Printf("made %s\nNext: write what it does, then run: skillcheck %s\n", near(file), near(dir))
	return nil
}

// lint returns the first thing that skillcheck --strict would refuse in the text
// of the new skill, which can only be its name.
func (c newCmd) lint(a *app, text []byte) error {
	checker, err := check.New(&check.Options{Strict: true})
	if err != nil {
		return err
	}
	report, err := checker.Check(a.ctx, []check.Target{{Path: c.Name, Name: c.Name, Manifest: skills.FileName, Text: text}})
	if err != nil {
		return err
	}
	for _, f := range report.Findings {
		if f.Severity == metadata.Error {
			return fmt.Errorf("the name %q: %s", c.Name, f.Message)
		}
	}
	return nil
}
