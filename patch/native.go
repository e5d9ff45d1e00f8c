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

// ErrNoGit reports that native git is needed but not installed. Only native git updates a
// working tree and its index safely.
var ErrNoGit = errors.New("git is not installed")

// safeSettings are settings with which native git runs nothing that a repository's own
// settings name: hooks, a file system monitor, pagers, external diffs, signatures, merge
// strategies, submodules, background maintenance. nativeEnv disables what no setting can
// disable, and a [Repository] disables filter drivers: a change to a file that a filter
// driver processes is refused beforehand.
var safeSettings = [...]string{
	"core.hooksPath=" + os.DevNull, "core.fsmonitor=false", "core.pager=cat", "core.askPass=true",
	"diff.external=", "diff.ignoreSubmodules=all", "submodule.recurse=false", "status.submoduleSummary=false",
	"log.showSignature=false", "merge.verifySignatures=false", "merge.autoStash=false", "commit.gpgSign=false",
	"gc.auto=0", "maintenance.auto=false", "advice.detachedHead=false",
}

// Command returns a command that runs native git in a folder, without hooks and without
// prompts. It fails with ErrNoGit if git is not installed.
func Command(ctx context.Context, dir string, env []string, args ...string) (*exec.Cmd, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return nil, ErrNoGit
	}
	var all []string
	for _, s := range safeSettings {
		all = append(all, "-c", s)
	}
	cmd := exec.CommandContext(ctx, path, append(all, args...)...)
	cmd.Dir, cmd.Env = dir, nativeEnv(env)
	return cmd, nil
}

// native runs git and returns its output; an error contains git's error message.
func (r *Repository) native(ctx context.Context, dir string, args ...string) (string, error) {
	names, err := r.filters(ctx)
	if err != nil {
		return "", err
	}
	cmd, err := Command(ctx, dir, r.env, args...)
	if err != nil {
		return "", err
	}
	cmd.Env = append(append(cmd.Env, withoutDrivers(names)...), r.extra...)
	if r.input != "" {
		cmd.Stdin = strings.NewReader(r.input)
	}
	return output(cmd)
}

// config returns the output of git config, which is empty if nothing is set.
func (r *Repository) config(ctx context.Context, dir string, args ...string) (string, error) {
	cmd, err := Command(ctx, dir, r.env, append([]string{"config", "--includes"}, args...)...)
	if err != nil {
		return "", err
	}
	out, err := output(cmd)
	if err != nil && cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 1 {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("reading git's settings: %w", err)
	}
	return out, nil
}

// output runs a command and returns its output; an error contains the command's error
// output.
func output(cmd *exec.Cmd) (string, error) {
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if text := strings.TrimSpace(errs.String()); err != nil && text != "" {
		err = errors.New(text)
	}
	return out.String(), err
}

// keptVariables are the git variables that nativeEnv preserves, because they identify the
// operator and the operator's own settings. All other git variables could redirect git, or
// make it run or write something: GIT_DIR, GIT_CONFIG_PARAMETERS, GIT_EXEC_PATH, GIT_TRACE,
// GIT_SSH.
var keptVariables = map[string]bool{
	"GIT_CONFIG_GLOBAL": true, "GIT_CONFIG_SYSTEM": true, "GIT_CONFIG_NOSYSTEM": true, "GIT_CEILING_DIRECTORIES": true,
	"GIT_AUTHOR_NAME": true, "GIT_AUTHOR_EMAIL": true, "GIT_COMMITTER_NAME": true, "GIT_COMMITTER_EMAIL": true,
}

// nativeEnv returns the environment for git. With it, git ignores replace refs and grafts,
// and contacts no remote, not even for the missing objects of a partial clone. In a process
// without HOME, as under cron, there are no user settings.
func nativeEnv(env []string) []string {
	out := make([]string, 0, len(env)+8)
	home := false
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "GIT_") && !keptVariables[name] || name == "SSH_ASKPASS" || name == "PAGER" || name == "EDITOR" || name == "VISUAL" {
			continue
		}
		home = home || name == "HOME"
		out = append(out, kv)
	}
	if !home {
		out = append(out, "GIT_CONFIG_GLOBAL="+os.DevNull)
	}
	return append(out, "GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE="+os.DevNull, "GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C")
}

// User returns the git user of the repository; it is empty if none is configured.
func User(ctx context.Context, dir string, env []string) Person {
	r := &Repository{env: env}
	get := func(key string) string {
		value, _ := r.config(ctx, dir, "--get", key) // an error counts as no user
		return strings.TrimSpace(value)
	}
	return Person{Name: get("user.name"), Email: get("user.email")}
}
