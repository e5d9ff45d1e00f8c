package cli

import (
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/text"
)

// root finds the workspace's folder without reading it.
func (sh *shell) root(c *cli.Context) (string, error) {
	dir := c.String("workspace")
	if dir == "" {
		found, err := workspace.Find(sh.dir)
		if err != nil {
			return "", exit.Errorf(exit.Usage, "`evolve init` creates a workspace here; --workspace DIR names one elsewhere; `evolve demo` needs none", "%w", err)
		}
		sh.setPlace(c, found)
		return found, nil
	}
	dir = sh.abs(dir)
	if info, err := os.Stat(filepath.Join(dir, workspace.SettingsFile)); err != nil || info.IsDir() {
		return "", exit.Errorf(exit.Usage, "`evolve init --workspace "+text.ShellQuote(c.String("workspace"))+"` creates one there", "%s is not a workspace: it has no %s", c.String("workspace"), workspace.SettingsFile)
	}
	sh.setPlace(c, dir)
	return dir, nil
}

// load reads and checks the workspace.
func (sh *shell) load(c *cli.Context) (*workspace.Workspace, error) {
	root, err := sh.root(c)
	if err != nil {
		return nil, err
	}
	return wire.Load(root)
}
