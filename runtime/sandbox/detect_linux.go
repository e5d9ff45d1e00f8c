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

// probeTime bounds the trial of one kind of walls.
const probeTime = 10 * time.Second

// Detect finds the best walls of this machine by starting this program in them:
// namespaces, else bubblewrap, else Landlock alone, else none with the reason and what
// can be done about it. Ask once and keep the answer.
func Detect(ctx context.Context) Walls {
	w := Walls{kind: namespaceWalls}
	refused := probe(ctx, w, Layer{Lower: "/usr", Path: "/layer", Size: 1 << 20})
	if refused == nil {
		return w
	}
	w.unlayered = refused.Error()
	if refused = probe(ctx, w); refused == nil {
		return w
	}
	reasons := []string{refused.Error()}
	if bwrap, err := exec.LookPath("bwrap"); err != nil {
		reasons = append(reasons, "bubblewrap is not installed")
	} else {
		w = Walls{kind: bubblewrapWalls, bwrap: bwrap}
		if refused = probe(ctx, w); refused == nil {
			return w
		}
		reasons = append(reasons, "bubblewrap: "+refused.Error())
	}
	w = Walls{kind: landlockWalls}
	if refused = probe(ctx, w); refused == nil {
		return w
	}
	return None(strings.Join(append(reasons, "Landlock: "+refused.Error(), hint()), "; "))
}

// hint says what an operator can do about it.
func hint() string {
	for _, setting := range []struct{ path, bad, command string }{
		{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "sysctl kernel.apparmor_restrict_unprivileged_userns=0"},
		{"/proc/sys/kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"},
		{"/proc/sys/user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=10000"},
	} {
		if value, err := os.ReadFile(setting.path); err == nil && strings.TrimSpace(string(value)) == setting.bad {
			return "this may help: install bubblewrap, or allow namespaces by " + setting.command
		}
	}
	return "this may help: install bubblewrap, or allow this program to make user namespaces (in a container: start it with that right)"
}

// probe starts this program, which ends at once when it is called so.
func probe(ctx context.Context, w Walls, layers ...Layer) error {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	if !called {
		return errors.New("this program is not prepared to start itself again")
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	exit, out, err := w.Run(ctx, Spec{Argv: []string{self, probeName}, Dir: "/usr", ReadOnly: []string{self}, Layers: layers, path: self}, nil, 1000)
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return errors.New("making namespaces: this machine's limit of them is reached")
	case err != nil:
		return err
	case exit.Code != 0:
		said, _, _ := strings.Cut(strings.TrimSpace(string(out.Stderr)), "\n")
		return fmt.Errorf("a trial ended with exit code %d: %s", exit.Code, said)
	}
	return nil
}
