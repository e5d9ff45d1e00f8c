package authored

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"evolve/runtime/sandbox"
)

// environment is the initial environment of a child, which then clears it. One processor is
// enough for one call.
var environment = []string{"GOMAXPROCS=1"}

// process is a started child. kill immediately ends the child and its whole process group;
// wait reaps the child. Both may be called more than once.
type process struct {
	kill func()
	wait func()
}

// start starts this program again as a child whose standard input and output are the
// socket in the parameter theirs.
func start(ctx context.Context, box sandbox.Sandbox, theirs, stderr *os.File) (process, error) {
	if !called {
		return process{}, errors.New("this program cannot start a copy of itself, because it did not call Init")
	}
	if box.Err() == nil {
		self, err := os.Executable()
		if err != nil {
			return process{}, fmt.Errorf("finding the executable of this program: %w", err)
		}
		p, err := box.Start(ctx, sandbox.Spec{
			Argv: []string{self, workerName}, Dir: "/usr", ReadOnly: []string{self}, Env: environment,
			Stdin: theirs, Stdout: theirs, Stderr: stderr,
		})
		if err != nil {
			return process{}, err
		}
		return process{kill: p.Kill, wait: func() { p.Wait() }}, nil
	}
	p, err := os.StartProcess("/proc/self/exe", []string{workerName}, &os.ProcAttr{
		Dir: "/", Env: environment, Files: []*os.File{theirs, theirs, stderr},
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return process{}, err
	}
	var mu sync.Mutex
	reaped := false // once the process is reaped, its number may belong to another process
	return process{
		kill: func() {
			mu.Lock()
			defer mu.Unlock()
			if !reaped {
				_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
			}
		},
		// wait is called after kill, so it returns at once.
		wait: func() {
			mu.Lock()
			defer mu.Unlock()
			if !reaped {
				_, _ = p.Wait()
				reaped = true
			}
		},
	}, nil
}

// connection creates the socket between parent and child. Messages received on ours carry
// the sender's process number as this process sees it, even across namespaces.
func connection() (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("making a socket: %w", err)
	}
	err = errors.Join(unix.SetsockoptInt(fds[0], unix.SOL_SOCKET, unix.SO_PASSCRED, 1), unix.SetNonblock(fds[0], true))
	ours, theirs = os.NewFile(uintptr(fds[0]), "child"), os.NewFile(uintptr(fds[1]), "parent")
	if err != nil {
		_, _ = ours.Close(), theirs.Close()
		return nil, nil, fmt.Errorf("making a socket: %w", err)
	}
	return ours, theirs, nil
}

// readFrom reads from the child and returns the child's process number, or 0 if it is
// unavailable.
func readFrom(ours *os.File, b []byte) (n, pid int, err error) {
	raw, err := ours.SyscallConn()
	if err != nil {
		return 0, 0, err
	}
	oob := make([]byte, unix.CmsgSpace(unix.SizeofUcred))
	oobn := 0
	failed := raw.Read(func(fd uintptr) bool {
		n, oobn, _, _, err = unix.Recvmsg(int(fd), b, oob, 0)
		return !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EINTR)
	})
	if err = errors.Join(failed, err); err != nil {
		return 0, 0, err
	}
	messages, err := unix.ParseSocketControlMessage(oob[:oobn])
	if err != nil {
		return n, 0, nil
	}
	for _, m := range messages {
		if cred, err := unix.ParseUnixCredentials(&m); err == nil {
			pid = int(cred.Pid)
		}
	}
	return n, pid, nil
}

// isQuiet reports whether a connection is open and has nothing to read. The connection of a
// child that has ended is closed, and an idle child sends nothing.
func isQuiet(ours *os.File) bool {
	raw, err := ours.SyscallConn()
	if err != nil {
		return false
	}
	open := false
	err = raw.Control(func(fd uintptr) {
		for {
			_, _, err := unix.Recvfrom(int(fd), make([]byte, 1), unix.MSG_PEEK|unix.MSG_DONTWAIT)
			if !errors.Is(err, unix.EINTR) {
				open = errors.Is(err, unix.EAGAIN)
				return
			}
		}
	})
	return err == nil && open
}

// resident returns the number of bytes of memory that a process occupies, or 0 if it is
// unavailable.
func resident(pid int) int64 {
	if pid <= 0 {
		return 0
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// tick is the unit of the processor times in /proc.
const tick = time.Second / 100

// processorTime returns the processor time that a process has used, or 0 if it is
// unavailable.
func processorTime(pid int) time.Duration {
	if pid <= 0 {
		return 0
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The program name in parentheses may contain any characters, so the fields are read
	// starting after the last parenthesis.
	_, rest, _ := strings.Cut(string(text[bytes.LastIndexByte(text, ')')+1:]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	if errors.Join(err, err2) != nil {
		return 0
	}
	return time.Duration(user+system) * tick
}
