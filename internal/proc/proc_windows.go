package proc

import (
	"os/exec"

	"golang.org/x/sys/windows"
)

func setGroup(*exec.Cmd) error { return nil }

// awaitExit waits for the command to end. Its id is not given to another process
// meanwhile, since cmd holds a handle of it.
func awaitExit(cmd *exec.Cmd) {
	handle, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(cmd.Process.Pid))
	if err != nil {
		return // as if it had ended: it is killed then
	}
	defer windows.CloseHandle(handle)
	_, _ = windows.WaitForSingleObject(handle, windows.INFINITE)
}

// terminate ends the process at once: there is no way to ask it that all
// programs know.
func terminate(cmd *exec.Cmd) { kill(cmd) }

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func hasMembers(*exec.Cmd) bool { return false }
