package render

import (
	"cmp"
	"fmt"
	"strings"

	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/runtime/text"
)

// closing returns the sections that do not belong to a single agent.
func closing(r model.Report) []section {
	var awaiting, drafted, stopped []model.Patch
	for _, p := range r.Volatile.Patches {
		switch {
		case p.Awaits():
			awaiting = append(awaiting, p)
		case p.State == model.Drafted:
			drafted = append(drafted, p)
		default:
			stopped = append(stopped, p)
		}
	}
	var out []section
	if len(awaiting) > 0 {
		out = append(out, section{ID: "patches", Title: "Patches awaiting", Blocks: awaitingPatches(awaiting)})
	}
	if len(drafted) > 0 {
		out = append(out, section{ID: "patches-drafted", Title: "Patches that wait for their gates", Blocks: listedPatches("Patches that wait for their gates", "why", drafted)})
	}
	if len(stopped) > 0 {
		out = append(out, section{ID: "patches-stopped", Title: "Patches rejected, and why", Blocks: listedPatches("Patches that are not offered for a decision", "stopped by", stopped)})
	}
	if work := r.Volatile.PatchWork; len(work) > 0 {
		out = append(out, section{ID: "patch-work", Title: "Code changes that were tried", Blocks: patchWork(work)})
	}
	return out
}

// maxNamed is the maximum number of patches of one kind that patchLine names.
const maxNamed = 3

// patchLine summarizes in one line which patches wait for a person or for their gates, and
// how many are not offered for a decision; the line is empty if there are no patches.
func patchLine(patches []model.Patch) spans {
	var awaiting, human, drafted []string
	stopped := 0
	for _, p := range patches {
		switch {
		case p.State == model.HumanLane:
			human = append(human, p.ID)
		case p.Awaits():
			awaiting = append(awaiting, p.ID)
		case p.State == model.Drafted:
			drafted = append(drafted, p.ID)
		default:
			stopped++
		}
	}
	var items []spans
	if len(awaiting) == 1 {
		items = append(items, say(named(awaiting), " awaits a person"))
	} else if len(awaiting) > 1 {
		items = append(items, say(named(awaiting), " await a person"))
	}
	if len(human) > 0 {
		items = append(items, say(named(human), " flagged for a person"))
	}
	if len(drafted) == 1 {
		items = append(items, say(named(drafted), " waits for its gates"))
	} else if len(drafted) > 1 {
		items = append(items, say(named(drafted), " wait for their gates"))
	}
	if stopped > 0 {
		items = append(items, say(number.Count(stopped)+" not offered"))
	}
	return list(items, " · ")
}

// named lists the first ids in a list and states how many more there are.
func named(ids []string) spans {
	t := foreignList(model.First(ids, maxNamed))
	if n := len(ids) - maxNamed; n > 0 {
		t = append(t, say(" and "+number.Count(n)+" more")...)
	}
	return t
}

// hardCoded is a warning about what no gate can rule out.
const hardCoded = "Outputs that are hard-coded for the tests, and changes that no test detects, can pass every gate: read the diff before you approve."

// flowing joins prose into one line.
func flowing(s string) string { return strings.Join(strings.Fields(s), " ") }

func awaitingPatches(list []model.Patch) []block {
	var out []block
	for _, p := range list {
		out = append(out, subhead{Text: say(foreign(p.ID), "  ", clipped(p.Title, 120))})
		about := facts{
			{Name: "state", Value: say(foreign(p.State.Name()))},
			{Name: "from", Value: say(clipped(p.Author, 80), " ("+patchOrigin(p)+")")},
			{Name: "reason", Value: say(clipped(cmp.Or(flowing(p.Rationale), number.Unknown), model.MaxReason))},
		}
		for _, a := range p.Addressed {
			about = append(about, fact{Name: "look twice", Value: say(foreign(a))})
		}
		about.add("measured", clipped(p.Gain, model.MaxReason))
		about = append(about, fact{Name: "tests ran in", Value: say(foreign(cmp.Or(p.Sandbox, number.Unknown)))}, fact{Name: "review", Value: reviewText(p)})
		if p.CostUSD > 0 {
			about = append(about, fact{Name: "gates cost", Value: say(number.Dollars(p.CostUSD))})
		}
		for i, c := range p.Commands {
			name := "next"
			if i > 0 {
				name = "or"
			}
			about = append(about, fact{Name: name, Value: say(styled(text.Visible(c), command))})
		}
		out = append(out, about)
		out = append(out, furtherBlocks(p.Further)...)
		for _, f := range p.Files {
			label := say(foreign(f.Path), ", ", foreign(f.Kind), fmt.Sprintf(": %s added, %d removed", number.Plural(f.Added, "line"), f.Removed))
			if f.Note != "" {
				label = append(label, say(" (", foreign(f.Note), ")")...)
			}
			l := listing{Label: label}
			for _, line := range f.Lines {
				l.Lines = append(l.Lines, mark{Op: line.Op, Text: say(foreign(spaced(line.Text)))})
			}
			out = append(out, l)
		}
		out = append(out, gateBlocks(p.ID, p.Gates)...)
	}
	return append(out, para{Note: true, Text: say(hardCoded)})
}

// spaced replaces tabs, which would otherwise be escaped, with spaces. This preserves the
// indentation of code.
func spaced(line string) string { return strings.ReplaceAll(line, "\t", "    ") }

// patchOrigin returns a description of where a patch comes from.
func patchOrigin(p model.Patch) string {
	switch p.Origin {
	case "agent":
		return "an agent"
	case "model":
		return "written by a model at night"
	case "constants":
		return "marked constants, tuned by the search"
	case "blocks":
		return "marked blocks, rewritten by the search"
	}
	return "a person"
}

func reviewText(p model.Patch) spans {
	r := p.Review
	if r == nil {
		if p.NoReview == "" {
			return say("none yet by another agent")
		}
		return say("none by another agent, because ", clipped(flowing(p.NoReview), model.MaxReason))
	}
	word := styled("approves", good)
	if !r.Approve {
		word = styled("vetoes", bad)
	}
	line := say(clipped(r.Reviewer, 80), " ", word, ": ", clipped(flowing(r.Reasons), model.MaxReason))
	if p.Outdated {
		line = append(line, say(" (outdated: made for an earlier version of the patch)")...)
	}
	return line
}

func listedPatches(title, why string, list []model.Patch) []block {
	t := newTable(say(title), plain("patch"), wraps("from", "what"), plain("state"), wraps(why))
	for _, p := range list {
		t.add("", foreign(p.ID), clipped(p.Author, 40), clipped(p.Title, 80), foreign(p.State.Name()), clipped(p.Stopped(), model.MaxReason))
	}
	return []block{t}
}
