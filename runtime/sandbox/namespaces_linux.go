package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// startNamespaces starts this program again as the first process of new namespaces; that
// process then starts the program of s.
func startNamespaces(ctx context.Context, s Spec, prog program) (*Process, error) {
	pieces, err := layout(s, prog)
	if err != nil {
		return nil, err
	}
	return startAmong(ctx, s, prog, pieces)
}

// startAmong is like startNamespaces, but the caller provides the pieces of the root.
func startAmong(ctx context.Context, s Spec, prog program, pieces []piece) (*Process, error) {
	w, theirs, err := newWire()
	if err != nil {
		return nil, err
	}
	files, release, err := filesOf(s)
	if err != nil {
		_, _ = w.socket.Close(), theirs.Close()
		return nil, err
	}
	self, err := within(ctx, func() (*os.Process, error) {
		defer func() { _ = theirs.Close() }()
		defer release()
		return os.StartProcess("/proc/self/exe", []string{insideName}, &os.ProcAttr{
			Env: []string{"GOMAXPROCS=1"}, Files: append(files, theirs), Sys: attributesFor(s),
		})
	}, func(p *os.Process) {
		_ = p.Kill()
		_, _ = p.Wait()
	})
	if err != nil {
		_ = w.socket.Close()
		return nil, err
	}
	err = w.begin(ctx, ordersFor(s, prog, pieces), func() { _ = self.Kill() })
	if err != nil {
		_ = self.Kill()
		_ = w.socket.Close()
		gone(ctx, func() { _, _ = self.Wait() })
		return nil, err
	}
	wait := func() Exit {
		_, _ = self.Wait() // returns when all processes inside are gone
		return w.end()
	}
	p := &Process{kill: func() { _ = self.Kill() }, wait: wait}
	if !s.Network {
		counters := fmt.Sprintf("/proc/%d/net", self.Pid)
		p.unreached = func() int64 { return unreached(counters) }
	}
	return p, nil
}

// within calls the function start, which may block in the kernel for a long time, for
// example while the networks of many other namespaces are torn down. If ctx is done
// first, the process is ended as soon as it has started.
func within(ctx context.Context, start func() (*os.Process, error), end func(*os.Process)) (*os.Process, error) {
	type started struct {
		p   *os.Process
		err error
	}
	done := make(chan started, 1)
	go func() {
		p, err := start()
		done <- started{p, err}
	}()
	select {
	case s := <-done:
		if s.err != nil {
			var path *os.PathError
			if errors.As(s.err, &path) {
				s.err = path.Err
			}
			return nil, fmt.Errorf("making namespaces: %w", s.err)
		}
		return s.p, nil
	case <-ctx.Done():
		go func() {
			if s := <-done; s.err == nil {
				end(s.p)
			}
		}()
		return nil, context.Cause(ctx)
	}
}

// gone waits for the end of a killed process, which may take the kernel a while, but no
// longer than ctx allows.
func gone(ctx context.Context, wait func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		wait()
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// filesOf returns copies of the program's standard files, so the start does not depend on
// when their owner closes them. A nil file is replaced with /dev/null.
func filesOf(s Spec) (files []*os.File, release func(), err error) {
	release = func() {
		for _, f := range files {
			_ = f.Close()
		}
	}
	for _, f := range []*os.File{s.Stdin, s.Stdout, s.Stderr} {
		c, err := copyOf(f)
		if err != nil {
			release()
			return nil, nil, fmt.Errorf("passing an open file to the sandbox: %w", err)
		}
		files = append(files, c)
	}
	return files, release, nil
}

func copyOf(f *os.File) (*os.File, error) {
	if f == nil {
		return os.OpenFile(os.DevNull, os.O_RDWR, 0)
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	fd := -1
	if controlled := raw.Control(func(own uintptr) {
		fd, err = unix.FcntlInt(own, unix.F_DUPFD_CLOEXEC, 0)
	}); controlled != nil {
		return nil, controlled
	}
	if err != nil {
		return nil, err
	}
	// Programs expect blocking reads and writes.
	if err := unix.SetNonblock(fd, false); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// attributesFor returns the attributes that request the namespaces. The user and group IDs
// stay the same inside, so files keep their owners. The first process gets its rights over
// the namespaces as ambient capabilities.
func attributesFor(s Spec) *syscall.SysProcAttr {
	flags := unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	if !s.Network {
		flags |= unix.CLONE_NEWNET
	}
	return &syscall.SysProcAttr{
		Cloneflags:  uintptr(flags),
		UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}},
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP, unix.CAP_SYS_RESOURCE, unix.CAP_DAC_OVERRIDE},
		Setsid:      true,
	}
}
