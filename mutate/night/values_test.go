package night

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/confirm"
	"evolve/bench/metrics"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// codeNightsOf has a target whose versions are texts. The first word of a version's text
// determines its behaviour, and a comment may follow. On task 0 of the search, "rare"
// behaves differently from "good".
func codeNightsOf(t *testing.T) *nights {
	t.Helper()
	o := wordyNights(t)
	o.Agent.Hunks, o.Settings.Reflect.Routes = true, nil
	o.Evaluations = 400
	rare := o.suite().Side(bench.Search)[0].Input
	o.Answer = func(_ context.Context, req agent.Request) agent.Result {
		var k int
		if err := json.Unmarshal(req.Task.Input, &k); err != nil {
			return agent.Result{Outcome: agent.Execution, Error: err.Error()}
		}
		answer := "no"
		switch does, _, _ := strings.Cut(req.Config.String("strategy"), " "); {
		case does == "good", does == "rare" && string(req.Task.Input) != string(rare), does == "other" && k%4 > 0:
			answer = "yes"
		}
		return agent.Result{Answer: &answer, Outcome: agent.OK}
	}
	return o
}

// version returns the champion with another text.
func (o *nights) version(text string) agent.Config {
	c := o.Agent.Champion.Clone()
	c["strategy"] = text
	return c
}

// measureOn evaluates versions on the search tasks, leaving out the first ones; skipped
// is the number of tasks left out.
func (n *night) measureOn(t *testing.T, skipped int, versions ...agent.Config) {
	t.Helper()
	var jobs []bench.Job
	for _, c := range versions {
		if err := n.putVariant(t.Context(), archive.Variant{ID: c.ID(), Config: c, Operator: "test"}, nil); err != nil {
			t.Fatal(err)
		}
		for _, task := range n.sample.Search[skipped:] {
			jobs = append(jobs, bench.Job{Variant: c.ID(), Config: c, Task: task, Stage: bench.StageSearch, Seq: seqSearch + n.got.Load() + int64(len(jobs))})
		}
	}
	if _, err := n.batch(t.Context(), "search", jobs, 0, len(jobs)); err != nil {
		t.Fatal(err)
	}
	if err := n.Archive.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestARejectedVersionIsNamedByHeldOutCases checks that a proposal of a version names an
// earlier version that a person rejected if the two versions are alike on held-out cases,
// even if they share few search cases.
func TestARejectedVersionIsNamedByHeldOutCases(t *testing.T) {
	o := codeNightsOf(t)
	n := o.start(t)
	search := n.sample.Search
	good, again := o.version("good"), o.version("good # again")
	confirm := func(c agent.Config) {
		t.Helper()
		var jobs []bench.Job
		for _, task := range n.sample.Holdout[:12] {
			jobs = append(jobs, bench.Job{Variant: c.ID(), Config: c, Task: task, Stage: bench.StageConfirm, Seq: seqConfirm + n.got.Load() + int64(len(jobs))})
		}
		if _, err := n.batch(t.Context(), "confirm", jobs, 0, len(jobs)); err != nil {
			t.Fatal(err)
		}
	}
	n.sample.Search = search[:3]
	n.measureOn(t, 0, good, again)
	n.sample.Search = search
	confirm(good)
	confirm(again)
	o.finish(t, *n.Run, nil)
	o.proposed(t, n.Run.ID, good, archive.ProposalRecord{State: archive.RolledBack, Decision: &archive.DecisionBrief{Reason: "it hides a bug", Time: o.Now()}})
	words, err := RefusedAlike(t.Context(), o.Archive, *n.Plan, again.ID())
	if want := "it has the same values as P1 on the 15 tasks on which both have scores, 12 of them held out; P1 was "; err != nil || !strings.HasPrefix(words, want) {
		t.Errorf("a proposal would tell %q, %v", words, err)
	}
}

// finalists returns a recommendation whose finalists are these versions, with decreasing
// gains.
func (o *nights) finalists(versions ...agent.Config) *mutate.Recommendation {
	rec := &mutate.Recommendation{Champion: mutate.Estimate{Variant: o.Agent.Champion.ID(), Config: o.Agent.Champion, Score: .2}}
	for i, c := range versions {
		rec.Finalists = append(rec.Finalists, mutate.Estimate{Variant: c.ID(), Config: c, Gain: .6 - float64(i)/100, SD: .01})
	}
	return rec
}

func texts(rec *mutate.Recommendation) []string {
	var out []string
	for _, f := range rec.Finalists {
		out = append(out, f.Config.String("strategy"))
	}
	return out
}

// proposed records a proposal of a version.
func (o *nights) proposed(t *testing.T, run string, c agent.Config, p archive.ProposalRecord) {
	t.Helper()
	p.Kind, p.Agent, p.Run, p.Created, p.Patch = archive.KindPatch, "search over toy", run, o.Now(), &archive.PatchBrief{Target: "toy", Variant: c.ID()}
	if _, err := o.Archive.NewProposal(t.Context(), p); err != nil {
		t.Fatal(err)
	}
}

func (o *nights) entry(t *testing.T, n *night, c agent.Config) {
	t.Helper()
	e := confirm.Entry{Agent: "toy", Variant: c.ID(), Champion: n.Plan.Champion, Run: n.Run.ID, Holds: n.conditions(), Time: o.Now(), Alpha: .01, Runs: []string{n.Run.ID}}
	if _, err := o.Archive.EnterCandidate(t.Context(), e); err != nil {
		t.Fatal(err)
	}
}

// TestWhatAPersonRejectedStaysOutInOtherWords checks that a version is not a finalist if
// it has the same values as a version that a person rejected. A version that differs on
// one case is a finalist. So is a version with the same values as a version that failed
// tests, because tests concern its text. Versions that deceive stay out however they are
// worded.
func TestWhatAPersonRejectedStaysOutInOtherWords(t *testing.T) {
	o := codeNightsOf(t)
	n := o.start(t)
	n.measureOn(t, 0, o.Agent.Champion, o.version("good"), o.version("other"))
	o.finish(t, *n.Run, nil)
	reject := archive.ProposalRecord{State: archive.Rejected, Decision: &archive.DecisionBrief{Reason: "it hides a bug", Time: o.Now()}}
	o.proposed(t, n.Run.ID, o.version("good"), reject)
	o.proposed(t, n.Run.ID, o.version("other"), archive.ProposalRecord{State: archive.GateFailed, Gates: []archive.GateVerdict{{Gate: "tests", Verdict: "failed"}}})

	begin := func() *night {
		t.Helper()
		n := o.start(t)
		n.measureOn(t, 0, o.Agent.Champion, o.version("good # again"), o.version("rare"), o.version("other # again"))
		if err := n.findLeftOut(t.Context(), n.Run.ID); err != nil {
			t.Fatal(err)
		}
		return n
	}
	pruned := func(n *night) []string {
		t.Helper()
		rec := o.finalists(o.version("good # again"), o.version("rare"), o.version("other # again"))
		if err := n.prune(t.Context(), rec); err != nil {
			t.Fatal(err)
		}
		return texts(rec)
	}
	second := begin()
	if got := pruned(second); !slices.Equal(got, []string{"rare", "other # again"}) {
		t.Fatalf("the finalists are %q", got)
	}
	want := fmt.Sprintf("it has the same values as P1 on all %d search tasks; P1 was rejected on %s: it hides a bug", len(second.sample.Search), o.Now().UTC().Format("2006-01-02"))
	if got := second.result.LeftOut; len(got) != 1 || got[0].Proposal != "P1" || got[0].Reason != want {
		t.Errorf("left out are %+v", got)
	}
	if words, err := RefusedAlike(t.Context(), o.Archive, *second.Plan, o.version("good # again").ID()); err != nil || words != want {
		t.Errorf("a proposal would tell %q, %v", words, err)
	}
	o.finish(t, *second.Run, nil)

	o.Agent.Hash = "changed"
	third := begin()
	if got := pruned(third); !slices.Equal(got, []string{"good # again", "rare", "other # again"}) {
		t.Errorf("after the agent's code changed the finalists are %q", got)
	}
	o.finish(t, *third.Run, nil)

	o.Agent.Hash = "toy"
	o.proposed(t, n.Run.ID, o.version("other"), archive.ProposalRecord{State: archive.GateFailed, Gates: []archive.GateVerdict{{Gate: "program", Verdict: "failed", Deceives: true}}})
	fourth := begin()
	if got := pruned(fourth); !slices.Equal(got, []string{"rare"}) {
		t.Errorf("after a gate found that one deceives, the finalists are %q", got)
	}
}

// TestACommitThatChangesNoValueReopensNothing checks, for a target with a scoring
// command, that a rejected version stays excluded as long as the suite is the same,
// because the suite has the values of the current code.
func TestACommitThatChangesNoValueReopensNothing(t *testing.T) {
	o := codeNightsOf(t)
	o.Agent.Relative = true
	o.Agent.Metric = &metrics.Kind{Name: "toy", Better: metrics.Higher, Size: 1}
	o.Answer = func(_ context.Context, req agent.Request) agent.Result {
		does, _, _ := strings.Cut(req.Config.String("strategy"), " ")
		answer := fmt.Sprintf(`{"case":%q,"metric":"toy","value":%d,"better":"higher"}`, req.Task.Input, len(does))
		return agent.Result{Answer: &answer, Outcome: agent.OK}
	}
	n := o.start(t)
	n.measureOn(t, 0, o.Agent.Champion, o.version("good"))
	o.finish(t, *n.Run, nil)
	o.proposed(t, n.Run.ID, o.version("good"), archive.ProposalRecord{State: archive.RolledBack})
	for _, change := range []struct {
		hash, suite string
		want        int
	}{{"toy", "toys", 0}, {"another commit", "toys", 0}, {"another commit", "other cases", 1}} {
		o.Agent.Hash, o.suite().Hash = change.hash, change.suite
		n := o.start(t)
		n.measureOn(t, 0, o.Agent.Champion, o.version("best # as long"))
		rec := o.finalists(o.version("best # as long"))
		if err := n.prune(t.Context(), rec); err != nil {
			t.Fatal(err)
		}
		if len(rec.Finalists) != change.want {
			t.Errorf("%+v: the finalists are %q", change, texts(rec))
		}
		o.finish(t, *n.Run, nil)
	}
}

// TestOneEntryForEachSetOfValues checks that only the first of several finalists with
// equal values stays, that a finalist with the values of an earlier entry is replaced by
// that entry, and that a finalist with the values of the current code is dropped.
func TestOneEntryForEachSetOfValues(t *testing.T) {
	o := codeNightsOf(t)
	n := o.start(t)
	n.measureOn(t, 0, o.Agent.Champion, o.version("other"))
	o.entry(t, n, o.version("other"))
	o.finish(t, *n.Run, nil)

	n = o.start(t)
	list := []agent.Config{o.version("good # a"), o.version("bad"), o.version("rare"), o.version("good # b"), o.version("other # c"), o.version("other # d")}
	n.measureOn(t, 0, append(list, o.Agent.Champion)...)
	rec := o.finalists(list...)
	if err := n.prune(t.Context(), rec); err != nil {
		t.Fatal(err)
	}
	if got := texts(rec); !slices.Equal(got, []string{"good # a", "rare", "other"}) {
		t.Errorf("the finalists are %q", got)
	}
	if class := n.values.Class(o.version("good # a").ID()); len(class) != 1 || class[0] != o.version("good # b").ID() {
		t.Errorf("equal are %v", class)
	}
}

// TestWhatTooFewCasesShowIsScored checks a finalist that matches an earlier entry on all
// cases for which both have values. The finalist and the entry are scored on the
// remaining cases. The finalist is dropped only if all values are equal. It also stays if
// too few evaluations remain for the scoring.
func TestWhatTooFewCasesShowIsScored(t *testing.T) {
	for name, c := range map[string]struct {
		entered, text string
		confirm, left int
		want          []string
	}{
		"equal":            {"good", "good # again", 200, 3, []string{"good"}},
		"differ on one":    {"good", "rare", 200, 3, []string{"rare"}},
		"never enough":     {"good", "good # again", 20, 3, []string{"good # again"}},
		"spent on others":  {"good", "good # again", 20, 0, []string{"good"}},
		"differ on common": {"good", "other", 200, 3, []string{"other"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := codeNightsOf(t)
			n := o.start(t)
			n.measureOn(t, 5, o.version(c.entered))
			o.entry(t, n, o.version(c.entered))
			o.finish(t, *n.Run, nil)

			n = o.start(t)
			n.measureOn(t, 3, o.version(c.text))
			n.measureOn(t, 0, o.Agent.Champion)
			n.Plan.Ablate, n.Plan.Confirm = 3, c.confirm
			if c.left == 0 {
				n.Plan.Ablate = 100
			}
			rec := o.finalists(o.version(c.text))
			if err := n.prune(t.Context(), rec); err != nil {
				t.Fatal(err)
			}
			if got := texts(rec); !slices.Equal(got, []string{c.text}) {
				t.Fatalf("before, the finalists are %q", got)
			}
			m, err := n.newMinimisation(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			was := n.got.Load()
			m.left = c.left
			if err := m.settle(t.Context(), rec, nil); err != nil {
				t.Fatal(err)
			}
			if got := texts(rec); !slices.Equal(got, c.want) {
				t.Errorf("the finalists are %q", got)
			}
			if made := n.got.Load() - was; (made > 0) != (c.confirm == 200 && c.text != "other") || made > 8 || m.left < 0 {
				t.Errorf("%d evaluations were made, %d are left", made, m.left)
			}
		})
	}
}
