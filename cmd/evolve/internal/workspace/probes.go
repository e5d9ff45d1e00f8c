package workspace

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"evolve/patch"
)

// RunGit returns the Git probe of this machine. It runs git without prompts, without
// locking the index, without programs that a repository's settings name, and in the
// language in which its messages are recognized. env is the environment to pass on.
func RunGit(env []string) func(ctx context.Context, dir string, args ...string) (string, error) {
	return func(ctx context.Context, dir string, args ...string) (string, error) {
		cmd, err := patch.Command(ctx, dir, env, append([]string{"--no-optional-locks"}, args...)...)
		if errors.Is(err, patch.ErrNoGit) {
			return "", exec.ErrNotFound
		}
		if err != nil {
			return "", err
		}
		out, err := cmd.Output()
		return strings.TrimRight(string(out), "\r\n"), err
	}
}

// TryWrite is the Writable probe of this machine: it creates a file and removes it, in
// .evolve if that exists.
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
