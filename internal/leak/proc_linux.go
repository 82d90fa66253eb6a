package leak

import (
	"bytes"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// processes returns the descendants of this process, and all processes that have
// env in their environment, unless it is empty. Of those that have ended, it
// returns the children of this process only: nobody else can wait for those.
func processes(env string) []process {
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	self := os.Getpid()
	parents := map[int]int{}
	all := map[int]process{}
	for _, d := range dirs {
		pid, err := strconv.Atoi(d.Name())
		if err != nil || pid == self {
			continue
		}
		stat, err := os.ReadFile("/proc/" + d.Name() + "/stat")
		if err != nil {
			continue // it has ended
		}
		// The name in it may hold spaces and parentheses.
		end := bytes.LastIndexByte(stat, ')')
		fields := strings.Fields(string(stat[end+1:]))
		if len(fields) < 20 {
			continue
		}
		parents[pid], _ = strconv.Atoi(fields[1])
		state := fields[0]
		name, _ := os.ReadFile("/proc/" + d.Name() + "/cmdline")
		text := strings.TrimSpace(string(bytes.ReplaceAll(name, []byte{0}, []byte{' '})))
		if text == "" {
			text = string(stat[bytes.IndexByte(stat, '(') : end+1])
		}
		all[pid] = process{pid, fields[19], state == "Z" || state == "X", text + ", state " + state}
	}
	descends := func(pid int) bool {
		// The tree may change while it is read, so that there can be a loop.
		for range len(parents) {
			if pid = parents[pid]; pid == self {
				return true
			}
		}
		return false
	}
	var found []process
	for pid, p := range all {
		if p.zombie && parents[pid] == self || !p.zombie && (descends(pid) || marked(pid, env)) {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(a, b process) int { return a.pid - b.pid })
	return found
}

// marked reports whether a process was started with env in its environment.
func marked(pid int, env string) bool {
	if env == "" {
		return false
	}
	file := "/proc/" + strconv.Itoa(pid) + "/environ"
	data, err := os.ReadFile(file)
	// A process that is just being replaced by another program has none.
	for n := 0; len(data) == 0 && err == nil && n < 100; n++ {
		runtime.Gosched()
		data, err = os.ReadFile(file)
	}
	return err == nil && slices.Contains(strings.Split(string(data), "\x00"), env)
}
