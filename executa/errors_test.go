package executa_test

import (
	"testing"

	"github.com/matrix-nexus/skillkit/executa"
)

// Who reads that a credential is missing can set it as the message says.
func TestCredentialError(t *testing.T) {
	for _, tt := range []struct {
		missing []string
		want    string
	}{
		{[]string{"NOTES_TOKEN"}, `plugin "notes" needs NOTES_TOKEN: set it with "skills auth set --plugin notes NOTES_TOKEN"`},
		{[]string{"A", "B"}, `plugin "notes" needs A, B: set it with "skills auth set --plugin notes A"`},
		{nil, `plugin "notes" needs `},
	} {
		if got := (&executa.CredentialError{Plugin: "notes", Missing: tt.missing}).Error(); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
