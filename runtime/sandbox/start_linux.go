package sandbox

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// start starts the program under its limits. They are set on the program while it is
// stopped before its first instruction, and never on this process, which must live as long
// as any process inside and may need more memory than the program is allowed.
func start(o orders) (int, error) {
	runtime.LockOSThread() // only the thread that traces a process can detach from it
	defer runtime.UnlockOSThread()
	pid, err := syscall.ForkExec(o.Path, o.Argv, &syscall.ProcAttr{
		Dir: o.Dir, Env: o.Env, Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: true, Ptrace: true},
	})
	if err != nil {
		return 0, refused(step(err, "starting %s", o.Path))
	}
	for {
		var ws syscall.WaitStatus
		_, err := syscall.Wait4(pid, &ws, 0, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || !ws.Stopped() {
			return 0, fmt.Errorf("starting %s: it ended before its limits were set", o.Path)
		}
		break
	}
	if err := bound(pid, o.Limits); err != nil {
		return 0, err
	}
	return pid, step(syscall.PtraceDetach(pid), "releasing %s", o.Path)
}

// noDumps switches off core dumps for this process and its descendants. The seccomp filter
// then prevents changes to that limit. One byte is too little for a dump to a file and,
// unlike 0, prevents the kernel from passing the dump to a program of the host; see
// core(5).
func noDumps() error {
	var have unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CORE, &have); err != nil {
		return step(err, "reading the limit on core dumps")
	}
	limit := min(1, have.Max)
	return step(unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: limit, Max: limit}), "switching core dumps off")
}

// bound sets the limits of a process, which its children inherit; 0 means this process.
func bound(pid int, l Limits) error {
	for _, r := range []struct {
		resource int
		limit    uint64
		what     string
	}{
		{unix.RLIMIT_FSIZE, l.FileSize, "file size"},
		{unix.RLIMIT_NPROC, l.Processes, "processes"},
	} {
		if r.limit == 0 {
			continue
		}
		var have unix.Rlimit
		if err := unix.Prlimit(pid, r.resource, nil, &have); err != nil {
			return step(err, "reading the limit on %s", r.what)
		}
		limit := min(r.limit, have.Max)
		if err := unix.Prlimit(pid, r.resource, &unix.Rlimit{Cur: limit, Max: limit}, nil); err != nil {
			return step(err, "limiting %s", r.what)
		}
	}
	return nil
}
