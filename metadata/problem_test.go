package metadata_test

import (
	"encoding/json"
	"testing"

	"github.com/matrix-nexus/skillkit/metadata"
)

func TestProblem(t *testing.T) {
	p := metadata.Problem{
		Code: "bom", Severity: metadata.Warning, File: "a/SKILL.md",
		Position: metadata.Position{Line: 2, Column: 3}, Message: "text",
	}
	if got, want := p.String(), "a/SKILL.md:2:3: text"; got != want {
		t.Errorf("String = %q, want %q", got, want)
	}
	js, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(js), `{"code":"bom","severity":"warning","file":"a/SKILL.md","line":2,"column":3,"message":"text"}`; got != want {
		t.Errorf("JSON = %s, want %s", got, want)
	}
	p.Position = metadata.Position{}
	if got, want := p.String(), "a/SKILL.md: text"; got != want {
		t.Errorf("String = %q, want %q", got, want)
	}
	if got := p.Position.String(); got != "-" {
		t.Errorf("the zero Position is %q", got)
	}
	q := p
	q.Line = 1
	if p.Compare(q) >= 0 || q.Compare(p) <= 0 || p.Compare(p) != 0 {
		t.Errorf("Compare: a problem of the whole file must come first")
	}
	if got := metadata.Severity(7).String(); got != "Severity(7)" {
		t.Errorf("an unknown severity is %q", got)
	}
}

func TestKey(t *testing.T) {
	m := metadata.Manifest{Name: "demo"}
	if got := m.Key(); got != "demo" {
		t.Errorf("Key = %q, want the name", got)
	}
	m.SkillKey = "k"
	if got := m.Key(); got != "k" {
		t.Errorf("Key = %q, want skill_key", got)
	}
}
