package publish_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/matrix-nexus/skillkit/publish"
)

const listing = `{"tool_id": "skill-ana-deploy-x1", "logo": "https://example.com/a.png", "readme": "# Deploy\n<b>é</b>", "sample_prompts": ["Deploy it"], "visibility": "public"}`

func payloadOf(t testing.TB, s *publish.Skill) []byte {
	t.Helper()
	data, err := s.Payload()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func schema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", "payload.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	c.AssertContent()
	if err := c.AddResource("payload.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("payload.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// roundTrips are skills whose payload gives them back byte for byte.
var roundTrips = map[string]map[string]string{
	"SKILL.md alone": {"SKILL.md": manifest},
	"all fields":     {"SKILL.md": manifest, ".listing.json": listing, "a.txt": "a", "!bin/run": "#!/bin/sh\n"},
	"metadata": {"SKILL.md": "---\nname: deploy\nversion: 1.10\ndescription: \"a <b> & \\u2028 é\"\n" +
		"metadata: {\"matrix\": {\"requires\": {\"bins\": [\"jq\"]}, \"n\": 1.50, \"big\": 12345678901234567890, \"b\": true, \"none\": null}}\n---\n"},
	"metadata as a mapping":    {"SKILL.md": "---\nname: deploy\ndescription: d\nmetadata:\n  openclaw:\n    os: [linux]\n    f: .inf\n    1: x\n---\n"},
	"metadata as text":         {"SKILL.md": "---\nname: deploy\ndescription: d\nmetadata: '{\"matrix\": {\"always\": true}}'\n---\n"},
	"metadata without a block": {"SKILL.md": "---\nname: deploy\ndescription: d\nmetadata:\n  author: ana\n  version: \"1\"\n---\n"},
	"byte order mark and CRLF": {"SKILL.md": "\ufeff---\r\nname: deploy\r\ndescription: d\r\n---\r\n\ttab\u2028\u0001\x7f<>&\r\n"},
	"repaired":                 {"SKILL.md": "---\nname: deploy\ndescription: Deploy: now\n---\n"},
	"bytes":                    {"SKILL.md": manifest, "empty": "", "zero": "\x00\xff\n", "é": "é"},
}

// Export, import and export again: the same bytes, and the same folder.
func TestPayloadRoundTrip(t *testing.T) {
	schema := schema(t)
	for name, files := range roundTrips {
		t.Run(name, func(t *testing.T) {
			s := read(t, write(t, files))
			data := payloadOf(t, s)
			back, err := publish.ReadPayload(t.Context(), "deploy.json", data)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(s.Files, back.Files); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			dir := filepath.Join(t.TempDir(), "again")
			if err := back.WriteFolder(t.Context(), dir, false); err != nil {
				t.Fatal(err)
			}
			again := read(t, dir)
			if diff := cmp.Diff(string(data), string(payloadOf(t, again))); diff != "" {
				t.Errorf("payload (-want +got):\n%s", diff)
			}
			if s.Digest() != back.Digest() || s.Digest() != again.Digest() {
				t.Error("the digests differ")
			}
			v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(v); err != nil {
				t.Errorf("not by the schema: %v\n%s", err, data)
			}
		})
	}
}

// with returns the payload of a small skill in which the field is value, or
// missing if value is nil.
func with(t testing.TB, field string, value any) []byte {
	t.Helper()
	data := payloadOf(t, read(t, write(t, map[string]string{"SKILL.md": manifest, "a.txt": "a"})))
	fields := map[string]any{}
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	fields[field] = value
	if value == nil {
		delete(fields, field)
	}
	data, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestReadPayloadRefuses(t *testing.T) {
	file := func(path, mode, content string) any {
		return []any{map[string]any{"path": path, "mode": mode, "content_b64": content}}
	}
	schema := schema(t)
	for _, tt := range []struct {
		name   string
		data   []byte
		want   string
		schema bool // the schema allows it
	}{
		{"empty", nil, "not JSON", false},
		{"a list", []byte("[]"), "not a JSON object", false},
		{"cut off", with(t, "x", "y")[:50], "not JSON", false},
		{"more after it", append(with(t, "logo", ""), '1'), "more follows", false},
		{"another schema", with(t, "schema", "skillkit.skill/2"), "schema is not", false},
		{"no schema", with(t, "schema", nil), "schema is not", false},
		{"another type", with(t, "executa_type", "tool"), "executa_type", false},
		{"no content", with(t, "skill_content", nil), "skill_content is missing", false},
		{"no files", with(t, "files", nil), "files is missing", false},
		{"an unknown field", with(t, "extra", 1), `"extra" is not a field`, false},
		{"a field in another case", with(t, "Logo", ""), `"Logo" is not a field`, false},
		{"a field twice", bytes.Replace(with(t, "logo", ""), []byte(`{`), []byte(`{"logo": "https://a.example/",`), 1), "logo is there twice", true},
		{"null", bytes.Replace(with(t, "logo", ""), []byte(`"logo":""`), []byte(`"logo":null`), 1), "logo is null", false},
		{"another type of value", with(t, "name", 1), "name: a number", false},
		{"half a character", bytes.Replace(with(t, "readme", "QQ"), []byte("QQ"), []byte(`\\\ud800\u0041`), 1), "half a character", true},
		{"bytes that are not UTF-8", bytes.Replace(with(t, "readme", "QQ"), []byte("QQ"), []byte("\xff"), 1), "not UTF-8", true},
		{"another name", with(t, "name", "other"), `name is "other", but skill_content says "deploy"`, true},
		{"another description", with(t, "description", "other"), "description is", true},
		{"another version", with(t, "version", "1"), "version is", true},
		{"other metadata", with(t, "metadata", map[string]any{"always": true}), "metadata is not what", true},
		{"metadata of another type", with(t, "metadata", []any{}), "metadata is not what", false},
		{"content without frontmatter", with(t, "skill_content", "Body."), "deploy.json/SKILL.md:1:1: no frontmatter", true},
		{"content without description", with(t, "skill_content", "---\nname: deploy\n---\n"), "no description", true},
		{"content without name", with(t, "skill_content", "---\ndescription: d\n---\n"), "no name", true},
		{"content with a name that leads outside", with(t, "skill_content", "---\nname: ../x\ndescription: d\n---\n"), "the name", true},
		{"visibility", with(t, "visibility", "all"), "visibility", false},
		{"tool_id", with(t, "tool_id", "../x"), "tool_id", false},
		{"logo", with(t, "logo", "http://example.com/a.png"), "logo", false},
		{"logo with a password", with(t, "logo", "https://a:b@example.com/"), "logo", true},
		{"a blank prompt", with(t, "sample_prompts", []string{" "}), "sample_prompts[0]", false},
		{"prompts", with(t, "sample_prompts", "x"), "sample_prompts", false},
		{"files that are none", with(t, "files", []any{1}), "files[0]", false},
		{"a file without mode", with(t, "files", []any{map[string]any{"path": "a", "content_b64": ""}}), "files[0]: mode is missing", false},
		{"a file with more", with(t, "files", []any{map[string]any{"path": "a", "mode": "0644", "content_b64": "", "size": 1}}), `files[0]: "size"`, false},
		{"mode", with(t, "files", file("a", "4755", "")), "mode", false},
		{"base64", with(t, "files", file("a", "0644", "!")), "content_b64", false},
		{"base64 for URLs", with(t, "files", file("a", "0644", "_-8=")), "content_b64", false},
		{"base64 without padding", with(t, "files", file("a", "0644", "YQ")), "content_b64", false},
		{"base64 with a line break", with(t, "files", file("a", "0644", "YWFh\nYWFh")), "content_b64", false},
		{"base64 with bits at the end", with(t, "files", file("a", "0644", "YR==")), "content_b64", true},
		{"SKILL.md twice", with(t, "files", file("SKILL.md", "0644", "")), "its content is skill_content", false},
		{"SKILL.md in another case", with(t, "files", file("skill.MD", "0644", "")), "the same name", true},
		{"case 119 up", with(t, "files", file("../x", "0644", "")), `".."`, false},
		{"case 119 up inside", with(t, "files", file("foo/../../x", "0644", "")), `".."`, false},
		{"case 119 absolute", with(t, "files", file("/etc/passwd", "0644", "")), "absolute", false},
		{"case 119 backslashes", with(t, "files", file(`..\..\x`, "0644", "")), "Windows refuses", false},
		{"case 121 drive", with(t, "files", file(`C:/Windows`, "0644", "")), "Windows refuses", false},
		{"case 121 rooted", with(t, "files", file(`\SKILL.md`, "0644", "")), "Windows refuses", false},
		{"an empty path", with(t, "files", file("", "0644", "")), "empty", false},
		{"an empty component", with(t, "files", file("a//b", "0644", "")), "component", false},
		{"a folder", with(t, "files", file("a/", "0644", "")), "component", false},
		{"a control character", with(t, "files", file("a\x1bb", "0644", "")), "control", false},
		{"a device", with(t, "files", file("NUL.txt", "0644", "")), "reserved", true},
		{"a blank at the end", with(t, "files", file("a ", "0644", "")), "Windows drops", true},
		{"git's", with(t, "files", file(".git/hooks/pre-commit", "0755", "")), "hidden files", false},
		{"credentials", with(t, "files", file("sub/prod.env", "0644", "")), "secret files", true},
		{"a listing", with(t, "files", file(".listing.json", "0644", "")), "hidden files", false},
		{"a file below a file", with(t, "files", []any{
			map[string]any{"path": "a", "mode": "0644", "content_b64": ""},
			map[string]any{"path": "a/b", "mode": "0644", "content_b64": ""},
		}), "there twice", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := publish.ReadPayload(t.Context(), "deploy.json", tt.data)
			e, ok := errors.AsType[*publish.FileError](err)
			if !ok || !strings.Contains(e.Error(), tt.want) || !strings.HasPrefix(e.Path, "deploy.json") {
				t.Errorf("error is %v, want %q", err, tt.want)
			}
			if v, err := jsonschema.UnmarshalJSON(bytes.NewReader(tt.data)); err == nil {
				if err := schema.Validate(v); (err == nil) != tt.schema {
					t.Errorf("the schema says %v", err)
				}
			}
		})
	}
}

// What the defaults are for may be left out.
func TestReadPayloadDefaults(t *testing.T) {
	for _, field := range []string{"tool_id", "logo", "readme", "sample_prompts", "visibility", "version"} {
		s, err := publish.ReadPayload(t.Context(), "deploy.json", with(t, field, nil))
		if err != nil {
			t.Errorf("%s: %v", field, err)
		} else if s.Listing.Visibility != publish.Private {
			t.Errorf("%s: visibility %q", field, s.Listing.Visibility)
		}
	}
}

func FuzzReadPayload(f *testing.F) {
	for _, files := range roundTrips {
		f.Add(payloadOf(f, read(f, write(f, files))))
	}
	f.Add([]byte(`{"schema":"skillkit.skill/1","skill_content":"\ud800"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := publish.ReadPayload(t.Context(), "x.json", data)
		if err != nil {
			if _, ok := errors.AsType[*publish.FileError](err); !ok || s != nil {
				t.Fatalf("skill %v and error %T: %v", s, err, err)
			}
			return
		}
		first := payloadOf(t, s)
		again, err := publish.ReadPayload(t.Context(), "x.json", first)
		if err != nil {
			t.Fatalf("its own payload is refused: %v", err)
		}
		if !bytes.Equal(first, payloadOf(t, again)) || s.Digest() != again.Digest() {
			t.Fatal("the round trip changes the payload")
		}
	})
}
