package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/reports/number"
	"evolve/runtime/autonomy"
	"evolve/runtime/text"
)

// Waiting is a proposal of a config, or a request for a level of autonomy, that was made
// before this run and still awaits a person. Every rendering begins with the proposal whose
// decision has been pending longest.
type Waiting struct {
	Proposal string `json:"proposal"`
	Agent    string `json:"agent"`
	Variant  Ref    `json:"variant"`
	// Days is the number of whole days for which the proposal had waited by the end of
	// this run.
	Days int `json:"days"`
	// First is the proposal that first requested this decision and that the present
	// proposal has replaced without a decision in between. Open is the number of whole days
	// since First was made. If no proposal was replaced, First is the present proposal
	// itself, and Open equals Days.
	First string `json:"first"`
	Open  int    `json:"open_days"`
	// Difference is the proposal's confirmed gain, in score units; it is nil if nothing was
	// confirmed.
	Difference *float64 `json:"difference,omitempty"`
	// Reference is the variant relative to which Difference is measured; nil means the
	// champion.
	Reference *stats.Reference `json:"reference,omitempty"`
	// Stale names the inputs that have changed since the proposal was measured; a stale
	// proposal cannot be approved.
	Stale []string `json:"stale,omitempty"`
	// Level is the requested level of autonomy; it is 0 if the proposal is for a config.
	Level   autonomy.Level `json:"level,omitempty"`
	Command string         `json:"command"`
}

// ListWaiting lists the proposals that were waiting at the given time, oldest first, except
// those made by the given run; run may be empty. A proposal is stale if the agent's latest
// plan recorded it as stale.
func ListWaiting(ctx context.Context, src Source, run string, at time.Time) ([]Waiting, error) {
	out := []Waiting{}
	undecided := map[string]archive.ProposalRecord{} // by agent, the first proposal since the last decision
	for p, err := range src.Proposals(ctx) {
		if err != nil {
			return nil, fmt.Errorf("listing the waiting proposals: %w", err)
		}
		if l := p.Autonomy; l != nil && p.State == archive.Awaiting && !p.Created.After(at) {
			out = append(out, Waiting{
				Proposal: p.ID, Agent: p.Agent, Days: Days(p.Created, at), First: p.ID, Open: Days(p.Created, at), Level: l.To,
				Command: approveCommand(p.ID, p.State) + ` --reason "…"`,
			})
		}
		if !p.OfConfig() {
			continue
		}
		first, ok := undecided[p.Agent]
		switch {
		case !p.AwaitsConfig() && p.State != archive.Superseded:
			delete(undecided, p.Agent)
		case !ok:
			first = p
			undecided[p.Agent] = p
		}
		if !p.AwaitsConfig() || p.Run == run && run != "" || p.Created.After(at) {
			continue
		}
		w := Waiting{Proposal: p.ID, Agent: p.Agent, Variant: Ref{ID: p.Variant}, Days: Days(p.Created, at), First: first.ID, Open: Days(first.Created, at), Command: approveCommand(p.ID, p.State)}
		if BranchOf(p) != nil {
			w.Command = "evolve show " + p.ID
		}
		if v, err := src.Variant(ctx, p.Agent, p.Variant); err == nil {
			w.Variant.Number = v.Number
		} else if !errors.Is(err, archive.ErrNotFound) {
			return nil, fmt.Errorf("reading the waiting proposals: %w", err)
		}
		var err error
		if w.Difference, w.Reference, err = confirmed(ctx, src, p); err != nil {
			return nil, err
		}
		if w.Stale, err = stale(ctx, src, p); err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	slices.SortStableFunc(out, func(a, b Waiting) int { return b.Open - a.Open })
	return out, nil
}

// Days returns the number of whole days for which a proposal has waited.
func Days(since, at time.Time) int { return int(at.Sub(since) / (24 * time.Hour)) }

// confirmed returns the confirmed gain on which a proposal rests, and the reference to
// which that gain is relative.
func confirmed(ctx context.Context, src Source, p archive.ProposalRecord) (*float64, *stats.Reference, error) {
	r, err := src.Result(ctx, p.Run, p.Agent)
	if errors.Is(err, archive.ErrNotFound) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading the waiting proposals: %w", err)
	}
	for _, f := range r.Finalist {
		if f.Variant == p.Variant {
			gain := estimated(f).Difference
			return &gain, r.Reference, nil
		}
	}
	return nil, nil, nil
}

// stale lists the inputs that have changed since a proposal was measured. If the source can
// compare them with the present workspace, the list is current; otherwise it is the list in
// the agent's latest plan.
func stale(ctx context.Context, src Source, p archive.ProposalRecord) ([]string, error) {
	if moved, known, err := MovedSince(ctx, src, p.ID); known || err != nil {
		return moved, err
	}
	for r, err := range src.Runs(ctx) {
		if err != nil {
			return nil, fmt.Errorf("listing the runs: %w", err)
		}
		plan, err := src.Plan(ctx, r.ID, p.Agent)
		if errors.Is(err, archive.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading a plan: %w", err)
		}
		for _, w := range plan.Waits {
			if w.Proposal == p.ID {
				return w.Stale, nil
			}
		}
		return nil, nil
	}
	return nil, nil
}

// Words returns a description of how long the proposal has waited, and of its gain.
func (w Waiting) Words() string {
	id := text.Visible(w.Proposal)
	if len(w.Stale) > 0 {
		return id + " is " + StaleWords(w.Stale)
	}
	words := id + " has waited " + whole(w.Days)
	if w.First != "" && w.First != w.Proposal {
		words = fmt.Sprintf("%s waits; the decision has been open for %s, since %s was proposed", id, whole(w.Open), text.Visible(w.First))
	}
	if w.Level > 0 {
		return fmt.Sprintf("%s: autonomy level %d for %s", words, w.Level, text.Visible(w.Agent))
	}
	if w.Difference == nil {
		return words
	}
	if w.Reference == nil {
		return words + ": " + number.Points(*w.Difference) + " points"
	}
	words += ": " + number.Points(*w.Difference) + " points over " + text.Visible(w.Reference.Proposal)
	if w.Reference.Steps > 0 {
		words += fmt.Sprintf(", which was %s points over v%d", number.Points(w.Reference.Difference), w.Reference.Champion)
	}
	return words
}

// StaleWords returns a sentence that names the changes that prevent the approval of a
// proposal.
func StaleWords(moved []string) string {
	return "stale: " + text.Visible(clip(strings.Join(moved, ", "), 160)) + " changed after the proposal was measured; `evolve run` may measure it again"
}

// whole formats a number of whole days.
func whole(days int) string {
	if days == 0 {
		return "less than a day"
	}
	return number.Plural(days, "day")
}

// LeftOut is a variant that was excluded from the confirmation because of a proposal.
type LeftOut struct {
	Variant  Ref    `json:"variant"`
	Proposal string `json:"proposal"`
	Reason   string `json:"reason"`
}

// leftOut copies the variants that were excluded from the confirmation because of a
// proposal.
func (b *builder) leftOut() error {
	for _, l := range b.result.LeftOut {
		b.out.LeftOut = append(b.out.LeftOut, LeftOut{Variant: b.ref(l.Variant), Proposal: l.Proposal, Reason: clip(b.inCases(l.Reason), MaxReason)})
	}
	return nil
}

// BaseName returns the name of the config with which candidates were compared on the
// holdout: the champion, or the waiting variant.
func (d Decision) BaseName() string {
	switch {
	case d.Reference != nil:
		return fmt.Sprintf("%s (%s, which waits)", text.Visible(d.Reference.Proposal), d.Against.Name())
	case d.Against != nil:
		return d.Against.Name() + ", which waits,"
	}
	return d.Champion.Name()
}

// BaseLabel returns the name, for use in the decision box, of the config with which a
// variant is compared.
func (d Decision) BaseLabel() string {
	if d.Reference == nil {
		return strings.TrimSuffix(d.BaseName(), ",")
	}
	return fmt.Sprintf("%s, which waits (%s)", text.Visible(d.Reference.Proposal), d.Against.Name())
}

// chained returns the end of a sentence about a gain over a waiting proposal: the
// proposal's own gain over the champion.
func (d Decision) chained() string {
	if gain := d.Reference.Gain(); gain != "" {
		return "; " + number.Signs(text.Visible(gain))
	}
	return ""
}
