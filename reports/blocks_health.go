package reports

import (
	"strconv"
	"strings"

	"evolve/archive"
)

// stageNames are the display names of the stages.
var stageNames = map[string]string{
	"search": "search", "baseline": "random baseline", "aa": "champion against itself", "ablate": "ablation", "confirm": "confirmation",
}

// phaseName returns the display name of a phase, that of its stage if it has one.
func phaseName(phase string) string {
	if name := stageNames[phase]; name != "" {
		return name
	}
	return phase
}

// removed describes what retention has removed from the run.
func removed(r archive.RunRemoved) text {
	what := some(r.Transcripts, "transcript")
	if r.Evaluations > 0 {
		what += " and " + some(r.Evaluations, "evaluation")
	}
	return say(styled("Removed: ", bad), what+" were removed by retention by "+moment(r.Time)+
		"; tables of single evaluations count what is kept, the verdict is the one of the night.")
}

// healthBlocks describes how the run went.
func healthBlocks(s subject) []block {
	h, v, run := s.agent.Health, s.report.Volatile, s.report.Run
	var out []block
	if h.Incomplete != "" {
		out = append(out, para{Text: say(styled("Incomplete: ", bad), foreign(h.Incomplete), ".")})
	}
	for _, w := range h.Warnings {
		out = append(out, para{Text: say(styled("Warning: ", bad), foreign(w), ".")})
	}
	if r := v.Removed; r != nil {
		out = append(out, para{Text: removed(*r)})
	}
	t := table{Caption: say("Evaluations by stage"), Columns: []column{
		{Title: "stage"}, {Title: "planned", Figures: true}, {Title: "done", Figures: true}, {Title: "missing", Figures: true}, {Title: "skipped", Figures: true},
	}}
	var idle []text
	for _, st := range h.Stages {
		if st.Done+st.Missing == 0 {
			idle = append(idle, say(stageNames[st.Stage]))
			continue
		}
		t.Rows = append(t.Rows, row{Cells: []text{say(stageNames[st.Stage]), say(count(st.Planned)), say(count(st.Done)), say(count(st.Missing)), say(count(st.Skipped))}})
	}
	if len(t.Rows) > 0 {
		out = append(out, t)
	}
	f := facts{}
	if len(idle) > 0 {
		f = append(f, fact{"not begun", list(idle, ", ")})
	}
	if h.Released > 0 {
		f = append(f, fact{"released", say("the search had " + some(h.Released, "evaluation") + " that were planned for the confirmation: there was nothing to confirm")})
	}
	if h.Lent > 0 {
		f = append(f, fact{"lent", say("making the finalists small had " + some(h.Lent, "evaluation") + " that were planned for the confirmation: the best finalist is projected to need fewer")})
	}
	if len(h.Outcomes) > 0 {
		var items []text
		for _, o := range h.Outcomes {
			items = append(items, say(strings.ReplaceAll(string(o.Outcome), "_", " ")+" "+count(o.Count)))
		}
		f = append(f, fact{"outcomes", list(items, ", ")})
	}
	f = append(f, fact{"reused, retried", say(count(s.volatile.Cached) + " found in the archive, " + some(s.volatile.Retries, "retry", "retries"))})
	if h.Constant > 0 {
		f = append(f, fact{"repeats", say("the same answer on all of "+some(h.Constant, "task")+" that were asked twice: ",
			"deterministic: true and uses_seed: false in agent.yaml would spare them")})
	}
	f = append(f, fact{"budget used", say(budget(run, v))})
	if l := s.volatile.Limit; l != nil {
		f = append(f, fact{"limit that binds", limitText(*l)})
	}
	if v.Seconds > 0 {
		phases := make([]string, len(v.Phases))
		for i, p := range v.Phases {
			phases[i] = phaseName(p.Phase) + " " + duration(p.Seconds)
		}
		value := say(duration(v.Seconds))
		if len(phases) > 0 {
			value = append(value, theirs("  "+strings.Join(phases, ", "), aside))
		}
		f = append(f, fact{"time", value})
	}
	if v.Concurrency > 0 {
		f = append(f, fact{"concurrency", say(count(v.Reached) + " reached of " + count(v.Concurrency) + " allowed")})
	}
	if v.Resumed > 0 {
		f = append(f, fact{"resumed", say(some(v.Resumed, "time"))})
	}
	if s.volatile.Sandbox != "" {
		f = append(f, fact{"sandbox", say(foreign(clip(s.volatile.Sandbox, reasonKept)))})
	}
	ended := say(foreign(string(run.State)), ", exit "+strconv.Itoa(run.Exit))
	if run.Reason != "" {
		ended = append(ended, say(": ", foreign(clip(run.Reason, reasonKept)))...)
	}
	out = append(out, append(f, fact{"ended", ended}))
	if len(v.Guards) > 0 && s.agent.Agent == s.report.Agents[0].Agent { // they cover the whole run
		out = append(out, fold{Summary: say("calls of tools and providers under their policies"), Blocks: []block{guards(v.Guards)}})
	}
	return out
}

// noiseFact shows how far the champion differs from a rerun of itself; nil means not run.
func noiseFact(n *Noise) fact {
	if n == nil {
		return fact{"champion against itself", say(styled("not run", dim))}
	}
	return fact{"champion against itself", say(points(n.Difference)+" points  "+interval(n.Lo, n.Hi), noiseWord(n))}
}

func noiseWord(n *Noise) span {
	if n.Drifted {
		return styled("  drifted: p "+pvalue(n.P), bad)
	}
	if n.P <= 1-n.Level { // the interval does not contain 0
		return remark("p " + pvalue(n.P) + "; a drift is named from .01 on, as one night in twenty is as far off by chance")
	}
	return remark("no drift was shown, p " + pvalue(n.P))
}

// limitText names the limit that the plan followed, and what one evaluation took.
func limitText(l archive.AgentLimit) text {
	out := say(LimitWords(l))
	if l.Made > 0 {
		took := duration(l.Seconds)
		if l.USD > 0 {
			took += " and " + money(l.USD)
		}
		out = append(out, remark(took+" each, measured on "+count(l.Made)+", "+count(l.Parallel)+" at once"))
	}
	return out
}

// LimitWords describes which limit stopped the work on an agent and how much was used, or
// that none did.
func LimitWords(l archive.AgentLimit) string {
	name := map[string]string{"evaluations": "evaluations", "money": "money", "time": "time", "deadline": "the deadline"}[l.Bound]
	used, of := some(l.Used, "evaluation"), count(l.Used)+" of "+some(l.Evaluations, "evaluation")
	switch l.End {
	case archive.LimitInterrupted:
		return "none bound it: the run was interrupted after " + used
	case archive.LimitFailed:
		return "none bound it: the run failed after " + used
	case archive.LimitPolicies:
		return "a limit under policies bound it after " + used + ": " + clip(l.Policy, reasonKept)
	case archive.LimitExhausted:
		return "none bound it: after " + used + " the search had no config left to try"
	case archive.LimitSpent, archive.LimitLeft:
	}
	switch {
	case l.Bound == "enough":
		return "none bound it: more evaluations would bring the search little"
	case name == "":
		return "which would bind was not known before the run ended"
	case l.End == archive.LimitLeft:
		return name + " bound the search, " + of + " used: the confirmation needed no more"
	case l.End == archive.LimitSpent:
		return name + " bound it, " + of + " used"
	}
	return name + " bound it, room for " + some(l.Evaluations, "evaluation")
}

func budget(run Run, v Volatile) string {
	paid := v.CostUSD
	used := some(run.Evaluations, "evaluation")
	if run.BudgetEvals > 0 {
		used = count(run.Evaluations) + " of " + some(run.BudgetEvals, "evaluation")
	}
	if paid > 0 || run.BudgetUSD > 0 {
		used += ", " + money(paid)
		if run.BudgetUSD > 0 {
			used += " of " + money(run.BudgetUSD)
		}
		if v.PatchUSD > 0 {
			used += " (" + money(v.PatchUSD) + " of it for patches)"
		}
	}
	if run.BudgetSeconds > 0 {
		used += ", at most " + duration(run.BudgetSeconds)
	}
	return used
}

// provenanceBlocks identifies everything that the figures depend on.
func provenanceBlocks(s subject) []block {
	p, v, run := s.agent.Provenance, s.report.Volatile, s.report.Run
	var f facts
	add := func(name string, value text) {
		if len(value) > 0 {
			f = append(f, fact{name, value})
		}
	}
	add("run", say(foreign(run.ID)))
	add("suites", foreignList(p.Suites))
	add("suite", say(foreign(p.SuiteHash)))
	add("split", say(foreign(p.SplitHash), remark(count(p.SearchTasks)+" search, "+count(p.HoldoutTasks)+" holdout")))
	add("agent", say(foreign(p.AgentHash)))
	add("adapter", append(say(foreign(p.Adapter)), nature(p)...))
	add("space", say(foreign(p.SpaceHash)))
	add("prices", say(foreign(p.PricesHash)))
	add("champion", say(foreign(string(p.Champion))))
	if s.agent.Headline != nil {
		add("variant", say(foreign(string(s.agent.Headline.Variant.ID))))
	}
	add("seed, lookahead", say(strconv.FormatInt(run.Seed, 10)+", "+strconv.Itoa(run.Lookahead)))
	add("selection", say(foreign(run.Selection)))
	add("policies", say(foreign(run.Policy)))
	add("stages", foreignList(run.Stages))
	if !v.Started.IsZero() {
		add("started", say(moment(v.Started)))
	}
	if !v.Ended.IsZero() {
		add("ended", say(moment(v.Ended)))
	}
	add("host", say(foreign(v.Host)))
	add("binary", say(foreign(v.Binary)))
	for _, q := range s.volatile.Proposals {
		if q.Commit != "" {
			add("commit", say(foreign(q.Commit), theirs("  of "+q.ID, aside)))
		}
		if q.Evidence != "" {
			add("evidence", say(foreign(q.Evidence), theirs("  of "+q.ID, aside)))
		}
	}
	if v.LedgerError != "" {
		add("ledger", say(styled("broken: ", bad), foreign(clip(v.LedgerError, reasonKept))))
	} else {
		add("ledger head", say(foreign(v.LedgerHead), remark(some(int(v.LedgerEntries), "entry", "entries"))))
	}
	add("verify", say(styled("evolve audit verify", command)))
	return []block{f}
}

// nature describes how much information repeats of this agent give.
func nature(p Provenance) text {
	var parts []string
	if p.Deterministic {
		parts = append(parts, "deterministic")
	}
	if !p.UsesSeed {
		parts = append(parts, "ignores the seed")
	}
	if len(parts) == 0 {
		return nil
	}
	return say(remark(strings.Join(parts, ", ")))
}
