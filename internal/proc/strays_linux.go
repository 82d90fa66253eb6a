package proc

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// A process is one that /proc shows.
type process struct {
	pid, parent, group int
	dead               bool   // it has ended and is not reaped
	start              uint64 // ticks since the machine was started
}

// processes returns all processes, or none without /proc.
func processes() []process {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	list := make([]process, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if p, ok := processOf(pid); ok {
				list = append(list, p)
			}
		}
	}
	return list
}

func processOf(pid int) (p process, ok bool) {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return p, false // it has ended
	}
	// proc_pid_stat(5): pid (comm) state ppid pgrp …, where comm may hold
	// anything.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	const state, parent, group, threads, start = 0, 1, 2, 17, 19
	if len(fields) <= start {
		return p, false
	}
	p.pid = pid
	p.parent, _ = strconv.Atoi(string(fields[parent]))
	p.group, _ = strconv.Atoi(string(fields[group]))
	p.start, _ = strconv.ParseUint(string(fields[start]), 10, 64)
	// The first thread can end before the others.
	n, _ := strconv.Atoi(string(fields[threads]))
	p.dead = fields[state][0] == 'X' || fields[state][0] == 'Z' && n <= 1
	return p, true
}

// strays are processes that left the group of a command, by id. On Linux 5.4 and
// later an os.Process holds a pidfd, so that what is done to it is done to no
// other process that has got its id.
type strays map[int]*os.Process

func (s strays) signal(sig syscall.Signal) {
	for _, p := range s {
		_ = p.Signal(sig)
	}
}

func (s strays) close() {
	for _, p := range s {
		_ = p.Release()
	}
}

// look adds to t.strays what has left the group of a marked command and not ended,
// and reports whether there was a new one.
func (t *tree) look() (found bool) {
	if t.mark == "" {
		return false
	}
	leader, ok := processOf(t.cmd.Process.Pid)
	if !ok {
		return false
	}
	self := unix.Getpid()
	children := map[int][]process{} // by parent
	for _, p := range processes() {
		// None is older than the command. Ticks are long: one may be as old.
		if p.dead || p.start < leader.start || p.pid == leader.pid || p.pid == self {
			continue
		}
		children[p.parent] = append(children[p.parent], p)
		if p.group != leader.pid && t.strays[p.pid] == nil && marked(p.pid, t.mark) {
			if handle := openProcess(p.pid); handle != nil {
				// Its id may have been another's before.
				if marked(p.pid, t.mark) {
					t.strays[p.pid], found = handle, true
				} else {
					_ = handle.Release()
				}
			}
		}
	}
	parents := []*os.Process{t.cmd.Process}
	for _, p := range t.strays {
		parents = append(parents, p)
	}
	return t.lookBelow(parents, children, leader.pid) || found
}

// lookBelow adds the descendants of parents that are not in the group.
func (t *tree) lookBelow(parents []*os.Process, children map[int][]process, group int) (found bool) {
	seen := map[int]bool{}
	var members strays = strays{} // of the group: nothing to add, but their children
	defer members.close()
	for len(parents) > 0 {
		parent := parents[0]
		parents = parents[1:]
		for _, p := range children[parent.Pid] {
			if seen[p.pid] || t.strays[p.pid] != nil {
				continue
			}
			seen[p.pid] = true
			handle := openProcess(p.pid)
			if handle == nil {
				continue
			}
			// That it is a child of the parent holds if both are still
			// who they were.
			now, ok := processOf(p.pid)
			if !ok || now.parent != parent.Pid || parent.Signal(syscall.Signal(0)) != nil {
				_ = handle.Release()
				continue
			}
			parents = append(parents, handle)
			if now.group == group {
				members[p.pid] = handle
			} else {
				t.strays[p.pid], found = handle, true
			}
		}
	}
	return found
}

func openProcess(pid int) *os.Process {
	p, err := os.FindProcess(pid)
	if err != nil {
		return nil
	}
	return p
}

// marked reports whether a process has an entry in its environment. That of other
// users' cannot be read.
func marked(pid int, entry string) bool {
	environ, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil {
		return false
	}
	for e := range bytes.SplitSeq(environ, []byte{0}) {
		if string(e) == entry {
			return true
		}
	}
	return false
}
