package render

import (
	"slices"

	"evolve/reports/model"
	"evolve/reports/number"
)

// changeBlocks returns the blocks that show the difference between the two configs.
func changeBlocks(s subject) []block {
	if len(s.agent.Changes) == 0 {
		return nil
	}
	var out []block
	if h := s.agent.Headline; h != nil && s.agent.Decision.Variant == nil {
		out = append(out, para{Text: say("What " + h.Variant.Name() + " would have changed if it had been proposed."), Note: true})
	}
	t := newTable(say("Parameters"), wraps("parameter", "old", "new"))
	measured := slices.ContainsFunc(s.agent.Changes, func(c model.Change) bool { return c.Own != nil })
	if measured {
		t.Columns = append(t.Columns, figures("by itself", "interval")...)
	}
	add := func(c model.Change, r row) {
		if measured {
			r.Cells = append(r.Cells, ownEffect(c)...)
		}
		t.Rows = append(t.Rows, r)
	}
	var diffs []block
	for _, c := range s.agent.Changes {
		if c.Lines != nil {
			added, removed := countLines(c.Lines)
			l := listing{Label: say("Change of ", clipped(c.Param, 60))}
			for _, line := range c.Lines {
				l.Lines = append(l.Lines, mark{line.Op, say(foreign(line.Text))})
			}
			add(c, row{Cells: []spans{say(clipped(c.Param, 60)), say(styled("text", dim)), say(lineCount(added, removed))}})
			diffs = append(diffs, l)
			continue
		}
		r := row{Cells: []spans{say(clipped(c.Param, 60)), valueText(c.Old, model.MaxValue), valueText(c.New, model.MaxValue)}}
		if len(c.Added)+len(c.Removed) > 0 {
			var parts []spans
			for _, a := range c.Added {
				parts = append(parts, say(styled("+ ", good), clipped(a, 60)))
			}
			for _, x := range c.Removed {
				parts = append(parts, say(styled(number.Minus+" ", bad), clipped(x, 60)))
			}
			r.Cells[2] = list(parts, ", ")
		}
		add(c, r)
	}
	return slices.Concat(out, []block{t}, ablationBlocks(s), diffs, lineageBlocks(s))
}

// ownEffect returns the cells for the effect of a change by itself and for the effect's
// interval.
func ownEffect(c model.Change) []spans {
	o := c.Own
	if o == nil {
		return []spans{say(number.Unknown), say(number.Unknown)}
	}
	if o.Untried {
		return []spans{say(number.Unknown), say(styled(o.UntriedWords(), dim))}
	}
	return []spans{judged(model.Effect{Lo: o.Lo, Hi: o.Hi}, number.Points(o.Difference)), say(number.Interval(o.Lo, o.Hi))}
}

// ablationBlocks shows how the finalists were reduced: the headline's finalist in full, and
// the other finalists in a table.
func ablationBlocks(s subject) []block {
	all := s.agent.Ablations
	var out []block
	if h := s.agent.Headline; len(all) > 0 && h != nil && h.Variant == all[0].Small {
		out, all = append(out, ablationNote(all[0])), all[1:]
	}
	if len(all) == 0 {
		return out
	}
	t := newTable(nil, plain("finalist", "reduced to"), wraps("stay"), figures("undone", "evaluations"))
	for _, a := range all {
		var stay []spans
		for _, e := range a.Effects {
			if e.Untried {
				stay = append(stay, say(clipped(e.Param, 60), styled(" "+e.UntriedWords(), aside)))
				continue
			}
			stay = append(stay, say(clipped(e.Param, 60), theirs(" "+number.Points(e.Difference)+" "+number.Interval(e.Lo, e.Hi), aside)))
		}
		t.add("", a.Winner.Name(), a.Small.Name(), list(stay, ", "), number.Count(len(a.Reverted)), number.Count(a.Evaluations))
	}
	return append(out, fold{Summary: say("how " + number.Plural(len(all), "other finalist of the search was", "other finalists of the search were") + " reduced"), Blocks: []block{t}})
}

// ablationNote describes how the changes of one finalist were judged, which of them were
// undone, and what the table of changes does not show.
func ablationNote(a model.Ablation) block {
	how := "only by the search's score model"
	if a.Evaluations > 0 {
		how = "by the search's score model and " + number.Plural(a.Evaluations, "evaluation") + " in the ablation stage"
	}
	line := say("The changes to keep were chosen on search tasks, " + how + "; “by itself” is the score with the change minus the score without it, on the same tasks. ")
	if n := len(a.Reverted); n > 0 {
		line = append(line, say("Undone: "+number.Plural(n, "change")+" of "+a.Winner.Name()+" for which no effect was shown: ", foreignList(a.Reverted), ". ")...)
	} else {
		line = append(line, say("Nothing was undone. ")...)
	}
	if a.Reason != "" {
		line = append(line, say("The run's explanation: ", foreign(a.Reason), ".")...)
	}
	return para{Note: true, Text: line}
}
