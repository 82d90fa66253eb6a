package install

import "time"

// A Receipt records a step that was begun. It is written before the step
// begins, so that none that was begun is without one, and again when it ends.
type Receipt struct {
	Step    Step         `json:"step"` // its Skills are those that use it now
	State   ReceiptState `json:"state"`
	Started time.Time    `json:"started"`
	Ended   time.Time    `json:"ended,omitzero"`
	Error   string       `json:"error,omitempty"`
	// Files are the absolute paths that the step put in place, as far as it
	// is for this package to remove them: links, programs built by go, the
	// folder of a download.
	Files []string `json:"files,omitempty"`
	// SHA256 is that of what was downloaded, in lower-case hex.
	SHA256 string `json:"sha256,omitempty"`
}
