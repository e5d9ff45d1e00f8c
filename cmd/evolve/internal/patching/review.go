package patching

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/cmd/evolve/internal/decide"
	"evolve/runtime/model"
)

// Reviewer is an agent that may review the patches of others.
type Reviewer struct {
	Agent string
	// Cannot is the reason why it cannot review, for example that it has no language
	// model; empty if it can.
	Cannot string
	// Open returns its model.
	Open func(ctx context.Context) (m model.Model, done func() error, err error)
}

// turn returns the next reviewer: the first after the one in the latest review entry of
// the ledger, in the order of the desk, that is not the author and can review. reason
// says why there is none.
func (d *Desk) turn(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) (r Reviewer, reason string, err error) {
	last := -1
	for e, err := range a.Ledger(ctx, 1) {
		if err != nil {
			return Reviewer{}, "", fmt.Errorf("reading the ledger: %w", err)
		}
		if e.Kind != entryReview && e.Kind != entryUnheard {
			continue
		}
		if at := slices.IndexFunc(d.Reviewers, func(r Reviewer) bool { return r.Agent == e.Actor }); at >= 0 {
			last = at
		}
	}
	for i := range d.Reviewers {
		r := d.Reviewers[(last+1+i)%len(d.Reviewers)]
		if r.Agent != p.Patch.Author && r.Cannot == "" {
			return r, "", nil
		}
	}
	return Reviewer{}, NoReview(d.Reviewers, p.Patch.Author), nil
}

// NoReview returns why no agent can review a patch of an author, or "" if one can.
func NoReview(all []Reviewer, author string) string {
	others := slices.DeleteFunc(slices.Clone(all), func(r Reviewer) bool { return r.Agent == author })
	switch {
	case slices.ContainsFunc(others, func(r Reviewer) bool { return r.Cannot == "" }):
		return ""
	case len(others) == 0 && len(all) == 0:
		return "the workspace has no agent that could review it"
	case len(others) == 0:
		return "there is no other agent to review it: " + author + " is the only one, and its author"
	case len(others) == 1 && len(all) == 1:
		return "one agent is configured, and " + others[0].Agent + " " + others[0].Cannot
	case len(others) == 1:
		return "there is no agent to review it: " + others[0].Agent + " " + others[0].Cannot
	}
	return fmt.Sprintf("there is no agent to review it: of %d others none has a language model", len(others))
}

// unreviewed returns why a patch that awaits a person's decision has no review; nil if an
// agent may still be asked.
func (d *Desk) unreviewed(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) (*archive.Unreviewed, error) {
	if p.State != archive.Awaiting && p.State != archive.HumanLane {
		return nil, nil
	}
	_, reason, err := d.turn(ctx, a, p)
	if err != nil || reason == "" {
		return nil, err
	}
	return &archive.Unreviewed{Why: reason}, nil
}

// Review asks another agent than the author, the named one or the next in turn, and
// records its verdict. A review is bound to the digest that was shown, and each digest
// has at most one: a veto cannot be undone by asking again. If the agent gives no
// verdict, that is recorded too, and the error is an [ErrNoWord]. The archive is not held
// while the agent works.
func (d *Desk) Review(ctx context.Context, id, agent string) (archive.ProposalRecord, error) {
	var p archive.ProposalRecord
	var reviewer Reviewer
	err := d.Archive(ctx, func(a *archive.Archive) (err error) {
		if p, err = find(ctx, a, id); err != nil {
			return err
		}
		if err := reviewable(p); err != nil {
			return err
		}
		reviewer, err = d.reviewer(ctx, a, p, agent)
		return err
	})
	if err != nil {
		return p, err
	}
	o, asked := d.ask(ctx, reviewer, p)
	if asked != nil && ctx.Err() != nil {
		return p, errors.Join(context.Cause(ctx), d.charge(ctx, p, costReview, o.usd))
	}
	err = d.Archive.Patiently(ctx, func(ctx context.Context, a *archive.Archive) error {
		now, err := find(ctx, a, id)
		if err != nil {
			return err
		}
		if err := d.costs(ctx, a, p.ID, costReview, o.usd); err != nil {
			return err
		}
		if err := reviewable(now); err != nil {
			return err
		}
		if now.Patch.Digest != p.Patch.Digest {
			return decide.Refuse("have it reviewed again", "%s is not what %s has looked at any more", p.ID, reviewer.Agent)
		}
		p = now
		p.Patch.CostUSD += o.usd
		return d.heard(ctx, a, &p, reviewer.Agent, o, asked)
	})
	var refused *decide.RefusedError
	if asked != nil && !errors.As(asked, &refused) {
		asked = fmt.Errorf("%s: %w: %w", reviewer.Agent, ErrNoWord, asked)
	}
	return p, errors.Join(asked, err)
}

// reviewable returns an error for a patch that is not to be reviewed.
func reviewable(p archive.ProposalRecord) error {
	if p.State != archive.Awaiting && p.State != archive.HumanLane {
		return decide.Refuse("`evolve show "+p.ID+"` tells its story", "%s is %s; there is nothing to review", p.ID, stateName(p.State))
	}
	if r := Reviewed(p); r != nil {
		return decide.Refuse("`evolve show "+p.ID+"` shows the review", "%s has reviewed %s as it is", r.Reviewer, p.ID)
	}
	return nil
}

// heard records a reviewer's answer, or why there is none.
func (d *Desk) heard(ctx context.Context, a *archive.Archive, p *archive.ProposalRecord, reviewer string, o opinion, none error) error {
	b := p.Patch
	if none != nil {
		b.Unreviewed = &archive.Unreviewed{Reviewer: reviewer, Why: clip(none.Error(), maxReasons)}
		return d.settle(ctx, a, entryUnheard, reviewer, *p, map[string]any{"kind": p.Kind, "digest": b.Digest, "why": b.Unreviewed.Why})
	}
	b.Unreviewed = nil
	b.Review = &archive.Review{Reviewer: reviewer, Approve: o.approve, Reasons: o.reasons, Digest: b.Digest, Time: d.Now()}
	if !o.approve {
		// A veto: no approval overrides it. A person who disagrees proposes the change
		// again, or commits it by hand.
		p.State = archive.GateFailed
	}
	return d.settle(ctx, a, entryReview, reviewer, *p, map[string]any{
		"kind": p.Kind, "digest": b.Digest, "approve": o.approve, "reasons": o.reasons, "state": p.State,
	})
}

// reviewer returns the reviewer that is named, or the next in turn.
func (d *Desk) reviewer(ctx context.Context, a *archive.Archive, p archive.ProposalRecord, agent string) (Reviewer, error) {
	if agent == "" {
		r, reason, err := d.turn(ctx, a, p)
		if err == nil && reason != "" {
			err = decide.Refuse("an agent with a language model reviews: see patches.reviewers of evolve.yaml", "%s", reason)
		}
		return r, err
	}
	at := slices.IndexFunc(d.Reviewers, func(r Reviewer) bool { return r.Agent == agent })
	switch {
	case at < 0:
		return Reviewer{}, decide.Refuse("they stand under patches.reviewers of evolve.yaml; where none is named, every agent is one", "%s is no reviewer of patches", agent)
	case agent == p.Patch.Author:
		return Reviewer{}, decide.Refuse("leave --agent out, and whose turn it is reviews", "%s wrote it and cannot review it", agent)
	case d.Reviewers[at].Cannot != "":
		return Reviewer{}, decide.Refuse("leave --agent out, and one that can reviews", "%s %s", agent, d.Reviewers[at].Cannot)
	}
	return d.Reviewers[at], nil
}

// Vetoed returns the review that vetoes the current state of a patch, or nil.
func Vetoed(p archive.ProposalRecord) *archive.Review {
	if b := p.Patch; b != nil && b.Review != nil && b.Review.Digest == b.Digest && !b.Review.Approve {
		return b.Review
	}
	return nil
}

// Reviewed returns the review of a patch's current state; nil if there is none or it is
// of an earlier state.
func Reviewed(p archive.ProposalRecord) *archive.Review {
	if b := p.Patch; b != nil && b.Review != nil && b.Review.Digest == b.Digest {
		return b.Review
	}
	return nil
}

// ErrNoWord is the error of a reviewer that gave no usable answer.
var ErrNoWord = errors.New("the reviewer gave no verdict")
