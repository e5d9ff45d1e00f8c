package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
)

func (sh *shell) archiveImport(c *cli.Context) error {
	name := c.Args().First()
	root, in, err := sh.intoVacant(c, "an import would mix two histories")
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	how := archive.Building{Owner: "evolve archive import", Now: sh.now}
	if err := archive.ImportAt(c.Context, archiveDir(root), bufio.NewReader(in), how); err != nil {
		err = fmt.Errorf("importing %s: %w", name, err)
		if code, _ := classify(err); code == exitUnexpected {
			return hinted(exitIntegrity, "export it again: what is not whole and unchanged is not imported", "%w", err)
		}
		return err
	}
	a, err := sh.reader(root)
	if err != nil {
		return err
	}
	told, _, err := a.ImportOf(c.Context)
	if err := errors.Join(err, a.Close()); err != nil {
		return err
	}
	sh.stands = "the archive is imported"
	if c.Bool("json") {
		return sh.printJSON(map[string]any{"imported": name, "sha256": told.SHA256, "drafts": told.Drafts})
	}
	text := ""
	if told.Drafts > 0 {
		text = fmt.Sprintf(": %s that waited for a decision %s here; the next %s measures what it can",
			count(told.Drafts, "proposal"), orElse("are drafts", "is a draft", told.Drafts != 1), sh.typed("evolve run"))
	}
	_, err = fmt.Fprintf(sh.stdout, "imported %s%s\n  an archive of your own is taken back whole with    %s\n", name, text, sh.typed("evolve archive restore"))
	return err
}

// intoVacant returns the workspace's folder, ready for an archive, and the opened file
// that the first argument names. It refuses as vacantRoot does.
func (sh *shell) intoVacant(c *cli.Context, reason string) (string, io.ReadCloser, error) {
	root, err := sh.vacantRoot(c, reason)
	if err != nil {
		return "", nil, err
	}
	in, err := sh.source(c.Context, c.Args().First())
	return root, in, err
}

// vacantRoot is the workspace's folder, ready for an archive. It refuses one that has an
// archive already, for the given reason.
func (sh *shell) vacantRoot(c *cli.Context, reason string) (string, error) {
	root, err := sh.root(c)
	if err != nil {
		return "", err
	}
	if content, err := os.ReadDir(archiveDir(root)); len(content) > 0 || err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", hinted(exitUsage, "move "+filepath.Join(".evolve", "archive")+" away first", "this workspace has an archive; %s", reason)
	}
	_, err = workspace.MakeStateDir(root)
	return root, err
}
