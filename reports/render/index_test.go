package render

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/reports/model"
)

// manyNights returns nights of three agents, the latest first. Every tenth night has
// proposals, and every fiftieth night shows a fall. The latest proposals wait.
func manyNights(n int) []model.Summary {
	var out []model.Summary
	for i := n; i > 0; i-- {
		s := model.Summary{Run: fmt.Sprintf("%d-%08x", i, i), Number: i, State: archive.RunDone, Started: night.AddDate(0, 0, i)}
		for k, name := range []string{"helpdesk", "solver", "clerk"} {
			score := .4 + .0005*float64(i) + .02*float64((i*7+k)%5)
			a := model.AgentSummary{
				Agent: name, Verdict: archive.Keep, Champion: model.Ref{ID: "c", Number: 12}, Variant: &model.Ref{ID: "v", Number: 37},
				Effect: &model.Effect{Champion: score, Score: score + .02, Difference: .02, Lo: -.01, Hi: .05, Level: .95, Of: stats.NewTasks},
			}
			if i%10 == 0 {
				p := model.ProposalNow{ID: fmt.Sprintf("P%d", i+k), State: archive.Adopted, Created: s.Started, Decision: &archive.DecisionBrief{Action: "approve", By: "Kim <kim@example.org>", Reason: "better", Time: s.Started.AddDate(0, 0, 1)}}
				if i == n {
					p.State, p.Decision, p.Days = archive.Awaiting, nil, 3
				}
				a.Verdict, a.Proposals, a.States = archive.Adopt, []string{p.ID}, []model.ProposalNow{p}
			}
			if i%50 == 0 {
				fell := .08
				a.Fell = &fell
			}
			s.Agents = append(s.Agents, a)
		}
		out = append(out, s)
	}
	return out
}

func index(t testing.TB, runs []model.Summary) string {
	return rendered(t, func(w io.Writer, _ model.Report) error { return Index(w, runs) }, model.Report{})
}

func TestIndexHasStatesAndTrend(t *testing.T) {
	page := index(t, manyNights(20))
	for _, want := range []string{
		`<span class="chip waits"><bdi>P20</bdi> awaiting, 3 days</span>`,
		`<span class="chip adopt"><bdi>P10</bdi> adopted</span> <bdi>approve</bdi> by <bdi>Kim &lt;kim@example.<wbr>org&gt;</bdi> on `,
		`>The champion scored .`, `it was measured in 20 nights`, ` Adopted: P10.`,
		`class="mark better"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the index lacks %s", want)
		}
	}
	if n := strings.Count(page, `class="series search"`); n != 3 {
		t.Errorf("%d trends of 3 agents", n)
	}
}

// TestStatesOfProposals checks that the index shows every final state of a proposal.
func TestStatesOfProposals(t *testing.T) {
	decided := func(action string) *archive.DecisionBrief {
		return &archive.DecisionBrief{Action: action, By: "Kim", Reason: "a <reason>", Time: night}
	}
	merged := decided("approve")
	merged.Merge = &archive.MergeBrief{Remote: "origin"}
	for _, c := range []struct {
		state    archive.ProposalState
		decision *archive.DecisionBrief
		want     string
	}{
		{archive.Awaiting, nil, "</bdi> awaiting, 0 days<"},
		{archive.HumanLane, nil, "</bdi> flagged, 0 days<"},
		{archive.Adopted, decided("approve"), "</bdi> adopted</span> <bdi>approve</bdi> by <bdi>Kim</bdi> on 20 Nov 2026, “<bdi>a &lt;reason&gt;</bdi>”"},
		{archive.Adopted, merged, "</bdi> merged</span>"},
		{archive.RolledBack, decided("rollback"), "</bdi> rolled back</span> <bdi>rollback</bdi>"},
		{archive.Rejected, decided("reject"), "</bdi> rejected</span> <bdi>reject</bdi>"},
		{archive.Superseded, nil, "</bdi> superseded</span>"},
		{archive.GateFailed, nil, "</bdi> failed</span>"},
	} {
		runs := manyNights(1)
		runs[0].Agents = runs[0].Agents[:1]
		runs[0].Agents[0].States = []model.ProposalNow{{ID: "P1", State: c.state, Decision: c.decision}}
		if page := index(t, runs); !strings.Contains(page, c.want) {
			t.Errorf("a proposal that is %s: the index lacks %s", c.state, c.want)
		}
	}
}

// TestDaysAreToTheLatestRecord checks that the number of days that a proposal has waited is
// computed without a clock.
func TestDaysAreToTheLatestRecord(t *testing.T) {
	w := adoptWorld(t, 0)
	runs, err := model.Summaries(w.ctx, w.a)
	w.must(err)
	states := runs[0].Agents[0].States
	if len(states) == 0 || !states[0].Awaits() || states[0].Days != 0 {
		t.Fatalf("the states are %+v", states)
	}
	w.must(w.a.PutRun(w.ctx, archive.Run{ID: "90-0000abcd", Number: 90, State: archive.RunInterrupted, Started: states[0].Created.AddDate(0, 0, 5), Agents: []string{"helpdesk"}}))
	runs, err = model.Summaries(w.ctx, w.a)
	w.must(err)
	for _, r := range runs {
		for _, a := range r.Agents {
			for _, p := range a.States {
				if p.Days != 5 {
					t.Errorf("%s has waited %d days, want 5", p.ID, p.Days)
				}
			}
		}
	}
}

func TestLongIndexStaysSmall(t *testing.T) {
	if n := len(index(t, manyNights(400))); n > 1_000_000 {
		t.Errorf("400 nights of three agents take %d bytes", n)
	}
}
