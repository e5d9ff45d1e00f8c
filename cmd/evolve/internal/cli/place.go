package cli

import (
	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/workspace"
)

// setPlace stores how printed commands must name the workspace. They need not name the
// workspace if evolve finds it from the current folder.
func (sh *shell) setPlace(c *cli.Context, root string) {
	if found, err := workspace.Find(sh.dir); err == nil && found == root {
		sh.place = ""
		return
	}
	sh.place = root
	if typed := c.String("workspace"); typed != "" {
		sh.place = typed
	}
}
