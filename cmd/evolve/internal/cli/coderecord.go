package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/metrics"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/batch/coding"
	"evolve/runtime/agent"
)

// measurement is the result of a version on a case.
type measurement struct {
	value   *float64
	starts  float64   // the number of starts; the value is their mean
	further []float64 // the means of the further metrics; NaN if there are none
	problem string
	side    bench.Split
}

// codeState is a state of the code, with the nights that searched it.
type codeState struct {
	// hash identifies the code and how it is scored; it is empty if there is no state.
	hash     string
	champion agent.ConfigID
	// commit is the commit on which the latest of the nights ran, and started is when that
	// night began. commit is empty if it was not recorded.
	commit  string
	started time.Time
	// nights holds the ids of all nights on the state, the latest first. runs holds the ids
	// of those nights whose metric is comparable with that of the latest night.
	nights, runs []string
	// metric describes what the latest night measured. Its name is empty for an agent's own
	// code.
	metric metrics.Kind
	// chance reports whether values of the same version can differ, in which case the mean
	// of all values counts.
	chance bool
}

// states returns the states of the code that nights searched: first the present code, then
// the others, the latest first.
func (b *codeBook) states() ([]codeState, error) {
	var out []codeState
	for r, err := range b.archive.Runs(b.ctx) {
		if err != nil {
			return nil, fmt.Errorf("reading the runs: %w", err)
		}
		plan, err := b.archive.Plan(b.ctx, r.ID, b.Target.Name)
		if err != nil {
			continue // the run had no such agent, or ended before it had a plan
		}
		at := slices.IndexFunc(out, func(s codeState) bool { return s.hash == plan.AgentHash })
		if at < 0 {
			s := codeState{hash: plan.AgentHash, champion: plan.Champion, commit: plan.CodeCommit, started: r.Started, runs: []string{}, chance: plan.Noise.Any()}
			if plan.Metric != nil {
				s.metric = *plan.Metric
			}
			at, out = len(out), append(out, s)
		}
		s := &out[at]
		s.nights = append(s.nights, r.ID)
		if metrics.Comparable(plan.Metric, &s.metric) {
			s.runs = append(s.runs, r.ID)
		}
	}
	slices.SortStableFunc(out, func(x, y codeState) int {
		return cmp.Compare(orElse(0, 1, x.hash == b.ID()), orElse(0, 1, y.hash == b.ID()))
	})
	return out, nil
}

// codeRecord holds the values that versions got in the nights on one state of the code.
type codeRecord struct {
	codeState
	of   map[agent.ConfigID]map[string]measurement
	kind metrics.Value
	noun string // for the items on which versions are scored
	// value returns the value of a version in an evaluation.
	value func(*bench.Evaluation) (metrics.Value, bool)
}

// read reads the values that a state's champion and other versions got in the nights of
// that state.
func (b *codeBook) read(s codeState, ids ...agent.ConfigID) (codeRecord, error) {
	r := codeRecord{codeState: s, noun: b.Cases(), value: b.Value, of: map[agent.ConfigID]map[string]measurement{s.champion: {}}}
	for _, id := range ids {
		r.of[id] = map[string]measurement{}
	}
	for _, run := range s.nights {
		for e, err := range b.archive.Evaluations(b.ctx, run, b.Target.Name) {
			if err != nil {
				return r, fmt.Errorf("reading the evaluations: %w", err)
			}
			r.add(&e)
		}
	}
	return r, nil
}

// record reads the values of the versions with the given ids. Values also depend on the
// code around the blocks, so they are taken from the present state of the code if all of
// the versions were scored on it, and otherwise from the latest state on which all of
// them were scored.
func (b *codeBook) record(ids ...agent.ConfigID) (codeRecord, error) {
	states, err := b.states()
	if err != nil {
		return codeRecord{}, err
	}
	return b.firstScored(states, ids...)
}

// recordOf is like record, but for one version. It prefers nights that compared the version
// with other code, because the version may since have become the target's code. If there
// are no values, the record describes the state of the code on which the version was made.
func (b *codeBook) recordOf(v archive.Variant) (codeRecord, error) {
	states, err := b.states()
	if err != nil {
		return codeRecord{}, err
	}
	slices.SortStableFunc(states, func(x, y codeState) int {
		return cmp.Compare(orElse(1, 0, x.champion == v.ID), orElse(1, 0, y.champion == v.ID))
	})
	r, err := b.firstScored(states, v.ID)
	if at := slices.IndexFunc(states, func(s codeState) bool { return slices.Contains(s.nights, v.Run) }); err == nil && r.hash == "" && at >= 0 {
		r.codeState = states[at] // its values were removed
	}
	return r, err
}

// firstScored reads the values from the first state on which all of the given versions were
// scored. If there is no such state, the record is empty.
func (b *codeBook) firstScored(states []codeState, ids ...agent.ConfigID) (codeRecord, error) {
	for _, s := range states {
		r, err := b.read(s, ids...)
		if err != nil || r.scored(ids...) {
			return r, err
		}
	}
	return codeRecord{codeState: codeState{runs: []string{}}}, nil
}

// scored reports whether all of the given versions were scored.
func (r *codeRecord) scored(ids ...agent.ConfigID) bool {
	return !slices.ContainsFunc(ids, func(id agent.ConfigID) bool { return len(r.of[id]) == 0 })
}

// add adds the value of an evaluation, or the reason why there is no value, to the record.
// It ignores an evaluation that was not scored or that is not of one of the record's
// versions.
func (r *codeRecord) add(e *bench.Evaluation) {
	of, wanted := r.of[e.Variant]
	was := of[e.Task]
	if !wanted || !e.Scored || was.value != nil && !r.chance {
		return
	}
	v, ok := r.value(e)
	switch {
	case ok:
		r.kind = v
		mean, starts := v.Value, was.starts+1
		further := r.metric.FindFurther(e.Answer)
		if was.value != nil {
			mean = *was.value + (v.Value-*was.value)/starts
			for i := range further {
				further[i] = was.further[i] + (further[i]-was.further[i])/starts
			}
		}
		of[e.Task] = measurement{value: &mean, starts: starts, further: further, side: e.Split}
	case was.value == nil:
		of[e.Task] = measurement{problem: cmp.Or(e.Error, "no value was printed"), side: e.Split}
	}
}

// values pairs the scores of two versions, on the cases on which both were scored.
func (r *codeRecord) values(a, b agent.ConfigID) codeValues {
	out := codeValues{Metric: r.kind.Metric, Unit: r.kind.Unit, Better: r.kind.Better, Cases: []codeCase{}, noun: r.noun}
	for name, now := range r.of[b] {
		if was, both := r.of[a][name]; both {
			out.Cases = append(out.Cases, codeCase{name, now.side, was.value, now.value, was.problem, now.problem})
		}
	}
	slices.SortFunc(out.Cases, func(x, y codeCase) int {
		return cmp.Or(strings.Compare(string(y.Split), string(x.Split)), strings.Compare(x.Case, y.Case)) // search first
	})
	out.Search, out.Holdout = r.means(out.Cases, bench.Search), r.means(out.Cases, bench.Holdout)
	out.Further = codeFurther{Search: r.further(a, b, bench.Search), Holdout: r.further(a, b, bench.Holdout)}
	return out
}

// further returns comparisons of two versions by their further metrics, on one side of
// the split.
func (r *codeRecord) further(a, b agent.ConfigID, side bench.Split) []stats.Further {
	var pairs []stats.Pair
	for _, name := range slices.Sorted(maps.Keys(r.of[b])) {
		was, now := r.of[a][name], r.of[b][name]
		if now.side == side && was.value != nil && now.value != nil {
			pairs = append(pairs, stats.Pair{Task: name, Cluster: name, Weight: 1, Further: stats.AddFurther(nil, was.further, now.further)})
		}
	}
	return stats.FurtherGains(&r.metric, pairs, r.chance)
}

// searchValues returns the values on search cases.
func (r *codeRecord) searchValues() coding.Values {
	values := coding.Values{}
	for id, of := range r.of {
		for name, m := range of {
			if m.side != bench.Search {
				continue
			}
			if values[id] == nil {
				values[id] = map[string]float64{}
			}
			if m.value != nil {
				values[id][name] = *m.value
			}
		}
	}
	return values
}

// means compares the mean values of two versions on one side of the split; it returns nil
// if no case has both values.
func (r *codeRecord) means(cases []codeCase, side bench.Split) *codeMeans {
	var pairs []stats.Pair
	for _, c := range cases {
		if c.Split == side && c.A != nil && c.B != nil {
			pairs = append(pairs, stats.Pair{Task: c.Case, Cluster: c.Case, Weight: 1, A: []float64{*c.A}, B: []float64{*c.B}})
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	c := stats.Compare(pairs, .95) // the interval applies to scores and is not used here
	m := &codeMeans{Cases: c.Tasks, A: c.MeanA, B: c.MeanB, Difference: c.Difference, Better: c.Wins, Worse: c.Losses, Equal: c.Ties}
	if r.kind.Better == metrics.Lower {
		m.Better, m.Worse = m.Worse, m.Better
	}
	return m
}

// base returns the means of the present code, and the kind of its values. It returns nil if
// the code was not scored.
func (b *codeBook) base() (*codeBase, metrics.Value, error) {
	var kind metrics.Value
	sides := map[bench.Split][]stats.Pair{}
	add := func(side bench.Split, of string, v float64) {
		sides[side] = append(sides[side], stats.Pair{Task: of, Cluster: of, Weight: 1, A: []float64{v}, B: []float64{v}})
	}
	if b.Suite != nil {
		kind.Metric, kind.Unit, kind.Better = b.Metric()
		for _, side := range []bench.Split{bench.Search, bench.Holdout} {
			for _, t := range b.Suite.Side(side) {
				add(side, t.ID, b.Scale().Base(t.ID))
			}
		}
	} else {
		id := b.Current().ID()
		r, err := b.record(id)
		if err != nil || r.hash != b.ID() {
			return nil, kind, err
		}
		kind = r.kind
		for _, of := range slices.Sorted(maps.Keys(r.of[id])) {
			if m := r.of[id][of]; m.value != nil {
				add(m.side, of, *m.value)
			}
		}
	}
	search, held := meanOf(sides[bench.Search]), meanOf(sides[bench.Holdout])
	if search == nil {
		return nil, kind, nil
	}
	return &codeBase{*search, held}, kind, nil
}

// meanOf returns the mean of values, rounded as in a comparison, or nil if there are none.
func meanOf(values []stats.Pair) *codeMean {
	if len(values) == 0 {
		return nil
	}
	c := stats.Compare(values, .95)
	return &codeMean{c.MeanA, c.Tasks}
}
