package render

import (
	"math"
	"strings"

	"evolve/bench/stats"
	"evolve/reports/model"
	"evolve/reports/number"
)

const (
	priceLabel = "price"
	// leastPrice is the least relative change of a mean that the box names.
	leastPrice = .05
	// maxPrices is the maximum number of quantities with an interval that the box compares,
	// guards among them.
	maxPrices = 2
)

// consumedRows returns the rows of what the proposed variant consumes beside its champion, as far
// as no guard shows it: the means that changed, then the latency, with an interval where there is
// one. None has a bound, which a row below them states.
func consumedRows(s subject) []boxRow {
	v := s.agent.Decision.Verdict
	if !v.Proposes() && v != model.Waits || s.measured() {
		return nil
	}
	guarded := map[string]bool{}
	for _, g := range s.agent.Guards {
		guarded[strings.ReplaceAll(g.Name, "_", " ")] = true
	}
	var rows []boxRow
	for _, u := range s.agent.Usage {
		if r := u.Ratio; guarded[u.Name] || r == nil || !changed(*r) || len(rows)+len(guarded) >= maxPrices {
			continue
		}
		row := boxRow{
			Label:   u.Name,
			Figures: []spans{say(quantity(u, u.Champion) + " → " + quantity(u, u.Variant)), say(changeText(u.Champion, *u.Ratio)), say(number.ChangeInterval(u.Ratio.Lo, u.Ratio.Hi))},
		}
		if u.Ratio.Ratio > 1 {
			row.Price = priceLabel + ": " + row.Label + " " + row.figures()
		}
		rows = append(rows, row)
	}
	rows = append(rows, latencyRows(s)...)
	switch {
	case len(rows) > 0:
		return append(rows, boxRow{Label: "bounds", Note: say("none on " + these(len(rows)) + "; not in the verdict")})
	case len(guarded) > 0 || s.volatile.Guard != nil || len(s.agent.Usage) == 0:
		return nil
	}
	return []boxRow{{Label: "consumed", Note: say("about the same; no bound is set, so the verdict does not depend on it")}}
}

// these names the rows above it.
func these(rows int) string {
	if rows == 1 {
		return "this price"
	}
	return "these prices"
}

// latencyRows returns the row of a latency that has no bound; none where no time was measured.
func latencyRows(s subject) []boxRow {
	a, b := s.volatile.Champion, s.volatile.Variant
	if s.volatile.Guard != nil || a == nil || b == nil || a.P95 <= 0 {
		return nil
	}
	row := boxRow{Label: latencyLabel, Figures: []spans{say(number.Duration(a.P95) + " → " + number.Duration(b.P95))}}
	r := s.volatile.P95Ratio
	if r != nil {
		row.Figures = append(row.Figures, say(number.Change(r.Ratio)), say(number.ChangeInterval(r.Lo, r.Hi)))
	}
	if b.P95 >= a.P95*(1+leastPrice) && (r == nil || changed(*r)) {
		row.Price = priceLabel + ": " + row.Label + " " + row.figures()
	}
	return []boxRow{row}
}

// latencyLabel names the latency as the guard on it does.
var latencyLabel = model.Guard{Name: stats.Latency, Of: stats.P95}.Label()

// changed reports whether the interval of a ratio excludes that nothing changed, and the change
// is not a small one.
func changed(r model.Ratio) bool {
	return math.Abs(r.Ratio-1) >= leastPrice && (r.Lo > 1 || r.Hi < 1)
}

// changeText formats a change; what was free before has none.
func changeText(before float64, r model.Ratio) string {
	if before == 0 {
		return "was free"
	}
	return number.Change(r.Ratio)
}

// Price returns what gets worse or dearer with the proposed variant of an agent's night, a line for
// each, in the words and figures of the decision box; none where nothing does. A line begins with
// "price:", or with "it breaks a guard:".
func Price(a model.Agent, v model.VolatileAgent) []string {
	return prices(subject{agent: a, volatile: v})
}

func prices(s subject) []string {
	rows := append(consumedRows(s), guardRows(s)...)
	if h := s.agent.Headline; h != nil {
		rows = append(rows, failuresRow(*h, against(s)))
	}
	var out []string
	for _, r := range rows {
		if r.Price != "" {
			out = append(out, r.Price)
		}
	}
	return out
}

// figures returns the figures in one line.
func (r boxRow) figures() string {
	var list []string
	for _, f := range r.Figures {
		list = append(list, f.raw())
	}
	return strings.Join(list, " ")
}
