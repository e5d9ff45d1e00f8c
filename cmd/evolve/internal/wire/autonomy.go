package wire

import (
	"context"
	"errors"
	"fmt"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/autonomy"
)

// level returns the level of autonomy that bounds an agent's live turns. While another
// process holds the archive, it returns the lowest level.
func (f *AgentFactory) level(ctx context.Context, a *workspace.Agent) (autonomy.Level, error) {
	if !f.Live {
		return 0, nil
	}
	var r archive.AutonomyRecord
	err := f.look(func(store *archive.Archive) (err error) {
		r, err = Autonomy(ctx, f.workspace.Root, store, a.ID)
		return err
	})
	var locked *archive.LockedError
	if errors.As(err, &locked) {
		f.host.Log.Warn(fmt.Sprintf("the turn runs at autonomy level %d, because the level of %s cannot be read: %s", autonomy.Lowest, a.ID, locked))
		return autonomy.Lowest, nil
	}
	if err != nil {
		return 0, err
	}
	if r.Unproven != "" {
		f.host.Log.Warn("the turn runs at the lowest autonomy level: " + r.Unproven)
	}
	return r.Level, nil
}

// levelNow returns the level of autonomy at the moment of a call. It returns the lowest
// level if the level cannot be read.
func (f *AgentFactory) levelNow(ctx context.Context, a *workspace.Agent) autonomy.Level {
	level, err := f.level(ctx, a)
	if err != nil {
		f.host.Log.Warn(fmt.Sprintf("the call runs at autonomy level %d, because the level of %s cannot be read: %s", autonomy.Lowest, a.ID, err))
		return autonomy.Lowest
	}
	return level.InForce()
}
