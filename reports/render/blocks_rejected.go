package render

import (
	"math"
	"slices"

	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/reports/render/plot"
)

// rejectedBlocks lists the variants that were tried and are not recommended.
func rejectedBlocks(s subject) []block {
	out := append(openBlocks(s), leftOutBlocks(s)...)
	if len(s.agent.Rejected) == 0 {
		return out
	}
	t := newTable(say("Variants that were not recommended"), plain("variant"), wraps("made by"), figures("evaluations", "search", "holdout"), wraps("stopped by"))
	for _, r := range s.agent.Rejected {
		search, holdout := say(number.Unknown), say(number.Unknown)
		if r.Shared > 0 {
			search = say(number.Points(r.Difference))
		}
		if r.Holdout != nil {
			holdout = say(judged(*r.Holdout, number.Points(r.Holdout.Difference)), " "+r.Holdout.Bounds())
		}
		t.add("", r.Variant.Name(), madeBy(r), number.Count(r.Evaluations), search, holdout, foreign(number.Signs(r.Reason)))
	}
	which := "in the repeats of search tasks that both ran"
	if p := s.agent.Provenance; p.Deterministic && !p.UsesSeed {
		which = "on the search tasks that both ran"
	}
	words := "“Search” is the difference from the champion, in points, " + which + ". Finalists come first, then the variants with the most evaluations on search tasks"
	if n := s.agent.Unlisted; n > 0 {
		words += "; " + number.Count(n) + " more not listed"
	}
	words += "."
	if slices.ContainsFunc(s.agent.Rejected, func(r model.Rejection) bool { return r.Operator == model.ModelOperator }) {
		words += " The score model is the search's own estimate of scores from all evaluations; it is not a language model."
	}
	out = append(out, t, para{Text: say(words), Note: true})
	if s.agent.Heat != nil {
		out = append(out, heatPicture(s), para{Note: true, Drawn: true, Text: say("Darker cells have a higher mean score; empty cells were not evaluated. Only search tasks are shown; the search evaluated good variants most often.")})
	}
	return out
}

// heatPicture returns the heat map of the scores by variant and search task.
func heatPicture(s subject) block {
	h := s.agent.Heat
	drawn := plot.Heat{Columns: len(h.Columns)}
	for _, r := range h.Rows {
		row := plot.HeatRow{Name: r.Variant.Name()}
		if r.Variant == s.agent.Decision.Champion {
			row.Name = "champion"
		}
		for _, score := range r.Scores {
			if score == nil {
				row.Scores = append(row.Scores, math.NaN())
				continue
			}
			row.Scores = append(row.Scores, *score)
		}
		drawn.Rows = append(drawn.Rows, row)
	}
	return picture{drawn.Draw()}
}

// openBlocks lists the candidates whose confirmation is not over.
func openBlocks(s subject) []block {
	t := newTable(say("Candidates whose confirmation continues"), plain("variant", "begun in"), figures("nights", "repeats", "evidence"), wraps("status"))
	for _, c := range s.agent.Candidates {
		if !c.Open() {
			continue
		}
		where := say(foreign(number.Signs(c.Reason)))
		if c.Reason == "" {
			where = say(model.StateText(c.State))
		}
		t.add("", c.Variant.Name(), say("run ", clipped(c.Run, 40)), number.Count(c.Nights), number.Count(c.Blocks), number.Share(c.Share()), where)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	note := "Evidence is what the repeats of all tasks have shown so far, as a share of what a claim about these tasks needs; later nights add to it."
	if s.agent.Decision.Verdict.Proposes() {
		note = "Once the recommended variant is adopted, the evidence for these candidates against today's champion is void."
	}
	return []block{t, para{Note: true, Text: say(note)}}
}
