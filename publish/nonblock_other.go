//go:build !unix

package publish

const nonblock = 0
