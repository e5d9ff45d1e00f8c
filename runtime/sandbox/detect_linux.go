package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// probeTime limits the trial start of one kind of isolation.
const probeTime = 10 * time.Second

// Detect finds the strongest isolation available on this machine by starting this program
// in it: namespaces, else bubblewrap, else only Landlock, else none, with the reason and a
// hint for the operator. Call it once and reuse the result.
func Detect(ctx context.Context) Sandbox {
	var reasons []string
	for _, name := range []string{"namespaces", "bubblewrap", "landlock"} {
		w, err := Try(ctx, name)
		if err == nil {
			return w
		}
		reasons = append(reasons, err.Error())
	}
	return None(strings.Join(append(reasons, hint()), "; "))
}

// Try returns the sandbox with the given name, as [Sandbox.Name] states it, after a trial
// start of this program in that sandbox. The error states why the sandbox is not
// available.
func Try(ctx context.Context, name string) (Sandbox, error) {
	var w Sandbox
	var err error
	switch name {
	case "namespaces":
		w.kind = isolateNamespaces
		if err = probe(ctx, w, Layer{Lower: "/usr", Path: "/layer", Size: 1 << 20}); err != nil {
			w.unlayered = err.Error()
			err = probe(ctx, w)
		}
	case "bubblewrap":
		w.kind = isolateBubblewrap
		if w.bwrap, err = exec.LookPath("bwrap"); err != nil {
			return Sandbox{}, errors.New("bubblewrap is not installed")
		}
		if err = probe(ctx, w); err != nil {
			err = fmt.Errorf("bubblewrap: %w", err)
		}
	case "landlock":
		w.kind = isolateLandlock
		if err = probe(ctx, w); err != nil {
			err = fmt.Errorf("Landlock: %w", err)
		}
	default:
		err = fmt.Errorf("there is no sandbox called %q", name)
	}
	if err != nil {
		return Sandbox{}, err
	}
	return w, nil
}

// hint returns advice for the operator of a machine that has no isolation.
func hint() string {
	for _, setting := range []struct{ path, bad, command string }{
		{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "sysctl kernel.apparmor_restrict_unprivileged_userns=0"},
		{"/proc/sys/kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"},
		{"/proc/sys/user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=10000"},
	} {
		if value, err := os.ReadFile(setting.path); err == nil && strings.TrimSpace(string(value)) == setting.bad {
			return "this may help: install bubblewrap, or allow namespaces with " + setting.command
		}
	}
	return "this may help: install bubblewrap, or allow this program to create user namespaces (in a container, start the container with that permission)"
}

// probe starts this program in w under a name that makes it exit at once.
func probe(ctx context.Context, w Sandbox, layers ...Layer) error {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	if !called {
		return errors.New("this program cannot start a copy of itself, because it did not call Init")
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	exit, out, err := w.Run(ctx, Spec{Argv: []string{self, probeName}, Dir: "/usr", ReadOnly: []string{self}, Layers: layers, path: self}, nil, 1000)
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return errors.New("creating namespaces: the machine's limit on namespaces has been reached")
	case err != nil:
		return err
	case exit.Code != 0:
		said, _, _ := strings.Cut(strings.TrimSpace(string(out.Stderr)), "\n")
		return fmt.Errorf("a test run of the sandbox ended with exit code %d: %s", exit.Code, said)
	}
	return nil
}
