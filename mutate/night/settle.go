package night

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/bench"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// firstCompared is the number of cases on which two versions are compared in the first
// step; each further step doubles it.
const firstCompared = 4

// settle determines whether finalists have the same values as versions that a person or a
// gate refused, as versions that entered before, or as higher-ranked finalists. It
// considers only pairs of versions that have been compared on too few cases, and scores
// both versions of a pair on the cases for which they have no value until a value
// differs. It removes finalists that are equal to another version, because one of the
// month's confirmations and a person's time cost more than these evaluations. If
// tonight's evaluations do not suffice, the finalist counts as equal tonight. entered has
// the same meaning as in [night.toAblate].
func (m *minimisation) settle(ctx context.Context, rec *mutate.Recommendation, entered map[agent.ConfigID]bool) error {
	if m.values == nil {
		return nil
	}
	rivals, err := m.rivals(ctx)
	if err != nil {
		return err
	}
	type pair struct{ a, b agent.ConfigID }
	tried := map[pair]bool{}
	for more := true; more; {
		more = false
		turns := m.toAblate(rec, entered)
		for i, f := range turns {
			others := rivals
			for _, g := range turns[:i] {
				others = append(others[:len(others):len(others)], g.Variant)
			}
			for _, id := range others {
				if tried[pair{f.Variant, id}] {
					continue
				}
				tried[pair{f.Variant, id}], more = true, true
				if err := m.compare(ctx, f.Variant, id); err != nil {
					return err
				}
			}
		}
		if err := m.narrow(ctx, rec); err != nil {
			return err
		}
	}
	return nil
}

// rivals returns the versions that a person or a gate refused, and the versions that
// entered an earlier confirmation.
func (m *minimisation) rivals(ctx context.Context) ([]agent.ConfigID, error) {
	var out []agent.ConfigID
	for _, r := range m.refused {
		out = append(out, r.proposal.Variant)
	}
	list, err := m.before(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		out = append(out, e.Variant)
	}
	for id, itself := range m.deceiving {
		if itself {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// compare scores two versions that are alike on too few cases. It scores them on the cases
// for which they have no value, until a value differs. It makes no evaluation unless all
// the evaluations that may be needed can be paid for. If another night can pay for them,
// the two versions count as equal until then.
func (m *minimisation) compare(ctx context.Context, a, b agent.ConfigID) error {
	_, alike, enough := m.values.Alike(a, b)
	if !alike || enough {
		return nil
	}
	lack, err := m.lacking(ctx, a, b)
	if err != nil || len(lack) == 0 {
		return err
	}
	need := 0
	for _, jobs := range lack {
		need += len(jobs)
	}
	if !m.afford(need) {
		if need <= m.Plan.Ablate+m.Plan.Confirm-2*m.Plan.HoldoutTasks {
			m.values.assumed[[2]agent.ConfigID{a, b}] = true
		}
		return nil
	}
	for step := firstCompared; len(lack) > 0 && alike; step *= 2 {
		var jobs []bench.Job
		for _, list := range lack[:min(step, len(lack))] {
			for _, j := range list {
				j.Seq = m.next
				m.next++
				jobs = append(jobs, j)
			}
		}
		lack = lack[min(step, len(lack)):]
		done, ended := m.batch(ctx, "ablate", jobs, m.told, m.Plan.Ablate)
		m.told += len(jobs)
		m.left -= len(jobs)
		for i, e := range done {
			if e.Scored {
				m.values.add(&e, m.Agent.Metric)
				m.known.add(mutate.Trial{Variant: e.Variant, Config: jobs[i].Config, Task: e.Task, Repeat: e.Repeat}, true, e.Score)
			}
		}
		if ended != nil {
			return m.drained(ended)
		}
		_, alike, _ = m.values.Alike(a, b)
	}
	return nil
}

// afford reports whether the given number of evaluations is left. If necessary, it takes
// some from the confirmation, because a version that is equal to another would cost even
// more evaluations there. The confirmation retains one block.
func (m *minimisation) afford(need int) bool {
	p, short := m.Plan, need-m.left
	if short <= 0 {
		return true
	}
	if p.Confirm-short < 2*p.HoldoutTasks {
		return false
	}
	p.Confirm, p.Ablate, p.Lent, m.left = p.Confirm-short, p.Ablate+short, p.Lent+short, m.left+short
	m.reserve(p.Confirm)
	return true
}

// lacking returns the evaluations that are needed to determine whether two versions are
// equal, grouped by case. Cases on which one of the versions was already scored come
// first.
func (m *minimisation) lacking(ctx context.Context, a, b agent.ConfigID) ([][]bench.Job, error) {
	var configs [2]agent.Config
	for i, id := range []agent.ConfigID{a, b} {
		v, err := m.Archive.Variant(ctx, m.Agent.ID, id)
		if errors.Is(err, archive.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%w: reading a version: %w", bench.ErrRecorder, err)
		}
		if configs[i] = m.Agent.read(v.Config); configs[i] == nil {
			return nil, nil
		}
	}
	var one, both [][]bench.Job
	common := 0
	for _, t := range m.sample.Search {
		var jobs []bench.Job
		for i, id := range []agent.ConfigID{a, b} {
			if !m.values.has(id, t.ID) {
				jobs = append(jobs, bench.Job{Variant: id, Config: configs[i], Task: t, Stage: bench.StageAblate})
			}
		}
		switch len(jobs) {
		case 0:
			common++
		case 1:
			one = append(one, jobs)
		default:
			both = append(both, jobs)
		}
	}
	all := append(one, both...)
	return all[:min(len(all), max(0, m.values.needed()-common))], nil
}
