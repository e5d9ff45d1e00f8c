package cli

import (
	"strings"

	"evolve/archive"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/batch/coding"
	"evolve/cmd/evolve/internal/batch/tuning"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/runtime/text"
)

// patchPlan describes what a nightly run will do about code patches.
type patchPlan struct {
	// Tunings lists the targets with marked constants.
	Tunings []batch.Tuning `json:"tunings"`
	// Unsearched lists the targets with a scoring command whose blocks cannot be searched.
	Unsearched []batch.Unsearched `json:"unsearched"`
	// Writer is the route of the model that writes patches, or "" if there is none. Asked
	// limits the number of answers from the model.
	Writer string `json:"writer"`
	Asked  int    `json:"asked"`
}

func patchPlanOf(w *workspace.Workspace, plan batch.Plan) patchPlan {
	out := patchPlan{Tunings: append([]batch.Tuning{}, plan.Tunings...), Unsearched: append([]batch.Unsearched{}, plan.Unsearched...)}
	set := w.Settings.Patches
	if set.Write != "" && len(set.Targets) > 0 && len(plan.Outlooks) > 0 {
		out.Writer = set.Write
		for _, p := range plan.Agents {
			if a, known := w.Agent(p.Agent); known && a.Adapter.Kind != workspace.KindCode {
				out.Asked += 2
			}
		}
	}
	return out
}

func printPatchPlan(con *console, p patchPlan) {
	if len(p.Tunings)+len(p.Unsearched) == 0 && p.Writer == "" {
		return
	}
	con.printf("\npatches to code, after the agents' search\n")
	for _, t := range p.Tunings {
		if t.Problem != "" {
			con.printf("  warning   %s is not tuned: %s\n", t.Target, text.Visible(t.Problem))
			continue
		}
		con.printf("  tune      %s of %s: %s\n", text.Visible(t.Constants), t.Target, t.Cost)
	}
	for _, u := range p.Unsearched {
		con.printf("  warning   the blocks of %s are not searched: %s\n", u.Target, text.Visible(u.Problem))
	}
	if p.Writer != "" {
		con.printf("  write     the route %s is asked for one patch per agent, and for a second one if the first is refused: at most %s\n", p.Writer, count(p.Asked, "answer"))
	}
}

// noteLength limits how many characters of a note on patches are printed. The report,
// `--json` and the archive contain more of the note.
const noteLength = 400

// printPatchNotes prints what a nightly run did about code patches.
func printPatchNotes(con *console, notes []archive.PatchNote) {
	for _, n := range notes {
		who, what := n.Agent, "none"
		switch {
		case n.Origin == review.OriginBlocks:
			who = coding.Author(n.Target)
		case n.Agent == "":
			who = tuning.Author(n.Target)
		}
		if n.Proposal != "" {
			what = n.Proposal + " (" + n.State.Name() + ")"
		}
		con.printf("  patch   %s of %s by %s: %s\n", what, n.Target, who, text.Visible(noteText(n)))
	}
}

// noteText returns the text of a note. A long text is cut after a whole clause, and a
// reference to the rest is added.
func noteText(n archive.PatchNote) string {
	whole := strings.Join(strings.Fields(n.Text), " ")
	words := oneLine(whole, noteLength)
	if words == whole {
		return whole
	}
	if at := strings.LastIndex(words, "; "); at > 0 {
		words = words[:at] + "; …"
	}
	return words + " (`evolve " + orElse("show "+n.Proposal, "report", n.Proposal != "") + "` shows the rest)"
}
