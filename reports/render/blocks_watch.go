package render

import (
	"evolve/reports/model"
	"evolve/reports/number"
)

// watchBlocks shows how the active config compares with its past performance.
func watchBlocks(s subject) []block {
	w := s.volatile.Watch
	if w == nil {
		return nil
	}
	var out []block
	t := newTable(say("Later nights against earlier ones, on the same search tasks"), wraps("comparison"), figures("before", "after", "difference", "bounds", "tasks", "evaluations", "nights"))
	if f := w.Fall; f != nil {
		movedRow(&t, "since "+number.Date(f.Since), f.Moved)
	}
	if a := w.Adopted; a != nil {
		movedRow(&t, "adoption of "+a.Proposal, a.Moved)
	}
	if len(t.Rows) > 0 {
		out = append(out, t)
	}
	var f facts
	if a := w.Adopted; a != nil && a.Predicted != nil {
		f.add("predicted", number.Points(a.Predicted.Difference)+" points  "+number.Interval(a.Predicted.Lo, a.Predicted.Hi), remark("for "+a.Predicted.Of.Words()))
	}
	for _, c := range w.Changes() {
		f.add(c.Name, foreign(c.Text))
		if c.Command != "" {
			f.add("to see it", theirs(c.Command, command))
		}
	}
	if len(f) > 0 {
		out = append(out, f)
	}
	return append(out, para{Note: true, Text: say("Each bound is valid by itself at the level of one comparison, so an agent that does not change causes an alarm within " + number.Count(w.Window) + " nights with a probability of at most " + number.Percent(w.Level) + ".")})
}

func movedRow(t *table, name string, m model.Moved) {
	mark := ""
	if m.Hi < 0 {
		mark = "worse"
	}
	bounds := number.Interval(m.Lo, m.Hi)
	if m.Exact {
		bounds = "exact"
	}
	t.add(mark, foreign(name), number.Score(m.Before), number.Score(m.After), number.Points(m.Difference), bounds, number.Count(m.Tasks),
		number.Count(m.BeforeRuns)+", "+number.Count(m.AfterRuns), number.Count(m.BeforeNights)+", "+number.Count(m.AfterNights))
}
