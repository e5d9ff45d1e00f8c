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
	// enoughCases is the number of search cases on which two versions must have equal
	// values to count as equal; if there are fewer search cases, the values must be equal
	// on all of them. A search scores up to 200 of the cases, drawn anew each night.
	enoughCases = 100
	// sameValue is the largest relative difference between values that count as equal.
	// Adding the same numbers in a different order makes a smaller difference.
	sameValue = 1e-9
)

// Values holds the values of versions of searched code on search cases in comparable
// nights: nights on the same cases in which the original code had the same values. There
// are no values for code with randomness.
type Values struct {
	// cases is the number of search cases.
	cases int
	of    map[agent.ConfigID]map[string]outcome
	// assumed holds the pairs of versions that count as equal tonight although they were
	// compared on too few cases.
	assumed map[[2]agent.ConfigID]bool
	// held is the set of held-out cases among the cases on which the versions were scored.
	held map[string]bool
}

// outcome is the result of a version on a case.
type outcome struct {
	// graded is false for a failure; the other fields are then not used.
	graded bool
	// value is the value of the metric, in the metric's unit, or the score if there is no
	// metric.
	value float64
	// answer is a hash of the answer; it is set only without a metric.
	answer uint64
}

func (o outcome) equals(p outcome) bool {
	if !o.graded || !p.graded {
		return o.graded == p.graded
	}
	return o.answer == p.answer && math.Abs(o.value-p.value) <= sameValue*max(math.Abs(o.value), math.Abs(p.value))
}

// outcomeOf returns the result of an evaluation; metric is nil if there is no metric.
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

// Comparable reports whether the values of two nights can be compared. A suite of cases
// contains the values of the original code, so equal suites mean that the original code
// behaved alike in both nights. If the agent has code of its own, its tasks do not contain
// such values, so the code must also be the same.
func Comparable(a, b archive.AgentPlan) bool {
	return a.Exact() && b.Exact() && a.SuiteHash == b.SuiteHash && (a.Metric != nil && b.Metric != nil || a.AgentHash == b.AgentHash)
}

// ReadValues reads the results of an agent's versions in the nights that are comparable
// with a plan. It leaves out the evaluations for which skip returns true; if skip is nil,
// it leaves out none.
func ReadValues(ctx context.Context, a *archive.Archive, plan archive.AgentPlan, skip func(run string, stage bench.Stage) bool) (*Values, error) {
	return readValues(ctx, a, plan, skip, false)
}

// readValues is like [ReadValues], but also reads results on held-out cases if held is
// true.
func readValues(ctx context.Context, a *archive.Archive, plan archive.AgentPlan, skip func(run string, stage bench.Stage) bool, held bool) (*Values, error) {
	v := &Values{cases: plan.SearchTasks, of: map[agent.ConfigID]map[string]outcome{}, assumed: map[[2]agent.ConfigID]bool{}, held: map[string]bool{}}
	if !plan.Exact() {
		return v, nil
	}
	for r, err := range a.Runs(ctx) { // the latest run comes first, and its values count
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

// reduced copies the failures of each winner to the finalist that was reduced from it,
// because a reduced finalist is not scored on the cases on which its winner fails.
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

// Alike reports whether two versions have the same value on every search case on which
// both were scored, and returns the number of these cases. enough is true if these are
// all search cases, if there are at least a hundred of them, or if the night assumes that
// the two versions are equal.
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

// needed returns the number of cases on which two versions must be alike to count as equal.
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

// Class returns the other versions that have the same values as the given version, in no
// particular order.
func (v *Values) Class(of agent.ConfigID) []agent.ConfigID {
	var out []agent.ConfigID
	for id := range v.of {
		if id != of && v.equal(id, of) {
			out = append(out, id)
		}
	}
	return out
}

// allOf returns a phrase for the search cases on which versions are alike, such as "all 50
// search cases".
func (v *Values) allOf(cases int, noun string) string {
	if cases == v.cases {
		return fmt.Sprintf("all %d search %ss", cases, noun)
	}
	return fmt.Sprintf("the %d search %ss on which both have scores", cases, noun)
}

// shared returns a phrase for the cases on which two versions are alike. If some of the
// cases are held out, the phrase gives the number of these.
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

// namedCases is the minimum number of cases on which two versions must be alike for a
// proposal of one version to name the other.
const namedCases = 10

// RefusedAlike describes the proposals that a person rejected or rolled back and whose
// versions behave like the given version: on all cases, search and held-out, on which
// both versions were scored, they have the same values. It returns "" if there are none.
// A proposal is named once the two versions share namedCases cases, even if these are too
// few for the search to leave the given version out.
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
			out = append(out, fmt.Sprintf("it has the same values as %s on %s; %s was %s", p.ID, values.shared(id, other, cases, noun), p.ID, decided(p)))
		}
	}
	return strings.Join(out, "; "), nil
}

// nounOf returns the noun for the items on which versions are scored.
func nounOf(metric *metrics.Kind) string {
	if metric == nil {
		return "task"
	}
	return "case"
}
