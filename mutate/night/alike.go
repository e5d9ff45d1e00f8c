package night

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/confirm"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// findLeftOut finds the versions that the night leaves out because gates refused them
// before the run named by before; if before is "", tonight's refusals are included.
func (n *night) findLeftOut(ctx context.Context, before string) error {
	f, err := leftOut(ctx, n.Archive, n.Agent.ID, n.Plan.AgentHash, before)
	if err != nil {
		return err
	}
	delete(f.out, n.Plan.Champion)
	delete(f.deceives, n.Plan.Champion)
	n.leftOut, n.deceiving = f.out, f.deceives
	return nil
}

// readValues reads the values of versions on search cases. ablated reports whether
// tonight's finalists have already been reduced. Before that, a resumed run must not use
// the results of the reduction.
func (n *night) readValues(ctx context.Context, ablated bool) (err error) {
	if !n.Agent.Hunks || !n.Agent.Fixed() {
		return nil
	}
	n.values, err = ReadValues(ctx, n.Archive, *n.Plan, func(run string, stage bench.Stage) bool {
		return !ablated && run == n.Run.ID && stage == bench.StageAblate
	})
	if err == nil && ablated {
		n.values.reduced(n.result.Ablations)
	}
	return err
}

// sameValues returns a description of the search cases on which two versions have the same
// values. It returns false if their values differ or if there are too few cases.
func (n *night) sameValues(a, b agent.ConfigID) (cases string, same bool) {
	if n.values == nil {
		return "", false
	}
	count, alike, enough := n.values.Alike(a, b)
	if !alike || !enough {
		return "", false
	}
	return n.values.allOf(count, nounOf(n.Agent.Metric)), true
}

// deceives returns the reason for leaving out a version that has the same values as a
// deceiving version; nil for any other version.
func (n *night) deceives(id agent.ConfigID) *archive.LeftOut {
	for _, bad := range slices.Sorted(maps.Keys(n.deceiving)) {
		if cases, same := n.sameValues(id, bad); same {
			l := n.leftOut[bad]
			return &archive.LeftOut{Variant: id, Proposal: l.Proposal, Reason: fmt.Sprintf("it has the same values as %s on %s, and %[1]s is left out: %[3]s", bad.Short(), cases, l.Reason)}
		}
	}
	return nil
}

// oneEach retains only one finalist for each set of values: the first, which is also the
// smallest. Otherwise finalists with the same values would each use one of the month's
// entries for the same claim. A finalist with the same values as an earlier entry is
// replaced by the version of that entry, whose evidence counts for both, unless gates
// refused that version's code. A finalist with the same values as the unchanged code, or
// as the reference of candidates, changes nothing and is removed.
func (n *night) oneEach(ctx context.Context, rec *mutate.Recommendation) error {
	if n.values == nil {
		rec.Finalists = rec.Finalists[:min(len(rec.Finalists), n.finalists())]
		return nil
	}
	list, err := n.before(ctx)
	if err != nil {
		return err
	}
	var kept []mutate.Estimate
	for _, f := range rec.Finalists {
		if n.values.equal(f.Variant, n.Plan.Champion) || n.values.equal(f.Variant, n.Plan.Reference()) {
			continue
		}
		if f, err = n.entryOf(ctx, f, list); err != nil {
			return err
		}
		if !slices.ContainsFunc(kept, func(k mutate.Estimate) bool { return k.Variant == f.Variant || n.values.equal(k.Variant, f.Variant) }) {
			kept = append(kept, f)
		}
	}
	rec.Finalists = kept[:min(len(kept), n.finalists())]
	return nil
}

// before returns the entries from earlier nights that count tonight, except entries of
// versions that gates refused.
func (n *night) before(ctx context.Context) ([]confirm.Entry, error) {
	list, err := entriesOf(ctx, n.Archive, n.Agent.ID)
	holds := n.conditions()
	return slices.DeleteFunc(list, func(e confirm.Entry) bool {
		_, out := n.leftOut[e.Variant]
		return out || e.Void != "" || e.Champion != n.Plan.Reference() || e.Holds != holds || e.Run == n.Run.ID
	}), err
}

// entryOf returns a finalist with its version replaced by the version of the entry that
// has the same values. If there is no such entry, it returns the finalist unchanged.
func (n *night) entryOf(ctx context.Context, f mutate.Estimate, list []confirm.Entry) (mutate.Estimate, error) {
	if slices.ContainsFunc(list, func(e confirm.Entry) bool { return e.Variant == f.Variant }) {
		return f, nil
	}
	for _, e := range list {
		if !n.values.equal(e.Variant, f.Variant) {
			continue
		}
		v, err := n.Archive.Variant(ctx, n.Agent.ID, e.Variant)
		if errors.Is(err, archive.ErrNotFound) {
			continue
		}
		if err != nil {
			return f, fmt.Errorf("%w: reading a candidate: %w", bench.ErrRecorder, err)
		}
		if c := n.Agent.read(v.Config); c != nil {
			f.Variant, f.Config = v.ID, c
			return f, nil
		}
	}
	return f, nil
}
