package render

import (
	"math"
	"strings"

	"evolve/bench/stats"
	"evolve/reports/model"
	"evolve/reports/number"
)

const (
	// PricePrefix begins a line of [Price] about a quantity that has no guard.
	PricePrefix = "price: "
	boundsLabel = "bounds"
	// leastPrice is the minimum relative change in a mean for the decision box to name the
	// change.
	leastPrice = .05
	// maxPrices is the maximum number of quantities, including guards, that the decision
	// box shows with an interval.
	maxPrices = 2
)

// consumedRows returns the rows that compare what the proposed variant and the champion
// consume, except quantities that guards already show. The rows show first the means that
// changed, and then the latency, with an interval if there is one. None of these quantities
// has a bound; a further row states this, and names the guards that are written in the
// settings but were not judged.
func consumedRows(s subject) []boxRow {
	v := s.agent.Decision.Verdict
	switch {
	case !v.Proposes() && v != model.Waits:
		return nil
	case s.measured() && len(s.agent.Unjudged) > 0:
		return []boxRow{unjudgedRow(s, 0)}
	case s.measured():
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
			row.Price = PricePrefix + row.Label + " " + row.figures()
		}
		rows = append(rows, row)
	}
	rows = append(rows, latencyRows(s)...)
	switch {
	case len(s.agent.Unjudged) > 0:
		return append(rows, unjudgedRow(s, len(rows)))
	case len(rows) > 0:
		return append(rows, boxRow{Label: boundsLabel, Note: say("none on " + unbounded(len(rows)))})
	case len(guarded) > 0 || s.volatile.Guard != nil || len(s.agent.Usage) == 0:
		return nil
	}
	return []boxRow{{Label: "consumed", Note: say("about the same; no bound is set, so consumption does not affect the verdict")}}
}

// unjudgedRow returns the row that names the guards that were not judged. prices is the
// number of rows above it.
func unjudgedRow(s subject, prices int) boxRow {
	var words []string
	for _, u := range s.agent.Unjudged {
		words = append(words, u.Sentence())
	}
	if prices > 0 {
		words = append(words, these(prices)+" played no part in the verdict")
	}
	return boxRow{Label: boundsLabel, Note: say(strings.Join(words, "; "))}
}

// these returns a phrase that refers to the given number of rows above, for use in a
// sentence.
func these(rows int) string {
	if rows == 1 {
		return "this price"
	}
	return "these prices"
}

// unbounded returns words for the given number of prices without a bound.
func unbounded(rows int) string {
	if rows == 1 {
		return these(rows) + ", so it does not affect the verdict"
	}
	return these(rows) + ", so they do not affect the verdict"
}

// latencyRows returns the row for a latency that has no bound; it returns nothing if no
// time was measured.
func latencyRows(s subject) []boxRow {
	a, b := s.volatile.Champion, s.volatile.Variant
	if s.volatile.Guard != nil || a == nil || b == nil || a.P95 <= 0 {
		return nil
	}
	row := boxRow{Label: latencyLabel, Figures: []spans{say(number.Duration(a.P95) + " → " + number.Duration(b.P95))}}
	r := s.volatile.P95Ratio
	if r != nil {
		row.Figures = append(row.Figures, say(number.Change(r.Ratio)), say(number.ChangeInterval(r.Lo, r.Hi)))
	} else {
		row.Figures = append(row.Figures, say("(no interval)"))
	}
	if b.P95 >= a.P95*(1+leastPrice) && b.P95-a.P95 > latencyFloor() && (r == nil || changed(*r)) {
		row.Price = PricePrefix + row.Label + " " + row.figures()
	}
	return []boxRow{row}
}

// latencyFloor returns the floor of the default guard on latency, in seconds. A smaller
// difference does not count as a price, because a busy machine can cause it by chance.
func latencyFloor() float64 {
	for _, b := range stats.DefaultBounds() {
		if b.Name == stats.Latency {
			return b.Floor
		}
	}
	return 0
}

// latencyLabel is the label both of the latency and of the guard on latency.
var latencyLabel = model.Guard{Name: stats.Latency, Of: stats.P95}.Label()

// changed reports whether the interval of a ratio excludes 1, and the change is not small.
func changed(r model.Ratio) bool {
	return math.Abs(r.Ratio-1) >= leastPrice && (r.Lo > 1 || r.Hi < 1)
}

// changeText formats a change; if the consumption was free before, it states that instead.
func changeText(before float64, r model.Ratio) string {
	if before == 0 {
		return "was free"
	}
	return number.Change(r.Ratio)
}

// Price returns what gets worse or dearer with the proposed variant of an agent's night,
// one line for each, in the words and figures of the decision box. It returns nothing if
// nothing gets worse or dearer. A line begins with [PricePrefix] or "the variant breaks a guard:".
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

// figures returns the row's figures on one line.
func (r boxRow) figures() string {
	var list []string
	for _, f := range r.Figures {
		list = append(list, f.raw())
	}
	return strings.Join(list, " ")
}
