package evidence

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
)

// Rules are the current settings and tasks with which a claim about an agent is recomputed.
type Rules struct {
	// Holdout holds the agent's holdout tasks, in the order of its suites.
	Holdout []*bench.Task
	// Fixed reports whether repeating an evaluation gives no new evidence.
	Fixed  bool
	Bounds []stats.Bound
	// Alpha is the error probability allowed for each entry into the confirmation.
	Alpha float64
}

// Shifted is the error for a claim that holds under the rules with which it was made, but
// not under the rules of the current workspace.
type Shifted struct {
	// Now is the ruling under the current rules.
	Now stats.Ruling
}

func (e *Shifted) Error() string {
	return fmt.Sprintf("under the workspace's current guards and confirm settings, the variant is %q: %s", e.Now.State, e.Now.Reason)
}

// ErrNoRuling means that a proposal rests on evaluations, but the result of its run has no
// ruling on its variant, because the run was started again and has not yet reached that
// ruling.
var ErrNoRuling = errors.New("the result of the proposal's run does not contain a ruling on its variant yet")

// Proposal recomputes the claim of a proposal for a config, and compares it with the result
// of its run, with the digest in the proposal, and with the current rules. It does nothing
// for a proposal without measurements or an imported proposal, because these make no claim.
//
// A contradiction is returned as an *archive.AuditError; other errors are ErrNoRuling,
// ErrGone and *Shifted.
func Proposal(ctx context.Context, a *archive.Archive, p archive.ProposalRecord, rules Rules) error {
	if !p.OfConfig() || p.Imported != "" || p.Run == "" && p.Rests == nil {
		return nil
	}
	r, err := a.Result(ctx, p.Run, p.Agent)
	if err != nil && !errors.Is(err, archive.ErrNotFound) {
		return fmt.Errorf("reading the result that %s is based on: %w", p.ID, err)
	}
	at := slices.IndexFunc(r.Finalist, func(f archive.Finalist) bool { return f.Variant == p.Variant && f.Ruling != nil })
	if at < 0 {
		if p.Rests == nil {
			return nil
		}
		return ErrNoRuling
	}
	f := r.Finalist[at]
	plan, err := a.Plan(ctx, p.Run, p.Agent)
	if err != nil {
		return fmt.Errorf("reading the plan that %s is based on: %w", p.ID, err)
	}
	if err := bound(p, plan, r, f); err != nil {
		return err
	}
	now := archive.Grounds{
		Against: plan.Reference(), Fixed: rules.Fixed, Tasks: Tasks(rules.Holdout), Bounds: rules.Bounds, Wording: stats.Wording,
	}
	if r.Grounds == nil || f.Judged == nil { // the result was written by an older version of evolve
		return older(ctx, a, r, f, now)
	}
	if _, err := Recompute(ctx, a, r, f); err != nil {
		return err
	}
	if _, err := Check(ctx, a, r); err != nil {
		return err
	}
	// The workspace has the same tasks as the base of the proposal, so a difference here is
	// a contradiction.
	if was := *r.Grounds; was.Against != now.Against || was.Fixed != now.Fixed || !slices.Equal(was.Tasks, now.Tasks) {
		return contradiction(r, f.Variant, "its ruling was computed on tasks that differ from those of the workspace")
	}
	if slices.Equal(r.Grounds.Bounds, now.Bounds) && f.Judged.Alpha <= rules.Alpha {
		return nil
	}
	judged := *f.Judged
	judged.Alpha = min(judged.Alpha, rules.Alpha)
	again, err := under(ctx, a, r, f, now, judged)
	if err == nil && again.State != f.Ruling.State {
		err = &Shifted{again}
	}
	return err
}

// bound compares a proposal with the result of its run.
func bound(p archive.ProposalRecord, plan archive.AgentPlan, r archive.AgentResult, f archive.Finalist) error {
	differs := func(reason string) error { return &archive.AuditError{Subject: p.ID, Reason: reason} }
	digest, err := Digest(plan, r.Grounds, f)
	switch {
	case err != nil:
		return err
	case p.Rests == nil:
		return differs("the run makes a claim about the variant of the proposal, but the proposal names no evaluations")
	case !slices.Equal(p.Rests.Runs, f.Runs) || p.Rests.Against != plan.Reference():
		return differs("the proposal's evaluations are not those named in the ruling of its run")
	case p.Evidence != digest && (r.Grounds != nil || f.Judged != nil):
		return differs("the proposal's evidence digest does not match the ruling of its run")
	case slices.ContainsFunc(r.Refused, func(f stats.Refusal) bool { return f.Proposal == p.ID && f.Variant == string(p.Variant) }):
		// the result describes events that happened later
	case p.Rationale != r.Reason || r.Winner != p.Variant || !r.Verdict.Proposes():
		return differs("the proposal's rationale or variant differs from the result of its run, or that result proposes nothing")
	case f.Ruling.State != stats.Proven && f.Ruling.State != stats.Trade:
		return differs(fmt.Sprintf("the proposal's variant is %q according to the ruling of its run", f.Ruling.State))
	}
	return nil
}

// older is for a ruling without stored grounds: it compares that ruling with the ruling
// that follows from the workspace's tasks and the candidate's entry in the archive. It
// ignores the guards, because they may have been set since.
func older(ctx context.Context, a *archive.Archive, r archive.AgentResult, f archive.Finalist, now archive.Grounds) error {
	for c, err := range a.Candidates(ctx, r.Agent) {
		if err != nil {
			return fmt.Errorf("reading the candidates: %w", err)
		}
		if c.Variant != f.Variant || !slices.Equal(c.Runs, f.Runs) {
			continue
		}
		again, err := under(ctx, a, r, f, now, archive.Judged{Alpha: c.Alpha, Projected: c.Projected, Blocks: c.Blocks})
		if err != nil {
			return err
		}
		if again.Claim != f.Ruling.Claim || len(unlike(again.Comparison, f.Ruling.Comparison)) > 0 {
			return contradiction(r, f.Variant, "the ruling differs from the one computed from the stored evaluations: %q instead of %q", f.Ruling.Claim, again.Claim)
		}
		if again.State != f.Ruling.State {
			return &Shifted{again}
		}
		return nil
	}
	return contradiction(r, f.Variant, "it was never part of the confirmation")
}

// under returns the ruling on a finalist as recomputed from the given grounds instead of
// the stored grounds. A difference from the stored ruling is not an error.
func under(ctx context.Context, a *archive.Archive, r archive.AgentResult, f archive.Finalist, g archive.Grounds, by archive.Judged) (stats.Ruling, error) {
	r.Grounds, f.Judged = &g, &by
	again, err := Recompute(ctx, a, r, f)
	var differs *archive.AuditError
	if errors.As(err, &differs) && again.Variant != "" { // a difference is expected
		err = nil
	}
	return again, err
}
