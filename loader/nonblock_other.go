//go:build !unix

package loader

const nonblock = 0
