//go:build !unix

package jsonrpc

const canTry = false

func tryWrite(uintptr, []byte) (int, error) { panic("jsonrpc: not called where canTry is false") }
