package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/patch/diff"
	"evolve/patch/scope"
	"evolve/runtime/text"
)

func patchPropose(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "propose", Usage: "submit a diff: it is applied, checked by gates and stored; nothing else changes", ArgsUsage: "[FILE…]",
		Description: "FILE is a unified diff, or - for standard input; a diff written by a model is parsed leniently, but applied exactly or not at all. With --edit, FILE names files in the repository, which the editor opens as copies. The target is one of patches.targets in evolve.yaml, or --repo with --allow, which needs no workspace: the ledger is then stored in a temporary workspace that the output names. Without FILE, the command runs the gates of patches that are still drafts. The exit code is 0 if a person can decide, and 4 if a gate failed or no patch was accepted.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "target", Usage: "the target `NAME` in evolve.yaml; needed if there are several"},
			&cli.StringFlag{Name: "repo", Usage: "patch the git repository in `DIR` instead of a target in evolve.yaml"},
			&cli.StringSliceFlag{Name: "allow", Usage: "allow changes to the `PATH` in --repo and to everything below it; repeat the flag for several paths"},
			&cli.BoolFlag{Name: "edit", Usage: "write the change in $VISUAL or $EDITOR"},
			&cli.StringFlag{Name: "reason", Usage: "the `REASON`, for reviewers and the person who decides"},
			&cli.StringFlag{Name: "by", Usage: "who proposes, as `NAME`; the git user by default"},
		},
		Action: func(c *cli.Context) error { return proposePatch(sh, c) },
	}
}

// errNoTarget reports that no target was named.
var errNoTarget = errors.New("no target is named")

func proposePatch(sh *shell, c *cli.Context) error {
	if c.NArg() == 0 {
		return proposeWaiting(sh, c)
	}
	if !c.Bool("edit") && c.NArg() != 1 {
		return exit.Errorf(exit.Usage, "one FILE contains the whole change; with --edit several files can be named", "%q is one argument too many", c.Args().Get(1))
	}
	w, err := patchWorkspace(sh, c)
	if err != nil {
		return err
	}
	target, err := patchTarget(sh, c, w)
	if err != nil {
		return err
	}
	author := c.String("by")
	if author == "" {
		author = whoami(c.Context, sh, target.Repo)
	}
	if author == "" {
		author = account()
	}
	s := review.Submission{Target: target.Name, Author: author, Origin: review.OriginPerson, Rationale: c.String("reason")}
	if c.Bool("edit") {
		s.Diff, err = editFiles(sh, c, target)
	} else {
		s.Diff, err = readDiff(c.Context, sh, c.Args().First())
	}
	if err != nil {
		return err
	}
	if w != nil {
		return proposeIn(sh, c, w, target, s, "")
	}
	return proposeAlone(sh, c, target, s)
}

// proposeAlone proposes a patch without a workspace. The ledger is in a temporary
// workspace, which is removed if there is no proposal.
func proposeAlone(sh *shell, c *cli.Context, target review.Target, s review.Submission) error {
	dir, err := os.MkdirTemp("", "evolve-patch-")
	if err != nil {
		return fmt.Errorf("creating a temporary workspace: %w", err)
	}
	_, _, err = workspace.Init(dir, nil, true)
	var w *workspace.Workspace
	if err == nil {
		w, err = wire.Load(dir)
	}
	if err == nil {
		err = proposeIn(sh, c, w, target, s, dir)
	}
	var said exit.Silent
	if err != nil && !errors.As(err, &said) {
		return errors.Join(err, os.RemoveAll(dir))
	}
	// Without a home folder the build cache is in the temporary workspace too, so no later
	// run would use it.
	return errors.Join(err, os.RemoveAll(filepath.Join(w.StateDir(), "patches")))
}

// proposeIn proposes a patch in a workspace and shows the result. temporary is the
// workspace's folder if the output has to name it, and empty otherwise.
func proposeIn(sh *shell, c *cli.Context, w *workspace.Workspace, target review.Target, s review.Submission, temporary string) error {
	rev := sh.PatchReviewer(w, sh.Lender(w.Root, "evolve patch propose"))
	if !target.Named {
		rev.Targets = []review.Target{target}
	}
	p, err := rev.ProposePatch(c.Context, s)
	if err != nil {
		return left(err, temporary != "")
	}
	view := patchViewOf(rev, p, true)
	if temporary != "" {
		view.Workspace, sh.place = temporary, temporary
	}
	err = sh.show(view, func() { printPatch(sh.console, view, false) })
	if err == nil && temporary == "" {
		resumePatches(sh, c, w, rev)
	}
	if err == nil && p.State != archive.Awaiting && p.State != archive.HumanLane {
		err = exit.Silent(exit.Gate)
	}
	return err
}

// left adds a hint to an error about a proposal that is recorded but has no verdict. The
// hint states what to do with the proposal. left returns other errors unchanged.
func left(err error, temporary bool) error {
	var l *review.LeftError
	if !errors.As(err, &l) {
		return err
	}
	hint := "repeat the command to try " + l.ID + " again; the next night and the next `evolve patch propose` also try it; `evolve reject " + l.ID + "` closes it"
	if temporary {
		hint = "nothing was stored; repeat the command to start again"
	}
	code := exit.Interrupted
	switch {
	case errors.Is(err, archive.ErrLocked):
		code = exit.Locked
	case errors.As(err, new(*review.UnwritableError)):
		code = exit.Infrastructure
	}
	return exit.Errorf(code, hint, "%w", err)
}

// resumePatches runs the gates of the other patches that are waiting as drafts. It is
// called once a person's own patch has passed its gates.
func resumePatches(sh *shell, c *cli.Context, w *workspace.Workspace, rev *review.Reviewer) {
	rev.Targets = w.PatchTargets()
	done, err := rev.Resume(c.Context)
	for _, p := range done {
		sh.eprintf("%s\n", resumedWords(p))
	}
	if err != nil {
		sh.Log.Warn("some patches have not been through their gates yet", "error", err)
	}
}

// resumedWords describes the state of a draft, or the reason why it is still waiting.
func resumedWords(p archive.ProposalRecord) string {
	if p.State == archive.Drafted {
		return p.ID + " waits for its gates: " + text.Visible(p.Patch.Waits)
	}
	return p.ID + " is " + p.State.Name() + " now"
}

// proposeWaiting passes the patches that wait as drafts through their gates.
func proposeWaiting(sh *shell, c *cli.Context) error {
	for _, flag := range c.Command.Flags {
		if name := flag.Names()[0]; c.IsSet(name) && name != "workspace" {
			return exit.Errorf(exit.Usage, "write `evolve patch propose "+c.Command.ArgsUsage+"`; without FILE, the command resumes patches that are waiting for their gates, with their original flags", "--%s needs a FILE", name)
		}
	}
	w, err := sh.load(c)
	if err != nil {
		return err
	}
	rev := sh.PatchReviewer(w, sh.Lender(w.Root, "evolve patch propose"))
	done, err := rev.Resume(c.Context)
	if err == nil {
		err = context.Cause(c.Context)
	}
	views := make([]patchView, len(done))
	for i, p := range done {
		views[i] = patchViewOf(rev, p, false)
		if p.State == archive.GateFailed && err == nil {
			err = exit.Silent(exit.Gate)
		}
	}
	shown := printList(sh.console, "patches", views, "no patch waits for its gates", func(v patchView) error {
		at := slices.IndexFunc(done, func(p archive.ProposalRecord) bool { return p.ID == v.ID })
		sh.printf("%s\n    %s\n", resumedWords(done[at]), sh.command("evolve show "+v.ID))
		return nil
	})
	if shown != nil {
		return shown
	}
	return err
}

// patchWorkspace returns the workspace that holds the ledger, or nil if the target is given
// on the command line and there is no workspace.
func patchWorkspace(sh *shell, c *cli.Context) (*workspace.Workspace, error) {
	if c.String("repo") == "" || c.IsSet("workspace") {
		return sh.load(c)
	}
	root, err := workspace.Find(sh.dir)
	if err != nil {
		return nil, nil //nolint:nilerr // that there is none is an answer
	}
	return wire.Load(root)
}

// patchTarget returns the target that the person named, or the only target. Without a
// workspace, the person has named a repository.
func patchTarget(sh *shell, c *cli.Context, w *workspace.Workspace) (review.Target, error) {
	name, repo := c.String("target"), c.String("repo")
	switch {
	case repo != "" && name != "":
		return review.Target{}, exit.Misuse(errors.New("--target and --repo both name what to patch: give only one of them"))
	case repo != "":
		dir := sh.abs(repo)
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return review.Target{}, exit.Errorf(exit.Usage, "--repo must name the folder of a git repository", "%s is not a folder", repo)
		}
		return review.Target{Name: filepath.Base(dir), Repo: dir, Policy: scope.Policy{Allow: c.StringSlice("allow")}}, nil
	case len(c.StringSlice("allow")) > 0:
		return review.Target{}, exit.Errorf(exit.Usage, "a target's allowed paths are set in evolve.yaml", "--allow can be used only with --repo")
	}
	all := w.PatchTargets()
	if name == "" && len(all) == 1 {
		return all[0], nil
	}
	names := w.Settings.Patches.TargetNames()
	for _, t := range all {
		if t.Name == name {
			return t, nil
		}
	}
	if name != "" {
		hint := exit.Suggest("they are "+strings.Join(names, ", "), "%s", name, names)
		return review.Target{}, exit.Errorf(exit.Usage, hint, "evolve.yaml has no target %q under patches", name)
	}
	if len(all) == 0 {
		return review.Target{}, exit.Errorf(exit.Usage, "add a target under patches.targets in evolve.yaml, or give --repo DIR --allow PATH", "%w", errNoTarget)
	}
	return review.Target{}, exit.Errorf(exit.Usage, fmt.Sprintf("--target must be one of %v", names), "%w", errNoTarget)
}

// readDiff reads the submitted diff, but at most one byte more than the limit on its size.
func readDiff(ctx context.Context, sh *shell, name string) (string, error) {
	in, err := openFile(ctx, sh, name)
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(in, diff.MaxText+1))
		_ = in.Close()
	}
	if err != nil {
		return "", exit.Errorf(exit.Usage, "FILE is a unified diff, or - for standard input", "reading the diff: %w", err)
	}
	return string(data), nil
}
