package render

import (
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/bench"
	"evolve/reports/model"
	"evolve/runtime/agent"
)

// TestSameRecordsSameBytes builds and renders a report twice from one archive.
func TestSameRecordsSameBytes(t *testing.T) {
	for name, make := range worlds {
		w := make(t, 0)
		all := maps.Clone(renderings)
		all["html"] = HTML
		for ext, render := range all {
			if a, b := rendered(t, render, w.report()), rendered(t, render, w.report()); a != b {
				t.Errorf("%s.%s differs between two renderings: %s", name, ext, cmp.Diff(a, b))
			}
		}
	}
}

// TestVolatileStandsApart builds the report of the same run on another host, at another
// time, with other latencies and retries. Only the volatile object may differ.
func TestVolatileStandsApart(t *testing.T) {
	for name, make := range worlds {
		a, b := make(t, 0).report(), make(t, 3).report()
		if cmp.Equal(a.Volatile, b.Volatile) {
			t.Errorf("%s: the two runs do not differ in anything volatile", name)
		}
		a.Volatile, b.Volatile = model.Volatile{}, model.Volatile{}
		if x, y := rendered(t, JSON, a), rendered(t, JSON, b); x != y {
			t.Errorf("%s: something volatile stands elsewhere (-first +second)\n%s", name, cmp.Diff(x, y))
		}
	}
}

func TestUnknownRun(t *testing.T) {
	w := newWorld(t, 0)
	if _, err := model.Build(w.ctx, w.a, "9"); !errors.Is(err, archive.ErrNotFound) {
		t.Errorf("the report of a run that never was: %v", err)
	}
}

// TestRunningRun checks the report of a run that is still in progress.
func TestRunningRun(t *testing.T) {
	w := newWorld(t, 0)
	w.open(1, "solver")
	r := w.report()
	if got := r.Agents[0].Decision; got.Verdict != "" || got.Sentence != "the run is still in progress; there is no verdict yet" {
		t.Errorf("a running run says %q, %q", got.Verdict, got.Sentence)
	}
}

// TestCountsComeFromEvaluations stores a result whose counters are wrong and checks that
// the report counts the evaluations.
func TestCountsComeFromEvaluations(t *testing.T) {
	w := adoptWorld(t, 0)
	want := w.report().Agents[0]
	res, err := w.a.Result(w.ctx, w.run.ID, "helpdesk")
	w.must(err)
	res.Search.Evaluations, res.Search.Variants, res.Infrastructure, res.Blocks = 9999, 9999, 9999, 9999
	f := &res.Finalist[0].Comparison
	f.Wins, f.Losses, f.Ties, f.Repeats = 9999, 9999, 9999, 9999
	w.must(w.a.PutResult(w.ctx, res))
	got := w.report().Agents[0]
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stored counters reached the report (-before +after)\n%s", diff)
	}
	h := want.Headline
	if h.Wins+h.Losses+h.Ties != 60 || h.Tasks != 60 || h.Repeats != 4 || want.Honesty.Evaluations != 763 {
		t.Errorf("counted %+v and %d evaluations", h, want.Honesty.Evaluations)
	}
}

// TestBlockCutShort checks that the evaluations of an unfinished block are not counted.
func TestBlockCutShort(t *testing.T) {
	w := keepWorld(t, 0)
	want := w.report().Agents[0].Tasks
	plan, err := w.a.Plan(w.ctx, w.run.ID, "helpdesk")
	w.must(err)
	for _, id := range []agent.ConfigID{plan.Champion, w.report().Agents[0].Headline.Variant.ID} {
		w.evaluate("helpdesk", trial{variant: id, task: task{"h-eng-000", "engineering"}, repeat: 2, stage: bench.StageConfirm, chance: 1})
	}
	w.must(w.a.Flush(w.ctx))
	if diff := cmp.Diff(want, w.report().Agents[0].Tasks); diff != "" {
		t.Errorf("an unfinished block was counted (-before +after)\n%s", diff)
	}
}

// TestHoldoutOpeningsAfterAnAdoption checks that a variant that an earlier run confirmed
// still counts after it has become the champion, and that the champion against which it
// was confirmed does not count.
func TestHoldoutOpeningsAfterAnAdoption(t *testing.T) {
	w := keepWorld(t, 0)
	plan, err := w.a.Plan(w.ctx, w.run.ID, "helpdesk")
	w.must(err)
	before := plan
	before.Run, before.Champion, before.Against = "1-00000000", "old", ""
	w.must(w.a.PutRun(w.ctx, archive.Run{ID: before.Run, Number: 1, State: archive.RunDone}))
	w.must(w.a.PutPlan(w.ctx, before))
	w.must(w.a.Expose(w.ctx, archive.Exposure{Agent: "helpdesk", Run: before.Run, SuiteHash: plan.SuiteHash, Variants: []agent.ConfigID{"old", plan.Champion}}))
	if h := w.report().Agents[0].Honesty; h.Opened != 2 || h.Confirmed != 2 {
		t.Errorf("opened %d times for %d variants, want 2 and 2", h.Opened, h.Confirmed)
	}
}

// TestHoldoutOpenings counts the runs up to this one that opened the same holdout.
func TestHoldoutOpenings(t *testing.T) {
	w := keepWorld(t, 0)
	for n, hash := range map[int]string{1: "5d41402abc4b2a76", 2: "another suite", 9: "5d41402abc4b2a76"} {
		id := fmt.Sprintf("%d-00000000", n)
		w.must(w.a.PutRun(w.ctx, archive.Run{ID: id, Number: n, State: archive.RunDone}))
		w.must(w.a.Expose(w.ctx, archive.Exposure{Agent: "helpdesk", Run: id, SuiteHash: hash, Variants: []agent.ConfigID{"x", "y"}}))
	}
	r, err := model.Build(w.ctx, w.a, "4")
	w.must(err)
	if h := r.Agents[0].Honesty; h.Opened != 2 || h.Confirmed != 3 {
		t.Errorf("opened %d times for %d variants, want 2 and 3", h.Opened, h.Confirmed)
	}
}

// TestMissingData checks that infrastructure failures are counted and get no score.
func TestMissingData(t *testing.T) {
	w := keepWorld(t, 0)
	want := w.report().Agents[0]
	e := bench.Evaluation{
		Key: "lost", Run: w.run.ID, Agent: "helpdesk", Variant: want.Decision.Champion.ID, Task: "s-eng-000", Stage: bench.StageSearch,
		Repeat: 7, Seq: w.seq["helpdesk"], Outcome: agent.Infrastructure, Attempts: 3, Error: "502",
	}
	w.must(w.a.Record(w.ctx, e, nil))
	w.must(w.a.Flush(w.ctx))
	r := w.report()
	got := r.Agents[0]
	if got.Health.Stages[0].Missing != 1 || got.Health.Stages[0].Done != want.Health.Stages[0].Done || got.Honesty.Evaluations != want.Honesty.Evaluations {
		t.Errorf("stages %+v, evaluations %d", got.Health.Stages[0], got.Honesty.Evaluations)
	}
	if r.Volatile.Agents[0].Retries != 2 {
		t.Errorf("%d retries, want 2", r.Volatile.Agents[0].Retries)
	}
	if diff := cmp.Diff(want.Tasks, got.Tasks); diff != "" {
		t.Errorf("missing data reached the tasks\n%s", diff)
	}
}

// TestDecidedProposal checks that the report shows the state of a proposal and the commands
// that are available in that state.
func TestDecidedProposal(t *testing.T) {
	for _, c := range []struct {
		state archive.ProposalState
		want  string
	}{
		{archive.Awaiting, "evolve approve P1"},
		{archive.HumanLane, `evolve approve P1 --override-reason "…"`},
		{archive.Adopted, "evolve rollback P1"},
		{archive.Rejected, "evolve show P1"},
	} {
		w := adoptWorld(t, 0)
		p, err := w.a.Proposal(w.ctx, "P1")
		w.must(err)
		p.State, p.Decision = c.state, &archive.DecisionBrief{Action: "approve", By: "Ada", Time: night}
		w.must(w.a.PutProposal(w.ctx, p))
		r := w.report()
		if got := r.Agents[0].Decision.Commands[0]; got != c.want {
			t.Errorf("%s offers %q, want %q", c.state, got, c.want)
		}
		if r.Volatile.Agents[0].Proposals[0].Decision.By != "Ada" {
			t.Errorf("%s: who decided is missing", c.state)
		}
	}
}

// TestSeveralProposals checks that the section on a decision with several proposals begins
// with the review of all of them.
func TestSeveralProposals(t *testing.T) {
	w := adoptWorld(t, 0)
	p, err := w.a.Proposal(w.ctx, "P1")
	w.must(err)
	p.ID = ""
	p, err = w.a.NewProposal(w.ctx, p)
	w.must(err)
	res, err := w.a.Result(w.ctx, w.run.ID, "helpdesk")
	w.must(err)
	res.Proposals = append(res.Proposals, p.ID)
	w.must(w.a.PutResult(w.ctx, res))
	if got := w.report().Agents[0].Decision.Commands[0]; got != "evolve review" {
		t.Errorf("two proposals offer %q, want the review", got)
	}
}
