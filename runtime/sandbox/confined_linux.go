package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// startConfined starts this program again, which then restricts itself with Landlock and
// executes the program of s. It fails if Landlock cannot provide what s asks for.
func startConfined(ctx context.Context, s Spec, prog program) (*Process, error) {
	for _, v := range s.Shown {
		if v.Source != v.Path {
			return nil, fmt.Errorf("showing %s at %s with Landlock: %w", v.Source, v.Path, errors.ErrUnsupported)
		}
	}
	pieces, err := layout(s, prog)
	if err != nil {
		return nil, err
	}
	for _, p := range pieces {
		if p.Kind == hidden {
			return nil, fmt.Errorf("hiding %s with Landlock: %w", p.Path, errors.ErrUnsupported)
		}
	}
	home, sign, err := newHome(s)
	if err != nil {
		return nil, err
	}
	w, theirs, err := newWire()
	if err != nil {
		_ = os.RemoveAll(home)
		return nil, err
	}
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{insideName}, Env: []string{"GOMAXPROCS=1", sign}, ExtraFiles: []*os.File{theirs},
		SysProcAttr: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}, // no terminal, and a separate process group
	}
	p, err := startGroup(cmd, s, home, sign)
	_ = theirs.Close()
	if err != nil {
		_ = w.socket.Close()
		return nil, err
	}
	o := ordersFor(s, prog, pieces)
	o.Home, o.Env = home, append(environment(s, prog, home, home), sign)
	err = w.begin(ctx, o, p.kill)
	_ = w.socket.Close()
	if err != nil {
		p.kill()
		gone(ctx, func() { p.Wait() })
		return nil, err
	}
	return p, nil
}
