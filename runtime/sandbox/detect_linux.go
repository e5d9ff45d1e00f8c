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
// namespaces, else bubblewrap, else none with the reason. Ask once and keep the
// answer.
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
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		return None(fmt.Sprintf("%v; bubblewrap is not installed", refused))
	}
	w = Walls{kind: bubblewrapWalls, bwrap: bwrap}
	if err := probe(ctx, w); err != nil {
		return None(fmt.Sprintf("%v; bubblewrap: %v", refused, err))
	}
	return w
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
