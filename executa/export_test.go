package executa

import "time"

// SetBackoff makes restarts quick.
func SetBackoff(h *Host, d time.Duration) { h.backoff = d }
