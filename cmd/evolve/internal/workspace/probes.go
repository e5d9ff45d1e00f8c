package workspace

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// RunGit is the Git probe of this machine: git without prompts, hooks of the
// environment's own or a lock on the index, in the language that its messages are
// recognised by. env is the environment to pass on.
func RunGit(env []string) func(ctx context.Context, dir string, args ...string) (string, error) {
	env = append(append([]string{}, env...), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"} {
		env = without(env, name)
	}
	return func(ctx context.Context, dir string, args ...string) (string, error) {
		program, err := exec.LookPath("git")
		if err != nil {
			return "", exec.ErrNotFound
		}
		cmd := exec.CommandContext(ctx, program, append([]string{"-c", "core.fsmonitor=false"}, args...)...)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.Output()
		return strings.TrimRight(string(out), "\r\n"), err
	}
}

func without(env []string, name string) []string {
	var out []string
	for _, e := range env {
		if !strings.HasPrefix(e, name+"=") {
			out = append(out, e)
		}
	}
	return out
}

// TryWrite is the Writable probe of this machine: it makes a file and removes it,
// in .evolve where that is there already.
func TryWrite(dir string) error {
	if state := filepath.Join(dir, ".evolve"); isFolder(state) {
		dir = state
	}
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString("x")
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
