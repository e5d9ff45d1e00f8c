package review

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/patch/quota"
	"evolve/runtime/text"
)

// The kinds of ledger entries that only patches have.
const (
	entryAttempt  = "patch.attempt" // a patch was submitted, whatever its result
	entryRefused  = "patch.refused" // a patch was refused before a gate ran
	entryLost     = "patch.lost"    // the process that handled the patch ended before it recorded a result
	entryResume   = "patch.resume"  // the patch's gates were stopped, or their process ended, and they start again
	entryRegate   = "patch.regate"  // the gates ran again on another base
	entryWait     = "patch.wait"    // a limit holds the patch back as a draft; this is not an attempt yet
	entryReview   = "patch.review"  // another agent reviewed it
	entryNoReview = "patch.unheard" // another agent was asked for a review but gave no verdict
	entryCreate   = "proposal.create"
	entryAdopted  = "proposal.adopted"
)

// CostKind is the kind of the ledger entries that hold a [Cost]. Their subject is the
// proposal.
const CostKind = "patch.cost"

// Cost is the cost of trying a patch with its agent, or of reviewing a patch.
type Cost struct {
	// Run is the nightly run that paid for the work; it is empty if a person started the
	// work.
	Run string  `json:"run,omitempty"`
	USD float64 `json:"usd"`
	// For is "trial" or "review".
	For string `json:"for"`
}

// begun is the state of an attempt that has begun. The attempt's result is recorded
// elsewhere: in the proposal or the ledger entry that refers to the attempt.
const begun = "begun"

// attempt is the content of a ledger entry for a submission or for its refusal. A
// submission is recorded before it is read.
type attempt struct {
	Target string `json:"target"`
	Origin string `json:"origin"`
	// Submitted is the hash of the submitted text.
	Submitted string `json:"submitted"`
	Rationale string `json:"rationale,omitempty"`
	// State is "begun" in the ledger entry that counts as the attempt.
	State string `json:"state,omitempty"`
	// Why is the reason for a refusal. Attempt is the number of the ledger entry that began
	// the attempt.
	Why     string `json:"why,omitempty"`
	Attempt int64  `json:"attempt,omitempty"`
}

// past returns the attempts and adoptions in the ledger.
func past(ctx context.Context, a *archive.Archive) ([]quota.Attempt, error) {
	var out []quota.Attempt
	for e, err := range a.Ledger(ctx, 1) {
		if err != nil {
			return nil, fmt.Errorf("reading the ledger: %w", err)
		}
		switch {
		case e.Kind == entryAttempt:
			out = append(out, quota.Attempt{Agent: e.Actor, Time: e.Time})
		case e.Kind == entryAdopted && kindOf(e) == archive.KindPatch:
			out = append(out, quota.Attempt{Adopted: e.Time}) // the actor is the person who approved the patch, not an agent that made an attempt
		}
	}
	return out, nil
}

// kindOf returns the kind of the proposal that an entry is about, or "" if the entry does
// not name a kind.
func kindOf(e archive.LedgerEntry) archive.ProposalKind {
	var body struct {
		Kind archive.ProposalKind `json:"kind"`
	}
	if json.Unmarshal(e.Data, &body) != nil {
		return ""
	}
	return body.Kind
}

// admit records a submission in the ledger before it is read, so that the submission
// counts even after a crash. It refuses an author who has made an attempt in the past
// hour. This limit applies neither to persons nor to a version that replaces one that the
// gates refused that night. admit returns the number of the entry. For a version of
// searched code that must wait because of the limit, it returns 0 and the reason.
func (s *session) admit(ctx context.Context, sub Submission, hash string) (began int64, waits *LimitedError, err error) {
	entry := attempt{Target: sub.Target, Origin: sub.Origin, Submitted: hash, Rationale: text.Clip(sub.Rationale, maxRationale, text.Ellipsis)}
	replaces, err := s.replacesRefused(ctx, sub)
	if err != nil {
		return 0, nil, err
	}
	if sub.Origin != OriginPerson && !replaces {
		waits, err := s.limited(ctx, sub.Author)
		if err != nil {
			return 0, nil, err
		}
		if waits != nil && sub.Origin == OriginBlocks {
			return 0, waits, nil
		}
		if waits != nil {
			entry.Why = waits.Error()
			_, noted := s.note(ctx, entryRefused, sub.Author, sub.Target, entry)
			return 0, nil, errors.Join(noted, waits.refused())
		}
	}
	entry.State = begun
	began, err = s.note(ctx, entryAttempt, sub.Author, sub.Target, entry)
	return began, nil, err
}

// replacesRefused reports whether a submission is a version of searched code that replaces
// a version that the gates refused in the same run. There can be at most as many such
// submissions as finalists.
func (s *session) replacesRefused(ctx context.Context, sub Submission) (bool, error) {
	if sub.Origin != OriginBlocks || sub.Run == "" {
		return false, nil
	}
	refused := false
	for p, err := range s.store.Proposals(ctx) {
		if err != nil {
			return false, fmt.Errorf("reading the proposals of the run: %w", err)
		}
		if _, same := p.VariantOf(sub.Target); same && p.Patch != nil && p.Run == sub.Run {
			if p.State != archive.GateFailed {
				return false, nil
			}
			refused = true
		}
	}
	return refused, nil
}

// recordRefusal records why an attempt did not lead to a proposal.
func (s *session) recordRefusal(ctx context.Context, sub Submission, began int64, why error) error {
	_, err := s.note(ctx, entryRefused, sub.Author, sub.Target, attempt{Target: sub.Target, Origin: sub.Origin, Why: text.Clip(why.Error(), maxEvidence, text.Ellipsis), Attempt: began})
	return err
}

// lost returns the attempts that began and have no further record. The processes that made
// them have ended, because a process holds the archive from the beginning of an attempt
// until its result is recorded.
func lost(ctx context.Context, a *archive.Archive) ([]archive.LedgerEntry, error) {
	open := map[int64]archive.LedgerEntry{}
	for e, err := range a.Ledger(ctx, 1) {
		if err != nil {
			return nil, fmt.Errorf("reading the ledger: %w", err)
		}
		var body attempt
		if len(e.Data) == 0 || json.Unmarshal(e.Data, &body) != nil {
			continue
		}
		if e.Kind == entryAttempt && body.State == begun {
			open[e.Seq] = e
		}
		if body.Attempt > 0 && strings.HasPrefix(e.Kind, "patch.") {
			delete(open, body.Attempt)
		}
	}
	if len(open) == 0 {
		return nil, nil
	}
	for p, err := range a.Proposals(ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the proposals: %w", err)
		}
		if p.Patch != nil {
			delete(open, p.Patch.Attempt)
		}
	}
	return slices.SortedFunc(maps.Values(open), func(x, y archive.LedgerEntry) int { return cmp.Compare(x.Seq, y.Seq) }), nil
}

// gatedData returns the data that the ledger stores about a gated proposal.
func gatedData(p archive.ProposalRecord) map[string]any {
	b := p.Patch
	return map[string]any{
		"kind": p.Kind, "agent": p.Agent, "target": b.Target, "origin": b.Origin, "state": p.State, "digest": b.Digest, "rationale": p.Rationale,
		"before": b.BaseCommit, "after": p.Commit, "tree": b.Tree, "paths": paths(p), "gates": p.Gates,
	}
}
