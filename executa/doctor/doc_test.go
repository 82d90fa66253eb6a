package doctor_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/matrix-nexus/skillkit/executa/doctor"
)

func TestChecksAreDocumented(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, m := range regexp.MustCompile(`(?m)^//\t([a-z-]+)  `).FindAllSubmatch(text, -1) {
		want = append(want, string(m[1]))
	}
	for _, c := range doctor.JudgeTranscript("", "", "").Checks {
		got = append(got, c.ID)
		if c.Title == "" || c.Source == "" {
			t.Errorf("%s lacks a title or a source", c.ID)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("checks of doc.go (-want +got):\n%s", diff)
	}
}
