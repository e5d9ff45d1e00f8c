package model

import (
	"math"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Usage is the consumption of both sides on the holdout, with the ratio of the variant's to
// the champion's. The consumption is the weighted mean, over the tasks, of the runs that
// were scored on both sides.
type Usage struct {
	Name     string  `json:"name"`
	Unit     string  `json:"unit"`
	Champion float64 `json:"champion"`
	Variant  float64 `json:"variant"`
	// Ratio is the ratio of Variant to Champion, with its 90 % interval or, if there is a
	// guard on the metric, the guard's interval; it is nil if the values are shares.
	Ratio *Ratio `json:"ratio,omitempty"`
}

// Ratio is a ratio with its interval; 1 means no change.
type Ratio struct {
	Ratio float64 `json:"ratio"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
}

// usage fills in the consumption of both sides on the holdout. All figures are computed as
// in [stats.NewGuard], over the tasks and weights of the ruling, so that the change shown
// is the change between the two values shown. For a metric with a bound, they are the
// ruling's own figures.
func (b *builder) usage() {
	b.tally.weigh(b.result.Grounds)
	guards := map[string]stats.Guard{}
	if r := b.result.Finalist[b.headline].Ruling; r != nil {
		for _, g := range r.Guards {
			guards[strings.ReplaceAll(g.Name, "_", " ")] = g
		}
	}
	for _, row := range []struct {
		name, unit string
		of         func(attempt) float64
	}{
		{costGuard, "usd", func(x attempt) float64 { return x.usage.CostUSD }},
		{"input tokens", "tokens", func(x attempt) float64 { return float64(x.usage.InputTokens) }},
		{"output tokens", "tokens", func(x attempt) float64 { return float64(x.usage.OutputTokens) }},
		{"iterations", "", func(x attempt) float64 { return float64(x.usage.Iterations) }},
		{"tool calls", "", func(x attempt) float64 { return float64(x.usage.ToolCalls) }},
		{"failures", "share", func(x attempt) float64 {
			if x.outcome == agent.OK {
				return 0
			}
			return 1
		}},
	} {
		g, bounded := guards[row.name]
		if !bounded {
			g = stats.NewGuard(stats.Bound{Name: row.name, Of: stats.Mean, AtMost: 1}, b.tally.paired(row.name, row.of))
		}
		u := Usage{Name: row.name, Unit: row.unit, Champion: g.Champion, Variant: g.Candidate}
		if u.Champion == 0 && u.Variant == 0 {
			continue
		}
		if row.unit != "share" {
			u.Ratio = &Ratio{Ratio: g.Ratio, Lo: g.Lo, Hi: g.Hi}
		}
		b.out.Usage = append(b.out.Usage, u)
	}
	b.volatile.Champion, b.volatile.Variant, b.volatile.P95Ratio = b.tally.latencies()
	if g, bounded := guards[stats.Latency]; bounded && g.Of == stats.P95 && b.volatile.Champion != nil {
		b.volatile.Champion.P95, b.volatile.Variant.P95 = g.Champion, g.Candidate
	}
}

// leastP95 is the minimum number of tasks for an interval of a 95th percentile: with this
// number of tasks, at least one lies above the percentile with a probability of at least
// .95, because 1 − .95^59 ≥ .95.
const leastP95 = 59

// latencies returns the latencies of both sides over the pairs of evaluations in which both
// evaluations have a time (see [bench.Evaluation.AnswerSeconds]), and the ratio of the 95th
// percentiles. All are nil if no time was recorded. The ratio is nil if too few tasks have
// a time to show anything.
func (t *tally) latencies() (champion, variant *Latency, ratio *Ratio) {
	pairs := slices.DeleteFunc(t.paired(stats.Latency, func(x attempt) float64 { return x.seconds }), func(p stats.Pair) bool {
		for r := range p.LatencyA {
			if !math.IsNaN(p.LatencyA[r] + p.LatencyB[r]) {
				return false
			}
		}
		return true
	})
	g := stats.NewGuard(stats.Bound{Name: stats.Latency, Of: stats.P95, AtMost: 1}, pairs)
	if g.Champion <= 0 || g.Candidate <= 0 {
		return nil, nil, nil
	}
	a, b := stats.Percentiles(stats.Latency, .5, pairs)
	if len(pairs) >= leastP95 && g.Hi < stats.RatioMost {
		ratio = &Ratio{Ratio: g.Ratio, Lo: g.Lo, Hi: g.Hi}
	}
	return &Latency{P50: a, P95: g.Champion}, &Latency{P50: b, P95: g.Candidate}, ratio
}

// weigh sets the clusters and weights of the holdout tasks to those that the rulings used.
func (t *tally) weigh(g *archive.Grounds) {
	if g == nil {
		return
	}
	t.units = map[string]archive.GroundTask{}
	for _, task := range g.Tasks {
		t.units[task.ID] = task
	}
}

// paired returns a metric's values, grouped by task. It uses only the attempts that have
// a counterpart on the other side.
func (t *tally) paired(metric string, of func(attempt) float64) []stats.Pair {
	var out []stats.Pair
	for _, task := range sortedKeys(t.champion) {
		unit := t.units[task]
		pair := stats.Pair{Task: task, Cluster: unit.Cluster, Weight: unit.Weight}
		var m stats.Measured
		for _, r := range t.repeats(task) {
			a, v := t.champion[task][r], t.variant[task][r]
			pair.A, pair.B = append(pair.A, a.score), append(pair.B, v.score)
			pair.FailedA, pair.FailedB = append(pair.FailedA, !a.outcome.Gradable()), append(pair.FailedB, !v.outcome.Gradable())
			m.A, m.B = append(m.A, of(a)), append(m.B, of(v))
		}
		switch metric {
		case stats.Cost:
			pair.CostA, pair.CostB = m.A, m.B
		case stats.Latency:
			pair.LatencyA, pair.LatencyB = m.A, m.B
		default:
			pair.Other = map[string]stats.Measured{metric: m}
		}
		out = append(out, pair)
	}
	return out
}
