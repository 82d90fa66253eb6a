//go:build unix && !linux

package proc_test

// adopt is a role of tests on Linux.
func adopt() {}
