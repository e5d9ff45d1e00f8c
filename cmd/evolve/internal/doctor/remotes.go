package doctor

import (
	"context"
	"errors"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/patch"
)

// checkRemotes tries the remotes where people decide on proposals. A night runs without
// them, so a faulty remote is only a warning.
func checkRemotes(ctx context.Context, p Probes, w *workspace.Workspace) []Check {
	const name = "adoption"
	if w.Settings.Adoption.Via != workspace.ViaBranch {
		return nil
	}
	var checks []Check
	for _, r := range p.Remotes(ctx, w) {
		var none *patch.NoRemoteError
		switch {
		case r.Err == nil:
			checks = append(checks, ok(name, "%s", p.brief(r.Remote+" of "+r.Folder+" accepts branches; proposals are made for the branch "+r.Base)))
		case errors.As(r.Err, &none):
			checks = append(checks, warn(name, "run git remote add "+r.Remote+" ADDRESS, or name a different remote in adoption.remote", "%s", p.brief(r.Err.Error())))
		default:
			checks = append(checks, warn(name, "proposals are adopted by a merge on the remote; `evolve adopt sync` tries to reach it again", "%s", p.brief(r.Folder+": "+r.Err.Error())))
		}
	}
	return checks
}
