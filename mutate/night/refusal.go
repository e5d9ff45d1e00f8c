package night

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/confirm"
	"evolve/bench/stats"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// refusal is a proposal whose config is excluded from the confirmation, as are all
// configs that differ from it only by changes without effect.
type refusal struct {
	proposal archive.ProposalRecord
	config   agent.Config
	// gain is the search's estimate of the proposal's gain over the champion, and sd is
	// the estimate's standard deviation; known reports whether there is an estimate.
	gain, sd float64
	known    bool
	// against is the variant against which the proposal was measured; nil means the
	// champion.
	against *stats.Reference
	// decided describes a person's decision; it is empty while the proposal waits.
	decided string
	// idle holds the parameters for which the ablation showed no effect.
	idle []string
	// why describes the state of the proposal.
	why string
}

// refusals returns the proposals that exclude variants: the one that waits, and those that
// a person rejected or rolled back. A rejection counts as long as nothing relevant has
// changed since: the agent, its holdout tasks, prices, routes and space or, for searched
// code, its cases and the values of the original code.
func (n *night) refusals(ctx context.Context) ([]refusal, error) {
	fresh, waits := against(n.Plan.Waits)
	now := n.conditions()
	var out []refusal
	for p, err := range n.Archive.Proposals(ctx) {
		if err != nil {
			return nil, fmt.Errorf("%w: reading the proposals: %w", bench.ErrRecorder, err)
		}
		variant, ok := p.VariantOf(n.Agent.ID)
		if !ok || p.Run == n.Run.ID {
			continue
		}
		p.Agent, p.Variant = n.Agent.ID, variant // a patch has its own fields for the agent and the variant
		r := refusal{proposal: p}
		switch {
		case waits && p.ID == fresh.Proposal:
			r.why = p.ID + " proposes it and " + waitsFor(fresh)
		case p.State == archive.Rejected || p.State == archive.RolledBack:
			same, err := n.unchanged(ctx, p, now)
			if err != nil {
				return nil, err
			}
			if !same {
				continue
			}
			r.decided = decided(p)
			r.why = p.ID + " was " + r.decided
		default:
			continue
		}
		if err := n.read(ctx, &r); err != nil {
			return nil, err
		}
		if r.config != nil {
			out = append(out, r)
		}
	}
	return out, nil
}

// decided returns a description of a person's decision, with its date and reason.
func decided(p archive.ProposalRecord) string {
	words := p.State.Name()
	d := p.Decision
	if d == nil {
		return words
	}
	words += " on " + d.Time.UTC().Format(time.DateOnly)
	if d.Reason != "" {
		words += ": " + d.Reason
	}
	return words
}

// unchanged reports whether all conditions of a proposal's measurement are still the
// same.
func (n *night) unchanged(ctx context.Context, p archive.ProposalRecord, now string) (bool, error) {
	plan, err := n.Archive.Plan(ctx, p.Run, n.Agent.ID)
	if errors.Is(err, archive.ErrNotFound) {
		return true, nil // made by hand: the proposal has no record of its measurement
	}
	if err != nil {
		return false, fmt.Errorf("%w: reading the plan of run %s: %w", bench.ErrRecorder, p.Run, err)
	}
	if n.Agent.Relative { // the suite records the behaviour of the code, which need not differ in another commit
		return plan.SuiteHash == n.Plan.SuiteHash, nil
	}
	if plan.AgentHash != n.Plan.AgentHash || plan.SpaceHash != n.Plan.SpaceHash || plan.PricesHash != n.Plan.PricesHash {
		return false, nil
	}
	for c, err := range n.Archive.Candidates(ctx, n.Agent.ID) {
		if err != nil {
			return false, fmt.Errorf("%w: reading the candidates: %w", bench.ErrRecorder, err)
		}
		if c.Variant == p.Variant && slices.Contains(c.Runs, p.Run) && c.Holds != now {
			return false, nil
		}
	}
	return true, nil
}

// read fills in the measurement of the refused proposal from the archive. It also fills in
// the proposal's config if the config is still in the space.
func (n *night) read(ctx context.Context, r *refusal) error {
	v, err := n.Archive.Variant(ctx, n.Agent.ID, r.proposal.Variant)
	if errors.Is(err, archive.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: reading a proposed variant: %w", bench.ErrRecorder, err)
	}
	r.config = n.Agent.read(v.Config)
	own, err := n.ruling(ctx, r.proposal)
	if err != nil {
		return err
	}
	if own != nil {
		r.against = own.Reference
	}
	result, err := n.Archive.Result(ctx, r.proposal.Run, n.Agent.ID)
	if err != nil && !errors.Is(err, archive.ErrNotFound) {
		return fmt.Errorf("%w: reading the result of run %s: %w", bench.ErrRecorder, r.proposal.Run, err)
	}
	for _, a := range result.Minimised() {
		if a.Small == r.proposal.Variant {
			r.idle = append(r.idle, a.Reverted...)
		}
	}
	return nil
}

// exclusion returns the reason why a config with the given gain may not enter, or nil if it
// may. A config may differ from a refused one only by somewhat larger numeric changes, or
// only in parameters without a shown effect. Such a config may enter if the search
// estimates it to be ahead of the refused one, because an existing effect may have gone
// unnoticed for lack of evaluations. The required lead is one standard deviation over a
// waiting proposal, and two over a proposal that a person refused, because some of the many
// variants near it are ahead by one deviation by chance.
func (n *night) exclusion(id agent.ConfigID, c agent.Config, gain, sd float64) *archive.LeftOut {
	if l, out := n.leftOut[id]; out {
		return &l
	}
	if l := n.deceives(id); l != nil {
		return l
	}
	for _, r := range n.refused {
		why, twins := n.Agent.Space.Twins(r.config, c, agent.TwinShare)
		lead, words := math.Hypot(sd, r.sd), "a standard deviation"
		if r.decided != "" {
			lead, words = 2*lead, "two standard deviations"
		}
		if ahead := r.known && gain > r.gain && gain-r.gain >= lead; !twins && !ahead {
			if why, twins = n.Agent.Space.Twins(r.config, c, agent.NearShare, r.idle...); twins {
				why += "; the search does not estimate it to be better by " + words
			}
		}
		alike := ""
		if !twins {
			alike, twins = n.sameValues(id, r.proposal.Variant)
		}
		if !twins {
			continue
		}
		reason := "the same as " + r.proposal.ID + strings.TrimPrefix(strings.TrimPrefix(why, "the same"), " config") + "; " + r.why
		switch {
		case id == r.proposal.Variant:
			reason = r.why
		case alike != "":
			reason = fmt.Sprintf("it has the same values as %s on %s; %s", r.proposal.ID, alike, r.why)
		}
		if lead := gain - n.bar.gain; r.decided != "" && lead > 0 && lead >= math.Hypot(sd, n.bar.sd) {
			n.recordBarred(r.proposal.ID, id)
		}
		return &archive.LeftOut{Variant: id, Proposal: r.proposal.ID, Reason: reason}
	}
	return nil
}

// bar is the search's estimate for the waiting variant, which candidates must beat. The
// estimate is about the search tasks and relative to the champion. It is 0 if no variant
// waits.
type bar struct{ gain, sd float64 }

// prune removes from a recommendation the finalists that may not enter the confirmation.
// These are the finalists that a proposal excludes and, while a proposal waits, the
// finalists that are not ahead of that proposal's variant by a standard deviation in the
// search's estimate. No evaluations are spent on them.
func (n *night) prune(ctx context.Context, rec *mutate.Recommendation) error {
	err := n.readValues(ctx, false)
	if err != nil {
		return err
	}
	if n.refused, err = n.refusals(ctx); err != nil {
		return err
	}
	list, err := entriesOf(ctx, n.Archive, n.Agent.ID)
	if err != nil {
		return err
	}
	for i := range n.refused {
		r := &n.refused[i]
		r.gain, r.sd, r.known = n.estimate(rec, list, r.proposal.Variant, r.against)
		if r.proposal.Variant == n.Plan.Against {
			n.bar = bar{r.gain, r.sd}
			if ref := n.result.Reference; !r.known && ref != nil && ref.Steps > 0 {
				n.bar = bar{ref.Difference, ref.SD()}
			}
		}
	}
	return n.narrow(ctx, rec)
}

// narrow does the work of prune on the finalists, judging by the proposals and values
// that have already been read.
func (n *night) narrow(ctx context.Context, rec *mutate.Recommendation) error {
	rec.Finalists = slices.DeleteFunc(slices.Clone(rec.Finalists), func(f mutate.Estimate) bool {
		if out := n.exclusion(f.Variant, f.Config, f.Gain, f.SD); out != nil {
			n.recordLeftOut(*out)
			return true
		}
		lead := f.Gain - n.bar.gain
		return n.Plan.Against != "" && !(lead > 0 && lead >= math.Hypot(f.SD, n.bar.sd))
	})
	return n.oneEach(ctx, rec)
}

// recordLeftOut records for the report that a variant was left out; it records each
// variant only once. A variant that gates refused tonight is listed as refused instead.
func (n *night) recordLeftOut(out archive.LeftOut) {
	if !n.refusedTonight(out.Variant) && !slices.ContainsFunc(n.result.LeftOut, func(o archive.LeftOut) bool { return o.Variant == out.Variant }) {
		n.result.LeftOut = append(n.result.LeftOut, out)
	}
}

// refusedTonight reports whether gates refused a variant in this run.
func (n *night) refusedTonight(id agent.ConfigID) bool {
	return slices.ContainsFunc(n.result.Refused, func(f stats.Refusal) bool { return f.Variant == string(id) })
}

// estimate returns the search's estimate of a variant relative to the champion: tonight's
// estimate if the variant has one, otherwise the estimate from its last confirmation. If
// that estimate is relative to a variant that was then waiting for a decision, the
// measured gain of the waiting variant over the champion is added.
func (n *night) estimate(rec *mutate.Recommendation, entries []confirm.Entry, id agent.ConfigID, against *stats.Reference) (gain, sd float64, known bool) {
	for _, f := range slices.Concat(rec.Finalists, rec.Front, []mutate.Estimate{rec.Best}) {
		if f.Variant == id {
			return f.Gain, f.SD, true
		}
	}
	for _, e := range slices.Backward(entries) {
		switch {
		case e.Variant != id:
		case e.Champion == n.Plan.Champion:
			return e.Gain, e.SD, true
		case against != nil && against.Steps > 0 && string(e.Champion) == against.Variant:
			return e.Gain + against.Difference, math.Hypot(e.SD, against.SD()), true
		}
	}
	return 0, 0, false
}

// recordBarred records a variant that looks better but is excluded because a proposal was
// refused.
func (n *night) recordBarred(proposal string, id agent.ConfigID) {
	if n.barred == nil {
		n.barred = map[string][]agent.ConfigID{}
	}
	if !slices.Contains(n.barred[proposal], id) {
		n.barred[proposal] = append(n.barred[proposal], id)
	}
}

// refusedCause returns the cause that applies if variants that look better were refused by
// a person, or are near such variants; it returns the zero value if there are none.
func (n *night) refusedCause() stats.Cause {
	var names []string
	variants := 0
	for _, r := range n.refused {
		if list := n.barred[r.proposal.ID]; len(list) > 0 {
			variants += len(list)
			names = append(names, r.proposal.ID+", "+r.decided)
		}
	}
	if variants == 0 {
		return stats.Cause{}
	}
	many, stay := fmt.Sprintf("%d variants", variants), "they stay"
	if variants == 1 {
		many, stay = "1 variant", "it stays"
	}
	return stats.Cause{
		Kind: stats.CauseLeftOut, Figures: map[string]float64{"variants": float64(variants)},
		Sentence: fmt.Sprintf("everything that looks better (%s) is the same as, or close to, %s; %s excluded until the agent, its tasks or the settings change",
			many, strings.Join(names, ", and "), stay),
	}
}

// excluded returns the variants that must not get a block: finalists and open entries that
// a proposal excludes.
func (n *night) excluded(ctx context.Context, rec *mutate.Recommendation) (map[agent.ConfigID]string, error) {
	out := map[agent.ConfigID]string{}
	look := func(id agent.ConfigID, c agent.Config, gain, sd float64) {
		if left := n.exclusion(id, c, gain, sd); left != nil {
			out[id] = left.Reason
			n.recordLeftOut(*left)
		}
	}
	for _, f := range rec.Finalists {
		look(f.Variant, f.Config, f.Gain, f.SD)
	}
	if len(n.refused)+len(n.leftOut) == 0 {
		return out, nil
	}
	list, err := entriesOf(ctx, n.Archive, n.Agent.ID)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		if e.Void != "" || e.State.Ended() || e.Champion != n.Plan.Reference() {
			continue
		}
		v, err := n.Archive.Variant(ctx, n.Agent.ID, e.Variant)
		if err != nil {
			return nil, fmt.Errorf("%w: reading a candidate: %w", bench.ErrRecorder, err)
		}
		look(e.Variant, v.Config, e.Gain+n.bar.gain, e.SD)
	}
	return out, nil
}

// markWaiting sets the verdict to waits if a proposal waits and the night made no proposal
// of its own.
func (n *night) markWaiting(c *confirm.Confirmation) {
	w, ok := against(n.Plan.Waits)
	if !ok || n.result.Verdict.Proposes() {
		return
	}
	tonight := "no variant is estimated to be a standard deviation better than the waiting proposal, so no confirmation was started"
	same := 0
	for _, l := range n.result.LeftOut {
		if l.Proposal == w.Proposal && l.Variant != w.Variant {
			same++
		}
	}
	if same > 0 {
		many := "1 variant was"
		if same > 1 {
			many = fmt.Sprintf("%d variants were", same)
		}
		tonight = many + " left out as equal to the proposed variant, and no other is estimated to be a standard deviation better, so no confirmation was started"
	}
	switch {
	case len(n.result.Finalist) > 0:
		tonight = "measured against the waiting proposal: " + n.result.Reason
	case c != nil && c.Blocked() != "":
		tonight = "a variant looked better than the proposed variant but was not confirmed: " + c.Blocked()
	case c != nil && !c.LeftOut.None():
		tonight = c.LeftOut.Sentence
	case c == nil && n.result.Reason != "":
		tonight = n.result.Reason
	case !n.result.SearchDone:
		tonight = "the search was cut short; it continues in the next run"
	}
	n.result.Verdict, n.result.Reason = archive.Waits, fmt.Sprintf("%s %s; %s", w.Proposal, waitsFor(w), tonight)
}
