package proc

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// awaitExit waits for the command to end and does not reap it.
func awaitExit(cmd *exec.Cmd) {
	for unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

// hasMembers reports whether the group of the command holds a process that has
// not ended. It is for politeness only, since SIGKILL follows in any case;
// without /proc it is false.
//
// kill(2) cannot tell: a process that has ended and is not reaped, as is the
// command itself, is a member.
func hasMembers(cmd *exec.Cmd) bool {
	dir, err := os.Open("/proc")
	if err != nil {
		return false
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	group := strconv.Itoa(cmd.Process.Pid)
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' || name == group {
			continue
		}
		stat, err := os.ReadFile(filepath.Join("/proc", name, "stat"))
		if err != nil {
			continue // it has ended
		}
		// proc_pid_stat(5): pid (comm) state ppid pgrp …, where comm may hold
		// anything.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 2 && string(fields[2]) == group && fields[0][0] != 'Z' && fields[0][0] != 'X' {
			return true
		}
	}
	return false
}
