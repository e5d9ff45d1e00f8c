package reports

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// flat absorbs the rounding of mean scores.
const flat = 1e-9

func effect(c stats.Comparison) Effect {
	return Effect{Champion: c.MeanA, Score: c.MeanB, Difference: c.Difference, Lo: c.Lo, Hi: c.Hi, Level: c.Level}
}

// compare fills headline, finalists, domains, tasks and usage.
func (b *builder) compare() error {
	for _, f := range b.result.Finalist {
		b.out.Finalists = append(b.out.Finalists, Finalist{
			Variant: b.ref(f.Variant), Effect: effect(f.Comparison),
			Adjusted: f.Adjusted, Accepted: f.Accepted, Finding: finding(f), Reason: clip(f.Reason, reasonKept),
		})
	}
	if b.headline < 0 {
		return nil
	}
	f := b.result.Finalist[b.headline]
	h := Headline{
		Variant: b.ref(f.Variant), Effect: effect(f.Comparison),
		Planned: b.plan.Detectable, Detectable: b.result.Detectable,
		Search: f.SearchDifference, Curse: f.SearchDifference - f.Comparison.Difference,
	}
	b.out.Tasks = b.tally.pairs()
	h.Repeats = math.MaxInt
	perDomain := map[string]int{}
	for _, p := range b.out.Tasks {
		h.Tasks++
		h.Repeats = min(h.Repeats, p.Repeats)
		perDomain[p.Domain]++
		switch d := p.Difference(); {
		case d > flat:
			h.Wins++
		case d < -flat:
			h.Losses++
		default:
			h.Ties++
		}
	}
	if h.Tasks == 0 {
		h.Repeats = 0
	}
	b.out.Headline = &h
	for _, d := range f.Comparison.Domains {
		out := Domain{Domain: d.Domain, Tasks: perDomain[d.Domain], Effect: effect(d.Comparison)}
		switch {
		case out.Lo > 0:
			out.Flag = "better"
		case out.Hi < 0:
			out.Flag = "worse"
		}
		b.out.Domains = append(b.out.Domains, out)
	}
	slices.SortStableFunc(b.out.Domains, func(x, y Domain) int {
		return cmp.Or(cmp.Compare(y.Difference, x.Difference), strings.Compare(x.Domain, y.Domain))
	})
	b.usage()
	if f.Comparison.Tasks != h.Tasks {
		b.out.Health.Warnings = append(b.out.Health.Warnings, fmt.Sprintf(
			"the verdict was made from %s, the records hold %s with both sides", some(f.Comparison.Tasks, "task"), some(h.Tasks, "task")))
	}
	return nil
}

// finding says in a few words what bench/stats ruled.
func finding(f archive.Finalist) string {
	switch {
	case f.Accepted:
		return "better"
	case f.Comparison.Clusters < stats.MinClusters:
		return "too few tasks"
	case f.Comparison.Hi < 0:
		return "worse"
	case f.Comparison.Hi >= stats.Practical:
		return "not shown, not ruled out"
	}
	return "no gain of " + size(stats.Practical) + " points"
}

// usage describes what both sides consumed on the holdout.
func (b *builder) usage() {
	a, v := side(b.tally.champion), side(b.tally.variant)
	if len(a) == 0 || len(v) == 0 {
		return
	}
	for _, row := range []struct {
		name, unit string
		of         func(attempt) float64
	}{
		{"cost", "usd", func(x attempt) float64 { return x.usage.CostUSD }},
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
		if u.Champion != 0 || u.Variant != 0 {
			b.out.Usage = append(b.out.Usage, u)
		}
	}
	b.volatile.Champion, b.volatile.Variant = latency(a), latency(v)
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

func mean(list []attempt, of func(attempt) float64) float64 {
	var sum float64
	for _, a := range list {
		sum += of(a)
	}
	return sum / float64(len(list))
}

// latency takes the order statistics at ⌈q·n⌉; nil when no time was recorded.
func latency(list []attempt) *Latency {
	times := make([]time.Duration, 0, len(list))
	for _, a := range list {
		times = append(times, a.latency)
	}
	slices.Sort(times)
	if len(times) == 0 || times[len(times)-1] <= 0 {
		return nil
	}
	at := func(q float64) float64 {
		return times[max(0, int(math.Ceil(q*float64(len(times))))-1)].Seconds()
	}
	return &Latency{P50: at(.5), P95: at(.95)}
}
