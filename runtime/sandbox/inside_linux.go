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

// control is the descriptor of the socket between the two sides: orders in,
// reports out. Its closing is the death of whoever started the sandbox.
const control = 3

// called says that Init was called, without which a program that starts itself
// again would do its whole work over, in ever deeper sandboxes.
var called bool

// Init says that this program may be started again as the inside of a sandbox, which
// [Detect] and [Walls.Start] do. A program that uses this package calls it first thing
// in main, and first thing in TestMain.
func Init() { called = true }

// init makes this process the inside of a sandbox when it was started as one, and then
// never returns. That is before the packages that need this one draw up what they work
// with, which can cost more than the sandbox: Go begins with the packages that depend on
// nothing else.
func init() {
	switch {
	case os.Args[0] == insideName, len(os.Args) == 2 && os.Args[1] == insideName:
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
	// What this program's own parent left open is nobody's business inside.
	if err := unix.CloseRange(control, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		os.Exit(1)
	}
	socket := os.NewFile(control, "control")
	var mu sync.Mutex // never given back by what ends this process
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
	if o.Home != "" {
		tell(failure(become(o, func() { tell(report{Started: true}) })))
		os.Exit(1)
	}
	go func() {
		_, _ = io.Copy(io.Discard, socket) // ends with the other side
		os.Exit(1)
	}()
	// No signal from inside that a Go program can catch ends this process.
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
	// Landlock counts each thread of this process for itself, and the program for the
	// one that started it: no other may look into it.
	if w := newWatch(o, bounded); w != nil {
		end(Exit{Code: -1, Signal: int(syscall.SIGKILL), Reason: w.run()})
	}
	select {} // the end comes from elsewhere
}

// reap takes in what is orphaned, until the program itself ends.
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
		// It had itself traced by this process, and stopped for it: nobody lets it go, and
		// the end of this process kills it.
		return Exit{Code: -1, Signal: int(syscall.SIGKILL)}
	}
}

// enter does everything up to the start of the program and returns its number, and
// whether the system bounds the number of processes.
func enter(o orders) (pid int, bounded bool, err error) {
	unix.Umask(0o022)
	if o.Built {
		bounded = o.Limits.Processes == 0
	} else if bounded, err = raise(o); err != nil {
		return 0, false, err
	}
	// Nobody inside may look into or steer this process.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return 0, false, step(err, "closing the sandbox's own process")
	}
	if err := renounce(!o.Built); err != nil {
		return 0, false, err
	}
	if err := fence(o, false); err != nil {
		return 0, false, err
	}
	if err := forget(); err != nil {
		return 0, false, err
	}
	if err := noDumps(); err != nil {
		return 0, false, err
	}
	if err := filterCalls(false); err != nil {
		return 0, false, err
	}
	if pid, err = start(o); err != nil {
		return 0, false, err
	}
	// The program's end of its pipes must be the only one.
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

// raise builds what namespaces give: network, names and root.
func raise(o orders) (bounded bool, err error) {
	if !o.Network {
		if err := loopback(); err != nil {
			return false, step(err, "bringing up the loopback")
		}
	}
	if err := unix.Sethostname([]byte("evolve")); err != nil {
		return false, step(err, "naming the host")
	}
	// When the machine's memory runs out, what is inside goes first.
	if err := os.WriteFile("/proc/self/oom_score_adj", []byte("800"), 0); err != nil && !errors.Is(err, os.ErrPermission) {
		return false, step(err, "going first")
	}
	return build(o.Pieces, o.Limits.Processes)
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
