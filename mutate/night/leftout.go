package night

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"evolve/archive"
	"evolve/bench"
	"evolve/mutate/ablation"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// kept is the share of a deceiving version's gain that an ancestor must have in order to
// be assumed to deceive as well. The number is a judgement: a deception usually makes
// most of a gain at once.
const kept = .9

// copied is the limit on the lines that a version may share with a deceiving version: a
// version with a larger share of the lines that the deceiving version added to the
// original code is assumed to deceive, too, whatever its ancestors. The number is a
// judgement: a finalist was reduced, so it added hardly more lines than its gain needs.
const copied = .75

// LeftOut returns the versions of searched code that later nights leave out because gates
// refused a version in a run before the given one (before); "" covers all runs. If a
// version deceives its measurement, it is left out together with its ancestors that gained
// nearly as much on the same search cases, with versions that have most of the lines that
// it added, and with all descendants of these versions. Two kinds of versions are not left
// out: versions whose own patch passed its gates, and descendants that a language model
// wrote without a line of the refused change. A version that has the same values on all
// search cases as one of the versions left out is left out, too. If a version was refused
// for another reason, for example because a test failed, only that version is left out, and
// only as long as the agent's hash is the same as it was at the refusal.
func LeftOut(ctx context.Context, a *archive.Archive, agentID, hash, before string) (map[agent.ConfigID]archive.LeftOut, error) {
	f, err := leftOut(ctx, a, agentID, hash, before)
	if err != nil {
		return nil, err
	}
	return f.out, nil
}

// leftOut does what [LeftOut] does, and also returns which versions deceive.
func leftOut(ctx context.Context, a *archive.Archive, agentID, hash, before string) (*family, error) {
	f := &family{
		archive: a, agent: agentID, before: before, passed: map[agent.ConfigID]bool{}, out: map[agent.ConfigID]archive.LeftOut{}, deceives: map[agent.ConfigID]bool{},
	}
	var deceiving []archive.ProposalRecord
	for p, err := range a.Proposals(ctx) {
		if err != nil {
			return nil, fmt.Errorf("%w: reading the proposals: %w", bench.ErrRecorder, err)
		}
		id, ok := p.VariantOf(agentID)
		if !ok || p.Kind != archive.KindPatch || before != "" && p.Run == before {
			continue
		}
		by, deceives := refusedBy(p)
		switch {
		case slices.Contains([]archive.ProposalState{archive.Awaiting, archive.HumanLane, archive.Approved, archive.Adopted}, p.State):
			f.passed[id] = true
			continue
		case by == "":
			continue
		case deceives:
			deceiving, f.deceives[id] = append(deceiving, p), true
		default:
			plan, err := a.Plan(ctx, p.Run, agentID)
			if err != nil && !errors.Is(err, archive.ErrNotFound) {
				return nil, fmt.Errorf("%w: reading the plan of run %s: %w", bench.ErrRecorder, p.Run, err)
			}
			if err == nil && plan.AgentHash != hash {
				continue
			}
		}
		f.out[id] = archive.LeftOut{Variant: id, Proposal: p.ID, Reason: by + " refused it in " + p.ID}
	}
	if len(deceiving) == 0 {
		return f, nil
	}
	if err := f.read(ctx); err != nil {
		return nil, err
	}
	for _, p := range deceiving {
		if err := f.spread(ctx, p); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// refusedBy names what refused a version: the gate that failed, preferably one that the
// version deceives, or the review. It returns "" if the version was not refused, or if a
// gate merely could not run.
func refusedBy(p archive.ProposalRecord) (by string, deceives bool) {
	if p.State != archive.GateFailed {
		return "", false
	}
	for _, g := range p.Gates {
		switch {
		case g.Deceives:
			return fmt.Sprintf("the gate %q", g.Gate), true
		case g.Verdict == "failed" && by == "":
			by = fmt.Sprintf("the gate %q", g.Gate)
		}
	}
	if r := p.Patch.Review; by == "" && r != nil && !r.Approve {
		by = "the review"
	}
	return by, false
}

// family finds the relatives of versions that deceive.
type family struct {
	archive  *archive.Archive
	agent    string
	before   string // the run whose proposals are not read; "" for none
	variants map[agent.ConfigID]archive.Variant
	children map[agent.ConfigID][]agent.ConfigID
	// original holds every line that the original code had in any night.
	original lineSet
	// passed holds the versions whose own patch passed its gates.
	passed map[agent.ConfigID]bool
	out    map[agent.ConfigID]archive.LeftOut
	// deceives contains those versions in the map named out that deceive their
	// measurement; the value is true if a gate refused that version itself.
	deceives map[agent.ConfigID]bool
}

// read reads the versions and their lineage.
func (f *family) read(ctx context.Context) error {
	f.variants, f.children, f.original = map[agent.ConfigID]archive.Variant{}, map[agent.ConfigID][]agent.ConfigID{}, lineSet{}
	if err := f.archive.Flush(ctx); err != nil {
		return fmt.Errorf("%w: %w", bench.ErrRecorder, err)
	}
	for v, err := range f.archive.Variants(ctx, f.agent) {
		if err != nil {
			return fmt.Errorf("%w: reading the versions: %w", bench.ErrRecorder, err)
		}
		f.variants[v.ID] = v
		if len(v.Parents) == 0 {
			maps.Copy(f.original, lines(v.Config))
		}
		for _, id := range v.Parents {
			f.children[id] = append(f.children[id], v.ID)
		}
	}
	return nil
}

// spread leaves out the relatives of a deceiving version. p is the proposal of that
// version.
func (f *family) spread(ctx context.Context, p archive.ProposalRecord) error {
	id, _ := p.VariantOf(f.agent)
	by, _ := refusedBy(p)
	refused := fmt.Sprintf("%s refused v%d in %s", by, f.variants[id].Number, p.ID)
	scores, err := f.scores(ctx, p.Run)
	if err != nil {
		return err
	}
	roots, seen := []agent.ConfigID{id}, map[agent.ConfigID]bool{id: true}
	for queue := []agent.ConfigID{id}; len(queue) > 0; queue = queue[1:] {
		v := f.variants[queue[0]]
		for _, parent := range v.Parents {
			up := f.variants[parent]
			if seen[parent] || len(up.Parents) == 0 || f.passed[parent] {
				continue // gates never refuse the code as it was
			}
			seen[parent] = true
			queue = append(queue, parent)
			if v.Operator != ablation.Operator && !scores.nearly(parent, id) {
				continue
			}
			roots = append(roots, parent)
			f.leave(parent, p.ID, "its gain is hardly smaller than that of a refused descendant: "+refused)
		}
	}
	added := f.added(id)
	for _, v := range slices.SortedFunc(maps.Values(f.variants), func(x, y archive.Variant) int { return cmp.Compare(x.Number, y.Number) }) {
		has := added.in(v.Config)
		if len(v.Parents) == 0 || f.passed[v.ID] || slices.Contains(roots, v.ID) || has == 0 || float64(has) < copied*float64(len(added)) {
			continue
		}
		roots = append(roots, v.ID)
		f.leave(v.ID, p.ID, fmt.Sprintf("it contains %s of %s that v%d added: %s", text.Whole(has), text.Count(len(added), "line"), f.variants[id].Number, refused))
	}
	seen = map[agent.ConfigID]bool{}
	for queue := roots; len(queue) > 0; queue = queue[1:] {
		for _, child := range f.children[queue[0]] {
			if seen[child] || f.passed[child] || f.rewritten(child, added) {
				continue
			}
			seen[child] = true
			queue = append(queue, child)
			f.leave(child, p.ID, fmt.Sprintf("it descends from v%d: %s", f.variants[queue[0]].Number, refused))
		}
	}
	return f.spreadAlike(ctx, p, refused)
}

// spreadAlike leaves out the versions that have the same values as a deceptive version,
// because equal values mean equal behaviour, however the code is written.
func (f *family) spreadAlike(ctx context.Context, p archive.ProposalRecord, refused string) error {
	plan, err := f.archive.Plan(ctx, p.Run, f.agent)
	if errors.Is(err, archive.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: reading the plan of run %s: %w", bench.ErrRecorder, p.Run, err)
	}
	values, err := ReadValues(ctx, f.archive, plan, func(run string, _ bench.Stage) bool { return run == f.before })
	if err != nil {
		return err
	}
	for _, bad := range slices.Sorted(maps.Keys(f.deceives)) {
		for _, id := range values.Class(bad) {
			if !f.passed[id] && id != plan.Champion {
				f.leave(id, p.ID, fmt.Sprintf("it has the same values as v%d on the search cases: %s", f.variants[bad].Number, refused))
			}
		}
	}
	return nil
}

// lineSet holds lines from the texts of a config.
type lineSet map[componentText]bool

// in returns the number of the lines in s that a config has.
func (s lineSet) in(c agent.Config) (n int) {
	now := lines(c)
	for line := range s {
		if now[line] {
			n++
		}
	}
	return n
}

// added returns the lines that a version added to the original code.
func (f *family) added(id agent.ConfigID) lineSet {
	out := lines(f.variants[id].Config)
	maps.DeleteFunc(out, func(line componentText, _ bool) bool { return f.original[line] })
	return out
}

// rewritten reports whether a version was written by a language model and has none of the
// lines that a deceiving version added. A version made by an operator does not count,
// because an operator changes a line but keeps what the line does.
func (f *family) rewritten(child agent.ConfigID, added lineSet) bool {
	v := f.variants[child]
	return v.Author != "" && len(added) > 0 && added.in(v.Config) == 0
}

// lines returns the lines of a config's texts, each with the name of its text. It leaves
// out lines without a letter or a digit, such as a line with only a bracket.
func lines(c agent.Config) lineSet {
	out := lineSet{}
	for name := range c {
		for line := range strings.Lines(c.String(name)) {
			if line = strings.TrimSpace(line); strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
				out[componentText{name, line}] = true
			}
		}
	}
	return out
}

// leave leaves out a version that deceives, unless it is already left out.
func (f *family) leave(id agent.ConfigID, proposal, reason string) {
	if !f.deceives[id] {
		f.deceives[id] = false // the version itself does not count as refused
	}
	if _, known := f.out[id]; !known {
		f.out[id] = archive.LeftOut{Variant: id, Proposal: proposal, Reason: reason}
	}
}

// familyScores holds mean scores on search cases, keyed by variant and case, and the
// variant with which these scores are compared.
type familyScores struct {
	base agent.ConfigID
	of   map[agent.ConfigID]map[string]mean
}

type mean struct {
	sum float64
	n   int
}

func (m mean) value() float64 { return m.sum / float64(m.n) }

// scores reads the scores on search cases from all runs that had the same agent and suite
// as the given run.
func (f *family) scores(ctx context.Context, run string) (familyScores, error) {
	out := familyScores{of: map[agent.ConfigID]map[string]mean{}}
	then, err := f.archive.Plan(ctx, run, f.agent)
	if errors.Is(err, archive.ErrNotFound) {
		return out, nil
	}
	if err != nil {
		return out, fmt.Errorf("%w: reading the plan of run %s: %w", bench.ErrRecorder, run, err)
	}
	out.base = then.Champion
	for r, err := range f.archive.Runs(ctx) {
		if err != nil {
			return out, fmt.Errorf("%w: reading the runs: %w", bench.ErrRecorder, err)
		}
		plan, err := f.archive.Plan(ctx, r.ID, f.agent)
		if err != nil || plan.AgentHash != then.AgentHash || plan.SuiteHash != then.SuiteHash {
			continue // the run had another agent, or ended before it had a plan
		}
		for e, err := range f.archive.Evaluations(ctx, r.ID, f.agent) {
			if err != nil {
				return out, fmt.Errorf("%w: reading evaluations: %w", bench.ErrRecorder, err)
			}
			if !e.Scored || e.Split != bench.Search {
				continue
			}
			if out.of[e.Variant] == nil {
				out.of[e.Variant] = map[string]mean{}
			}
			m := out.of[e.Variant][e.Task]
			out.of[e.Variant][e.Task] = mean{m.sum + e.Score, m.n + 1}
		}
	}
	return out, nil
}

// nearly reports whether the gain of a version over the original code is nearly as large as
// the gain of a descendant, on the cases that both ran.
func (s familyScores) nearly(version, of agent.ConfigID) bool {
	gain, whole := 0., 0.
	for task, m := range s.of[version] {
		base, known := s.of[s.base][task]
		other, both := s.of[of][task]
		if known && both {
			gain += m.value() - base.value()
			whole += other.value() - base.value()
		}
	}
	return whole > 0 && gain >= kept*whole
}
