package metadata_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/metadata"
)

func TestField(t *testing.T) {
	doc, err := metadata.Parse("deploy/SKILL.md", []byte(`---
name: deploy
description: >
  Roll out.
homepage: https://example.com
metadata: {"openclaw": {"primaryEnv": "KEY", "os": ["linux", "macos"], "emoji": null}}
---
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	type found struct {
		Key, KeyPos, Pos string
		Value            any
	}
	var got []found
	add := func(f metadata.Field, ok bool) {
		if !ok {
			got = append(got, found{})
			return
		}
		got = append(got, found{f.Key, f.KeyPos.String(), f.Pos.String(), f.Value()})
	}
	add(doc.Top("description"))
	add(doc.Top("metadata"))
	add(doc.Vendor("primary_env"))
	add(doc.Vendor("homepage"))
	add(doc.Vendor("emoji"))
	os, _ := doc.Vendor("os")
	for item := range os.All() {
		add(item, true)
	}
	n := 0
	for range doc.Tops() {
		n++
	}
	for range doc.Vendors() {
		n += 10
	}
	want := []found{
		{"description", "3:1", "3:14", "Roll out.\n"},
		{"metadata", "6:1", "6:11", map[string]any{"openclaw": map[string]any{
			"primaryEnv": "KEY", "os": []any{"linux", "macos"}, "emoji": nil,
		}}},
		{"primaryEnv", "6:25", "6:39", "KEY"},
		{"homepage", "5:1", "5:11", "https://example.com"},
		{},
		{"", "-", "6:53", "linux"},
		{"", "-", "6:62", "macos"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n != 34 {
		t.Errorf("%d fields at the top, %d in the block; want 4 and 3", n%10, n/10)
	}
}
