package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/patching"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/patch/diff"
	"evolve/patch/scope"
)

func (sh *shell) patchPropose() *cli.Command {
	return &cli.Command{
		Name: "propose", Usage: "hand a diff in: it is applied, gated and filed, and nothing else is touched", ArgsUsage: "FILE…",
		Description: "FILE is a unified diff, - standard input; what a model wrote is read tolerantly and applied exactly or " +
			"not at all. With --edit, FILE names files of the repository, which the editor opens as copies. The target is " +
			"one of patches.targets in evolve.yaml, or --repo with --allow, which needs no workspace: the ledger is then " +
			"kept in a temporary one that the output names. Ends with 0 when a person may decide, with 4 when a gate " +
			"failed or nothing was taken in.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "target", Usage: "the target `NAME` of evolve.yaml; needed where there are several"},
			&cli.StringFlag{Name: "repo", Usage: "a git repository in `DIR` instead of a target"},
			&cli.StringSliceFlag{Name: "allow", Usage: "a `PATH` of --repo that may be changed, with all below it; may be repeated"},
			&cli.BoolFlag{Name: "edit", Usage: "write the change in $VISUAL or $EDITOR"},
			&cli.StringFlag{Name: "reason", Usage: "`WHY`, for reviewers and whoever decides"},
			&cli.StringFlag{Name: "by", Usage: "who proposes, as `NAME`; the git user by default"},
		},
		Action: sh.proposePatch,
	}
}

// errNoTarget says that nothing says what is to be patched.
var errNoTarget = errors.New("no target is named")

func (sh *shell) proposePatch(c *cli.Context) error {
	if !c.Bool("edit") && c.NArg() != 1 {
		return hinted(exitUsage, "one FILE holds the whole change; with --edit several files can be named", "%q is one argument too many", c.Args().Get(1))
	}
	w, temporary, err := sh.patchWorkspace(c)
	if err != nil {
		return err
	}
	target, err := sh.patchTarget(c, w)
	if err != nil {
		return err
	}
	author := c.String("by")
	if author == "" {
		author = sh.whoami(c.Context, target.Repo)
	}
	s := patching.Submission{Target: target.Name, Author: author, Origin: patching.Person, Rationale: c.String("reason")}
	if c.Bool("edit") {
		s.Diff, err = sh.edited(c, target)
	} else {
		s.Diff, err = sh.readDiff(c.Args().First())
	}
	if err != nil {
		return err
	}
	a, err := sh.writer(w.Root, "evolve patch propose")
	if err != nil {
		return err
	}
	desk := sh.patchDesk(c, w, a)
	if !target.Named {
		desk.Targets = []patching.Target{target}
	}
	_, err = desk.Resume(c.Context)
	var view patchView
	if err == nil {
		p, perr := desk.Propose(c.Context, s)
		if err = perr; err == nil {
			view = patchViewOf(desk, p, true)
		}
	}
	if err = errors.Join(err, a.Close()); err != nil {
		return err
	}
	if temporary {
		view.Workspace = w.Root
		sh.place = w.Root
	}
	if c.Bool("json") {
		err = sh.printJSON(view)
	} else {
		sh.printPatch(view)
	}
	if err == nil && view.State != archive.Awaiting && view.State != archive.HumanLane {
		err = quietExit(exitGate)
	}
	return err
}

// patchWorkspace is the workspace that keeps the ledger: the one there is, or, where
// the target is named by hand, a temporary one.
func (sh *shell) patchWorkspace(c *cli.Context) (w *workspace.Workspace, temporary bool, err error) {
	if c.String("repo") == "" || c.IsSet("workspace") {
		w, err = sh.load(c)
		return w, false, err
	}
	if root, err := workspace.Find(sh.dir); err == nil {
		w, err = workspace.Load(root, builtins())
		return w, false, err
	}
	dir, err := os.MkdirTemp("", "evolve-patch-")
	if err != nil {
		return nil, false, fmt.Errorf("making a temporary workspace: %w", err)
	}
	if _, _, err := workspace.Init(dir, nil, true); err != nil {
		return nil, false, err
	}
	w, err = workspace.Load(dir, builtins())
	return w, true, err
}

// patchTarget is what the person named, or the only target there is.
func (sh *shell) patchTarget(c *cli.Context, w *workspace.Workspace) (patching.Target, error) {
	name, repo := c.String("target"), c.String("repo")
	switch {
	case repo != "" && name != "":
		return patching.Target{}, usage(errors.New("--target and --repo both name what is patched"))
	case repo != "":
		dir := sh.abs(repo)
		return patching.Target{Name: filepath.Base(dir), Repo: dir, Policy: scope.Policy{Allow: c.StringSlice("allow")}}, nil
	case len(c.StringSlice("allow")) > 0:
		return patching.Target{}, hinted(exitUsage, "what a target allows stands in evolve.yaml", "--allow goes with --repo")
	}
	all := patching.Targets(w)
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
		hint := fmt.Sprintf("they are %v", names)
		if near := nearest(name, names); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
		return patching.Target{}, hinted(exitUsage, hint, "evolve.yaml has no target %q under patches", name)
	}
	if len(all) == 0 {
		return patching.Target{}, hinted(exitUsage, "write one under patches.targets of evolve.yaml, or name --repo DIR --allow PATH", "%w", errNoTarget)
	}
	return patching.Target{}, hinted(exitUsage, fmt.Sprintf("--target is one of %v", names), "%w", errNoTarget)
}

// readDiff reads what is handed in, at most as much as would be looked at.
func (sh *shell) readDiff(name string) (string, error) {
	in := sh.stdin
	if name != "-" {
		f, err := os.Open(sh.abs(name))
		if err != nil {
			return "", hinted(exitUsage, "FILE is a unified diff, or - for standard input", "reading the diff: %w", err)
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, diff.MaxText+1))
	if err != nil {
		return "", hinted(exitUsage, "FILE is a unified diff, or - for standard input", "reading the diff: %w", err)
	}
	return string(data), nil
}

// userCache is a folder for build caches, which all workspaces of a user share; empty
// where the user has none.
func (sh *shell) userCache() string {
	if dir := sh.getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "evolve", "patches")
	}
	if home := sh.getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".cache", "evolve", "patches")
	}
	return ""
}
