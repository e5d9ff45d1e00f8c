package render

import (
	"strings"

	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/reports/render/plot"
)

// lineageBlocks returns the blocks that show where a version of searched code comes from,
// and what each hunk of its change does by itself.
func lineageBlocks(s subject) []block {
	var out []block
	if len(s.agent.Hunks) > 0 {
		t := newTable(say("Effect of each hunk by itself"), wraps("hunk"), figures("alone", "taken back"))
		for _, h := range s.agent.Hunks {
			t.add("", clipped(strings.TrimSpace(h.Place+" "+h.Text), 160), hunkCell(h.Alone), hunkCell(h.Without))
		}
		out = append(out, t, para{Note: true, Text: say("Mean changes in the score, in points, on search tasks: “alone” is the current code with only this hunk, “taken back” is the version without it. A version that does not run scores 0. The search used these tasks, so the changes look better than they would on new ones.")})
	}
	if s.code() && len(s.agent.Lineage) > 0 {
		t := newTable(say("Lineage, starting with the version"), plain("version"), wraps("made by", "how"))
		for _, step := range s.agent.Lineage {
			made := operatorName(step.Operator)
			if step.Author != "" {
				made = append(made, say(" by ", foreign(step.Author))...)
			}
			t.add("", step.Variant.Name(), made, clipped(step.Rationale, 200))
		}
		out = append(out, t)
		for _, step := range s.agent.Lineage {
			for _, a := range step.Addressed {
				out = append(out, para{Text: say("Look twice: ", foreign(a), ".")})
			}
		}
	}
	return out
}

// code reports whether the night searched code. If so, the section on changes shows the
// lineage.
func (s subject) code() bool { return s.agent.Provenance.Adapter == "code" }

// originBlocks shows the variant's lineage as a picture, and describes how each variant in
// it was made.
func originBlocks(s subject) []block {
	steps := s.agent.Lineage
	if len(steps) < 2 {
		return nil
	}
	var drawn plot.Lineage
	t := newTable(say("From the variant back to its ancestors"), plain("variant", "from"), wraps("made by", "changed"), figures("search"))
	for _, step := range steps {
		node := plot.LineageNode{Name: step.Variant.Name(), Own: step.Variant == s.agent.Decision.Champion, Words: step.Variant.Name() + ", made by " + operatorName(step.Operator).raw()}
		var from, changed []spans
		for _, p := range step.Parents {
			node.Parents = append(node.Parents, p.Name())
			from = append(from, say(p.Name()))
		}
		for _, name := range step.Changed {
			changed = append(changed, say(clipped(name, 60)))
		}
		if step.Unnamed > 0 {
			changed = append(changed, say(number.Count(step.Unnamed)+" more"))
		}
		search := number.Unknown
		if node.Own {
			search, node.Name = "champion", node.Name+", champion"
		} else if step.Shared > 0 {
			search = number.Points(step.Difference)
			node.Words += ": " + search + " points in the search"
			search += " on " + number.Count(step.Shared)
		}
		drawn = append(drawn, node)
		made := operatorName(step.Operator)
		if step.Author != "" {
			made = append(made, say(": ", clipped(step.Author, 80))...)
		}
		if step.Rationale != "" {
			made = append(made, say(", “", clipped(step.Rationale, 160), "”")...)
		}
		t.add("", step.Variant.Name(), list(from, ", "), made, list(changed, ", "), search)
	}
	out := []block{picture{drawn.Draw()}}
	if s.code() {
		return out
	}
	return append(out, t, para{Note: true, Text: say("“Changed” compares with the first of the parents. “Search” is the mean difference from the champion, in points, with the number of common evaluations on search tasks; the fewer there are, the more the result owes to chance.")})
}

// hunkCell returns the cell for a hunk's effect.
func hunkCell(e *model.HunkEffect) spans {
	if e == nil || e.Tasks == 0 {
		return say(number.Unknown)
	}
	return say(number.Points(e.Difference))
}
