package publish

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"unicode/utf8"

	"github.com/matrix-nexus/skillkit/skills"
)

const (
	// Schema is the value of the field schema of a payload.
	Schema = "skillkit.skill/1"
	// MaxPayload is the size in bytes of the largest payload. What can be
	// packed has room in it.
	MaxPayload = 96 << 20
)

// A payload is the JSON form of a skill. docs/payload.schema.json describes it.
type payload struct {
	Schema       string          `json:"schema"`
	ExecutaType  string          `json:"executa_type"`
	ToolID       string          `json:"tool_id"`
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	SkillContent string          `json:"skill_content"`
	Metadata     json.RawMessage `json:"metadata"`
	Files        []payloadFile   `json:"files"`
	Logo         string          `json:"logo"`
	Readme       string          `json:"readme"`
	Prompts      []string        `json:"sample_prompts"`
	Visibility   Visibility      `json:"visibility"`
	Version      string          `json:"version"`
}

type payloadFile struct {
	Path    string `json:"path"`
	Mode    string `json:"mode"`
	Content []byte `json:"content_b64"`
}

// Payload returns s as JSON, indented and with a line feed at the end. The same
// skill gives the same bytes, and [ReadPayload] gives the same skill.
//
// The error is that of [Skill.Header], or tells what is wrong with s.Listing.
func (s *Skill) Payload() ([]byte, error) {
	h, err := s.Header()
	if err != nil {
		return nil, err
	}
	l := s.Listing
	if err := l.check(); err != nil {
		return nil, err
	}
	p := payload{
		Schema: Schema, ExecutaType: "skill", ToolID: l.ToolID,
		Name: h.Name, Description: h.Description, Metadata: h.Metadata, Files: []payloadFile{},
		Logo: l.Logo, Readme: l.Readme, Prompts: append([]string{}, l.SamplePrompts...), Visibility: l.Visibility, Version: h.Version,
	}
	for i := range s.Files {
		f := &s.Files[i]
		if f.Path == skills.FileName {
			p.SkillContent = string(f.Data)
			continue
		}
		p.Files = append(p.Files, payloadFile{f.Path, fmt.Sprintf("%04o", f.mode()), append([]byte{}, f.Data...)})
	}
	return marshal(p)
}

// marshal returns v as indented JSON.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

// ReadPayload reads a skill from its JSON form. file names it in errors.
//
// It is strict, since a payload is a program's work: an unknown or repeated
// field, one that is missing but has no default, text that is not UTF-8, base64
// with anything but its alphabet and padding, or a file that [ReadFolder] would
// refuse or leave out is an error, as is a name, description, version or metadata
// that is not what skill_content declares. The error is a [*FileError].
func ReadPayload(ctx context.Context, file string, data []byte) (*Skill, error) {
	b := newBuilder(ctx, file)
	fail := func(err error) (*Skill, error) {
		if err == ctx.Err() {
			return nil, err
		}
		if e, ok := errors.AsType[*FileError](err); ok {
			return nil, e
		}
		return nil, &FileError{file, err.Error(), err}
	}
	if len(data) > MaxPayload {
		return fail(fmt.Errorf("more than %d MiB", MaxPayload>>20))
	}
	p, err := decodePayload(data)
	if err != nil {
		return fail(err)
	}
	all := append(p.Files, payloadFile{skills.FileName, "0644", []byte(p.SkillContent)})
	for i, f := range all {
		where := fmt.Sprintf("files[%d]: %s", i, short(f.Path))
		if i < len(p.Files) && f.Path == skills.FileName {
			return fail(fmt.Errorf("%s: its content is skill_content", where))
		}
		if err := b.claim(f.Path); err != nil {
			if e, ok := errors.AsType[*FileError](err); ok {
				err = fmt.Errorf("%s: %s", where, e.Reason)
			}
			return fail(err)
		}
		if _, _, why, _ := leaveOutBelow(f.Path, &ignorer{}); why != "" {
			return fail(fmt.Errorf("%s: %s files are not part of a skill", where, why))
		}
		if f.Mode != "0644" && f.Mode != "0755" {
			return fail(fmt.Errorf("%s: mode %s is neither \"0644\" nor \"0755\"", where, short(f.Mode)))
		}
		if err := b.add(f.Path, f.Mode == "0755", f.Content); err != nil {
			return fail(err)
		}
	}
	s, err := b.done()
	if err != nil {
		return fail(err)
	}
	s.Listing = Listing{p.ToolID, p.Logo, p.Readme, p.Prompts, p.Visibility}
	if err := s.Listing.check(); err != nil {
		return fail(err)
	}
	h, err := s.Header()
	if err != nil {
		return fail(err)
	}
	for _, f := range []struct{ name, got, want string }{
		{"name", p.Name, h.Name},
		{"description", p.Description, h.Description},
		{"version", p.Version, h.Version},
	} {
		if f.got != f.want {
			return fail(fmt.Errorf("%s is %s, but skill_content says %s", f.name, short(f.got), short(f.want)))
		}
	}
	if !sameJSON(p.Metadata, h.Metadata) {
		return fail(errors.New("metadata is not what skill_content declares"))
	}
	return s, nil
}

func sameJSON(a, b []byte) bool {
	var v [2]any
	for i, data := range [][]byte{a, b} {
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		if dec.Decode(&v[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(v[0], v[1])
}

// decodePayload decodes data, of which it checks the shape alone.
func decodePayload(data []byte) (*payload, error) {
	if !utf8.Valid(data) {
		return nil, errNotUTF8
	}
	if err := loneSurrogate(data); err != nil {
		return nil, err
	}
	fields, err := object(data, "schema", "executa_type", "tool_id", "name", "description", "skill_content", "metadata",
		"files", "logo", "readme", "sample_prompts", "visibility", "version")
	if err != nil {
		return nil, err
	}
	var p payload
	if err := decode(fields, "schema", &p.Schema); err != nil || p.Schema != Schema {
		return nil, fmt.Errorf("schema is not %q, the one that is known", Schema)
	}
	for _, name := range []string{"executa_type", "name", "description", "skill_content", "metadata", "files"} {
		if _, ok := fields[name]; !ok {
			return nil, fmt.Errorf("%s is missing", name)
		}
	}
	var files []json.RawMessage
	for _, f := range []struct {
		name string
		to   any
	}{
		{"executa_type", &p.ExecutaType}, {"tool_id", &p.ToolID}, {"name", &p.Name}, {"description", &p.Description},
		{"skill_content", &p.SkillContent}, {"metadata", &p.Metadata}, {"files", &files}, {"logo", &p.Logo},
		{"readme", &p.Readme}, {"sample_prompts", &p.Prompts}, {"visibility", &p.Visibility}, {"version", &p.Version},
	} {
		if err := decode(fields, f.name, f.to); err != nil {
			return nil, err
		}
	}
	if p.ExecutaType != "skill" {
		return nil, fmt.Errorf("executa_type is %s, not \"skill\"", short(p.ExecutaType))
	}
	if len(files) > MaxFiles {
		return nil, fmt.Errorf("files: more than %d", MaxFiles)
	}
	for i, raw := range files {
		f, err := decodeFile(raw)
		if err != nil {
			return nil, fmt.Errorf("files[%d]: %w", i, err)
		}
		p.Files = append(p.Files, f)
	}
	return &p, nil
}

func decodeFile(raw json.RawMessage) (f payloadFile, err error) {
	fields, err := object(raw, "path", "mode", "content_b64")
	if err != nil {
		return f, err
	}
	var content string
	for name, to := range map[string]*string{"path": &f.Path, "mode": &f.Mode, "content_b64": &content} {
		if _, ok := fields[name]; !ok {
			return f, fmt.Errorf("%s is missing", name)
		}
		if err := decode(fields, name, to); err != nil {
			return f, err
		}
	}
	f.Content, err = decodeBase64(content)
	return f, err
}
