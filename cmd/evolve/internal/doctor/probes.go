package doctor

import (
	"context"
	"errors"
	"os/exec"
	"strings"

	"evolve/patch"
)

// RunGit returns the Git probe of this machine. The probe runs git without prompts, without
// locking the index, without programs that a repository's settings name, and in the
// language in which git's messages are recognized. env is the environment to pass on.
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
