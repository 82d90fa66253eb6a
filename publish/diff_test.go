package publish_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/publish"
)

func skillOf(files map[string]string) *publish.Skill {
	s := &publish.Skill{}
	for _, name := range []string{"!run", "SKILL.md", "a", "b", "c", "run"} {
		if text, ok := files[name]; ok {
			s.Files = append(s.Files, publish.File{Path: map[bool]string{true: "run", false: name}[name[0] == '!'], Executable: name[0] == '!', Data: []byte(text)})
		}
	}
	if len(s.Files) > 0 && s.Files[0].Path == "run" { // sorted by path
		s.Files = append(s.Files[1:], s.Files[0])
	}
	return s
}

func TestCompare(t *testing.T) {
	head := func(more, body string) string { return "---\nname: deploy\ndescription: d\n" + more + "---\n" + body }
	for _, tt := range []struct {
		name          string
		before, after map[string]string
		want          string
	}{
		{"nothing", map[string]string{"SKILL.md": manifest, "a": "1"}, map[string]string{"SKILL.md": manifest, "a": "1"},
			`{"fields":[],"body":false,"files":[]}`},
		{"added and removed", map[string]string{"SKILL.md": manifest, "a": "1"}, map[string]string{"SKILL.md": manifest, "b": "22"},
			`{"fields":[],"body":false,"files":[
{"kind":"removed","path":"a","content":true,"old_size":1,"size":0,"old_executable":false,"executable":false},
{"kind":"added","path":"b","content":true,"old_size":0,"size":2,"old_executable":false,"executable":false}]}`},
		{"renamed", map[string]string{"SKILL.md": manifest, "a": "1"}, map[string]string{"SKILL.md": manifest, "!run": "1"},
			`{"fields":[],"body":false,"files":[
{"kind":"renamed","path":"run","from":"a","content":false,"old_size":1,"size":1,"old_executable":false,"executable":true}]}`},
		{"one of two copies renamed", map[string]string{"SKILL.md": manifest, "a": "1", "b": "1"}, map[string]string{"SKILL.md": manifest, "b": "1", "c": "1"},
			`{"fields":[],"body":false,"files":[
{"kind":"renamed","path":"c","from":"a","content":false,"old_size":1,"size":1,"old_executable":false,"executable":false}]}`},
		{"copied", map[string]string{"SKILL.md": manifest, "a": "1"}, map[string]string{"SKILL.md": manifest, "a": "1", "b": "1"},
			`{"fields":[],"body":false,"files":[
{"kind":"added","path":"b","content":true,"old_size":0,"size":1,"old_executable":false,"executable":false}]}`},
		{"empty files are not renamed", map[string]string{"SKILL.md": manifest, "a": ""}, map[string]string{"SKILL.md": manifest, "b": ""},
			`{"fields":[],"body":false,"files":[
{"kind":"removed","path":"a","content":true,"old_size":0,"size":0,"old_executable":false,"executable":false},
{"kind":"added","path":"b","content":true,"old_size":0,"size":0,"old_executable":false,"executable":false}]}`},
		{"mode", map[string]string{"SKILL.md": manifest, "run": "1"}, map[string]string{"SKILL.md": manifest, "!run": "1"},
			`{"fields":[],"body":false,"files":[
{"kind":"changed","path":"run","content":false,"old_size":1,"size":1,"old_executable":false,"executable":true}]}`},
		{"fields", map[string]string{"SKILL.md": head("version: 1.0\nmetadata: {\"matrix\": {\"requires\": {\"bins\": [\"jq\"]}, \"always\": true}}\n", "B")},
			map[string]string{"SKILL.md": head("license: MIT\nmetadata: {\"matrix\": {\"requires\": {\"bins\": [\"jq\", \"yq\"]}, \"always\": true}}\n", "B")},
			`{"fields":[
{"field":"license","old":null,"new":"MIT"},
{"field":"metadata.matrix.requires.bins","old":["jq"],"new":["jq","yq"]},
{"field":"version","old":1.0,"new":null}],"body":false,"files":[
{"kind":"changed","path":"SKILL.md","content":true,"old_size":119,"size":125,"old_executable":false,"executable":false}]}`},
		{"spelling", map[string]string{"SKILL.md": head("metadata: {\"matrix\": {\"always\": true}}\n", "B")},
			map[string]string{"SKILL.md": head("# x\nmetadata:\n  matrix:\n    always: true\n", "B")},
			`{"fields":[],"body":false,"files":[
{"kind":"changed","path":"SKILL.md","content":true,"old_size":76,"size":78,"old_executable":false,"executable":false}]}`},
		{"metadata as text", map[string]string{"SKILL.md": head("metadata: '{\"matrix\": {\"always\": true}}'\n", "B")},
			map[string]string{"SKILL.md": head("metadata: '{\"matrix\": {\"always\": false}}'\n", "B")},
			`{"fields":[{"field":"metadata.matrix.always","old":true,"new":false}],"body":false,"files":[
{"kind":"changed","path":"SKILL.md","content":true,"old_size":78,"size":79,"old_executable":false,"executable":false}]}`},
		{"body", map[string]string{"SKILL.md": head("", "B")}, map[string]string{"SKILL.md": head("", "C")},
			`{"fields":[],"body":true,"files":[
{"kind":"changed","path":"SKILL.md","content":true,"old_size":37,"size":37,"old_executable":false,"executable":false}]}`},
		{"what cannot be parsed", map[string]string{"SKILL.md": "x"}, map[string]string{"SKILL.md": head("", "C")},
			`{"fields":[],"body":true,"files":[
{"kind":"changed","path":"SKILL.md","content":true,"old_size":1,"size":37,"old_executable":false,"executable":false}]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before, after := skillOf(tt.before), skillOf(tt.after)
			d := publish.Compare(before, after)
			data, err := json.Marshal(d)
			if err != nil {
				t.Fatal(err)
			}
			var got, want any
			if err := json.Unmarshal(data, &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("difference (-want +got):\n%s", diff)
			}
			if d.Empty() != (before.Digest() == after.Digest()) {
				t.Errorf("Empty is %v, but the digests say otherwise", d.Empty())
			}
		})
	}
}

func TestOpen(t *testing.T) {
	dir := write(t, sample)
	s := read(t, dir)
	for name, data := range map[string][]byte{
		"x.tar.gz": pack(t, s, publish.TarGz), "x.tgz": pack(t, s, publish.TarGz), "x.ZIP": pack(t, s, publish.Zip), "x.json": payloadOf(t, s),
	} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := publish.Open(t.Context(), file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got.Digest() != s.Digest() {
			t.Errorf("%s: another digest", name)
		}
	}
	if got, err := publish.Open(t.Context(), dir); err != nil || got.Digest() != s.Digest() {
		t.Errorf("folder: %v", err)
	}
	if _, err := publish.Open(t.Context(), filepath.Join(dir, "none")); err == nil {
		t.Error("no error for nothing")
	}
	for _, read := range []func(context.Context, string) (*publish.Skill, error){publish.Open, publish.ReadFolder} {
		_, err := read(t.Context(), filepath.Join(dir, "SKILL.md"))
		if e, ok := errors.AsType[*publish.FileError](err); !ok || !strings.Contains(e.Reason, "name the one that holds") {
			t.Errorf("a SKILL.md in place of its folder: %v", err)
		}
	}
	if runtime.GOOS != "windows" {
		if _, err := publish.Open(t.Context(), os.DevNull); err == nil {
			t.Error("no error for a device")
		}
	}
}
