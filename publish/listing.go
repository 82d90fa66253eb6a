package publish

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"
)

// ListingFile is the name of the file in a skill's folder that holds its
// [Listing] as a JSON object. It is not packed and does not count for the
// digest.
const ListingFile = ".listing.json"

const (
	// maxListing is the size in bytes of the largest ListingFile.
	maxListing = 1 << 20
	// MaxPrompts is the number of sample prompts, and MaxPrompt the size in
	// bytes of the longest one.
	MaxPrompts = 20
	MaxPrompt  = 2000
)

// A Listing is what a catalogue shows of a skill, or needs to place it, besides
// what SKILL.md says.
type Listing struct {
	// ToolID is the identity that the platform minted, or empty.
	ToolID string `json:"tool_id"`
	// Logo is the https URL of a picture, or empty.
	Logo string `json:"logo"`
	// Readme is Markdown for people, or empty.
	Readme string `json:"readme"`
	// SamplePrompts are what a user may say to try the skill.
	SamplePrompts []string `json:"sample_prompts"`
	// Visibility says who can install it. Empty means [Private].
	Visibility Visibility `json:"visibility"`
}

// A Visibility says who sees and can install a skill.
type Visibility string

const (
	Private    Visibility = "private"     // the author
	AppBundled Visibility = "app_bundled" // whoever installs an app that bundles it
	Public     Visibility = "public"      // all
)

// toolID is what an identity of the platform looks like.
var toolID = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._:-]{0,127}$`)

// check says what is wrong with l, and fills in the default visibility.
func (l *Listing) check() error {
	switch l.Visibility {
	case "":
		l.Visibility = Private
	case Private, AppBundled, Public:
	default:
		return fmt.Errorf("visibility: %s is none of %s, %s and %s", short(string(l.Visibility)), Private, AppBundled, Public)
	}
	if l.ToolID != "" && !toolID.MatchString(l.ToolID) {
		return fmt.Errorf("tool_id: %s is not an identity, which is a letter and up to 127 letters, digits and any of . _ : -", short(l.ToolID))
	}
	if l.Logo != "" {
		u, err := url.Parse(l.Logo)
		if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || len(l.Logo) > 2048 {
			return fmt.Errorf("logo: %s is not an https URL of at most 2048 bytes", short(l.Logo))
		}
	}
	if len(l.Readme) > maxListing {
		return fmt.Errorf("readme: more than %d bytes", maxListing)
	}
	if len(l.SamplePrompts) > MaxPrompts {
		return fmt.Errorf("sample_prompts: more than %d", MaxPrompts)
	}
	for i, p := range l.SamplePrompts {
		if strings.TrimSpace(p) == "" || len(p) > MaxPrompt {
			return fmt.Errorf("sample_prompts[%d]: blank, or more than %d bytes", i, MaxPrompt)
		}
	}
	return nil
}

// empty reports whether l says nothing.
func (l *Listing) empty() bool {
	return l.ToolID == "" && l.Logo == "" && l.Readme == "" && len(l.SamplePrompts) == 0 && (l.Visibility == "" || l.Visibility == Private)
}

// parseListing reads a ListingFile.
func parseListing(data []byte) (Listing, error) {
	var l Listing
	if !utf8.Valid(data) {
		return l, errNotUTF8
	}
	if err := loneSurrogate(data); err != nil {
		return l, err
	}
	fields, err := object(data, "tool_id", "logo", "readme", "sample_prompts", "visibility")
	if err != nil {
		return l, err
	}
	return l, l.decode(fields)
}

// decode takes the fields of l out of those of an object.
func (l *Listing) decode(fields map[string]json.RawMessage) error {
	for name, to := range map[string]any{
		"tool_id": &l.ToolID, "logo": &l.Logo, "readme": &l.Readme, "sample_prompts": &l.SamplePrompts, "visibility": &l.Visibility,
	} {
		if err := decode(fields, name, to); err != nil {
			return err
		}
	}
	return l.check()
}
