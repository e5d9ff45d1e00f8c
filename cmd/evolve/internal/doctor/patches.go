package doctor

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	rtext "evolve/runtime/text"

	"evolve/cmd/evolve/internal/batch/coding"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/patch"
	"evolve/runtime/sandbox"
)

// checkPatchTargets checks the requirements for patches: a repository to which commits can
// be written, Go to test the patches with, and a sandbox for the tests. If something that
// can be installed is missing, it only warns, because everything except patches works
// without it. It returns the targets whose code is searched and whose cases are known.
func checkPatchTargets(ctx context.Context, p Probes, w *workspace.Workspace) (checks []Check, scored []*coding.Prospect) {
	for _, t := range w.Settings.Patches.Targets {
		checks = append(checks, checkTarget(ctx, p, w, t))
		checks = append(checks, checkMarks(p, t)...)
		blocks, found := checkBlocks(ctx, p, w, t)
		if checks = append(checks, blocks...); found != nil {
			scored = append(scored, found)
		}
	}
	if len(checks) == 0 {
		return nil, nil
	}
	return append(checks, checkTests(ctx, p, w)), scored
}

// checkTarget returns the first obstacle to writing proposals to a target or, if there is
// none, the files that may be changed.
func checkTarget(ctx context.Context, p Probes, w *workspace.Workspace, t workspace.PatchTarget) Check {
	name := "patches " + t.Name
	dir := t.Dir(w.Root)
	for _, c := range checkProblems(patch.Problems(dir)) {
		if c.Status == StatusFail {
			c.Name = name
			return c
		}
	}
	inside, err := p.Git(ctx, dir, "rev-parse", "--is-inside-work-tree")
	switch message := gitMessage(err); {
	case errors.Is(err, exec.ErrNotFound):
		return warn(name, "install git: only git can safely update a checked-out tree to an adopted patch", "git is not installed")
	case strings.Contains(message, "not a git repository"):
		return warn(name, "run git init there, and commit the files", "%q is not in a git repository", t.Repo)
	case strings.Contains(message, "dubious ownership"):
		return fail(name, "to trust the repository, run git config --global --add safe.directory FOLDER", "the repository belongs to another user, so git refuses it")
	case err != nil:
		return fail(name, "", "%q cannot be opened: %s", t.Repo, message)
	case inside != "true":
		return fail(name, "name the folder of its working tree", "%q has no working tree", t.Repo)
	}
	if _, err := p.Git(ctx, dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
		return warn(name, "commit its files", "%q has no commit yet", t.Repo)
	}
	var missing []string
	for _, path := range t.Policy.Allow {
		if _, err := p.Git(ctx, dir, "rev-parse", "--verify", "--quiet", "HEAD:"+strings.TrimSuffix(path, "/")); err != nil && path != "." {
			missing = append(missing, path)
		}
	}
	if len(missing) > 0 {
		return warn(name, "paths are relative to the root of the repository", "paths that patches may change do not exist: %s", strings.Join(missing, ", "))
	}
	also := ""
	if b := t.Benchmark; b != nil && len(b.Command) > 0 {
		if !measures(ctx, p, dir, b.Command[0]) {
			return warn(name, "name an installed program, or one in the repository, such as ./bench/run", "%q cannot be found, so no patch can be measured", b.Command[0])
		}
		also = "; measured by " + strings.Join(b.Command, " ")
	}
	if t.Agent != "" {
		also += fmt.Sprintf("; tried with agent %s on %s", t.Agent, rtext.Count(w.TrialTasks(t), "search task"))
	}
	return ok(name, "%s may be changed: %s%s", rtext.Count(len(t.Policy.Allow), "path"), strings.Join(t.Policy.Allow, ", "), also)
}

// measures reports whether a benchmark's program exists, on the machine or as a committed
// file.
func measures(ctx context.Context, p Probes, dir, program string) bool {
	if filepath.IsAbs(program) || !strings.Contains(program, "/") {
		_, err := p.LookPath(program)
		return err == nil
	}
	_, err := p.Git(ctx, dir, "rev-parse", "--verify", "--quiet", "HEAD:./"+path.Clean(program))
	return err == nil
}

// checkTests checks whether the tools that the tests of a patch need are installed.
func checkTests(ctx context.Context, p Probes, w *workspace.Workspace) Check {
	const name = "patches"
	if _, err := p.LookPath("go"); err != nil && needGo(ctx, p, w) {
		return warn(name, "install Go: a patch is not shown until its tests have run", "go cannot be found")
	}
	none := w.Settings.Patches.Sandbox == "none"
	walls, err := p.Sandbox(ctx)
	if walls == "landlock" {
		err = errors.New("Landlock alone is not enough for these tests")
	}
	switch {
	case err != nil && none:
		return warn(name, "remove patches.sandbox on a machine that has a sandbox", "the tests of patches run with your own rights: %v", err)
	case err != nil:
		return warn(name, sandbox.Remedy(err)+"; to run the tests without a sandbox, set patches.sandbox: none", "the tests of patches are not run, because there is no sandbox: %v", err)
	}
	return ok(name, "%s, tests run in: %s", reviewersOf(w), walls)
}

// needGo reports whether a target has Go files, or whether the files of a target cannot be
// listed.
func needGo(ctx context.Context, p Probes, w *workspace.Workspace) bool {
	return slices.ContainsFunc(w.Settings.Patches.Targets, func(t workspace.PatchTarget) bool {
		files, err := p.Git(ctx, t.Dir(w.Root), "ls-tree", "-r", "--name-only", "--full-tree", "HEAD")
		return err != nil || slices.ContainsFunc(strings.Split(files, "\n"), review.IsGo)
	})
}

func reviewersOf(w *workspace.Workspace) string {
	n := len(w.Settings.Patches.Reviewers)
	if n == 0 {
		n = len(w.Agents)
	}
	if n < 2 {
		return "no review by another agent"
	}
	return fmt.Sprintf("%d reviewers, taking turns", n)
}
