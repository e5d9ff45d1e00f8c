package cli

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/decide"
	"evolve/cmd/evolve/internal/workspace"
)

// version returns the module's version or commit from the build information.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "devel-" + s.Value[:min(12, len(s.Value))]
		}
	}
	return "devel"
}

// root finds the workspace's folder without reading it.
func (sh *shell) root(c *cli.Context) (string, error) {
	dir := c.String("workspace")
	if dir == "" {
		found, err := workspace.Find(sh.dir)
		if err != nil {
			return "", hinted(exitUsage, "`evolve init` makes one here; --workspace DIR names one elsewhere; `evolve demo` needs none", "%w", err)
		}
		sh.settle(c, found)
		return found, nil
	}
	dir = sh.abs(dir)
	if info, err := os.Stat(filepath.Join(dir, workspace.SettingsFile)); err != nil || info.IsDir() {
		return "", hinted(exitUsage, "`evolve init --workspace "+quoted(c.String("workspace"))+"` makes one there", "%s is no workspace: it has no %s", c.String("workspace"), workspace.SettingsFile)
	}
	sh.settle(c, dir)
	return dir, nil
}

// load reads and checks the workspace.
func (sh *shell) load(c *cli.Context) (*workspace.Workspace, error) {
	root, err := sh.root(c)
	if err != nil {
		return nil, err
	}
	return workspace.Load(root, builtins())
}

// reader opens the archive of a workspace for reading; a run may hold it.
func (sh *shell) reader(root string) (*archive.Archive, error) {
	return begun(archive.OpenRead(archiveDir(root)))
}

// inspect opens the archive for reading even if its ledger does not match the witness.
func inspect(root string) (*archive.Archive, error) {
	return begun(archive.Inspect(archiveDir(root)))
}

// begun turns the error of a missing archive into one that nothing is recorded yet.
func begun(a *archive.Archive, err error) (*archive.Archive, error) {
	if errors.Is(err, archive.ErrNotFound) {
		return nil, hinted(exitUsage, "`evolve run` makes the first entries", "nothing is recorded in this workspace yet")
	}
	return a, opening(err)
}

// opening returns a *archive.LockedError without the text around it, and other errors as
// they are.
func opening(err error) error {
	var locked *archive.LockedError
	if errors.As(err, &locked) {
		return locked
	}
	return err
}

// writer opens the archive for writing. The first call in a process fails if heads are to
// be signed and the key cannot be used, and finishes the decisions that killed processes
// began.
func (sh *shell) writer(root, owner string) (*archive.Archive, error) {
	first := !sh.swept.Swap(true)
	n, err := sh.notary(root)
	if first && err != nil {
		return nil, err
	}
	a, err := sh.openSigned(root, owner, n)
	if err != nil || !first {
		return a, err
	}
	if note, err := batch.StaleEnding(sh.ctx, a, filepath.Dir(archiveDir(root))); err == nil && note != "" {
		_ = os.Remove(note) // a file that stays does no harm
	}
	left, err := decide.Unfinished(sh.ctx, a)
	if err == nil && len(left) == 0 {
		return a, nil
	}
	if err = errors.Join(err, a.Close()); err != nil {
		return nil, err
	}
	sh.sweep(root, left)
	return sh.openWriter(root, owner)
}

// openWriter opens the archive for writing. If new entries cannot be signed, it warns.
func (sh *shell) openWriter(root, owner string) (*archive.Archive, error) {
	n, _ := sh.notary(root)
	return sh.openSigned(root, owner, n)
}

// openSigned opens the archive for writing with the notary that signs its heads, or nil.
// It fails if the ledger does not have the signed head.
func (sh *shell) openSigned(root, owner string, n *notary) (*archive.Archive, error) {
	if _, err := workspace.MakeStateDir(root); err != nil {
		return nil, err
	}
	opts := archive.Options{Owner: owner, Now: sh.now}
	if n != nil {
		opts.Notary = n
	}
	a, err := archive.Open(archiveDir(root), opts)
	return a, opening(err)
}

func archiveDir(root string) string { return filepath.Join(root, ".evolve", "archive") }

// logger writes warnings to standard error.
func (sh *shell) logger(c *cli.Context) *slog.Logger {
	w := sh.stderr
	opts := &slog.HandlerOptions{Level: slog.LevelWarn}
	if c.String("log-format") == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}
