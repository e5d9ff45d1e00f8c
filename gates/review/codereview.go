package review

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/runtime/model"
	"evolve/runtime/text"
)

// CodeReviewer is an agent that may review patches by other agents.
type CodeReviewer struct {
	Agent string
	// Cannot is the reason why the agent cannot review, for example because it has no
	// language model; empty if it can.
	Cannot string
	// Open opens the reviewer's model. done closes it.
	Open func(ctx context.Context) (m model.Model, done func() error, err error)
}

// turn returns the next reviewer in turn. In the order of the settings, it starts after the
// reviewer named in the ledger's latest entry about a review, and skips the author and
// agents that cannot review. If no reviewer is left, reason explains why.
func (s *session) turn(ctx context.Context, p archive.ProposalRecord) (r CodeReviewer, reason string, err error) {
	last := -1
	for e, err := range s.store.Ledger(ctx, 1) {
		if err != nil {
			return CodeReviewer{}, "", fmt.Errorf("reading the ledger: %w", err)
		}
		if e.Kind != entryReview && e.Kind != entryNoReview {
			continue
		}
		if at := slices.IndexFunc(s.CodeReviewers, func(r CodeReviewer) bool { return r.Agent == e.Actor }); at >= 0 {
			last = at
		}
	}
	for i := range s.CodeReviewers {
		r := s.CodeReviewers[(last+1+i)%len(s.CodeReviewers)]
		if r.Agent != p.Patch.Author && r.Cannot == "" {
			return r, "", nil
		}
	}
	return CodeReviewer{}, NoReview(s.CodeReviewers, p.Patch.Author), nil
}

// NoReview returns the reason why no agent can review a patch by an author, or "" if some
// agent can.
func NoReview(all []CodeReviewer, author string) string {
	others := slices.DeleteFunc(slices.Clone(all), func(r CodeReviewer) bool { return r.Agent == author })
	switch {
	case slices.ContainsFunc(others, func(r CodeReviewer) bool { return r.Cannot == "" }):
		return ""
	case len(others) == 0 && len(all) == 0:
		return "the workspace has no agent that could review the patch"
	case len(others) == 0:
		return "no other agent can review the patch: " + author + " is the only reviewer, and it wrote the patch"
	case len(others) == 1 && len(all) == 1:
		return "only one reviewer is configured, and " + others[0].Agent + " " + others[0].Cannot
	case len(others) == 1:
		return "there is no agent to review the patch: " + others[0].Agent + " " + others[0].Cannot
	}
	return fmt.Sprintf("there is no agent to review the patch: none of the %d other agents is a built-in agent with a language model", len(others))
}

// unreviewed returns the reason why a patch that awaits a person's decision has no
// review; nil if an agent may still be asked.
func (s *session) unreviewed(ctx context.Context, p archive.ProposalRecord) (*archive.Unreviewed, error) {
	if p.State != archive.Awaiting && p.State != archive.HumanLane {
		return nil, nil
	}
	_, reason, err := s.turn(ctx, p)
	if err != nil || reason == "" {
		return nil, err
	}
	return &archive.Unreviewed{Why: reason}, nil
}

// ReviewCode has a patch reviewed by the named agent or, if none is named, by the next one
// in turn, and records the verdict. The author cannot review. A review is bound to the
// digest that the agent was shown, and there is at most one review for each digest, so a
// veto cannot be undone by a second review. If the agent gives no verdict, that is recorded
// too, and the error wraps [ErrNoReview]. The archive is not held while the agent works.
func (rev *Reviewer) ReviewCode(ctx context.Context, id, agent string) (archive.ProposalRecord, error) {
	var p archive.ProposalRecord
	var reviewer CodeReviewer
	err := rev.with(ctx, func(s *session) (err error) {
		if p, err = s.findPatch(ctx, id); err != nil {
			return err
		}
		if err := reviewable(p); err != nil {
			return err
		}
		reviewer, err = s.reviewer(ctx, p, agent)
		return err
	})
	if err != nil {
		return p, err
	}
	o, asked := rev.ask(ctx, reviewer, p)
	if asked != nil && ctx.Err() != nil {
		return p, errors.Join(context.Cause(ctx), rev.charge(ctx, p, costReview, o.usd))
	}
	err = rev.retryLocked(ctx, func(ctx context.Context, s *session) error {
		now, err := s.findPatch(ctx, id)
		if err != nil {
			return err
		}
		if err := s.costs(ctx, p.ID, costReview, o.usd); err != nil {
			return err
		}
		if err := reviewable(now); err != nil {
			return err
		}
		if now.Patch.Digest != p.Patch.Digest {
			return Refuse("have the proposal reviewed again", "%s changed while %s reviewed it", p.ID, reviewer.Agent)
		}
		p = now
		p.Patch.CostUSD += o.usd
		return s.recordReview(ctx, &p, reviewer.Agent, o, asked)
	})
	var refused *RefusedError
	if asked != nil && !errors.As(asked, &refused) {
		asked = fmt.Errorf("%s: %w: %w", reviewer.Agent, ErrNoReview, asked)
	}
	return p, errors.Join(asked, err)
}

// reviewable returns an error if a patch must not be reviewed.
func reviewable(p archive.ProposalRecord) error {
	if p.State != archive.Awaiting && p.State != archive.HumanLane {
		return Refuse("`evolve show "+p.ID+"` shows its history", "%s is %s; there is nothing to review", p.ID, p.State.Name())
	}
	if r := reviewed(p); r != nil {
		return Refuse("`evolve show "+p.ID+"` shows the review", "%s has already reviewed the current state of %s", r.Reviewer, p.ID)
	}
	return nil
}

// recordReview records a reviewer's verdict. If there is an error instead (none), it
// records this error as the reason why there is no verdict.
func (s *session) recordReview(ctx context.Context, p *archive.ProposalRecord, reviewer string, o opinion, none error) error {
	b := p.Patch
	if none != nil {
		b.Unreviewed = &archive.Unreviewed{Reviewer: reviewer, Why: text.Clip(none.Error(), maxReasons, text.Ellipsis)}
		return s.record(ctx, *p, entryNoReview, reviewer, map[string]any{"kind": p.Kind, "digest": b.Digest, "why": b.Unreviewed.Why})
	}
	b.Unreviewed = nil
	b.Review = &archive.Review{Reviewer: reviewer, Approve: o.approve, Reasons: o.reasons, Digest: b.Digest, Time: s.Now()}
	if !o.approve {
		// An approval cannot override a veto. A person who disagrees with the veto must
		// propose the change again or commit it by hand.
		p.State = archive.GateFailed
	}
	return s.record(ctx, *p, entryReview, reviewer, map[string]any{
		"kind": p.Kind, "digest": b.Digest, "approve": o.approve, "reasons": o.reasons, "state": p.State,
	})
}

// reviewer returns the named reviewer, or the next one in turn if none is named.
func (s *session) reviewer(ctx context.Context, p archive.ProposalRecord, agent string) (CodeReviewer, error) {
	if agent == "" {
		r, reason, err := s.turn(ctx, p)
		if err == nil && reason != "" {
			err = Refuse("a reviewer must be a built-in agent with a language model: see patches.reviewers in evolve.yaml", "%s", reason)
		}
		return r, err
	}
	at := slices.IndexFunc(s.CodeReviewers, func(r CodeReviewer) bool { return r.Agent == agent })
	switch {
	case at < 0:
		return CodeReviewer{}, Refuse("see patches.reviewers in evolve.yaml; if it is empty, every agent is a reviewer", "%s is not a reviewer of patches", agent)
	case agent == p.Patch.Author:
		return CodeReviewer{}, Refuse("omit --agent to let the next agent in turn review it", "%s wrote the patch and cannot review it", agent)
	case s.CodeReviewers[at].Cannot != "":
		return CodeReviewer{}, Refuse("omit --agent to let evolve choose an agent that can review it", "%s %s", agent, s.CodeReviewers[at].Cannot)
	}
	return s.CodeReviewers[at], nil
}

// vetoed returns the review that vetoes the current state of a patch, or nil if there is
// none.
func vetoed(p archive.ProposalRecord) *archive.Review {
	if r := reviewed(p); r != nil && !r.Approve {
		return r
	}
	return nil
}

// reviewed returns the review of a patch's current state; nil if there is none or if the
// review is about an earlier state.
func reviewed(p archive.ProposalRecord) *archive.Review {
	if b := p.Patch; b != nil && b.Review != nil && b.Review.Digest == b.Digest {
		return b.Review
	}
	return nil
}

// ErrNoReview is the error for a reviewer that gave no usable answer.
var ErrNoReview = errors.New("the reviewer gave no verdict")
