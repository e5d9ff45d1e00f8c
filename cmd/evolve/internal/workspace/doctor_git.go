package workspace

import (
	"context"
	"errors"
	"os/exec"
	"strings"
)

// checkGit looks at git itself and at the repository that the workspace lies in.
func checkGit(ctx context.Context, p Probes) []Check {
	const name = "git"
	version, err := p.Git(ctx, p.Root, "--version")
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return []Check{warn(name, "install git to approve proposals in a checked-out workspace and to read their history", "is not installed")}
	case err != nil:
		return []Check{fail(name, "", "does not run: %v", err)}
	}
	return []Check{ok(name, "%s", version), checkRepository(ctx, p)}
}

func checkRepository(ctx context.Context, p Probes) Check {
	const name = "repository"
	inside, err := p.Git(ctx, p.Root, "rev-parse", "--is-inside-work-tree")
	switch message := gitMessage(err); {
	case strings.Contains(message, "not a git repository"):
		return ok(name, "none: the first approval makes it")
	case strings.Contains(message, "dubious ownership"):
		return fail(name, "git config --global --add safe.directory FOLDER, when you trust it", "belongs to somebody else, so git refuses it")
	case strings.Contains(message, "refstorage"): // a git that does not know reftable either
		return refTable()
	case err != nil:
		return fail(name, "", "cannot be opened: %s", message)
	case inside != "true":
		return fail(name, "keep the workspace in a repository with a working tree", "the workspace lies inside a bare repository or a .git folder")
	}
	if c, bad := checkFormat(ctx, p); bad {
		return c
	}
	if _, err := p.Git(ctx, p.Root, "check-ignore", "-q", ".evolve/archive"); err != nil {
		return warn(name, "add .evolve/ to .gitignore", "does not ignore .evolve/, so that every run leaves the tree changed")
	}
	changed, err := p.Git(ctx, p.Root, "status", "--porcelain", "--", ".")
	if err != nil {
		return warn(name, "", "its state is unknown: %s", gitMessage(err))
	}
	if changed != "" {
		return warn(name, "commit or undo them: an approval commits in a clean tree only",
			"has changes that are not committed: %s", count(strings.Count(changed, "\n")+1, "file"))
	}
	if email, _ := p.Git(ctx, p.Root, "config", "--get", "user.email"); email == "" {
		return warn(name, "git config user.email you@example.org", "is clean; git does not know who you are")
	}
	return ok(name, "is clean")
}

// checkFormat names the forms of repository that proposals cannot be written to.
func checkFormat(ctx context.Context, p Probes) (Check, bool) {
	const name = "repository"
	get := func(key string) string {
		v, err := p.Git(ctx, p.Root, "config", "--get", key)
		if err != nil { // the key is not there
			return ""
		}
		return strings.ToLower(v)
	}
	switch {
	case get("extensions.refstorage") == "reftable":
		return refTable(), true
	case get("extensions.objectformat") == "sha256":
		return fail(name, "keep the workspace in a repository made with git init --object-format=sha1", "names its objects by SHA-256, which evolve cannot write"), true
	case get("extensions.worktreeconfig") == "true" && get("core.repositoryformatversion") != "1":
		return fail(name, "git config core.repositoryformatversion 1", "uses worktreeConfig in a repository of version 0, which evolve cannot open"), true
	case get("extensions.partialclone") != "":
		return warn(name, "use a full clone", "is a partial clone: objects that are not here cannot be read"), true
	}
	return Check{}, false
}

func refTable() Check {
	return fail("repository", "git refs migrate --ref-format=files", "keeps its refs as reftable, which evolve cannot write")
}

// gitMessage is what git complained with.
func gitMessage(err error) string {
	if err == nil {
		return ""
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if words := strings.Fields(string(exit.Stderr)); len(words) > 0 {
			return strings.Join(words, " ")
		}
	}
	return err.Error()
}
