package doctor

import (
	"context"
	"errors"
	"os/exec"
	"strings"

	rtext "evolve/runtime/text"

	"evolve/patch"
)

// checkGit checks git itself and the repository that contains the workspace.
func checkGit(ctx context.Context, p Probes) []Check {
	const name = "git"
	version, err := p.Git(ctx, p.Root, "--version")
	switch {
	case errors.Is(err, exec.ErrNotFound):
		checks := []Check{warn(name, "install git to approve proposals in a checked-out workspace and to read their history", "is not installed")}
		return append(checks, checkProblems(patch.Problems(p.Root))...)
	case err != nil:
		return []Check{fail(name, "", "does not run: %v", err)}
	}
	checks := append([]Check{ok(name, "%s", version)}, checkUser(ctx, p)...)
	return append(checks, checkRepository(ctx, p)...)
}

// checkUser checks whether git has a name and an email address to record decisions with. A
// decision takes them from the same settings.
func checkUser(ctx context.Context, p Probes) []Check {
	var missing, commands []string
	for _, s := range [][2]string{{"user.name", `"Your Name"`}, {"user.email", "you@example.org"}} {
		if value, _ := p.Git(ctx, p.Root, "config", "--get", s[0]); strings.TrimSpace(value) == "" {
			missing, commands = append(missing, s[0]), append(commands, "git config --global "+s[0]+" "+s[1])
		}
	}
	if len(missing) == 0 {
		return nil
	}
	verb := "is"
	if len(missing) > 1 {
		verb = "are"
	}
	return []Check{warn("git", strings.Join(commands, "; "), "%s %s not set; decisions are recorded with your git name and email address", strings.Join(missing, " and "), verb)}
}

// checkRepository returns a check for each problem with the repository and, if none is
// fatal, a check for the working tree.
func checkRepository(ctx context.Context, p Probes) []Check {
	checks := checkProblems(patch.Problems(p.Root))
	for _, c := range checks {
		if c.Status == StatusFail {
			return checks
		}
	}
	state := checkTree(ctx, p)
	if state.Status != StatusFail {
		checks = append(checks, checkReplaced(ctx, p)...)
	}
	if state.Status == StatusOK && len(checks) > 0 {
		return checks
	}
	return append(checks, state)
}

// checkProblems returns a check for each problem that prevents proposals or is worth
// knowing.
func checkProblems(problems []patch.Problem) []Check {
	const name = "repository"
	var checks []Check
	for _, q := range problems {
		switch {
		case q.Name == patch.ProblemOwner:
			// This problem is not reported here: safe.directory affects only git, and
			// checkTree runs git.
		case q.Fatal:
			checks = append(checks, fail(name, q.Hint, "%s", q.Why))
		default:
			checks = append(checks, warn(name, q.Hint, "%s", q.Why))
		}
	}
	return checks
}

// checkReplaced warns about objects that git replaces with other objects when it shows
// them. Commits and measurements use the original objects, so the content that git shows a
// person is different.
func checkReplaced(ctx context.Context, p Probes) []Check {
	const prefix, most = "refs/replace/", 3
	list, err := p.Git(ctx, p.Root, "for-each-ref", "--format=%(refname)", prefix)
	if err != nil {
		return nil
	}
	var names []string
	for line := range strings.Lines(list) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), prefix); ok {
			names = append(names, name[:min(12, len(name))])
		}
	}
	if len(names) == 0 {
		return nil
	}
	shown := strings.Join(names[:min(most, len(names))], ", ")
	if len(names) > most {
		shown += ", …"
	}
	return []Check{warn("repository", "`git replace --list` lists the replace refs, and `git replace --delete OBJECT` removes one",
		"has replace refs for %s, which git follows and evolve ignores: %s", rtext.Count(len(names), "object"), shown)}
}

// checkTree checks the state of the working tree with git.
func checkTree(ctx context.Context, p Probes) Check {
	const name = "repository"
	inside, err := p.Git(ctx, p.Root, "rev-parse", "--is-inside-work-tree")
	switch message := gitMessage(err); {
	case strings.Contains(message, "not a git repository"):
		return ok(name, "none: the first approval lists what it would commit, and offers to create a repository")
	case strings.Contains(message, "dubious ownership"):
		return fail(name, "git config --global --add safe.directory FOLDER, if you trust it", "belongs to another user, so git refuses it")
	case err != nil:
		return fail(name, "", "cannot be opened: %s", message)
	case inside != "true":
		return fail(name, "keep the workspace in a repository with a working tree", "the workspace lies inside a bare repository or a .git folder")
	}
	if _, err := p.Git(ctx, p.Root, "check-ignore", "-q", ".evolve/archive"); err != nil {
		return warn(name, "add .evolve/ to .gitignore", "does not ignore .evolve/, so every run leaves the tree changed")
	}
	changed, err := p.Git(ctx, p.Root, "status", "--porcelain", "--ignore-submodules=all", "--", ".")
	if err != nil {
		return warn(name, "", "its state is unknown: %s", gitMessage(err))
	}
	if changed != "" {
		return warn(name, "commit or undo them: an approval commits only in a clean tree",
			"has changes that are not committed: %s", rtext.Count(strings.Count(changed, "\n")+1, "file"))
	}
	return ok(name, "is clean")
}

// gitMessage returns git's error message.
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
