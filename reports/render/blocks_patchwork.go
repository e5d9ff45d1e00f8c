package render

import (
	"evolve/reports/model"
	"evolve/reports/number"
)

// patchWork returns a table of a night's work on patches, including attempts without a
// proposal.
func patchWork(notes []model.PatchNote) []block {
	t := newTable(say("Constants and blocks that were searched, and patches that a model wrote"), plain("target"), wraps("how"), plain("proposal"), figures("runs", "paid"), wraps("what happened"))
	for _, n := range notes {
		how := say("marked constants")
		switch n.Origin {
		case "model":
			how = say("a model, from failures of ", clipped(n.Agent, 40))
		case "blocks":
			how = say("marked blocks")
		}
		proposal := say("none")
		if n.Proposal != "" {
			proposal = say(foreign(n.Proposal), " (", foreign(n.State.Name()), ")")
		}
		t.add("", clipped(n.Target, 40), how, proposal, number.Count(n.Runs), number.Dollars(n.Usage.CostUSD+n.GatesUSD), clipped(n.Text, model.MaxReason))
	}
	return []block{t}
}
