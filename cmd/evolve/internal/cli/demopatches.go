package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/cmd/evolve/internal/workspace/scaffold"
	"evolve/gates/gotest"
	"evolve/gates/review"
	"evolve/patch"
	"evolve/runtime/text"
)

// demoPerson is the author of the patches in a demo.
const demoPerson = "evolve demo"

// demoPatches submits the patches in the starter workspace, so that the report shows the
// results for a good patch, a patch that breaks a test and a patch that cheats. If git or
// Go is missing, it prints that no patches are shown.
func demoPatches(sh *shell, c *cli.Context, w *workspace.Workspace) error {
	files, err := filepath.Glob(filepath.Join(w.Root, "patches", "*.diff"))
	if err != nil {
		return err
	}
	targets := w.PatchTargets()
	if len(files) == 0 || len(targets) == 0 {
		return nil
	}
	who := patch.Person{Name: demoPerson, Email: "evolve@localhost", When: sh.Now()}
	_, err = patch.Open(w.Root, sh.Env)
	if errors.Is(err, patch.ErrNoRepository) {
		_, err = patch.Start(c.Context, w.Root, sh.Env, starterFiles(w), "the starter workspace\n", who)
	}
	switch {
	case errors.Is(err, patch.ErrNoGit):
		if !sh.quiet {
			_, _ = fmt.Fprintln(sh.stderr, "no patches are shown, because git is not installed")
		}
		return nil
	case err != nil:
		return err
	}
	var tools *gotest.NoToolchainError
	if _, err := gotest.FindToolchain(c.Context, "go"); errors.As(err, &tools) {
		if !sh.quiet {
			sh.eprintf("no patches are shown, because they are built and tested with Go: %s\n", text.OneLine(tools.Error()))
		}
		return nil
	}
	if !sh.quiet {
		sh.eprintf("building, testing and checking %s in a sandbox\n", text.Count(len(files), "patch", "patches"))
	}
	return handIn(c, sh.PatchReviewer(w, sh.Lender(w.Root, "evolve demo")), targets[0].Name, files)
}

// handIn proposes the patch in each file, except patches that were submitted before.
func handIn(c *cli.Context, rev *review.Reviewer, target string, files []string) error {
	slices.Sort(files)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("reading a patch: %w", err)
		}
		why, _, _ := strings.Cut(string(text), "\n\n")
		_, err = rev.ProposePatch(c.Context, review.Submission{
			Target: target, Author: demoPerson, Origin: review.OriginPerson, Rationale: why, Diff: string(text),
		})
		var refused *review.RefusedError
		if errors.As(err, &refused) {
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// starterFiles lists the workspace's own files and the existing files of the starter
// workspace. It lists no other files, because they may belong to a person who named an
// existing folder.
func starterFiles(w *workspace.Workspace) []string {
	list := w.OwnFiles()
	for name := range scaffold.Files() {
		if info, err := os.Lstat(filepath.Join(w.Root, filepath.FromSlash(name))); err == nil && info.Mode().IsRegular() {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
