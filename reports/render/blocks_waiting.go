package render

import (
	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/runtime/text"
)

// maxWaiting is the maximum number of waiting proposals that are each given a line of their
// own.
const maxWaiting = 3

// waitingLines returns the first lines of a report, which name what waits for a person.
func waitingLines(v model.Volatile) []spans {
	var out []spans
	list := v.Waiting
	for _, w := range model.First(list, maxWaiting) {
		line := say(styled(w.Words(), strong))
		if len(w.Stale) == 0 {
			line = append(line, say(", ", theirs(w.Command, command))...)
		}
		out = append(out, line)
	}
	if n := len(list) - maxWaiting; n > 0 {
		out = append(out, say(number.Count(n)+" more: ", styled("evolve proposals", command)))
	}
	for _, b := range model.First(v.Branches, maxWaiting) {
		out = append(out, say(b.Words()))
	}
	if n := len(v.Branches) - maxWaiting; n > 0 {
		out = append(out, say(number.Count(n)+" more branches: ", styled("evolve proposals", command)))
	}
	return out
}

func leftOutBlocks(s subject) []block {
	if len(s.agent.LeftOut) == 0 {
		return nil
	}
	t := newTable(say("Left out because of a waiting or refused proposal"), plain("variant", "proposal"), wraps("why"))
	for _, l := range model.First(s.agent.LeftOut, model.MaxRejections) {
		t.add("", l.Variant.Name(), clipped(l.Proposal, 20), foreign(l.Reason))
	}
	if n := len(s.agent.LeftOut) - model.MaxRejections; n > 0 {
		return []block{t, para{Note: true, Text: say(number.Count(n) + " more not listed.")}}
	}
	return []block{t}
}

// championRow returns the row that compares the waiting proposal, and through it the
// variant, with the champion.
func championRow(s subject) boxRow {
	d := s.agent.Decision
	gain := d.Reference.Gain()
	if gain == "" {
		return boxRow{}
	}
	note := number.Signs(text.Visible(gain))
	if r := d.Reference; r.Steps > 0 && d.Verdict.Proposes() {
		note += "; so " + s.agent.Headline.Variant.Name() + " about " + number.Points(r.Difference+s.agent.Headline.Difference)
	}
	return boxRow{Label: "champion", Note: say(note)}
}
