package cli

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/view"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
)

// viewDecider makes decisions on behalf of the pages in the same way as the commands
// approve, reject and rollback: with the same checks, the same question and the same
// records.
type viewDecider struct {
	sh   *shell
	root string
	by   string
	// ctx is the command's context. Decisions use it so that a browser that disconnects
	// does not end a decision.
	ctx context.Context
	// one is the mutex that is locked while a decision is being made, so that decisions
	// are made one at a time.
	one sync.Mutex
}

var _ view.Decider = (*viewDecider)(nil)

// end waits for a decision that is under way.
func (v *viewDecider) end() {
	v.one.Lock()
	defer v.one.Unlock()
}

// decisionOn returns the command for a decision.
func decisionOn(action string) decision {
	switch action {
	case view.Reject:
		return rejecting()
	case view.Rollback:
		return rollingBack()
	}
	return approving()
}

// weighed is a decision that is ready to be put to a person.
type weighed struct {
	w     *workspace.Workspace
	d     decision
	p     archive.ProposalRecord
	word  review.Decision
	shown []string
}

func (v *viewDecider) weigh(ctx context.Context, action, id string, a view.Answer) (out weighed, err error) {
	if err := outside(v.sh); err != nil {
		return out, err
	}
	if out.w, err = wire.Load(v.root); err != nil {
		return out, err
	}
	if _, err := v.sh.Notary(v.root); err != nil {
		return out, err
	}
	if err := v.sh.Free(v.root); err != nil {
		return out, err
	}
	err = wire.Look(v.root, func(store *archive.Archive) (err error) {
		out.p, err = proposalOf(ctx, store, id)
		return err
	})
	if err != nil {
		return out, err
	}
	out.d = decisionOn(action)
	if action == view.Approve && !slices.Contains(out.d.states, out.p.State) {
		return out, exit.Errorf(exit.Gate, "`evolve show "+out.p.ID+"` shows it", "%s is %s: it is not awaiting approval", out.p.ID, out.p.State.Name())
	}
	if action == view.Rollback {
		if err := review.Reversible(out.p); err != nil {
			return out, err
		}
	}
	out.word = review.Decision{Reason: a.Reason, OverrideReason: a.Override}
	out.word, out.shown, err = weigh(ctx, v.sh, out.w, out.d, out.p, out.word, func() (string, error) { return v.by, nil })
	return out, err
}

// Ask is [view.Decider.Ask].
func (v *viewDecider) Ask(ctx context.Context, action, id string, a view.Answer) (view.Question, error) {
	is, err := v.weigh(ctx, action, id, a)
	if err != nil {
		return view.Question{}, err
	}
	return view.Question{
		Sections: questionSections(v.sh, is.p, is.d.plan(is.p), is.shown, changesOf(is.p), is.word.Initial), By: v.by,
		Reason:   is.d.reasoned || is.p.Kind == archive.KindAutonomy,
		Override: action == view.Approve && is.p.State == archive.HumanLane,
	}, nil
}

// Decide is [view.Decider.Decide].
func (v *viewDecider) Decide(_ context.Context, action, id string, a view.Answer) (string, error) {
	v.one.Lock()
	defer v.one.Unlock()
	is, err := v.weigh(v.ctx, action, id, a)
	if err != nil {
		return "", err
	}
	if is.d.reasoned {
		if err := needsReason(is.d.name, a.Reason, "give a reason, which later readers can see"); err != nil {
			return "", err
		}
	}
	if err := needsComment(is.d, is.p, a.Reason); err != nil {
		return "", err
	}
	var b bytes.Buffer
	out := &shell{Host: v.sh.Host, console: v.sh.on(&b)}
	done, err := pronounce(v.ctx, out, is.w, is.d, is.p, is.word)
	if err != nil {
		return "", err
	}
	out.printf("%s\n", is.d.done(out, done.Done))
	if is.p.State == archive.Approved && done.Proposal.State == archive.Rejected {
		out.printf("its approval was withdrawn; none of its changes were committed\n")
	}
	printFollowing(out.console, done)
	return b.String(), nil
}

// Refusal is [view.Decider.Refusal].
func (v *viewDecider) Refusal(err error) (words, hint string) {
	_, hint = exit.Of(err)
	return shortened(err.Error()), v.sh.localHint(shortened(hint))
}
