//go:build !unix

package bundled_test

import "testing"

func postgresKit(t *testing.T) func(*testing.T) box {
	t.Skip("the server is started on a Unix socket")
	return nil
}
