package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
)

// startBubblewrap has bubblewrap create the namespaces and build the same root as
// startNamespaces, on systems that allow only bubblewrap to do so. As with startNamespaces,
// this program is the first process of the namespaces. It is started through a descriptor
// because the root does not contain its file.
func startBubblewrap(ctx context.Context, bwrap string, s Spec, prog program) (*Process, error) {
	pieces, err := layout(s, prog)
	if err != nil {
		return nil, err
	}
	w, theirs, err := newWire()
	if err != nil {
		return nil, err
	}
	cmd, err := launch(bwrap, s, pieces, theirs)
	if err != nil {
		_ = w.socket.Close()
		return nil, err
	}
	o := ordersFor(s, prog, pieces)
	o.Built = true
	// Kill the whole group: if only bubblewrap were killed while it builds the root, its
	// child would wait for it for ever. Later the child has its own session and dies with
	// bubblewrap.
	g := &group{cmd: cmd}
	await := func() {
		awaitEnd(cmd.Process.Pid)
		g.reap()
	}
	if err := w.begin(ctx, o, g.kill); err != nil {
		g.kill()
		gone(ctx, await)
		_ = w.socket.Close()
		return nil, err
	}
	wait := func() Exit {
		await() // bubblewrap exits only after all processes inside it have ended
		return w.end()
	}
	return &Process{kill: g.kill, wait: wait}, nil
}

// launch starts bubblewrap, which runs this program inside the namespaces. In the started
// process, the file control has the descriptor number that the package's constant control
// states; launch closes this process's copy of the file.
func launch(bwrap string, s Spec, pieces []piece, control *os.File) (*exec.Cmd, error) {
	cmd := &exec.Cmd{Path: bwrap, Env: []string{"GOMAXPROCS=1"}, SysProcAttr: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}}
	cmd.ExtraFiles = []*os.File{control}
	defer func() {
		for _, f := range cmd.ExtraFiles {
			_ = f.Close()
		}
	}()
	give := func(f *os.File) string {
		cmd.ExtraFiles = append(cmd.ExtraFiles, f)
		return strconv.Itoa(2 + len(cmd.ExtraFiles))
	}
	connect(cmd, s)
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return nil, fmt.Errorf("opening this program: %w", err)
	}
	args, err := construction(pieces, s.Network, give)
	if err != nil {
		_ = self.Close()
		return nil, err
	}
	cmd.Args = slices.Concat([]string{bwrap}, args, []string{"--", "/proc/self/fd/" + give(self), insideName})
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting bubblewrap: %w", err)
	}
	return cmd, nil
}

// construction returns bubblewrap's arguments for building a root. The function give
// arranges for a file to be passed to bubblewrap and returns its descriptor number there.
func construction(pieces []piece, network bool, give func(*os.File) string) ([]string, error) {
	args := []string{
		"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--hostname", "evolve",
		"--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL", "--proc", "/proc", "--remount-ro", "/proc",
	}
	if !network {
		args = append(args, "--unshare-net")
	}
	sealed := []string{"--remount-ro", "/"} // after everything is mounted
	for _, p := range pieces {
		switch p.Kind {
		case readOnly:
			args = append(args, "--ro-bind", p.Source, p.Path)
		case writable:
			args = append(args, "--bind", p.Source, p.Path)
		case device:
			args = append(args, "--dev-bind", p.Source, p.Path)
		case private:
			args = append(args, "--size", strconv.FormatInt(p.Size, 10), "--tmpfs", p.Path)
		case hidden:
			args = append(args, "--tmpfs", p.Path)
			sealed = append(sealed, "--remount-ro", p.Path)
		case link:
			args = append(args, "--symlink", p.Source, p.Path)
		case file:
			f, err := filled(p.Source)
			if err != nil {
				return nil, err
			}
			args = append(args, "--ro-bind-data", give(f), p.Path)
		case layer:
			return nil, fmt.Errorf("%w: a layer in bubblewrap", errors.ErrUnsupported)
		}
	}
	return append(args, sealed...), nil
}

// filled returns the read end of a pipe that contains a short text.
func filled(text string) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	_, err = w.WriteString(text)
	return r, errors.Join(err, w.Close())
}
