package render

import (
	"evolve/reports/number"
	"evolve/reports/render/plot"
	"evolve/runtime/agent"
)

// failureBlocks shows how runs on the holdout failed on each side.
func failureBlocks(s subject) []block {
	f := s.agent.Failures
	if f == nil || s.measured() { // a measured version has a value but passes nothing
		return nil
	}
	left, right := against(s), "variant"
	champion, variant := f.Total()
	out := []block{para{Text: say("Of ", styled(number.Plural(f.Runs, "run"), strong), " of each side on the holdout, ", styled(number.Count(champion), strong), " failed with the "+left+" and ", styled(number.Count(variant), strong), " with the "+right+".")}}
	if len(f.Kinds) == 0 {
		return out
	}
	t := newTable(say("Failures by how the run ended"), plain("ended as"), figures(left, right))
	bars := plot.Bars{Left: left, Right: right}
	for _, k := range f.Kinds {
		name := stateSpan(string(k.Outcome))
		if k.Outcome == agent.OK {
			name = span{Text: "wrong answer"}
		}
		t.add("", name, number.Count(k.Champion), number.Count(k.Variant))
		bars.Rows = append(bars.Rows, plot.BarRow{Label: name.Text, Before: k.Champion, After: k.Variant})
	}
	return append(out, t, picture{bars.Draw()}, para{Note: true, Drawn: true, Text: say("Hollow: the " + left + "; filled: the " + right + ".")},
		para{Note: true, Text: say("Wrong answer: the run ended normally, but the graders rejected the answer.")})
}
