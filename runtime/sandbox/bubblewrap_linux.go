package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// startBubblewrap has bubblewrap build the same root, where it is allowed what
// other programs are not.
func startBubblewrap(bwrap string, s Spec, prog program) (*Process, error) {
	pieces, err := layout(s, prog)
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{
		Path: bwrap, Env: environment(s, prog, homeFolder, tmpFolder),
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	}
	connect(cmd, s)
	args := []string{
		bwrap, "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--hostname", "evolve",
		"--die-with-parent", "--new-session", "--cap-drop", "ALL", "--proc", "/proc", "--remount-ro", "/proc",
	}
	if !s.Network {
		args = append(args, "--unshare-net")
	}
	defer func() {
		for _, f := range cmd.ExtraFiles {
			_ = f.Close()
		}
	}()
	sealed := []string{"--remount-ro", "/"} // once everything stands
	for _, p := range pieces {
		switch p.Kind {
		case readOnly:
			args = append(args, "--ro-bind", p.Source, p.Path)
		case writable:
			args = append(args, "--bind", p.Source, p.Path)
		case device:
			args = append(args, "--dev-bind", p.Source, p.Path)
		case private:
			args = append(args, "--tmpfs", p.Path)
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
			cmd.ExtraFiles = append(cmd.ExtraFiles, f)
			args = append(args, "--ro-bind-data", strconv.Itoa(2+len(cmd.ExtraFiles)), p.Path)
		}
	}
	args = append(append(args, sealed...), "--chdir", s.Dir, "--")
	cmd.Args = append(args, prog.argv(s)...)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting bubblewrap: %w", errors.Unwrap(err))
	}
	wait := func() Exit {
		_ = cmd.Wait()
		e := exitOf(cmd.ProcessState)
		if e.Code > 128 { // how bubblewrap passes on a signal
			e = Exit{Code: -1, Signal: e.Code - 128}
		}
		return e
	}
	return &Process{kill: func() { _ = cmd.Process.Kill() }, wait: wait}, nil
}

// filled is a pipe with a short text in it.
func filled(text string) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	_, err = w.WriteString(text)
	return r, errors.Join(err, w.Close())
}
