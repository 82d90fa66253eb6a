// Package jsonrpc frames JSON-RPC 2.0 messages as lines, as the Executa protocol
// has them: one object a line, ended by LF.
//
// Decoding checks that a line is JSON and finds the parts of the message in one
// pass; the parts stay as they stand in the text, so that ids are echoed byte for
// byte and numbers keep their digits.
package jsonrpc
