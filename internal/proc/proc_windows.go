package proc

import (
	"fmt"
	"os/exec"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A tree is a command in a job: what it starts is in the job too, and all of it
// ends when the job is closed, be it because this program ends.
type tree struct {
	cmd *exec.Cmd
	job windows.Handle
}

func newTree(cmd *exec.Cmd, _ string) (*tree, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("a job for the processes: %w", err)
	}
	t := &tree{cmd: cmd, job: job}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		t.close()
		return nil, fmt.Errorf("the limits of a job: %w", err)
	}
	var attr syscall.SysProcAttr
	if cmd.SysProcAttr != nil {
		attr = *cmd.SysProcAttr
	}
	attr.CreationFlags |= windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP
	cmd.SysProcAttr = &attr
	return t, nil
}

// start starts the command: not before it is in the job, or what it starts first
// could be outside.
func (t *tree) start() error {
	if err := t.cmd.Start(); err != nil {
		t.close()
		return err
	}
	var assignErr error
	err := t.cmd.Process.WithHandle(func(process uintptr) {
		assignErr = windows.AssignProcessToJobObject(t.job, windows.Handle(process))
	})
	if err == nil {
		err = assignErr
	}
	if err == nil {
		err = resume(uint32(t.cmd.Process.Pid))
	}
	if err != nil {
		_ = t.cmd.Process.Kill()
		_ = t.cmd.Wait()
		t.close()
		return fmt.Errorf("putting the process into a job: %w", err)
	}
	return nil
}

// resume lets a process run that was started suspended. os/exec has closed the
// handle of its thread, which is the only one it has.
func resume(pid uint32) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(snapshot, &entry); err == nil; err = windows.Thread32Next(snapshot, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		defer windows.CloseHandle(thread)
		_, err = windows.ResumeThread(thread)
		return err
	}
	return fmt.Errorf("its thread: %w", err)
}

// awaitExit waits for the command to end. Its id is not given to another process
// meanwhile, since cmd holds a handle of it.
func (t *tree) awaitExit() {
	handle, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(t.cmd.Process.Pid))
	if err != nil {
		return // as if it had ended: it is killed then
	}
	defer windows.CloseHandle(handle)
	_, _ = windows.WaitForSingleObject(handle, windows.INFINITE)
}

// terminate sends CTRL_BREAK, which ends a program that does not know better. It
// reaches those that share the console of this program, if it has one.
func (t *tree) terminate() bool {
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(t.cmd.Process.Pid)) == nil
}

func (t *tree) kill() { _ = windows.TerminateJobObject(t.job, 1) }

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION of winnt.h.
type accounting struct {
	userTime, kernelTime             int64
	periodUserTime, periodKernelTime int64
	pageFaults                       uint32
	processes, active, terminated    uint32
}

// hasMembers reports whether a process of the job runs, when the command has
// ended.
func (t *tree) hasMembers() bool {
	var a accounting
	err := windows.QueryInformationJobObject(t.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&a)), uint32(unsafe.Sizeof(a)), nil)
	return err == nil && a.active > 0
}

func (t *tree) reap(<-chan time.Time) {}

func (t *tree) close() { _ = windows.CloseHandle(t.job) }
