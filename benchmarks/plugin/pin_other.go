//go:build !linux

package main

import "errors"

func pin() (undo func(), err error) { return nil, errors.New("pinning needs Linux") }
