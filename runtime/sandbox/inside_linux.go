package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// The names under which this program starts itself again.
const (
	insideName = "evolve-sandbox-init"
	probeName  = "evolve-sandbox-probe"
)

// control is the descriptor of the socket between the two sides: orders in,
// reports out. Its closing is the death of whoever started the sandbox.
const control = 3

// orders is what the inside is told to do.
type orders struct {
	Pieces  []piece  `json:"pieces"`
	Path    string   `json:"path"`
	Argv    []string `json:"argv"`
	Env     []string `json:"env"`
	Dir     string   `json:"dir"`
	Network bool     `json:"network"`
	Limits  Limits   `json:"limits"`
}

// report is what the inside tells: first how the start went, then how it ended.
type report struct {
	Started bool `json:"started,omitempty"`
	// Doing, Errno and Text say what failed; Errno 0 is none of the system's.
	Doing string `json:"doing,omitempty"`
	Errno int    `json:"errno,omitempty"`
	Text  string `json:"text,omitempty"`
	// Program says that it was the execution of the program.
	Program bool  `json:"program,omitempty"`
	Exit    *Exit `json:"exit,omitempty"`
}

// called says that Init was called, without which a program that starts itself
// again would do its whole work over, in ever deeper sandboxes.
var called bool

// Init makes this process the inside of a sandbox when it was started as one, and
// then never returns. A program that uses this package calls it first thing in
// main, and first thing in TestMain.
func Init() {
	called = true
	switch {
	case os.Args[0] == insideName:
		inside()
	case len(os.Args) == 2 && os.Args[1] == probeName:
		os.Exit(0)
	}
}

// inside is the first process of the namespaces: it builds the root, gives up
// every right, starts the program, reaps what is orphaned, and reports the end. Its
// own end is that of everything inside.
func inside() {
	runtime.LockOSThread() // rights are a thread's
	syscall.CloseOnExec(control)
	socket := os.NewFile(control, "control")
	tell := func(r report) {
		if err := json.NewEncoder(socket).Encode(r); err != nil {
			os.Exit(1) // nobody is there any more
		}
	}
	var o orders
	in := json.NewDecoder(socket)
	if err := in.Decode(&o); err != nil {
		os.Exit(1)
	}
	go func() {
		_, _ = io.Copy(io.Discard, socket) // ends with the other side
		os.Exit(1)
	}()
	pid, err := enter(o)
	if err != nil {
		r := report{Text: err.Error()}
		var step *stepError
		if errors.As(err, &step) {
			r = report{Doing: step.doing, Errno: int(step.errno)}
		}
		r.Program = errors.Is(err, ErrProgram)
		tell(r)
		os.Exit(1)
	}
	tell(report{Started: true})
	for {
		var ws syscall.WaitStatus
		ended, err := syscall.Wait4(-1, &ws, 0, nil)
		if errors.Is(err, syscall.EINTR) || err == nil && ended != pid {
			continue
		}
		exit := Exit{Code: -1}
		if ws.Exited() {
			exit.Code = ws.ExitStatus()
		} else if ws.Signaled() {
			exit.Signal = int(ws.Signal())
		}
		tell(report{Exit: &exit})
		os.Exit(0)
	}
}

// stepError is a step on the way in that the system refused.
type stepError struct {
	doing string
	errno syscall.Errno
}

func (e *stepError) Error() string { return fmt.Sprintf("%s: %s", e.doing, e.errno.Error()) }
func (e *stepError) Unwrap() error { return e.errno }

// step names what an error of the system refused.
func step(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	doing := fmt.Sprintf(format, args...)
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return &stepError{doing, errno}
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// enter does everything up to the start of the program and returns its number.
func enter(o orders) (int, error) {
	unix.Umask(0o022)
	// Nobody inside may look into or steer this process, whose other threads may
	// still hold rights over the namespaces.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return 0, step(err, "closing the sandbox's own process")
	}
	if !o.Network {
		if err := loopback(); err != nil {
			return 0, step(err, "bringing up the loopback")
		}
	}
	if err := unix.Sethostname([]byte("evolve")); err != nil {
		return 0, step(err, "naming the host")
	}
	if err := build(o.Pieces, o.Limits.Processes); err != nil {
		return 0, err
	}
	if err := renounce(); err != nil {
		return 0, err
	}
	pid, err := start(o)
	if err != nil {
		return 0, err
	}
	// The program's end of its pipes must be the only one.
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, step(err, "opening /dev/null")
	}
	for fd := range 3 {
		if err := unix.Dup3(null, fd, unix.O_CLOEXEC); err != nil {
			return 0, step(err, "closing the program's files")
		}
	}
	return pid, nil
}

// loopback brings up the only interface of an own network.
func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)
}

// start starts the program under its limits. They are set on the program while it
// is stopped before its first instruction, never on this process, which must live
// as long as anything inside and may need more memory than the program is allowed.
func start(o orders) (int, error) {
	runtime.LockOSThread() // whoever starts a traced process must be the one that lets it go
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
	return pid, step(syscall.PtraceDetach(pid), "letting %s go", o.Path)
}

// bound sets the limits of a process, which what it starts inherits.
func bound(pid int, l Limits) error {
	for _, r := range []struct {
		resource int
		limit    uint64
		what     string
	}{
		{unix.RLIMIT_NOFILE, l.OpenFiles, "open files"},
		{unix.RLIMIT_DATA, l.Memory, "memory"},
		{unix.RLIMIT_FSIZE, l.FileSize, "file size"},
		{unix.RLIMIT_NPROC, l.Processes, "processes"},
	} {
		if r.limit == 0 {
			continue
		}
		var have unix.Rlimit
		if err := unix.Prlimit(pid, r.resource, nil, &have); err != nil {
			return step(err, "reading the limit of %s", r.what)
		}
		limit := min(r.limit, have.Max)
		if err := unix.Prlimit(pid, r.resource, &unix.Rlimit{Cur: limit, Max: limit}, nil); err != nil {
			return step(err, "limiting %s", r.what)
		}
	}
	return step(unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil), "switching core dumps off")
}

// renounce gives up every capability for good: what is started from here has none
// and can get none, by set-uid programs or otherwise.
func renounce() error {
	for c := 0; c <= unix.CAP_LAST_CAP; c++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
			return step(err, "dropping a capability")
		}
	}
	const locked = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<5 // no root, no set-uid fix-up, no keeping: each with its lock
	if err := unix.Prctl(unix.PR_SET_SECUREBITS, locked, 0, 0, 0); err != nil {
		return step(err, "locking the capabilities")
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return step(err, "dropping inherited capabilities")
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return step(err, "forbidding new privileges")
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return step(unix.Capset(&header, &none[0]), "dropping all capabilities")
}
