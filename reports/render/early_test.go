package render

import (
	"strings"
	"testing"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/reports/model"
)

// earlyWorld returns a night that ended in the given state, for the given reason, before
// anything was decided.
func earlyWorld(t testing.TB, state archive.RunState, reason string, change func(*world, *archive.AgentResult)) *world {
	w := newWorld(t, 0)
	w.open(5, "solver")
	champion := w.variant("solver", "default", config(.75, []string{"recall"}, strategy))
	w.plan("solver", champion, archive.AgentPlan{Search: 100, HoldoutTasks: 3})
	sentence := "the run ended before there was anything to decide"
	res := archive.AgentResult{Run: w.run.ID, Agent: "solver", Verdict: archive.Undecided, Reason: sentence, Causes: []stats.Cause{{Kind: stats.CauseEnded, Sentence: sentence}}}
	if change != nil {
		change(w, &res)
	}
	w.must(w.a.PutResult(w.ctx, res))
	w.end()
	w.run.State, w.run.Exit, w.run.Reason = state, 7, reason
	w.must(w.a.PutRun(w.ctx, w.run))
	return w
}

// TestEarlyNightShowsItsCause checks that the box, the annotation and the test report of a
// night that ended early show the cause and the command that helps.
func TestEarlyNightShowsItsCause(t *testing.T) {
	t.Parallel()
	ended := "the run ended before there was anything to decide"
	for name, c := range map[string]struct {
		state          archive.RunState
		reason         string
		change         func(*world, *archive.AgentResult)
		sentence, kind string
		commands       []string
	}{
		"failed": {
			archive.RunFailed, "agent solver: agent.yaml\nis missing", nil,
			ended + ": agent solver: agent.yaml is missing", "error",
			[]string{"evolve doctor", "evolve run --resume"},
		},
		"a program that failed": {
			archive.RunFailed, "exit status 1", func(w *world, _ *archive.AgentResult) { w.run.Try = "evolve agent run --agent solver --task t1" },
			ended + ": exit status 1", "error",
			[]string{"evolve agent run --agent solver --task t1", "evolve run"},
		},
		"an outage that the night recorded": {
			archive.RunFailed, "agent solver: connection refused", func(_ *world, r *archive.AgentResult) { r.Reason = "connection refused" },
			"connection refused", "error",
			[]string{"evolve doctor", "evolve run --resume"},
		},
		"interrupted": {
			archive.RunInterrupted, "a person stopped it", nil,
			ended + ": a person stopped it", "warning",
			[]string{"evolve run --resume"},
		},
		"interrupted while a proposal waits": {
			archive.RunInterrupted, "a person stopped it", func(w *world, r *archive.AgentResult) {
				r.Verdict, r.Reason = archive.Waits, "P1 waits for a decision; "+ended
				w.await(archive.Awaiting)
			},
			"P1 waits for a decision; " + ended + ": a person stopped it", "warning",
			[]string{"evolve run --resume", "evolve approve P1", "evolve show P1", `evolve reject P1 --reason "…"`},
		},
		"a budget too small": {
			archive.RunDone, "the limit on time ended the run", func(_ *world, r *archive.AgentResult) {
				r.Reason, r.Causes, r.Incomplete, r.Finished = "", nil, "the limit on time left no evaluations for the agent", true
			},
			"the limit on time ended the run", "warning",
			[]string{"evolve run --dry-run"},
		},
		"a part was confirmed": {
			archive.RunFailed, "the disk is full", func(_ *world, r *archive.AgentResult) {
				r.Reason, r.Causes = "the confirmation was cut short", []stats.Cause{{Kind: "open", Sentence: "the confirmation was cut short"}}
			},
			"the confirmation was cut short; the run ended early: the disk is full", "error",
			[]string{"evolve doctor", "evolve run --resume"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := earlyWorld(t, c.state, c.reason, c.change).report()
			d := r.Agents[0].Decision
			if d.Sentence != c.sentence || strings.Join(d.Commands, "|") != strings.Join(c.commands, "|") {
				t.Errorf("%q with %q, want %q with %q", d.Sentence, d.Commands, c.sentence, c.commands)
			}
			line := rendered(t, GitHub, r)
			if !strings.HasPrefix(line, "::"+c.kind+" title=") || !strings.Contains(line, githubData.Replace(c.sentence)+"; "+c.commands[0]) {
				t.Errorf("the annotation is %s", line)
			}
			kind := string(c.state)
			if c.state == archive.RunDone {
				kind = "budget"
			}
			s := readSuites(t, r).Suites[0]
			if s.Tests != 1 || s.Errors != 1 || s.Failures != 0 || s.Cases[0].Error == nil || s.Cases[0].Error.Message != c.sentence || s.Cases[0].Error.Type != kind {
				t.Errorf("the test report is %+v", s)
			}
		})
	}
}

// TestEarlyNightIsBoundedAndVisible checks that the text of a cause cannot fill the page or
// control a terminal.
func TestEarlyNightIsBoundedAndVisible(t *testing.T) {
	t.Parallel()
	r := earlyWorld(t, archive.RunFailed, "\x1b[31m"+strings.Repeat("x", 5000), nil).report()
	box := rendered(t, renderings["box.txt"], r)
	if strings.Contains(box, "\x1b") || strings.Count(box, "x") > 400 || !strings.Contains(box, "xxx") {
		t.Errorf("the box is %q", box)
	}
}

// TestOnlyTheLatestRunIsResumed checks that the report of an earlier run does not name a
// command that would resume a later run.
func TestOnlyTheLatestRunIsResumed(t *testing.T) {
	t.Parallel()
	w := earlyWorld(t, archive.RunInterrupted, "a person stopped it", nil)
	w.open(6, "solver")
	w.end()
	r := w.reportOf("5")
	if got := r.Agents[0].Decision.Commands; len(got) != 1 || got[0] != "evolve run" {
		t.Errorf("%q", got)
	}
}

// TestWaitingNight checks the report of a night whose verdict is that a proposal waits:
// the report shows the command that decides on the proposal and, after the decision, what
// was decided.
func TestWaitingNight(t *testing.T) {
	t.Parallel()
	for state, want := range map[archive.ProposalState][2]string{
		archive.Awaiting:   {"P1 waits for a decision; nothing is better", "evolve approve P1"},
		archive.HumanLane:  {"P1 waits for a decision; nothing is better", `evolve approve P1 --override-reason "…"`},
		archive.Drafted:    {"P1 waits for a decision; nothing is better", "evolve show P1"},
		archive.Adopted:    {"P1 waited for a decision; nothing is better; P1 is adopted now", "evolve show P1"},
		archive.RolledBack: {"P1 waited for a decision; nothing is better; P1 is rolled back now", "evolve show P1"},
	} {
		w := earlyWorld(t, archive.RunDone, "", func(w *world, r *archive.AgentResult) {
			r.Verdict, r.Reason, r.Causes, r.Finished = archive.Waits, "P1 waits for a decision; nothing is better", nil, true
			w.await(state)
		})
		r := w.report()
		if d := r.Agents[0].Decision; d.Sentence != want[0] || d.Commands[0] != want[1] || d.Verdict != archive.Waits {
			t.Errorf("%s: %q with %q", state, d.Sentence, d.Commands)
		}
		if line := rendered(t, GitHub, r); !strings.Contains(line, want[1]) {
			t.Errorf("%s: the annotation is %s", state, line)
		}
	}
}

// await records a proposal of an earlier run that the plan of the current run lists as
// waiting.
func (w *world) await(state archive.ProposalState) {
	w.t.Helper()
	plan, err := w.a.Plan(w.ctx, w.run.ID, "solver")
	w.must(err)
	p, err := w.a.NewProposal(w.ctx, archive.ProposalRecord{Kind: archive.KindConfig, Agent: "solver", Variant: plan.Champion, Run: "4-x", Created: night})
	w.must(err)
	p.State = state
	w.must(w.a.PutProposal(w.ctx, p))
	plan.Waits = []archive.Waiting{{Proposal: "P1", Variant: plan.Champion}}
	w.must(w.a.PutPlan(w.ctx, plan))
}

func (w *world) reportOf(run string) model.Report {
	w.t.Helper()
	r, err := model.Build(w.ctx, w.a, run)
	w.must(err)
	return r
}
