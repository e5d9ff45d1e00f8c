package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night"
	"evolve/reports/number"
	"evolve/runtime/text"
)

// dryRun shows what a run would do and what effect it could detect, without spending
// anything. It fails if the settings request the search of a target that cannot be
// searched.
func dryRun(ctx context.Context, con *console, w *workspace.Workspace, opts batch.Options) error {
	a, err := archiveOrEmpty(w.Root)
	if err != nil {
		return wire.Opening(err)
	}
	opts.Archive = a
	plan, err := batch.Prepare(ctx, opts)
	if err = errors.Join(err, a.Close()); err != nil {
		return err
	}
	err = con.show(map[string]any{"run": plan.Run.ID, "seed": plan.Run.Seed, "plans": plan.Agents, "limits": plan.Limits, "outlooks": plan.Outlooks, "reflections": append([]batch.Reflection{}, plan.Reflections...), "forgings": append([]batch.Forging{}, plan.Forgings...), "spaces": spacesOf(w, plan, opts.Code), "patches": patchPlanOf(w, plan)}, func() {
		con.printf("run %s, seed %d; showing the plan spends nothing\n", plan.Run.ID, plan.Run.Seed)
		for i := range plan.Agents {
			printPlan(con, w, plan, opts.Code, i)
		}
		printPatchPlan(con, patchPlanOf(w, plan))
	})
	if err == nil && len(plan.Unsearched) > 0 {
		err = &batch.UnsearchedError{Targets: plan.Unsearched}
	}
	return err
}

// archiveOrEmpty opens the archive for reading, or an empty one if there is none yet.
func archiveOrEmpty(root string) (*archive.Archive, error) {
	a, err := archive.OpenRead(wire.ArchiveDir(root))
	if errors.Is(err, archive.ErrNotFound) {
		return archive.OpenMemory(), nil
	}
	return a, err
}

// printPlan prints the plan of one agent.
func printPlan(con *console, w *workspace.Workspace, plan batch.Plan, code batch.Code, i int) {
	p, limits := plan.Agents[i], plan.Limits[i]
	paragraph := func(name, prose string) {
		lines := []string{prose}
		if con.width() == 0 {
			lines = text.Fill(prose, 68)
		}
		for _, line := range lines {
			con.printf("  %-8s  %s\n", name, line)
			name = ""
		}
	}
	con.printf("\n%s on %d search and %d %s\n", p.Agent, p.SearchTasks, p.HoldoutTasks, orElse("held-out cases", "holdout tasks", p.Metric != nil))
	paragraph("limit", limits.Text)
	for _, text := range limits.Policies {
		paragraph("policies", text)
	}
	if len(plan.Reflections) > 0 {
		paragraph("reflect", plan.Reflections[i].Text)
	}
	for _, f := range plan.Forgings {
		if f.Agent == p.Agent {
			paragraph("tools", text.Visible(f.Text))
		}
	}
	if words := code.Uncommitted(p.Agent); words != "" {
		paragraph("warning", words)
	}
	if !limits.Known() && p.Search == 0 {
		con.printf("  search    first the champion; the rest of the plan depends on the time and cost of its evaluations\n")
		printWarnings(paragraph, p.Warnings, p.Metric != nil)
		return
	}
	con.printf("  search    %6s %s, %s of them for a random baseline\n", number.Count(p.Search), orElse("evaluation", "evaluations", p.Search == 1), number.Count(p.Baseline))
	if p.AA > 0 {
		con.printf("  rerun     %6s evaluations of the champion against itself%s\n", number.Count(p.AA), orElse("", ", and of the config that it replaced", p.Replaced == ""))
	}
	if p.Ablate > 0 {
		con.printf("  ablate    %6s evaluations to reduce finalists: changes with no demonstrated effect are undone\n", number.Count(p.Ablate))
	}
	if p.Confirm > 0 {
		con.printf("  confirm   %6s evaluations on the holdout: %s\n", number.Count(p.Confirm), rounds(p))
	}
	for _, prose := range spaceText(w, p.Agent) {
		paragraph("space", prose)
	}
	if own := code.Own(p.Agent); own != "" {
		paragraph("together", "the config of agent "+own+" and its code are searched together, on the agent's tasks; "+own+" is not searched separately tonight unless --agent names it")
	}
	if p.Metric != nil && p.Noise.Any() {
		paragraph("chance", text.Visible(p.Metric.Name)+": "+p.Noise.Words(p.Metric.Unit)+"; finalists are scored several times, and evaluations run one at a time")
	}
	if names := code.Lexical(p.Agent); len(names) > 0 {
		paragraph("versions", "made by changing tokens and lines in "+strings.Join(names, ", ")+", without knowledge of the language's grammar and types: many versions do not build, and score 0")
	}
	paragraph("guards", guardsOf(w, p.Agent))
	power := []string{p.Power, p.JudgeNoise}
	if p.Metric != nil && p.Power != "" {
		power = []string{stats.OfCases(p.Power), text.Visible(p.Metric.Point())}
	}
	if power = slices.DeleteFunc(power, func(s string) bool { return s == "" }); len(power) > 0 {
		paragraph("power", strings.Join(power, "; "))
	}
	warnings := p.Warnings
	if p.Confirm > 0 && len(plan.Outlooks) > 0 {
		look := plan.Outlooks[i]
		warnings = append(slices.Clone(warnings), look.Notes...)
		con.printf("  month     %s\n", entriesLeft(look))
	}
	if a, ok := w.Agent(p.Agent); ok {
		if text := batch.UserCost(w, a, &p); text != "" {
			paragraph("users", text)
		}
	}
	if a, ok := w.Agent(p.Agent); ok && len(p.Judges) > 0 {
		paragraph("judges", batch.JudgeCost(w, a, &p))
		for _, text := range p.Judges {
			paragraph("", text)
		}
	}
	for _, text := range p.Alike {
		paragraph("alike", text)
	}
	printWarnings(paragraph, warnings, p.Metric != nil)
}

// printWarnings prints the warnings of a plan. If cases is set, the warnings mention cases
// instead of tasks, for code that a command scores.
func printWarnings(paragraph func(name, prose string), warnings []string, cases bool) {
	for _, warning := range warnings {
		if cases {
			warning = stats.OfCases(warning)
		}
		paragraph("warning", warning)
	}
}

// spacePlan lists the parameters of an agent that are searched, and those that are not,
// with the reason.
type spacePlan struct {
	Searched    []string               `json:"searched"`
	NotSearched []workspace.Unsearched `json:"not_searched"`
	// Lexical lists the blocks that are rewritten only token by token.
	Lexical []string `json:"lexical,omitempty"`
	// Own is the agent whose code and config are searched together.
	Own string `json:"own,omitempty"`
	// Uncommitted describes the files of a target that differ from the commit.
	Uncommitted string `json:"uncommitted,omitempty"`
}

// spacesOf returns the search spaces of the planned agents, keyed by agent.
func spacesOf(w *workspace.Workspace, plan batch.Plan, code batch.Code) map[string]spacePlan {
	out := map[string]spacePlan{}
	for _, p := range plan.Agents {
		if a, ok := w.Agent(p.Agent); ok {
			out[p.Agent] = spacePlan{a.Searched(), append([]workspace.Unsearched{}, a.Unsearched...), code.Lexical(p.Agent), code.Own(p.Agent), code.Uncommitted(p.Agent)}
		}
	}
	return out
}

// spaceText describes the search space of an agent.
func spaceText(w *workspace.Workspace, id string) []string {
	a, ok := w.Agent(id)
	if !ok {
		return nil
	}
	searched := a.Searched()
	out := []string{text.Visible(count(len(searched), "parameter") + ": " + strings.Join(searched, ", "))}
	if left := a.LeftAlone(); left != "" {
		out = append(out, text.Visible("not searched: "+left))
	}
	return out
}

// guardsOf names the guards of an agent.
func guardsOf(w *workspace.Workspace, id string) string {
	a, ok := w.Agent(id)
	if !ok {
		return ""
	}
	var words []string
	for _, b := range w.Bounds(a) {
		words = append(words, b.String())
	}
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, "; ")
}

// entriesLeft describes how many variants may still enter the confirmation.
func entriesLeft(look night.Outlook) string {
	e := look.Entries
	text := fmt.Sprintf("%d confirmations are left of the %d allowed within any %d days", e.Most-e.Used, e.Most, e.Days)
	if look.Open > 0 {
		text += fmt.Sprintf("; the confirmation of %s from earlier nights may continue", count(look.Open, "candidate"))
	}
	return text
}

// rounds describes the rounds of confirmation that the budget allows.
func rounds(p archive.AgentPlan) string {
	if p.Fixed() {
		return fmt.Sprintf("%s and the champion once on every task, because a repeat would give the same result", count(p.Finalists, "variant"))
	}
	return fmt.Sprintf("each variant and the champion on every task, %s; %s may enter confirmation tonight", text.Times(p.Repeats), count(p.Finalists, "variant"))
}
