package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/patch"
	foreign "evolve/runtime/text"
)

func archiveImport(sh *shell, c *cli.Context) error {
	name := c.Args().First()
	root, in, err := intoVacant(sh, c, "an import would mix two histories")
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	var commits review.Commits
	how := archive.Building{Owner: "evolve archive import", Now: sh.Now, Verify: func(ctx context.Context, a *archive.Archive) error {
		if _, err := a.Audit(ctx); err != nil {
			return err
		}
		var err error
		commits, err = commitsOf(ctx, sh, a, root, review.Audit{})
		return err
	}}
	if err := archive.ImportAt(c.Context, wire.ArchiveDir(root), bufio.NewReader(in), how); err != nil {
		err = fmt.Errorf("importing %s: %w", name, err)
		if errors.As(err, new(*archive.AuditError)) || errors.As(err, new(*archive.BoundError)) {
			return exit.Errorf(exit.Integrity, "the export was altered, or does not come from the archive that it names; nothing was imported: restore a backup instead", "%w", err)
		}
		if code, _ := exit.Of(err); code == exit.Unexpected {
			return exit.Errorf(exit.Integrity, "export it again: only a complete and unchanged export is imported", "%w", err)
		}
		return err
	}
	a, err := wire.ReadArchive(root)
	if err != nil {
		return err
	}
	told, _, err := a.ImportOf(c.Context)
	if err := errors.Join(err, a.Close()); err != nil {
		return err
	}
	sh.stands = "the archive is imported"
	if sh.json {
		return sh.printJSON(map[string]any{
			"imported": name, "sha256": told.SHA256, "drafts": told.Drafts, "origin": told.Origin,
			"unproven": append([]string{}, commits.Unproven...), "other_archives": commits.Others,
		})
	}
	text := ""
	if told.Drafts > 0 {
		text = fmt.Sprintf(": %s that waited for a decision %s here; the next %s measures what it can",
			count(told.Drafts, "proposal"), orElse("are drafts", "is a draft", told.Drafts != 1), sh.command("evolve run"))
	}
	if n := len(commits.Unproven); n > 0 {
		text += fmt.Sprintf("\n  %s known only from the export: no commit here confirms who decided", count(n, "decision"))
	}
	for _, id := range slices.Sorted(maps.Keys(commits.Others)) {
		sh.eprintf("warning: in this repository, %s the archive %s, but the export is from a different archive\n",
			orElse(count(commits.Others[id], "commit")+" name", "1 commit names", commits.Others[id] != 1), foreign.Visible(id))
	}
	_, err = fmt.Fprintf(sh.stdout, "imported %s%s\n  to restore an archive of your own in full    %s\n", name, text, sh.command("evolve archive restore"))
	return err
}

// commitsOf compares an archive with the commits in the workspace's repository. It compares
// nothing if there is no repository or git is not installed.
func commitsOf(ctx context.Context, sh *shell, a *archive.Archive, root string, how review.Audit) (review.Commits, error) {
	repo, err := patch.Open(root, sh.Env)
	if err == nil {
		_, _, err = repo.Head()
	}
	if err != nil {
		return review.Commits{}, nil //nolint:nilerr // there is no repository with a commit
	}
	out, err := review.AuditCommits(ctx, a, repo, how)
	if errors.Is(err, patch.ErrNoGit) {
		return review.Commits{}, nil
	}
	return out, err
}

// intoVacant returns the workspace's folder, ready for an archive, and the opened file that
// the first argument names. It refuses under the same conditions as vacantRoot.
func intoVacant(sh *shell, c *cli.Context, reason string) (string, io.ReadCloser, error) {
	root, err := vacantRoot(sh, c, reason)
	if err != nil {
		return "", nil, err
	}
	in, err := openInput(c.Context, sh, c.Args().First())
	return root, in, err
}

// vacantRoot returns the workspace's folder, ready for an archive. If the folder already
// has an archive, it refuses with the given reason.
func vacantRoot(sh *shell, c *cli.Context, reason string) (string, error) {
	root, err := sh.root(c)
	if err != nil {
		return "", err
	}
	if content, err := os.ReadDir(wire.ArchiveDir(root)); len(content) > 0 || err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", exit.Errorf(exit.Usage, "move "+filepath.Join(".evolve", "archive")+" away first", "this workspace has an archive; %s", reason)
	}
	_, err = workspace.MakeStateDir(root)
	return root, err
}
