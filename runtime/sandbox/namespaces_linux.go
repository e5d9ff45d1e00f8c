package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// startNamespaces starts this program again as the first process of new
// namespaces, and has it start the program of s.
func startNamespaces(ctx context.Context, s Spec, prog program) (*Process, error) {
	if !called {
		return nil, errors.New("the walls need this program to start itself again, which it is not prepared for")
	}
	pieces, err := layout(s, prog)
	if err != nil {
		return nil, err
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	files := []*os.File{s.Stdin, s.Stdout, s.Stderr, theirs}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		_, _ = ours.Close(), theirs.Close()
		return nil, err
	}
	for i := range files {
		if files[i] == nil {
			files[i] = null
		}
	}
	self, err := os.StartProcess("/proc/self/exe", []string{insideName}, &os.ProcAttr{
		Env: []string{"GOMAXPROCS=1"}, Files: files, Sys: attributesFor(s),
	})
	_, _ = theirs.Close(), null.Close()
	if err != nil {
		_ = ours.Close()
		return nil, fmt.Errorf("making namespaces: %w", errors.Unwrap(err))
	}
	stop := context.AfterFunc(ctx, func() { _ = self.Kill() })
	replies := json.NewDecoder(ours)
	err = begin(ours, replies, orders{
		Pieces: pieces, Path: prog.path, Argv: prog.argv(s), Env: environment(s, prog, homeFolder, tmpFolder),
		Dir: s.Dir, Network: s.Network, Limits: s.Limits,
	})
	if !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = self.Kill()
		_, _ = self.Wait()
		_ = ours.Close()
		return nil, err
	}
	wait := func() Exit {
		var last report
		_ = replies.Decode(&last) // fails when the inside was killed
		_ = self.Kill()           // nothing that the program started outlives it
		_, _ = self.Wait()        // returns when all inside are gone
		_ = ours.Close()
		if last.Exit == nil {
			return Exit{Code: -1, Signal: int(syscall.SIGKILL), Reason: Fallen}
		}
		return *last.Exit
	}
	return &Process{kill: func() { _ = self.Kill() }, wait: wait}, nil
}

// begin gives the orders and waits until they are carried out.
func begin(ours *os.File, replies *json.Decoder, o orders) error {
	if err := json.NewEncoder(ours).Encode(o); err != nil {
		return ErrBroken
	}
	var r report
	if err := replies.Decode(&r); err != nil {
		return ErrBroken
	}
	switch {
	case r.Started:
		return nil
	case r.Errno != 0:
		err := fmt.Errorf("%s: %w", r.Doing, syscall.Errno(r.Errno))
		if r.Program {
			return programError{err}
		}
		return err
	}
	return errors.New(r.Text)
}

// attributesFor asks for the namespaces. The user keeps the own number, so that
// files belong to whom they should; the rights over the namespaces that the first
// process needs come as ambient capabilities.
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

func socketPair() (ours, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("making a socket: %w", err)
	}
	return os.NewFile(uintptr(fds[0]), "sandbox"), os.NewFile(uintptr(fds[1]), "sandbox"), nil
}
