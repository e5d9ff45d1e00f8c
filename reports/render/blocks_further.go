package render

import (
	"cmp"

	"evolve/bench/stats"
	"evolve/reports/number"
)

// furtherBlocks returns a table of the metrics other than the one that decides; it returns
// nothing if there are none.
func furtherBlocks(of []stats.Further) []block {
	if len(of) == 0 {
		return nil
	}
	t := newTable(say("Further metrics on the held-out cases, "+stats.FurtherNote(len(of))), wraps("metric"), figures("base → version", "change", "interval"), wraps("finding"))
	for _, f := range of {
		mark := ""
		if f.Finding == stats.FurtherBetter || f.Finding == stats.FurtherWorse {
			mark = f.Finding
		}
		t.add(mark, say(foreign(f.Title()), remark(string(f.Better)+" is better")), say(foreign(f.Values())), furtherChange(f), cmp.Or(f.Bounds(), number.Unknown), f.Found())
	}
	return []block{t}
}

// furtherChange formats the change in a metric, coloured according to whether it has been
// shown to be for the better or for the worse.
func furtherChange(f stats.Further) spans {
	change := foreign(f.Change())
	switch f.Finding {
	case stats.FurtherBetter:
		change.Style = good
	case stats.FurtherWorse:
		change.Style = bad
	}
	return say(change)
}

// priceRows returns a row of the decision box for each metric that has been shown to be
// worse, and a row with the number of the other metrics.
func priceRows(of []stats.Further) []boxRow {
	var rows []boxRow
	counts := map[string]int{}
	for _, f := range of {
		if counts[f.Finding]++; f.Finding != stats.FurtherWorse {
			continue
		}
		rows = append(rows, boxRow{
			Label: "worse", Figures: []spans{say(foreign(f.Values())), furtherChange(f), say(cmp.Or(f.Bounds(), "no interval"))},
			Note: say(foreign(f.Title()), ", "+string(f.Better)+" is better, "+stats.FurtherNote(len(of))),
		})
	}
	var others []spans
	for _, c := range []struct{ finding, words string }{
		{stats.FurtherBetter, "significantly better"}, {stats.FurtherOpen, "with no difference shown"}, {stats.FurtherEqual, "equal"},
	} {
		if n := counts[c.finding]; n > 0 {
			others = append(others, say(number.Count(n)+" "+c.words))
		}
	}
	if len(others) > 0 {
		rows = append(rows, boxRow{Label: "further", Note: append(say("metrics: "), list(others, ", ")...)})
	}
	return rows
}
