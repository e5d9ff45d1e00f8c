package patch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// ErrNoGit says that native git is needed and not installed: only it updates a
// working tree and its index safely.
var ErrNoGit = errors.New("git is not installed")

// Adopt commits files on top of what is checked out and brings branch, index and
// working tree there by a native fast-forward, which refuses to overwrite
// uncommitted work. It returns the new commit. A *ConflictError names files whose
// committed content is not what the change expects.
func (r *Repository) Adopt(ctx context.Context, files []File, message string, by Person) (string, error) {
	_, head, err := r.Head()
	if err != nil {
		return "", err
	}
	commit, err := r.Commit(head, files, message, by)
	if err != nil {
		return "", err
	}
	if _, err := r.native(ctx, "merge", "--ff-only", "--quiet", "--no-verify-signatures", commit); err != nil {
		return "", fmt.Errorf("fast-forwarding the working tree: %w", err)
	}
	return commit, nil
}

// Start makes a repository of a folder that is in none, or that has no commit,
// and commits what lies in it (what .gitignore leaves).
func Start(ctx context.Context, dir string, env []string, message string, by Person) (*Repository, error) {
	r := &Repository{dir: dir, env: env}
	if _, err := Open(dir, env); errors.Is(err, ErrNoRepository) {
		if _, err := r.native(ctx, "init", "--quiet", "--initial-branch=main"); err != nil {
			return nil, fmt.Errorf("making the repository: %w", err)
		}
	} else if err != nil {
		return nil, err
	}
	if _, err := r.native(ctx, "add", "--all", "."); err != nil {
		return nil, fmt.Errorf("adding the workspace: %w", err)
	}
	_, err := r.native(ctx, "-c", "user.name="+by.Name, "-c", "user.email="+by.Email, "-c", "commit.gpgsign=false",
		"commit", "--quiet", "--no-verify", "--message", message)
	if err != nil {
		return nil, fmt.Errorf("committing the workspace: %w", err)
	}
	return Open(dir, env)
}

// Dirty lists those of the paths that are not as they were committed: modified,
// staged, removed or never added.
func (r *Repository) Dirty(ctx context.Context, paths []string) ([]string, error) {
	out, err := r.native(ctx, append([]string{"status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--"}, paths...)...)
	if err != nil {
		return nil, fmt.Errorf("asking git for changes: %w", err)
	}
	var dirty []string
	for entry := range strings.SplitSeq(out, "\x00") {
		if len(entry) > 3 {
			dirty = append(dirty, entry[3:])
		}
	}
	return dirty, nil
}

// User is the git user of the repository, "" when none is configured.
func User(ctx context.Context, dir string, env []string) Person {
	r := &Repository{dir: dir, env: env}
	var p Person
	// Without a user git exits 1: no user is an answer, not a failure.
	if out, err := r.native(ctx, "config", "user.name"); err == nil {
		p.Name = strings.TrimSpace(out)
	}
	if out, err := r.native(ctx, "config", "user.email"); err == nil {
		p.Email = strings.TrimSpace(out)
	}
	return p
}

// native runs git in the folder, without the hooks of anybody and without
// questions, and returns its output.
func (r *Repository) native(ctx context.Context, args ...string) (string, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return "", ErrNoGit
	}
	cmd := exec.CommandContext(ctx, path, append([]string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false"}, args...)...)
	cmd.Dir = r.dir
	cmd.Env = gitEnv(r.env)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if text := strings.TrimSpace(errs.String()); text != "" {
			return "", errors.New(text)
		}
		return "", err
	}
	return out.String(), nil
}

// gitEnv leaves out the variables that would point git elsewhere. A process without
// a HOME, as under cron, has no settings of its own to read.
func gitEnv(env []string) []string {
	out := make([]string, 0, len(env)+3)
	home := false
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX":
			continue
		case "HOME":
			home = true
		}
		out = append(out, kv)
	}
	if !home {
		out = append(out, "GIT_CONFIG_GLOBAL="+os.DevNull)
	}
	return append(out, "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
}
