package render

import (
	"math"
	"slices"
	"strings"

	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/reports/render/plot"
)

// maxFront is the maximum number of points that are shown; the JSON report has all points.
const maxFront = 12

// frontBlocks shows the trade-off between score and cost.
func frontBlocks(s subject) []block {
	if len(s.agent.Front) == 0 {
		return nil
	}
	t := newTable(say("Quality against cost on the search tasks"), plain("variant"), figures("score", "interval", "cost", "time"), wraps(""))
	for _, p := range model.First(s.agent.Front, maxFront) {
		name, cost, took, note := p.Variant.Name(), number.Unknown, number.Unknown, spans(nil)
		if p.CostUSD > 0 {
			cost = number.Dollars(p.CostUSD)
		}
		if p.Seconds > 0 {
			took = number.Duration(p.Seconds)
		}
		if p.Variant == s.agent.Decision.Champion {
			note = say("champion")
		}
		if d := s.agent.Decision; d.Against != nil && p.Variant == *d.Against {
			note = say("proposed and waiting")
		}
		if len(p.Breaks) > 0 {
			if len(note) > 0 {
				note = append(note, say("; ")...)
			}
			note = append(note, say("breaks the guard on ", foreign(strings.ReplaceAll(strings.Join(p.Breaks, ", "), "_", " ")))...)
		}
		t.add("", name, number.Score(p.Score), "["+number.Score(p.Lo)+", "+number.Score(p.Hi)+"]", cost, took, note)
	}
	words := "The table lists the champion and the variants on the Pareto front. A variant is on the front if no other variant that the search compared with the champion is expected to be at least as good in score, cost and time and better in one of them. The champion's cost and time are means over the search tasks on which it was evaluated. A variant's are the champion's, multiplied by the ratio of the sums of both over the tasks on which both were evaluated; a variant with fewer than " + number.Count(model.LeastCosted) + " such tasks is not listed. Scores are the search's estimates on its own tasks; only the holdout decides."
	if more := len(s.agent.Front) - maxFront; more > 0 {
		words += " " + number.Plural(more, "more variant") + " in the JSON report."
	}
	out := []block{t}
	if f := frontPicture(s); len(f.Points) > 1 {
		out = append(out, picture{f.Draw()})
		if len(s.agent.Tried) > 0 {
			out = append(out, para{Note: true, Drawn: true, Text: say("Grey: the other variants that were tried, by their mean difference from the champion on common tasks; chance makes the best of them look better than they are.")})
		}
	}
	return append(out, para{Text: say(words), Note: true})
}

// frontPicture returns the chart of score against money, or against tokens if no money was
// spent.
func frontPicture(s subject) plot.Front {
	f := plot.Front{Unit: "cost per evaluation", Format: number.Dollars}
	amounts := map[model.Ref]float64{}
	for _, p := range s.agent.Tried {
		amounts[p.Variant] = p.CostUSD
	}
	if !slices.ContainsFunc(s.agent.Tried, func(p model.TriedPoint) bool { return p.CostUSD > 0 }) {
		f.Unit, f.Format = "tokens per evaluation", func(x float64) string { return number.Count(int(math.Round(x))) }
		for _, p := range s.agent.Tried {
			amounts[p.Variant] = p.Tokens
		}
	}
	if !slices.ContainsFunc(s.agent.Tried, func(p model.TriedPoint) bool { return amounts[p.Variant] > 0 }) {
		return f
	}
	own := map[model.Ref]string{s.agent.Decision.Champion: "champion"}
	if h := s.agent.Headline; h != nil {
		own[h.Variant] = h.Variant.Name()
	}
	front := map[model.Ref]bool{}
	for _, p := range s.agent.Front {
		amount, known := amounts[p.Variant]
		if !known {
			continue
		}
		front[p.Variant] = true
		f.Points = append(f.Points, plot.FrontMark{
			Name: own[p.Variant], Words: plot.FrontWords(p.Variant.Name(), p.Score, f.Format(amount)), Cost: amount,
			Score: p.Score, Lo: p.Lo, Hi: p.Hi, Front: true, Own: own[p.Variant] != "",
		})
	}
	for _, p := range s.agent.Tried {
		if !front[p.Variant] {
			amount := amounts[p.Variant]
			f.Points = append(f.Points, plot.FrontMark{
				Name: own[p.Variant], Words: plot.FrontWords(p.Variant.Name(), p.Score, f.Format(amount)), Cost: amount, Score: p.Score, Own: own[p.Variant] != "",
			})
		}
	}
	return f
}
