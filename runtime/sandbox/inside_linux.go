package sandbox

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// The names under which this program starts itself again.
const (
	insideName = "evolve-sandbox-init"
	probeName  = "evolve-sandbox-probe"
)

// control is the number, inside a sandbox, of the descriptor of the socket to the process
// that started the sandbox. The process inside receives orders and sends reports through
// this socket, which closes when the process that started the sandbox dies.
const control = 3

// called reports whether Init was called. Without Init, a program that starts itself again
// would repeat all its work, in ever deeper sandboxes.
var called bool

// Init declares that [Detect] and [Sandbox.Start] may start this program again as the
// process inside a sandbox. A program that uses this package must call Init at the very
// beginning of main and of TestMain.
func Init() { called = true }

// init runs the inside of a sandbox if this process was started for that purpose, and
// then never returns. It runs before the packages that import this package are
// initialized, because Go initializes a package after the packages that it imports.
// Initializing those packages can take longer than starting the sandbox.
func init() {
	switch {
	case os.Args[0] == insideName, len(os.Args) == 2 && os.Args[1] == insideName:
		inside()
	case len(os.Args) == 2 && os.Args[1] == probeName:
		os.Exit(0)
	}
}

// inside runs as the first process of the namespaces: it builds the root, gives up all its
// rights, starts the program, reaps orphans, and reports how the program ended. When this
// process ends, the kernel kills everything inside.
func inside() {
	runtime.LockOSThread() // capabilities are per thread
	// Descriptors that the parent left open must not reach the program.
	if err := unix.CloseRange(control, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		os.Exit(1)
	}
	socket := os.NewFile(control, "control")
	var mu sync.Mutex // locked by the goroutine that ends this process, and never unlocked
	tell := func(r report) {
		if err := json.NewEncoder(socket).Encode(r); err != nil {
			os.Exit(1) // the parent process is gone
		}
	}
	var o orders
	in := json.NewDecoder(socket)
	if err := in.Decode(&o); err != nil {
		os.Exit(1)
	}
	if o.Home != "" {
		tell(failure(become(o, func() { tell(report{Started: true}) })))
		os.Exit(1)
	}
	go func() {
		_, _ = io.Copy(io.Discard, socket) // returns when the parent process closes its end
		os.Exit(1)
	}()
	// Catch all signals, so no catchable signal from inside ends this process.
	signal.Notify(make(chan os.Signal, 1))
	pid, bounded, err := enter(o)
	if err != nil {
		tell(failure(err))
		os.Exit(1)
	}
	tell(report{Started: true})
	end := func(e Exit) {
		mu.Lock()
		if !o.Network {
			e.Unreached = unreached(own)
		}
		tell(report{Exit: &e})
		os.Exit(0)
	}
	go func() { end(reap(pid)) }()
	// The watch stays in this goroutine: Landlock treats each thread of this process as its
	// own domain, and only the thread that started the program may inspect it.
	if w := newWatch(o, bounded); w != nil {
		end(Exit{Code: -1, Signal: int(syscall.SIGKILL), Reason: w.run()})
	}
	select {} // another goroutine ends the process
}

// reap reaps orphans until the program itself ends, and returns how the program ended.
func reap(program int) Exit {
	for {
		var ws syscall.WaitStatus
		ended, err := syscall.Wait4(-1, &ws, 0, nil)
		if errors.Is(err, syscall.EINTR) || err == nil && ended != program {
			continue
		}
		switch {
		case ws.Exited():
			return Exit{Code: ws.ExitStatus()}
		case ws.Signaled():
			return Exit{Code: -1, Signal: int(ws.Signal())}
		}
		// The program asked this process to trace it, and stopped. Nothing resumes it; it
		// is killed when this process ends.
		return Exit{Code: -1, Signal: int(syscall.SIGKILL)}
	}
}

// enter prepares the sandbox and starts the program. It returns the program's process ID
// and whether the kernel limits the number of processes.
func enter(o orders) (pid int, bounded bool, err error) {
	unix.Umask(0o022)
	if o.Built {
		bounded = o.Limits.Processes == 0
	} else if bounded, err = raise(o); err != nil {
		return 0, false, err
	}
	// No process inside may inspect or control this one.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return 0, false, step(err, "protecting the sandbox's own process")
	}
	for _, restrict := range []func() error{
		func() error { return renounce(!o.Built) },
		func() error { return fence(o, false) },
		forget,
		noDumps,
		func() error { return filterCalls(false) },
	} {
		if err := restrict(); err != nil {
			return 0, false, err
		}
	}
	if pid, err = start(o); err != nil {
		return 0, false, err
	}
	// Only the program may hold these ends of its pipes, so replace the copies in this
	// process with /dev/null.
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, false, step(err, "opening /dev/null")
	}
	for fd := range 3 {
		if err := unix.Dup3(null, fd, unix.O_CLOEXEC); err != nil {
			return 0, false, step(err, "closing the program's files")
		}
	}
	return pid, bounded, nil
}

// raise sets up the network, the host name and the root in the namespaces. It reports
// whether the kernel limits the number of processes.
func raise(o orders) (bounded bool, err error) {
	if !o.Network {
		if err := loopback(); err != nil {
			return false, step(err, "bringing up the loopback interface")
		}
	}
	if err := unix.Sethostname([]byte("evolve")); err != nil {
		return false, step(err, "setting the host name")
	}
	// If memory runs out, the kernel should kill the processes inside first.
	if err := os.WriteFile("/proc/self/oom_score_adj", []byte("800"), 0); err != nil && !errors.Is(err, os.ErrPermission) {
		return false, step(err, "setting the OOM score")
	}
	return build(o.Pieces, o.Limits.Processes)
}

// loopback brings up the only interface of a private network.
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
