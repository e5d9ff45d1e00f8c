package reports

import (
	"strconv"
	"strings"
)

// stageNames are the stages in words.
var stageNames = map[string]string{
	"search": "search", "baseline": "random baseline", "aa": "champion against itself", "ablate": "ablation", "confirm": "confirmation",
}

// healthBlocks says how the run went.
func healthBlocks(s subject) []block {
	h, v, run := s.agent.Health, s.report.Volatile, s.report.Run
	var out []block
	if h.Incomplete != "" {
		out = append(out, para{Text: say(styled("Incomplete: ", bad), foreign(h.Incomplete), ".")})
	}
	for _, w := range h.Warnings {
		out = append(out, para{Text: say(styled("Warning: ", bad), foreign(w), ".")})
	}
	if len(h.Stages) > 0 {
		t := table{Caption: say("Evaluations by stage"), Columns: []column{
			{Title: "stage"}, {Title: "planned", Figures: true}, {Title: "done", Figures: true}, {Title: "missing", Figures: true}, {Title: "skipped", Figures: true},
		}}
		for _, st := range h.Stages {
			t.Rows = append(t.Rows, row{Cells: []text{say(stageNames[st.Stage]), say(count(st.Planned)), say(count(st.Done)), say(count(st.Missing)), say(count(st.Skipped))}})
		}
		out = append(out, t)
	}
	f := facts{}
	if len(h.Outcomes) > 0 {
		var items []text
		for _, o := range h.Outcomes {
			items = append(items, say(strings.ReplaceAll(string(o.Outcome), "_", " ")+" "+count(o.Count)))
		}
		f = append(f, fact{"outcomes", list(items, ", ")})
	}
	f = append(f, fact{"reused, retried", say(count(s.volatile.Cached) + " found in the archive, " + some(s.volatile.Retries, "retry", "retries"))})
	if h.Noise != nil {
		f = append(f, noiseFact(h.Noise))
	} else {
		f = append(f, fact{"champion against itself", say(styled("not run", dim))})
	}
	f = append(f, fact{"budget used", say(budget(run, v))})
	if v.Seconds > 0 {
		phases := make([]string, len(v.Phases))
		for i, p := range v.Phases {
			phases[i] = p.Phase + " " + duration(p.Seconds)
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
	if len(v.Guards) > 0 && s.agent.Agent == s.report.Agents[0].Agent { // they are of the whole run
		out = append(out, fold{Summary: say("calls of tools and providers under their policies"), Blocks: []block{guards(v.Guards)}})
	}
	return out
}

func noiseFact(n *Noise) fact {
	return fact{"champion against itself", say(points(n.Difference)+" points  "+interval(n.Lo, n.Hi), noiseWord(n))}
}

func noiseWord(n *Noise) span {
	if n.Drifted {
		return styled("  drifted: p "+pvalue(n.P), bad)
	}
	return remark("the noise floor, p " + pvalue(n.P))
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

// provenanceBlocks identifies everything the figures depend on.
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

// nature says what repeats of this agent are worth.
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
