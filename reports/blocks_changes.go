package reports

import "slices"

// changeBlocks is the difference between the two configs.
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

// ownEffect is what a change does by itself, and the interval of that.
func ownEffect(c Change) []text {
	o := c.Own
	if o == nil {
		return []text{say(unknown), say(unknown)}
	}
	return []text{judged(Effect{Lo: o.Lo, Hi: o.Hi}, points(o.Difference)), say(interval(o.Lo, o.Hi))}
}

// ablationBlocks say how the winner was made small.
func ablationBlocks(s subject) []block {
	a := s.agent.Ablation
	if a == nil {
		return nil
	}
	line := say("What a change does by itself was measured on search tasks by taking it alone back, in " + some(a.Evaluations, "evaluation") + ". ")
	switch {
	case len(a.Reverted) > 0:
		line = append(line, say(a.Winner.Name()+" had changed more: ", foreignList(a.Reverted), " went back to the champion's, which left "+a.Small.Name()+".")...)
	default:
		line = append(line, say("Nothing could be set back.")...)
	}
	if a.Reason != "" {
		line = append(line, say(" In the run's words: ", foreign(a.Reason), ".")...)
	}
	return []block{para{Note: true, Text: line}}
}
