package main

import "errors"

func (a *app) checklist() (bool, error) { return false, errors.New("not yet") }
