//go:build !windows

package proc

import "os/exec"

// Command returns the command that runs the program at a path with argv, the first
// of which is what the program sees as its name. On Windows a batch file is run by
// cmd.exe; the error then wraps [ErrUnquotable].
func Command(program string, argv []string) (*exec.Cmd, error) {
	return &exec.Cmd{Path: program, Args: argv}, nil
}
