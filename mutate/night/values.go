package night

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"strings"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/metrics"
	"evolve/runtime/agent"
)

const (
	// enoughCases is the number of search cases on which equal values make two versions equal
	// where a target has more: a search scores up to 200 of them, drawn anew each night.
	enoughCases = 100
	// sameValue is the largest relative difference of equal values: another order of the same
	// sums differs by less.
	sameValue = 1e-9
)

// Values holds the values of versions of searched code on search cases, in comparable nights:
// those on the same cases, in which the code as it was had the same values. There are none for
// code with randomness.
type Values struct {
	// cases is the number of search cases.
	cases int
	of    map[agent.ConfigID]map[string]outcome
	// assumed are the pairs of versions that count as equal tonight although few cases show it.
	assumed map[[2]agent.ConfigID]bool
	// held are the held-out cases among those of the versions.
	held map[string]bool
}

// outcome is the result of a version on a case.
type outcome struct {
	// graded is false for a failure, whose other fields are empty.
	graded bool
	// value is in the unit of the metric or, without one, the score.
	value float64
	// answer is a hash of the answer, without a metric.
	answer uint64
}

func (o outcome) equals(p outcome) bool {
	if !o.graded || !p.graded {
		return o.graded == p.graded
	}
	return o.answer == p.answer && math.Abs(o.value-p.value) <= sameValue*max(math.Abs(o.value), math.Abs(p.value))
}

// outcomeOf returns the result of an evaluation; metric is nil without one.
func outcomeOf(e *bench.Evaluation, metric *metrics.Kind) outcome {
	switch {
	case !e.Outcome.Gradable():
		return outcome{}
	case metric != nil:
		v := metric.Find(e.Answer)
		return outcome{graded: !math.IsNaN(v), value: v}
	}
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(e.Answer))
	return outcome{graded: true, value: e.Score, answer: sum.Sum64()}
}

// Comparable reports whether values of a night can be compared with those of another one. A
// suite of cases holds the values of the code as it was, so that equal suites mean that it
// behaved alike; the tasks of an agent's own code do not.
func Comparable(a, b archive.AgentPlan) bool {
	return chanceless(a) && chanceless(b) && a.SuiteHash == b.SuiteHash && (a.Metric != nil && b.Metric != nil || a.AgentHash == b.AgentHash)
}

// chanceless reports whether a repeat of an evaluation was no new evidence in a night.
func chanceless(p archive.AgentPlan) bool { return p.Deterministic && !p.UsesSeed && !p.Noise.Any() }

// ReadValues reads the results of an agent's versions in the nights that are comparable
// with a plan. It leaves out the evaluations for which skip returns true; nil: none.
func ReadValues(ctx context.Context, a *archive.Archive, plan archive.AgentPlan, skip func(run string, stage bench.Stage) bool) (*Values, error) {
	return readValues(ctx, a, plan, skip, false)
}

// readValues is [ReadValues], with those on held-out cases if held is true.
func readValues(ctx context.Context, a *archive.Archive, plan archive.AgentPlan, skip func(run string, stage bench.Stage) bool, held bool) (*Values, error) {
	v := &Values{cases: plan.SearchTasks, of: map[agent.ConfigID]map[string]outcome{}, assumed: map[[2]agent.ConfigID]bool{}, held: map[string]bool{}}
	if !chanceless(plan) {
		return v, nil
	}
	for r, err := range a.Runs(ctx) { // the latest first, which counts
		if err != nil {
			return nil, fmt.Errorf("%w: reading the runs: %w", bench.ErrRecorder, err)
		}
		if p, err := a.Plan(ctx, r.ID, plan.Agent); err != nil || !Comparable(p, plan) {
			continue // the run had another suite, or ended before it had a plan
		}
		for e, err := range a.Evaluations(ctx, r.ID, plan.Agent) {
			if err != nil {
				return nil, fmt.Errorf("%w: reading evaluations: %w", bench.ErrRecorder, err)
			}
			if e.Scored && (held || e.Split == bench.Search) && (skip == nil || !skip(r.ID, e.Stage)) {
				v.add(&e, plan.Metric)
			}
		}
		result, err := a.Result(ctx, r.ID, plan.Agent)
		if err != nil && !errors.Is(err, archive.ErrNotFound) {
			return nil, fmt.Errorf("%w: reading the result of run %s: %w", bench.ErrRecorder, r.ID, err)
		}
		if skip == nil || !skip(r.ID, bench.StageAblate) {
			v.reduced(result.Ablations)
		}
	}
	return v, nil
}

func (v *Values) add(e *bench.Evaluation, metric *metrics.Kind) {
	if e.Split != bench.Search {
		v.held[e.Task] = true
	}
	if v.of[e.Variant] == nil {
		v.of[e.Variant] = map[string]outcome{}
	}
	if _, known := v.of[e.Variant][e.Task]; !known {
		v.of[e.Variant][e.Task] = outcomeOf(e, metric)
	}
}

// reduced adds the values of reduced finalists, which are those of their winners. Reduced
// finalists are not scored on cases where a winner fails.
func (v *Values) reduced(list []archive.Ablation) {
	for _, a := range list {
		small := v.of[a.Small]
		if small == nil || a.Small == a.Winner {
			continue
		}
		for task, o := range v.of[a.Winner] {
			if _, known := small[task]; !known && !o.graded {
				small[task] = o
			}
		}
	}
}

// Alike reports whether two versions have the same value on every search case that both were
// scored on, and the number of these cases. enough reports whether they are all search cases
// or at least a hundred, or whether the night takes the two for equal.
func (v *Values) Alike(a, b agent.ConfigID) (cases int, alike, enough bool) {
	for task, o := range v.of[a] {
		p, both := v.of[b][task]
		if !both {
			continue
		}
		if !o.equals(p) {
			return 0, false, false
		}
		cases++
	}
	return cases, cases > 0, cases > 0 && (cases >= v.needed() || v.assumed[[2]agent.ConfigID{a, b}] || v.assumed[[2]agent.ConfigID{b, a}])
}

// needed returns the number of cases that suffices.
func (v *Values) needed() int { return min(v.cases, enoughCases) }

// has reports whether a version was scored on a case.
func (v *Values) has(id agent.ConfigID, task string) bool {
	_, ok := v.of[id][task]
	return ok
}

// equal reports whether two versions are alike on enough cases.
func (v *Values) equal(a, b agent.ConfigID) bool {
	_, alike, enough := v.Alike(a, b)
	return alike && enough
}

// Class returns the other versions with the same values as a version, in no particular
// order.
func (v *Values) Class(of agent.ConfigID) []agent.ConfigID {
	var out []agent.ConfigID
	for id := range v.of {
		if id != of && v.equal(id, of) {
			out = append(out, id)
		}
	}
	return out
}

// allOf describes a number of search cases on which versions are alike.
func (v *Values) allOf(cases int, noun string) string {
	if cases == v.cases {
		return fmt.Sprintf("all %d search %ss", cases, noun)
	}
	return fmt.Sprintf("the %d search %ss on which both have scores", cases, noun)
}

// shared describes a number of cases on which two versions are alike.
func (v *Values) shared(a, b agent.ConfigID, cases int, noun string) string {
	held := 0
	for task := range v.of[a] {
		if v.held[task] && v.has(b, task) {
			held++
		}
	}
	if held == 0 {
		return v.allOf(cases, noun)
	}
	return fmt.Sprintf("the %d %ss on which both have scores, %d of them held out", cases, noun, held)
}

// namedCases is the number of cases on which two versions must be alike for a proposal to
// name the other one.
const namedCases = 10

// RefusedAlike describes the proposals that a person rejected or rolled back whose versions have
// the values of another one on all cases that both were scored on, search and held-out; empty if
// there are none. It also names those for which [ReadValues] has too few cases to leave the
// version out.
func RefusedAlike(ctx context.Context, a *archive.Archive, plan archive.AgentPlan, id agent.ConfigID) (string, error) {
	values, err := readValues(ctx, a, plan, nil, true)
	if err != nil {
		return "", err
	}
	noun := nounOf(plan.Metric)
	var out []string
	for p, err := range a.Proposals(ctx) {
		if err != nil {
			return "", fmt.Errorf("%w: reading the proposals: %w", bench.ErrRecorder, err)
		}
		other, ok := p.VariantOf(plan.Agent)
		if !ok || p.State != archive.Rejected && p.State != archive.RolledBack {
			continue
		}
		cases, alike, enough := values.Alike(id, other)
		if alike && (enough || cases >= namedCases) {
			out = append(out, fmt.Sprintf("it has the values of %s on %s; %s was %s", p.ID, values.shared(id, other, cases, noun), p.ID, decided(p)))
		}
	}
	return strings.Join(out, "; "), nil
}

// nounOf returns the noun for the items that versions are scored on.
func nounOf(metric *metrics.Kind) string {
	if metric == nil {
		return "task"
	}
	return "case"
}
