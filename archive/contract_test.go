package archive

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/bench"
	"evolve/runtime/agent"
)

// day is the time that the tests' clocks show.
var day = time.Date(2026, 3, 1, 2, 0, 0, 123456789, time.UTC)

func evaluation(run string, seq int64) bench.Evaluation {
	return bench.Evaluation{
		Key: bench.Key(fmt.Sprintf("%064x", seq+1)), Run: run, Agent: "solver",
		Variant: agent.Config{"k": seq % 7}.ID(), Task: fmt.Sprintf("task-%03d", seq%100), Domain: "engineering",
		Split: bench.Search, Stage: bench.StageSearch, Repeat: int(seq / 100), Seed: 1000 + seq, Seq: seq,
		Outcome: agent.OK, Scored: true, Score: float64(seq%3) / 2, Pass: seq%3 == 2,
		Grades:  []bench.Grade{{Type: "exact", Score: float64(seq%3) / 2, Pass: seq%3 == 2}},
		Usage:   agent.Usage{InputTokens: 120, OutputTokens: 15, CostUSD: 0.0021, Iterations: 2},
		Latency: 153 * time.Millisecond, Attempts: 1, Answer: fmt.Sprintf("answer %d", seq),
		Time: day.Add(time.Duration(seq) * time.Second),
	}
}

func transcript(text string) *agent.Transcript {
	return &agent.Transcript{Events: []agent.Event{{Kind: agent.EventModel, Name: "heuristic", Text: text, Outcome: agent.OK}}}
}

func collect[T any](t *testing.T, seq func(func(T, error) bool)) []T {
	t.Helper()
	var out []T
	for v, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// pairOf is an archive to write to and an archive through which to read what was written;
// the two may be the same.
type pairOf struct{ w, r *Archive }

// contract checks an implementation against the promises of the doc comments.
func contract(t *testing.T, open func(t *testing.T) pairOf) {
	ctx := context.Background()
	t.Run("variants", func(t *testing.T) {
		p := open(t)
		for i := range 12 {
			v := must(p.w.PutVariant(ctx, Variant{Agent: "solver", Config: agent.Config{"k": int64(i), "s": "x"}, Operator: "default", Time: day}))(t)
			if v.Number != i+1 {
				t.Fatalf("variant %d got number %d", i, v.Number)
			}
		}
		first := must(p.w.PutVariant(ctx, Variant{Agent: "other", Config: agent.Config{"k": int64(0)}}))(t)
		if first.Number != 1 {
			t.Errorf("another agent's first variant got number %d", first.Number)
		}
		again := must(p.w.PutVariant(ctx, Variant{Agent: "solver", Config: agent.Config{"k": int64(3), "s": "x"}, Operator: "other"}))(t)
		if again.Number != 4 || again.Operator != "default" {
			t.Errorf("an equal config was stored again: %+v", again)
		}
		all := collect(t, p.r.Variants(ctx, "solver"))
		if len(all) != 12 || all[11].Number != 12 {
			t.Fatalf("got %d variants", len(all))
		}
		for _, name := range []string{"v4", string(again.ID), string(again.ID[:12])} {
			got := must(p.r.FindVariant(ctx, "solver", name))(t)
			if diff := cmp.Diff(again, got); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
		for _, name := range []string{"v13", "v0", "zz", "", "v"} {
			if _, err := p.r.FindVariant(ctx, "solver", name); !errors.Is(err, ErrNotFound) {
				t.Errorf("%q: %v", name, err)
			}
		}
		if _, err := p.w.PutVariant(ctx, Variant{ID: "beef", Agent: "solver", Config: agent.Config{"k": int64(99)}}); err == nil {
			t.Error("an id that is not the config's was stored")
		}
	})
	t.Run("evaluations", func(t *testing.T) {
		p := open(t)
		var want []bench.Evaluation
		for seq := range int64(700) {
			e := evaluation("1-a", seq)
			want = append(want, e)
			if seq%2 == 0 {
				e.Transcript = transcript(fmt.Sprint("step ", seq))
			}
			if err := p.w.Record(ctx, e, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.w.Flush(ctx); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, collect(t, p.r.Evaluations(ctx, "1-a", "solver"))); diff != "" {
			t.Error(diff)
		}
		if got := collect(t, p.r.Evaluations(ctx, "1-a", "solve")); len(got) != 0 {
			t.Errorf("another agent has %d evaluations", len(got))
		}
		n := 0
		for _, err := range p.r.Evaluations(ctx, "1-a", "solver") {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == 300 {
				break
			}
		}
		got, ok, err := p.r.Cached(ctx, want[17].Key)
		if err != nil || !ok || !cmp.Equal(got, want[17]) {
			t.Errorf("cached: %v %v %v", got, ok, err)
		}
		if _, ok, err := p.r.Cached(ctx, "nothing"); ok || err != nil {
			t.Errorf("cached nothing: %v %v", ok, err)
		}
		if tr := must(p.r.Transcript(ctx, want[4].Key))(t); tr.Events[0].Text != "step 4" {
			t.Errorf("transcript: %+v", tr)
		}
		if _, err := p.r.Transcript(ctx, want[5].Key); !errors.Is(err, ErrNotFound) {
			t.Errorf("transcript that was not kept: %v", err)
		}
	})
	t.Run("references", func(t *testing.T) { contractReferences(t, open(t)) })
	t.Run("runs", func(t *testing.T) {
		p := open(t)
		if _, err := p.r.Run(ctx, ""); !errors.Is(err, ErrNotFound) {
			t.Errorf("latest of none: %v", err)
		}
		for n := 1; n <= 11; n++ {
			r := Run{ID: fmt.Sprintf("%d-x", n), Number: n, State: RunRunning, Started: day}
			if err := p.w.PutRun(ctx, r); err != nil {
				t.Fatal(err)
			}
		}
		last := Run{
			ID: "11-x", Number: 11, State: RunDone, Started: day, Ended: day.Add(time.Hour), Agents: []string{"solver"}, Exit: 3,
			Phases: map[string]time.Duration{"search": time.Minute},
		}
		if err := p.w.PutRun(ctx, last); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"", "11", "11-x"} {
			if diff := cmp.Diff(last, must(p.r.Run(ctx, name))(t)); diff != "" {
				t.Errorf("%q: %s", name, diff)
			}
		}
		var order []int
		for _, r := range collect(t, p.r.Runs(ctx)) {
			order = append(order, r.Number)
		}
		if diff := cmp.Diff([]int{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, order); diff != "" {
			t.Error(diff)
		}
		if err := p.w.PutRun(ctx, Run{ID: "11-y", Number: 11}); err == nil {
			t.Error("a number was given to two runs")
		}
		if _, err := p.r.Run(ctx, "12"); !errors.Is(err, ErrNotFound) {
			t.Errorf("run 12: %v", err)
		}
		plan := AgentPlan{Run: "11-x", Agent: "solver", Suites: []string{"starter"}, Search: 100, Detectable: .05}
		result := AgentResult{
			Run: "11-x", Agent: "solver", Verdict: Keep, Reason: "nothing was better",
			Search: SearchResult{Evaluations: 100, Champion: ScoredVariant{Config: agent.Config{"k": int64(1), "f": .5}}},
		}
		if err := errors.Join(p.w.PutPlan(ctx, plan), p.w.PutResult(ctx, result)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(plan, must(p.r.Plan(ctx, "11-x", "solver"))(t)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(result, must(p.r.Result(ctx, "11-x", "solver"))(t)); diff != "" {
			t.Error(diff)
		}
		if _, err := p.r.Result(ctx, "11-x", "other"); !errors.Is(err, ErrNotFound) {
			t.Errorf("result of another agent: %v", err)
		}
	})
	t.Run("proposals", func(t *testing.T) { contractProposals(t, open(t)) })
	t.Run("requests", func(t *testing.T) { contractRequests(t, open(t)) })
	t.Run("candidates", func(t *testing.T) { contractCandidates(t, open(t)) })
	t.Run("tool health", func(t *testing.T) { contractToolHealth(t, open(t)) })
	t.Run("experience", func(t *testing.T) { contractExperience(t, open(t)) })
	t.Run("turns", func(t *testing.T) { contractTurns(t, open(t)) })
	t.Run("ledger", func(t *testing.T) { contractLedger(t, open(t)) })
	t.Run("holdout and mutations", func(t *testing.T) {
		p := open(t)
		for i := range 3 {
			x := Exposure{Agent: "solver", Run: fmt.Sprint(i), SuiteHash: "h", Tasks: i, Repeats: 2, Time: day}
			if err := p.w.Expose(ctx, x); err != nil {
				t.Fatal(err)
			}
		}
		if got := collect(t, p.r.Exposures(ctx, "solver")); len(got) != 3 || got[2].Run != "2" {
			t.Errorf("exposures: %+v", got)
		}
		m := Mutation{Agent: "solver", Parent: "aa", Child: "bb", Operator: "perturb", Run: "1", Gain: .25, Known: true}
		if err := p.w.PutMutation(ctx, m); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]Mutation{m}, collect(t, p.r.Mutations(ctx, "solver"))); diff != "" {
			t.Error(diff)
		}
		for child, want := range map[agent.ConfigID]bool{"bb": true, "b": false, "aa": false} {
			if got := p.r.SearchView("solver", nil).Tried(child); got != want {
				t.Errorf("tried %s: %v", child, got)
			}
		}
	})
}

func contractReferences(t *testing.T, p pairOf) {
	ctx := context.Background()
	record := func(e bench.Evaluation) {
		t.Helper()
		failed := make(chan error, 1)
		if err := p.w.Record(ctx, e, func(err error) { failed <- err }); err != nil {
			t.Fatal(err)
		}
		if err := <-failed; err != nil {
			t.Fatal(err)
		}
	}
	first := evaluation("1-a", 0)
	first.Transcript = transcript("first")
	record(first)
	first.Transcript = nil

	// A second evaluation at the same position in a run is ignored. An evaluation with
	// the same key in a later run is stored as an entry of that run.
	again := first
	again.Score, again.Answer = .9, "different"
	record(again)
	later := again
	later.Run, later.Seq, later.Stage, later.Cached = "2-b", 5, bench.StageBaseline, true
	later.Transcript = transcript("second")
	record(later)

	want := first
	want.Run, want.Seq, want.Stage, want.Cached = "2-b", 5, bench.StageBaseline, true
	if diff := cmp.Diff([]bench.Evaluation{first}, collect(t, p.r.Evaluations(ctx, "1-a", "solver"))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]bench.Evaluation{want}, collect(t, p.r.Evaluations(ctx, "2-b", "solver"))); diff != "" {
		t.Error(diff)
	}
	if tr := must(p.r.Transcript(ctx, first.Key))(t); tr.Events[0].Text != "first" {
		t.Errorf("the transcript was replaced: %+v", tr)
	}

	// Missing data is stored but not found by its key, and a scored evaluation replaces it.
	missing := evaluation("3-c", 0)
	missing.Key, missing.Scored, missing.Outcome, missing.Score = "k3", false, agent.Infrastructure, 0
	missing.Grades, missing.Pass = nil, false
	record(missing)
	if _, ok, err := p.r.Cached(ctx, "k3"); ok || err != nil {
		t.Errorf("missing data was found: %v %v", ok, err)
	}
	if diff := cmp.Diff([]bench.Evaluation{missing}, collect(t, p.r.Evaluations(ctx, "3-c", "solver"))); diff != "" {
		t.Error(diff)
	}
	scored := evaluation("3-c", 0)
	scored.Key = "k3"
	record(scored)
	record(missing)
	if diff := cmp.Diff([]bench.Evaluation{scored}, collect(t, p.r.Evaluations(ctx, "3-c", "solver"))); diff != "" {
		t.Error(diff)
	}
}

func contractProposals(t *testing.T, p pairOf) {
	ctx := context.Background()
	first := must(p.w.NewProposal(ctx, ProposalRecord{
		Kind: KindConfig, State: Awaiting, Agent: "solver", Title: "k from 1 to <2>", Base: map[string]string{"agents/solver": "h"},
		Files:   []FileChange{{Path: "a", New: []byte("text\xff")}, {Path: "b", Old: []byte{}}},
		Changes: []Change{{Param: "k", Old: nil, New: "x"}}, Created: day,
	}))(t)
	second := must(p.w.NewProposal(ctx, ProposalRecord{Kind: KindConfig, State: Drafted}))(t)
	if first.ID != "P1" || second.ID != "P2" {
		t.Fatalf("ids %s and %s", first.ID, second.ID)
	}
	for _, id := range []string{"P1", "p1"} {
		if diff := cmp.Diff(first, must(p.r.Proposal(ctx, id))(t)); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
	for _, id := range []string{"", "P", "P0", "P3", "P01", "1", "Px"} {
		if _, err := p.r.Proposal(ctx, id); !errors.Is(err, ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
	second.State = Awaiting
	if err := p.w.PutProposal(ctx, second); err != nil {
		t.Fatal(err)
	}
	if err := p.w.PutProposal(ctx, ProposalRecord{ID: "P7"}); !errors.Is(err, ErrNotFound) {
		t.Errorf("replacing what is not there: %v", err)
	}
	d := DecisionRecord{Proposal: "P1", Action: "approve", By: "Ada <ada@example.org>", Reason: "good", Time: day, Commit: "c0ffee"}
	first.State = Adopted
	if err := p.w.Decide(ctx, d, second); err == nil {
		t.Error("a decision was stored with another proposal's record")
	}
	if n, _, _ := p.r.LedgerHead(ctx); n != 0 {
		t.Error("a refused decision left a ledger entry")
	}
	if err := p.w.Decide(ctx, d, first); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]ProposalRecord{first, second}, collect(t, p.r.Proposals(ctx))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]DecisionRecord{d}, collect(t, p.r.Decisions(ctx))); diff != "" {
		t.Error(diff)
	}
	entries := collect(t, p.r.Ledger(ctx, 0))
	if len(entries) != 1 || entries[0].Kind != "proposal.approve" || entries[0].Actor != d.By || entries[0].Subject != "P1" {
		t.Errorf("ledger: %+v", entries)
	}
}

func contractLedger(t *testing.T, p pairOf) {
	ctx := context.Background()
	if n, head, err := p.r.VerifyLedger(ctx); n != 0 || head != "" || err != nil {
		t.Errorf("empty: %d %q %v", n, head, err)
	}
	var last LedgerEntry
	for i := range 5 {
		e := must(p.w.Append(ctx, LedgerEntry{
			Time: day.In(time.FixedZone("x", 3600)), Kind: "run.start", Actor: "cron \xff", Subject: fmt.Sprint(i),
			Data: []byte(`{ "seed": 7, "note": "<b>&\u003c" }`),
		}))(t)
		if e.Seq != int64(i+1) || e.Prev != last.Hash {
			t.Fatalf("entry %d: %+v", i, e)
		}
		last = e
	}
	n, head, err := p.r.VerifyLedger(ctx)
	if n != 5 || head != last.Hash || err != nil {
		t.Errorf("%d %s %v", n, head, err)
	}
	got := collect(t, p.r.Ledger(ctx, 4))
	if len(got) != 2 || !cmp.Equal(got[1], last) {
		t.Errorf("from 4: %s", cmp.Diff(last, got))
	}
	if _, err := p.w.Append(ctx, LedgerEntry{Kind: "x", Data: []byte(`{"a":`)}); err == nil {
		t.Error("broken data was appended")
	}
}

// PutMutation records a mutation without a variant.
func (a *Archive) PutMutation(ctx context.Context, m Mutation) error {
	return a.change(ctx, "record a mutation", func(b *batch) error { return putMutation(b, m) })
}
