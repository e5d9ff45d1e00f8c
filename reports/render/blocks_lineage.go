package render

import (
	"strings"

	"evolve/reports/model"
	"evolve/reports/number"
)

// lineageBlocks returns the blocks that show how a version of searched code came about, and
// what each hunk of its change adds by itself.
func lineageBlocks(s subject) []block {
	var out []block
	if len(s.agent.Hunks) > 0 {
		t := newTable(say("Hunks by themselves"), wraps("hunk"), figures("alone", "taken back"))
		for _, h := range s.agent.Hunks {
			t.add("", clipped(strings.TrimSpace(h.Place+" "+h.Text), 160), hunkCell(h.Alone), hunkCell(h.Without))
		}
		out = append(out, t, para{Note: true, Text: say("Mean changes of the score in points on search tasks: of the code as it is by the hunk alone, and of the version without it. A version that does not run scores 0. The search had these tasks, so that the changes flatter.")})
	}
	if len(s.agent.Lineage) > 0 {
		t := newTable(say("Lineage, the version first"), plain("version"), wraps("made by", "how"))
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

// hunkCell returns the cell of an effect.
func hunkCell(e *model.HunkEffect) spans {
	if e == nil || e.Tasks == 0 {
		return say(number.Unknown)
	}
	return say(number.Points(e.Difference))
}
