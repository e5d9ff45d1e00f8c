package reports

import "slices"

// changeBlocks returns the blocks that show the difference between the two configs.
func changeBlocks(s subject) []block {
	if len(s.agent.Changes) == 0 {
		return nil
	}
	var out []block
	if h := s.agent.Headline; h != nil && s.agent.Decision.Variant == nil {
		out = append(out, para{Text: say("What " + h.Variant.Name() + " would have changed, had it been better."), Note: true})
	}
	t := table{Caption: say("Parameters"), Columns: []column{{Title: "parameter", Wraps: true}, {Title: "old", Wraps: true}, {Title: "new", Wraps: true}}}
	measured := slices.ContainsFunc(s.agent.Changes, func(c Change) bool { return c.Own != nil })
	if measured {
		t.Columns = append(t.Columns, column{Title: "by itself", Figures: true}, column{Title: "interval", Figures: true})
	}
	add := func(c Change, r row) {
		if measured {
			r.Cells = append(r.Cells, ownEffect(c)...)
		}
		t.Rows = append(t.Rows, r)
	}
	var diffs []block
	for _, c := range s.agent.Changes {
		if c.Lines != nil {
			added, removed := 0, 0
			l := listing{Label: say("Change of ", foreign(clip(c.Param, 60)))}
			for _, line := range c.Lines {
				switch line.Op {
				case "+":
					added++
				case "-":
					removed++
				}
				l.Lines = append(l.Lines, mark{line.Op, say(foreign(line.Text))})
			}
			add(c, row{Cells: []text{say(foreign(clip(c.Param, 60))), say(styled("text", dim)), say(lineCount(added, removed))}})
			diffs = append(diffs, l)
			continue
		}
		r := row{Cells: []text{say(foreign(clip(c.Param, 60))), valueText(c.Old), valueText(c.New)}}
		if len(c.Added)+len(c.Removed) > 0 {
			var parts []text
			for _, a := range c.Added {
				parts = append(parts, say(styled("+ ", good), foreign(clip(a, 60))))
			}
			for _, x := range c.Removed {
				parts = append(parts, say(styled(minus+" ", bad), foreign(clip(x, 60))))
			}
			r.Cells[2] = list(parts, ", ")
		}
		add(c, r)
	}
	return append(append(append(out, t), ablationBlocks(s)...), diffs...)
}

// ownEffect returns the cells for the effect of a change by itself and its interval.
func ownEffect(c Change) []text {
	o := c.Own
	if o == nil {
		return []text{say(unknown), say(unknown)}
	}
	if o.Untried {
		return []text{say(unknown), say(styled(untried, dim))}
	}
	return []text{judged(Effect{Lo: o.Lo, Hi: o.Hi}, points(o.Difference)), say(interval(o.Lo, o.Hi))}
}

// untried is shown in place of an effect that was not measured.
const untried = "not tried singly: the evaluations ended"

// ablationBlocks shows how the finalists were reduced: the headline's finalist in full,
// the others in a table.
func ablationBlocks(s subject) []block {
	all := s.agent.Ablations
	var out []block
	if h := s.agent.Headline; len(all) > 0 && h != nil && h.Variant == all[0].Small {
		out, all = append(out, ablationNote(all[0])), all[1:]
	}
	if len(all) == 0 {
		return out
	}
	t := table{Columns: []column{{Title: "finalist"}, {Title: "made small"}, {Title: "stay", Wraps: true}, {Title: "set back", Figures: true}, {Title: "evaluations", Figures: true}}}
	for _, a := range all {
		var stay []text
		for _, e := range a.Effects {
			if e.Untried {
				stay = append(stay, say(foreign(clip(e.Param, 60)), styled(" "+untried, aside)))
				continue
			}
			stay = append(stay, say(foreign(clip(e.Param, 60)), theirs(" "+points(e.Difference)+" "+interval(e.Lo, e.Hi), aside)))
		}
		t.Rows = append(t.Rows, row{Cells: []text{
			say(a.Winner.Name()), say(a.Small.Name()), list(stay, ", "), say(count(len(a.Reverted))), say(count(a.Evaluations)),
		}})
	}
	return append(out, fold{Summary: say("how " + some(len(all), "other finalist was", "other finalists were") + " made small"), Blocks: []block{t}})
}

// ablationNote describes how the changes of one finalist were judged, which were set
// back, and what the table of changes does not show.
func ablationNote(a Ablation) block {
	how := "by the model of the search alone"
	if a.Evaluations > 0 {
		how = "by the model of the search and " + some(a.Evaluations, "evaluation") + " of this stage"
	}
	line := say("What stays was decided on search tasks, " + how + "; by itself is the score with the change less that without it, on the same of these tasks. ")
	if n := len(a.Reverted); n > 0 {
		line = append(line, say("Set back: "+some(n, "change")+" of "+a.Winner.Name()+" without a shown effect: ", foreignList(a.Reverted), ". ")...)
	} else {
		line = append(line, say("Nothing was set back. ")...)
	}
	if a.Reason != "" {
		line = append(line, say("The run adds: ", foreign(a.Reason), ".")...)
	}
	return para{Note: true, Text: line}
}
