package model

import (
	"cmp"
	"math"
	"strings"

	"evolve/bench/stats"
	"evolve/reports/number"
	"evolve/runtime/text"
)

// Guard is a limit on the ratio of the variant's consumption to the champion's.
type Guard struct {
	Name string `json:"name"` // cost, latency, …
	// Of names the statistic that is compared: mean, or p95, the 95th percentile.
	Of        string  `json:"of,omitempty"`
	Champion  float64 `json:"champion"`
	Candidate float64 `json:"candidate"`
	// Ratio is the ratio of candidate to champion, with the bounds Lo and Hi at Level; 1
	// means no change.
	Ratio float64 `json:"ratio"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
	Level float64 `json:"level"`
	// Most is the highest ratio allowed, and Floor is the absolute difference that is
	// allowed whatever the ratio is.
	Most  float64 `json:"most"`
	Floor float64 `json:"floor"`
	// Unseen is the share of the tasks that have not been evaluated and therefore could
	// consume any amount.
	Unseen float64 `json:"unseen,omitempty"`
	// Verdict is "passed", "open" or "failed"; Broken reports whether the guard makes the
	// variant a trade.
	Verdict string `json:"verdict"`
	Broken  bool   `json:"broken,omitempty"`
}

// The names of the guards that every workspace has. The latency figures depend on the night
// and the host.
const (
	costGuard    = "cost"
	latencyGuard = "latency"
)

// guarded adds the guards in the headline's ruling to the report; the guard on latency
// goes into the report's volatile part.
func (b *builder) guarded(r *stats.Ruling) {
	for _, g := range r.Guards {
		if r.Tail != nil { // with uneven weights, the clusters count as fewer tasks
			g.Unseen = math.Max(g.Unseen, r.Tail.Unseen)
		}
		out := Guard{
			Name: g.Name, Of: g.Of, Champion: g.Champion, Candidate: g.Candidate, Ratio: g.Ratio, Lo: g.Lo, Hi: g.Hi, Level: cmp.Or(g.Level, PartLevel),
			Most: g.Most, Floor: g.Floor, Unseen: g.Unseen, Verdict: g.Verdict, Broken: g.Broken(),
		}
		if g.Name == latencyGuard {
			b.volatile.Guard = &out
		} else {
			b.out.Guards = append(b.out.Guards, out)
		}
	}
	if g := b.result.Grounds; g != nil && b.volatile.Guard == nil {
		for _, bound := range g.Bounds {
			if bound.Name == latencyGuard { // no pair has a time for both answers
				b.volatile.Guard = &Guard{Name: bound.Name, Of: bound.Of, Ratio: 1, Hi: stats.RatioMost, Level: PartLevel, Most: bound.AtMost, Floor: bound.Floor, Verdict: stats.GuardOpen}
			}
		}
	}
}

// Measured reports whether a side consumed anything in any pair; otherwise there is nothing
// to rule on.
func (g Guard) Measured() bool { return g.Champion > 0 || g.Candidate > 0 }

// Threshold returns the guard as a condition of the verdict.
func (g Guard) Threshold(d Decision) Threshold {
	t := Threshold{
		Name: g.Label() + " against " + d.BaseName(), Unit: "ratio", Observed: g.Ratio, Sign: "≤", Required: g.Most,
		Margin: g.Most - g.Ratio, Met: g.Verdict == stats.GuardPassed,
	}
	if g.below() {
		t.Name += ": " + g.Bound() + " never counts"
	}
	t.Open = g.Verdict == stats.GuardOpen && !g.Broken
	return t
}

// below reports whether the guard passed only because the additional consumption is within
// the floor.
func (g Guard) below() bool { return g.Verdict == stats.GuardPassed && g.Floor > 0 && g.Hi > g.Most }

// Bound formats the maximum additional consumption that the variant may have, given by the
// ratio, or by the floor if the guard passed because of the floor.
func (g Guard) Bound() string {
	if g.below() {
		return g.Amount(g.Floor) + " more"
	}
	return number.Change(g.Most)
}

// Label returns the display name of the guarded quantity.
func (g Guard) Label() string {
	name := text.Visible(strings.ReplaceAll(g.Name, "_", " "))
	if g.Of == stats.P95 {
		return name + " (p95)"
	}
	return name
}

// Amount formats a value of the guarded quantity.
func (g Guard) Amount(v float64) string { return stats.Quantity(g.Name, v) }
