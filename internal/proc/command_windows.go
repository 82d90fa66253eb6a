package proc

import (
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/windows"
)

// Command returns the command that runs the program at a path with argv, the first
// of which is what the program sees as its name. On Windows a batch file is run by
// cmd.exe; the error then wraps [ErrUnquotable].
func Command(program string, argv []string) (*exec.Cmd, error) {
	if !IsBatch(program) {
		return &exec.Cmd{Path: program, Args: argv}, nil
	}
	system, err := windows.GetSystemDirectory() // not what ComSpec says
	if err != nil {
		return nil, err
	}
	shell := filepath.Join(system, "cmd.exe")
	line, err := BatchLine(shell, program, argv[1:])
	if err != nil {
		return nil, err
	}
	return &exec.Cmd{Path: shell, SysProcAttr: &syscall.SysProcAttr{CmdLine: line}}, nil
}
