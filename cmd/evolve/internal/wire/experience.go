package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"evolve/archive"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/experience"
	"evolve/runtime/turn"
)

// addExperience adds the experience from a built-in agent's live turns to the agent's
// options. Evaluations get the part on which they may depend, identified by digest. That
// part excludes the experience from conversations that became holdout tasks, and contains
// nothing from other agents, because each agent is independent of the others. A live turn
// gets everything except the quotations from such conversations, which the next night also
// leaves out of the lessons.
func (f *AgentFactory) addExperience(ctx context.Context, a *workspace.Agent, options *turn.Options, held batch.HeldOut) (digest string, err error) {
	if f.Frozen != nil {
		options.Experience = cmp.Or(f.Frozen.Experience, &experience.Experience{})
		return options.Experience.Digest(), nil
	}
	var own experience.Experience
	others := map[string]*experience.Experience{}
	var waiting Lowerings
	if f.Live {
		if waiting, err = ReadLowerings(f.workspace.Root); err != nil { // must precede reading the archive; see ReadLowerings
			return "", err
		}
	}
	err = f.look(func(store *archive.Archive) error {
		var err error
		read := store.Experience
		if f.Store != nil && !f.Live { // a run's store
			read = store.FrozenExperience
		}
		if own, err = read(ctx, a.ID); err != nil || !f.Live || !options.Language {
			return err
		}
		if held, err = batch.FindHeldOut(ctx, f.workspace, store); err != nil {
			return err
		}
		for _, id := range f.workspace.AgentIDs() {
			if id == a.ID {
				continue
			}
			e, err := store.Experience(ctx, id)
			if err != nil {
				return err
			}
			others[id] = &e
		}
		return nil
	})
	if f.Live && f.warnOfLock(err) {
		options.Experience = &experience.Experience{}
		return "", waiting.Forbid(a.ID, options.Experience)
	}
	if err != nil {
		return "", fmt.Errorf("reading the results of the agent's live turns: %w", err)
	}
	if f.Live {
		own.Lessons = own.Lessons.Without(held.Quoted)
		if err := waiting.Forbid(a.ID, &own); err != nil {
			return "", err
		}
		options.Experience, options.Others = &own, others
		return "", nil
	}
	options.Experience = own.ForEvaluations().Withhold(held.Quoted)
	return options.Experience.Digest(), nil
}

// warnOfLock reports whether err means that another process holds the archive, and if so
// warns that the turn runs without the archive.
func (f *AgentFactory) warnOfLock(err error) bool {
	var locked *archive.LockedError
	if !errors.As(err, &locked) {
		return false
	}
	f.host.Log.Warn("the turn proceeds without the results of earlier turns: " + locked.Error())
	return true
}

// heldOut finds the parts of live turns that evaluations must not read. For a live turn it
// finds none, because a live turn reads all of them.
func (f *AgentFactory) heldOut(ctx context.Context) (held batch.HeldOut, err error) {
	if f.Live {
		return held, nil
	}
	err = f.look(func(store *archive.Archive) error {
		held, err = batch.FindHeldOut(ctx, f.workspace, store)
		return err
	})
	return held, err
}
