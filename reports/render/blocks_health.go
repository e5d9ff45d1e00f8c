package render

import (
	"slices"
	"strconv"
	"strings"

	"evolve/bench"
	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/runtime/agent"
)

// leastPhase is the minimum time, in seconds, of a phase in which something was done.
const leastPhase = .001

// phaseName returns the display name of a phase. For a phase that is a stage, it is the
// name of the stage.
func phaseName(phase string) string {
	if phase == model.DraftPhase {
		return "plus requests by search.reflect"
	}
	return model.StageName(phase)
}

// removed returns a description of what retention has removed from the run.
func removed(r model.RunRemoved) spans {
	what := number.Plural(r.Transcripts, "transcript")
	if r.Evaluations > 0 {
		what += " and " + number.Plural(r.Evaluations, "evaluation")
	}
	return say(styled("Removed: ", bad), what+" were removed by retention, most recently on "+number.Time(r.Time)+
		"; tables of individual evaluations count only those that remain; the verdict was reached before the removal.")
}

// healthBlocks returns the blocks that describe how the run went.
func healthBlocks(s subject) []block {
	h, v := s.agent.Health, s.report.Volatile
	var out []block
	if h.Incomplete != "" {
		out = append(out, para{Text: say(styled("Incomplete: ", bad), foreign(h.Incomplete), ".")})
	}
	for _, w := range slices.Concat(h.Scale, h.Warnings) {
		out = append(out, para{Text: say(styled("Warning: ", bad), foreign(w), ".")})
	}
	if r := v.Removed; r != nil {
		out = append(out, para{Text: removed(*r)})
	}
	stages, idle := stageTable(h.Stages)
	if len(stages.Rows) > 0 {
		out = append(out, stages)
	}
	out = append(out, append(evaluationFacts(s, idle), runFacts(s)...))
	if len(v.Guards) > 0 && s.agent.Agent == s.report.Agents[0].Agent { // the guards cover the whole run
		out = append(out, fold{Summary: say("calls to tools and providers, with retries and limits"), Blocks: []block{guards(v.Guards)}})
	}
	if len(v.Live) > 0 && s.agent.Agent == s.report.Agents[0].Agent {
		out = append(out, fold{Summary: say("calls to tools and providers in live turns of the last 7 days, under their policies"), Blocks: []block{liveGuards(v.Live)}})
	}
	return out
}

// stageTable returns a table of the numbers of evaluations in each stage; idle lists the
// names of the stages without evaluations.
func stageTable(list []model.Stage) (t table, idle []spans) {
	t = newTable(say("Evaluations by stage"), plain("stage"), figures("planned", "done", "missing", "skipped"))
	for _, st := range list {
		if st.Done+st.Missing == 0 {
			idle = append(idle, say(foreign(model.StageName(st.Stage))))
			continue
		}
		t.add("", foreign(model.StageName(st.Stage)), number.Count(st.Planned), number.Count(st.Done), number.Count(st.Missing), number.Count(st.Skipped))
	}
	return t, idle
}

// outcomeWords names an outcome.
func outcomeWords(o agent.Outcome) string {
	if o == agent.Execution {
		return "execution error"
	}
	return strings.ReplaceAll(string(o), "_", " ")
}

// evaluationFacts returns facts about the evaluations of one agent; idle lists the names of
// the stages without evaluations.
func evaluationFacts(s subject, idle []spans) facts {
	h := s.agent.Health
	var f facts
	f.add("not begun", list(idle, ", "))
	if h.Released > 0 {
		f.add("released", number.Plural(h.Released, "evaluation")+" planned for the confirmation went to the search, because there was nothing to confirm")
	}
	if h.Lent > 0 {
		f.add("moved", number.Plural(h.Lent, "evaluation")+" planned for the confirmation, which was projected to need fewer, were used to reduce the finalists to the changes that have an effect and to find equal finalists")
	}
	var outcomes []spans
	for _, o := range h.Outcomes {
		outcomes = append(outcomes, say(outcomeWords(o.Outcome)+" "+number.Count(o.Count)))
	}
	f.add("outcomes", list(outcomes, ", "))
	for _, l := range h.Lost {
		if l.Cause == "" {
			f.add("missing", number.Count(l.Count)+" due to other causes")
			continue
		}
		f.add("missing", say(number.Count(l.Count)+" × ", foreign(l.Cause)))
	}
	if p := s.agent.PassPowers; p != nil {
		var powers []spans
		for i, v := range p.Variant {
			powers = append(powers, say("k "+number.Count(v.K)+": "+number.Score(p.Champion[i].Value)+" → "+number.Score(v.Value)))
		}
		f.add("pass^k", append(list(powers, ", "), remark("the probability that all k repeats of a holdout task pass; the verdict does not use it")))
	}
	f.add("reused, retried", number.Count(s.volatile.Cached)+" found in the archive, "+number.Plural(s.volatile.Retries, "retry", "retries"))
	for _, text := range h.Judges {
		f.add("judge", clipped(text, model.MaxReason))
	}
	if h.Constant > 0 {
		f.add("repeats", "the same answer on all "+number.Plural(h.Constant, "task")+" that were run twice: ",
			"setting deterministic: true and uses_seed: false in agent.yaml would save the repeats")
	}
	return f
}

// runFacts returns facts about what the run used and how it ended.
func runFacts(s subject) facts {
	v, run := s.report.Volatile, s.report.Run
	var f facts
	f.add("budget used", budget(s.report))
	if l := s.volatile.Limit; l != nil {
		f.add("binding limit", limitText(*l))
	}
	if v.Seconds > 0 {
		var phases []string
		for _, p := range v.Phases {
			if p.Seconds >= leastPhase {
				phases = append(phases, phaseName(p.Phase)+" "+number.Duration(p.Seconds))
			}
		}
		value := say(number.Duration(v.Seconds))
		if len(phases) > 0 {
			parts := "  " + strings.Join(phases, ", ")
			if len(s.report.Agents) > 1 {
				parts += "; all agents together, and parts of different agents can overlap"
			}
			value = append(value, theirs(parts, aside))
		}
		f.add("time", value)
	}
	if v.Concurrency > 0 && run.State != model.RunRunning { // the maximum is recorded at the end
		f.add("concurrency", number.Count(v.Reached)+" reached of "+number.Count(v.Concurrency)+" allowed")
	}
	if v.Resumed > 0 {
		f.add("resumed", number.Plural(v.Resumed, "time"))
	}
	f.add("sandbox", clipped(s.volatile.Sandbox, model.MaxReason))
	ended := say(foreign(string(run.State)))
	if !v.Ended.IsZero() { // a process that died left no exit code
		ended = append(ended, say(", exit "+strconv.Itoa(run.Exit))...)
	}
	if run.Reason != "" {
		ended = append(ended, say(": ", clipped(run.Reason, model.MaxReason))...)
	}
	f.add("ended", ended)
	return f
}

// noiseFact returns the fact that shows how much the champion differs from a rerun of
// itself, or why there was no rerun.
func noiseFact(s subject) fact {
	n := s.agent.Health.Noise
	if n == nil {
		return fact{"champion against itself", say(styled("not run", dim), remark(noRerun(s)))}
	}
	return fact{"champion against itself", say(number.Points(n.Difference)+" points  "+number.Interval(n.Lo, n.Hi), noiseWord(n))}
}

// noRerun returns the reason why the champion was not compared with a rerun of itself.
func noRerun(s subject) string {
	if p := s.agent.Provenance; p.Deterministic && !p.UsesSeed {
		return "a repeat would give the same answers"
	}
	for _, stage := range s.agent.Health.Stages {
		if stage.Stage == string(bench.StageAA) && stage.Planned > 0 {
			return "the run ended before both reruns were complete"
		}
	}
	return "no evaluations were planned for it"
}

func noiseWord(n *model.Noise) span {
	if n.Drifted {
		return styled("  drifted: p "+number.PValue(n.P), bad)
	}
	if n.P <= 1-n.Level { // the interval does not contain 0
		return remark("p " + number.PValue(n.P) + "; drift is reported only for p below .01, because one night in twenty has a p of .05 or less by chance alone")
	}
	return remark("no drift was shown, p " + number.PValue(n.P))
}

// limitText returns a description of the limit on the work, and of what one evaluation
// took.
func limitText(l model.AgentLimit) spans {
	out := say(model.LimitWords(l))
	if l.Made > 0 {
		took := number.Duration(l.Seconds)
		if l.USD > 0 {
			took += " and " + number.Dollars(l.USD)
		}
		out = append(out, remark(took+" per evaluation; evaluations measured: "+number.Count(l.Made)+", "+number.Count(l.Parallel)+" at once"))
	}
	return out
}

func budget(r model.Report) string {
	run, v := r.Run, r.Volatile
	paid := v.CostUSD
	scored := usedOf(r)
	used := number.Plural(scored, "evaluation")
	if run.BudgetEvals > 0 {
		used = number.Count(scored) + " of " + number.Plural(run.BudgetEvals, "evaluation")
	}
	if paid > 0 || run.BudgetUSD > 0 {
		used += ", " + number.Dollars(paid)
		if run.BudgetUSD > 0 {
			used += " of " + number.Dollars(run.BudgetUSD)
		}
		if v.JudgeUSD > 0 {
			used += " (" + number.Dollars(v.JudgeUSD) + " of it for judges)"
		}
		if v.PatchUSD > 0 {
			used += " (" + number.Dollars(v.PatchUSD) + " of it for patches)"
		}
		if v.ToolUSD > 0 {
			used += " (" + number.Dollars(v.ToolUSD) + " of it for rewriting tools)"
		}
		if v.UnrecordedUSD > 0 {
			used += " (" + number.Dollars(v.UnrecordedUSD) + " of it for calls that were repeated or cut off)"
		}
	}
	if run.BudgetSeconds > 0 {
		used += ", at most " + number.Duration(run.BudgetSeconds)
	}
	return used
}

// provenanceBlocks returns the blocks that identify everything on which the figures depend.
func provenanceBlocks(s subject) []block {
	p, v, run := s.agent.Provenance, s.report.Volatile, s.report.Run
	var f facts
	f.add("run", say(foreign(run.ID)))
	f.add("suites", foreignList(p.Suites))
	f.add("suite", say(foreign(p.SuiteHash)))
	f.add("split", say(foreign(p.SplitHash), remark(number.Count(p.SearchTasks)+" search, "+number.Count(p.HoldoutTasks)+" holdout")))
	f.add("agent", say(foreign(p.AgentHash)))
	f.add("adapter", append(say(foreign(p.Adapter)), nature(p)...))
	f.add("space", say(foreign(p.SpaceHash)))
	f.add("prices", say(foreign(p.PricesHash)))
	f.add("champion", say(foreign(string(p.Champion))))
	if s.agent.Headline != nil {
		f.add("variant", say(foreign(string(s.agent.Headline.Variant.ID))))
	}
	f.add("seed, lookahead", say(strconv.FormatInt(run.Seed, 10)+", "+strconv.Itoa(run.Lookahead)))
	f.add("selection", say(foreign(run.Selection)))
	f.add("policies", say(foreign(run.Policy)))
	f.add("stages", foreignList(run.Stages))
	if !v.Started.IsZero() {
		f.add("started", say(number.Time(v.Started)))
	}
	if !v.Ended.IsZero() {
		f.add("ended", say(number.Time(v.Ended)))
	}
	f.add("host", say(foreign(v.Host)))
	f.add("binary", say(foreign(v.Binary)))
	for _, q := range s.volatile.Proposals {
		if q.Commit != "" {
			f.add("commit", say(foreign(q.Commit), theirs("  of "+q.ID, aside)))
		}
		if q.Evidence != "" {
			f.add("evidence", say(foreign(q.Evidence), theirs("  of "+q.ID, aside)))
		}
	}
	if v.LedgerError != "" {
		f.add("ledger", say(styled("broken: ", bad), clipped(v.LedgerError, model.MaxReason)))
	} else {
		f.add("ledger head", say(foreign(v.LedgerHead), remark(number.Plural(int(v.LedgerEntries), "record")+" in the ledger")))
	}
	f.add("verify", say(styled("evolve audit verify", command)))
	return []block{f}
}

// nature returns a remark on whether repeats of this agent can differ.
func nature(p model.Provenance) spans {
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

// usedOf returns the number of a run's evaluations that count as used, which are those with
// a score.
func usedOf(r model.Report) int {
	used := r.Run.Evaluations
	for _, a := range r.Agents {
		for _, s := range a.Health.Stages {
			used -= s.Missing
		}
	}
	return used
}
