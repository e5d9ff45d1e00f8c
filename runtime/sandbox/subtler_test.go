//go:build linux

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// subtler lists attacks without an immediate gain. They leave something behind, or bypass
// the isolation through a part of the kernel that has no namespaces.
var subtler = []attack{
	{"talk to the host of the virtual machine", perhaps, func(bait) error { return descriptor(unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)) }},
	{"have a pair of such sockets", perhaps, func(bait) error {
		fds, err := unix.Socketpair(unix.AF_TIPC, unix.SOCK_STREAM, 0)
		return errors.Join(err, ignore(unix.Close(fds[0])), ignore(unix.Close(fds[1])))
	}},
	{"use the kernel's ciphers", perhaps, func(bait) error { return descriptor(unix.Socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0)) }},
	{"make a program set-uid", always, func(bait) error { return setUID(unix.S_ISUID | 0o755) }},
	{"make a program set-gid", always, func(bait) error { return setUID(unix.S_ISGID | 0o755) }},
	{"have its crashes handed to the host", perhaps, func(bait) error {
		var l unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_CORE, &l); err != nil || l.Cur == 0 {
			return errors.Join(errors.New("they are as the host has them"), err)
		}
		old := syscall.Rlimit{}
		if runtime.GOARCH == "amd64" { // amd64 also has the older call
			_, _, _ = unix.Syscall(160, unix.RLIMIT_CORE, uintptr(unsafe.Pointer(&old)), 0)
		}
		if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
			return err
		}
		if err := unix.Getrlimit(unix.RLIMIT_CORE, &l); err != nil || l.Cur == 1 {
			return errors.Join(errors.New("the limit stays"), err)
		}
		return nil
	}},
	{"keep memory out of sight", perhaps, func(bait) error { return call(memfdSecret, 0, 0, 0) }},
	{"clone a mount by the newest call", never, func(bait) error {
		return call(unix.SYS_OPEN_TREE_ATTR, ^uintptr(99), uintptr(unsafe.Pointer(&[]byte("/\x00")[0])), unix.OPEN_TREE_CLONE)
	}},
	{"change the mode of the file", always, func(b bait) error { return os.Chmod(b.file, 0o600) }},
	{"change the times of the file", always, func(b bait) error { return os.Chtimes(b.file, time.Time{}, time.Unix(1, 0)) }},
}

// setUID tries every system call that sets the mode of a file.
func setUID(mode uint32) error {
	name := filepath.Join(os.Getenv("TMPDIR"), "program")
	if err := os.WriteFile(name, nil, 0o755); err != nil {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	err = unix.Chmod(name, mode)
	for _, again := range []error{
		unix.Fchmod(int(f.Fd()), mode),
		unix.Fchmodat(unix.AT_FDCWD, name, mode, unix.AT_SYMLINK_NOFOLLOW),
	} {
		if again == nil {
			err = nil
		}
	}
	return err
}

// TestNetworkAttacks gives the attacker the host's network. The attacker can then reach
// what listens there, and nothing else.
func TestNetworkAttacks(t *testing.T) {
	b := lay(t)
	argv := b.argv(t)
	every(t, func(t *testing.T, w Sandbox) {
		exit, out, err := w.Run(t.Context(), Spec{Argv: argv, Dir: "/usr", ReadOnly: argv[:1], Network: true}, nil, 1<<20)
		if err != nil || exit.Code != 0 {
			t.Fatalf("%+v, %v: %s", exit, err, out.Stderr)
		}
		known := map[string]bool{"connect to the host's loopback": true, "find a way to the cloud's metadata": true}
		for _, name := range open[w.kind] {
			known[name] = true
		}
		if w.kind == isolateLandlock { // before Linux 7, see doc.go
			known["connect to a socket beside it"] = true
		}
		inside := outcomes(t, string(out.Stdout))
		for _, a := range attacks {
			if inside[a.name] == "succeeded" && !known[a.name] {
				t.Errorf("%s succeeds", a.name)
			}
		}
		if inside["connect to the host's loopback"] != "succeeded" {
			t.Errorf("the network is not there: %s", inside["connect to the host's loopback"])
		}
	})
}

// TestSwapped replaces folders with links after the root was planned. The targets of the
// links are not shown, and nothing is shown or created in their place.
func TestSwapped(t *testing.T) {
	w := namespaces(t)
	for name, s := range map[string]func(dir string) Spec{
		"the source": func(dir string) Spec {
			return Spec{Shown: []Shown{{Source: dir + "/open/sub", Path: "/x"}}}
		},
		"a folder on the way to the source": func(dir string) Spec {
			return Spec{Shown: []Shown{{Source: dir + "/open/sub/deep", Path: "/x"}}}
		},
		"the source of a layer": func(dir string) Spec {
			return Spec{Layers: []Layer{{Lower: dir + "/open/sub", Path: "/x"}}}
		},
		"the place": func(dir string) Spec {
			return Spec{Writable: []string{dir + "/open"}, ReadOnly: []string{dir + "/open/sub"}}
		},
		"the way to the place": func(dir string) Spec {
			return Spec{Writable: []string{dir + "/open"}, Shown: []Shown{{Source: "/usr", Path: dir + "/open/sub/fresh"}}}
		},
		"what is hidden": func(dir string) Spec {
			return Spec{Writable: []string{dir + "/open"}, Hidden: []string{dir + "/open/sub"}}
		},
	} {
		for _, target := range []string{"../secret", oldRoot} {
			t.Run(name+" by "+target, func(t *testing.T) {
				dir, err := filepath.EvalSymlinks(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				for _, sub := range []string{"open/sub/deep", "secret/deep"} {
					if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
						t.Fatal(err)
					}
				}
				spec := s(dir)
				spec.Argv, spec.Dir = []string{"sh", "-c", "true"}, "/usr"
				prog, err := spec.find()
				if err != nil {
					t.Fatal(err)
				}
				pieces, err := layout(spec, prog)
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(os.RemoveAll(dir+"/open/sub"), os.Symlink(strings.Replace(target, oldRoot, oldRoot+dir+"/secret", 1), dir+"/open/sub")); err != nil {
					t.Fatal(err)
				}
				p, err := startAmong(t.Context(), spec, prog, pieces)
				if err == nil {
					p.Wait()
				}
				if !errors.Is(err, unix.ELOOP) {
					t.Errorf("starts with %v", err)
				}
				if _, err := os.Lstat(dir + "/secret/fresh"); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("something was made: %v", err)
				}
			})
		}
	}
	if err := w.Err(); err != nil {
		t.Error(err)
	}
}

// TestPipeForProgram puts named pipes in place of a program and its version file, as a
// foreign program could. Reading them must not block.
func TestPipeForProgram(t *testing.T) {
	home := t.TempDir()
	at := func(name string) string { return filepath.Join(home, name) }
	if err := os.MkdirAll(at(".pyenv/shims"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at(".pyenv/shims/py"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"program", ".python-version"} {
		if err := unix.Mkfifo(at(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", at(".pyenv/shims"))
	for name, want := range map[string]string{"./program": "is not a regular file", "py": "no such program in PATH"} {
		_, err := None("a test").Start(t.Context(), Spec{Argv: []string{name}, Dir: home})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := interpreterOf(at("program")); got != "" {
		t.Errorf("a pipe is a script for %q", got)
	}
}

// TestLeftHome has a program remove the permissions of its own home. The home must still be
// removed when the program ends.
func TestLeftHome(t *testing.T) {
	temp := t.TempDir()
	test := func(t *testing.T, w Sandbox) {
		s := sh("/usr", "mkdir -p $HOME/a/b && echo x > $HOME/a/b/f && ln -s /usr $HOME/a/link && chmod 0 $HOME/a/b $HOME/a $HOME")
		s.Temp = temp
		if got, exit := output(t, w, s); exit.Code != 0 {
			t.Errorf("%+v: %s", exit, got)
		}
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("left are %v, %v", left, err)
		}
	}
	on(t, []isolation{isolateLandlock}, test)
	t.Run("none", func(t *testing.T) { test(t, None("a test")) })
}

func init() {
	roles["traced"] = func() {
		if _, _, errno := unix.Syscall(unix.SYS_PTRACE, unix.PTRACE_TRACEME, 0, 0); errno != 0 {
			fmt.Println(errno)
			os.Exit(1)
		}
		_ = unix.Kill(os.Getpid(), unix.SIGUSR1) // stops this process for its tracer
		os.Exit(0)
	}
}

// TestTraced has a program ask the first process to trace it. The program must be ended,
// and must not be reported as having ended by itself.
func TestTraced(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, w Sandbox) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		exit, out, err := w.Run(ctx, Spec{Argv: []string{self, "traced"}, Dir: "/usr", ReadOnly: []string{self}}, nil, 100)
		if want := (Exit{Code: -1, Signal: 9}); err != nil || exit != want {
			t.Errorf("%+v, %v: %s", exit, err, out.Stdout)
		}
	})
}

// TestSince compares kernel versions with the version of this machine's kernel.
func TestSince(t *testing.T) {
	for _, c := range []struct {
		major, minor int
		want         bool
	}{{2, 6, true}, {3, 1, true}, {99, 0, false}, {99, 99, false}} {
		if got := since(c.major, c.minor); got != c.want {
			t.Errorf("%d.%d: %t", c.major, c.minor, got)
		}
	}
}
