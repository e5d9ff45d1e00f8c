package render

import (
	"strings"

	"evolve/reports/model"
	"evolve/reports/number"
)

// maxFront is the maximum number of points that are shown; the JSON has all.
const maxFront = 12

// frontBlocks shows the choice between quality and cost.
func frontBlocks(s subject) []block {
	if len(s.agent.Front) == 0 {
		return nil
	}
	t := newTable(say("Quality against cost on the search tasks"), plain("variant"), figures("score", "interval", "cost", "time"), wraps(""))
	for _, p := range model.First(s.agent.Front, maxFront) {
		name, cost, took, note := p.Variant.Name(), number.Unknown, number.Unknown, spans(nil)
		if p.CostUSD > 0 {
			cost = number.Money(p.CostUSD)
		}
		if p.Seconds > 0 {
			took = number.Duration(p.Seconds)
		}
		if p.Variant == s.agent.Decision.Champion {
			note = say("champion")
		}
		if d := s.agent.Decision; d.Against != nil && p.Variant == *d.Against {
			note = say("proposed, and waits")
		}
		if len(p.Breaks) > 0 {
			if len(note) > 0 {
				note = append(note, say("; ")...)
			}
			note = append(note, say("breaks the guard on ", foreign(strings.ReplaceAll(strings.Join(p.Breaks, ", "), "_", " ")))...)
		}
		t.add("", name, number.Score(p.Score), "["+number.Score(p.Lo)+", "+number.Score(p.Hi)+"]", cost, took, note)
	}
	words := "No variant that was tried is expected to beat one of these in score, cost and time together. Estimates of the search, on the tasks that it saw; only the holdout decides."
	if more := len(s.agent.Front) - maxFront; more > 0 {
		words += " " + number.Plural(more, "more variant") + " in the JSON."
	}
	return []block{t, para{Text: say(words), Note: true}}
}
