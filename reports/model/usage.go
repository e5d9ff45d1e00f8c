package model

import (
	"math"
	"slices"

	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Usage is the consumption of one side on the holdout: means over its scored evaluations,
// and the ratio of the two, pair by pair.
type Usage struct {
	Name     string  `json:"name"`
	Unit     string  `json:"unit"`
	Champion float64 `json:"champion"`
	Variant  float64 `json:"variant"`
	// Ratio is the ratio of the means over the tasks, with its 90 % interval; nil for
	// shares.
	Ratio *Ratio `json:"ratio,omitempty"`
}

// Ratio is a ratio with its interval; 1 is no change.
type Ratio struct {
	Ratio float64 `json:"ratio"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
}

// usage describes the consumption of both sides on the holdout.
func (b *builder) usage() {
	a, v := side(b.tally.champion), side(b.tally.variant)
	if len(a) == 0 || len(v) == 0 {
		return
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
		u := Usage{Name: row.name, Unit: row.unit, Champion: mean(a, row.of), Variant: mean(v, row.of)}
		if u.Champion == 0 && u.Variant == 0 {
			continue
		}
		if row.unit != "share" {
			g := stats.NewGuard(stats.Bound{Name: row.name, Of: stats.Mean, AtMost: 1}, b.tally.paired(row.name, row.of))
			u.Ratio = &Ratio{Ratio: g.Ratio, Lo: g.Lo, Hi: g.Hi}
		}
		b.out.Usage = append(b.out.Usage, u)
	}
	b.volatile.Champion, b.volatile.Variant = b.tally.latencies()
	b.volatile.P95Ratio = b.p95Ratio()
}

// leastP95 is the least number of tasks for an interval of a 95th percentile: of so many, one lies
// above it with a probability of .95, as 1 − .95^59 ≥ .95.
const leastP95 = 59

// p95Ratio compares the 95th percentiles of latency, pair by pair; nil if so few tasks show nothing.
func (b *builder) p95Ratio() *Ratio {
	pairs := b.tally.paired(stats.Latency, func(x attempt) float64 { return x.seconds })
	g := stats.NewGuard(stats.Bound{Name: stats.Latency, Of: stats.P95, AtMost: 1}, pairs)
	if len(pairs) < leastP95 || g.Champion <= 0 || g.Hi >= stats.RatioMost {
		return nil
	}
	return &Ratio{Ratio: g.Ratio, Lo: g.Lo, Hi: g.Hi}
}

// side lists a side's attempts in a fixed order.
func side(m map[string]map[int]attempt) []attempt {
	var out []attempt
	for _, task := range sortedKeys(m) {
		for _, r := range sortedKeys(m[task]) {
			out = append(out, m[task][r])
		}
	}
	return out
}

// paired returns a metric's values for the attempts that have a counterpart, by task.
func (t *tally) paired(metric string, of func(attempt) float64) []stats.Pair {
	var out []stats.Pair
	for _, task := range sortedKeys(t.champion) {
		pair := stats.Pair{Task: task}
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

func mean(list []attempt, of func(attempt) float64) float64 {
	var sum float64
	for _, a := range list {
		sum += of(a)
	}
	return sum / float64(len(list))
}

// latencies returns the latencies of both sides over the pairs of evaluations that both have a
// time of; see [bench.Evaluation.AnswerSeconds].
func (t *tally) latencies() (champion, variant *Latency) {
	var a, v []float64
	for _, p := range t.paired(stats.Latency, func(x attempt) float64 { return x.seconds }) {
		for r := range p.LatencyA {
			if !math.IsNaN(p.LatencyA[r] + p.LatencyB[r]) {
				a, v = append(a, p.LatencyA[r]), append(v, p.LatencyB[r])
			}
		}
	}
	return latency(a), latency(v)
}

// latency computes percentiles as order statistics at ⌈q·n⌉. It returns nil if no time
// was recorded.
func latency(times []float64) *Latency {
	slices.Sort(times)
	if len(times) == 0 || times[len(times)-1] <= 0 {
		return nil
	}
	at := func(q float64) float64 {
		return times[max(0, int(math.Ceil(q*float64(len(times))))-1)]
	}
	return &Latency{P50: at(.5), P95: at(.95)}
}
