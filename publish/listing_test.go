package publish_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/matrix-nexus/skillkit/publish"
)

// A listing is refused with its place, in the folder as in a payload.
func TestListing(t *testing.T) {
	prompts := func(n, size int) string {
		return `{"sample_prompts": [` + strings.Join(slices.Repeat([]string{`"` + strings.Repeat("p", size) + `"`}, n), ",") + `]}`
	}
	for text, want := range map[string]string{
		"{}":                             "",
		listing:                          "",
		prompts(publish.MaxPrompts, 1):   "",
		prompts(publish.MaxPrompts+1, 1): "sample_prompts: more than 20",
		prompts(1, publish.MaxPrompt):    "",
		prompts(1, publish.MaxPrompt+1):  "sample_prompts[0]: blank, or more than 2000 bytes",
		`{"visibility": "all"}`:          `visibility: "all" is none of private, app_bundled and public`,
		`{"visibility": ""}`:             "",
		`{"logo": "javascript:x"}`:       "logo: ",
		`{"tool_id": "` + strings.Repeat("a", 128) + `"}`: "",
		`{"tool_id": "` + strings.Repeat("a", 129) + `"}`: "tool_id: ",
		`{"name": "x"}`:          `"name" is not a field that is known`,
		`{"readme": "\ud800"}`:   "half a character",
		"{\"readme\": \"\xff\"}": "not UTF-8",
		"":                       "not JSON",
	} {
		dir := write(t, map[string]string{"SKILL.md": manifest})
		if err := os.WriteFile(filepath.Join(dir, publish.ListingFile), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if want != "" {
			refused(t, dir, publish.ListingFile, want)
		} else {
			read(t, dir)
		}
	}
}

func TestMaxPayload(t *testing.T) {
	data := payloadOf(t, read(t, write(t, map[string]string{"SKILL.md": manifest})))
	data = append(data, bytes.Repeat([]byte(" "), publish.MaxPayload-len(data))...)
	if _, err := publish.ReadPayload(t.Context(), "x", data); err != nil {
		t.Error(err)
	}
	if _, err := publish.ReadPayload(t.Context(), "x", append(data, ' ')); err == nil || err.Error() != "x: more than 96 MiB" {
		t.Errorf("error is %v", err)
	}
}
