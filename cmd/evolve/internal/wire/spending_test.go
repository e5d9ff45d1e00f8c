package wire

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night"
	"evolve/runtime/agent"
	"evolve/runtime/policy"
)

// TestTheDayCountsDrafts checks that payments to a language model for proposals count
// against the budgets of the day, starting at midnight UTC.
func TestTheDayCountsDrafts(t *testing.T) {
	root := t.TempDir()
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	store, err := archive.Open(ArchiveDir(root), archive.Options{Owner: "test"})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []struct {
		kind string
		at   time.Time
	}{
		{night.DraftKind, noon.Add(-13 * time.Hour)}, // yesterday
		{night.DraftKind, noon.Add(-12 * time.Hour)},
		{night.DraftKind, noon.Add(-time.Hour)},
		{"run.end", noon.Add(-time.Hour)},
	} {
		raw, err := json.Marshal(night.DraftNote{Agent: "clerk", Usage: agent.Usage{InputTokens: 900, OutputTokens: 100, CostUSD: 0.25}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := store.Append(t.Context(), archive.LedgerEntry{Time: e.at, Kind: e.kind, Actor: "evolve", Subject: "1-a", Data: raw}); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	h := &Host{Now: func() time.Time { return noon }, Ctx: t.Context()}
	if got := h.spending(root).total(); got.usd != 0.5 || got.tokens != 2000 || got.calls != 2 {
		t.Errorf("the day counts %+v", got)
	}
}

// killedRun returns an archive with a run of two agents that was killed at the given time:
// four evaluations of 10 cents are recorded, and the account has 55 cents.
func killedRun(t *testing.T, at time.Time) (root string, store *archive.Archive) {
	t.Helper()
	root = t.TempDir()
	store, err := archive.Open(ArchiveDir(root), archive.Options{Owner: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	ctx := t.Context()
	run := archive.Run{ID: "1-a", Number: 1, State: archive.RunRunning, Started: at, Since: at, Agents: []string{"clerk", "scribe"}}
	if err := store.PutRun(ctx, run); err != nil {
		t.Fatal(err)
	}
	for seq := range int64(4) {
		err := store.Record(ctx, bench.Evaluation{
			Run: run.ID, Agent: run.Agents[seq/3], Seq: seq, Key: bench.Key(fmt.Sprintf("%02d", seq)), Outcome: agent.OK, Time: at,
			Usage: agent.Usage{InputTokens: 100, Iterations: 2, CostUSD: .1},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	if err := store.PutAccount(ctx, run.ID, bench.Account{USD: .45, Unknown: 1}); err != nil {
		t.Fatal(err)
	}
	return root, store
}

// TestTheDayCountsWhatAKillCutOff checks that if a kill left no record of calls except
// the reservation in the run's account, the calls still count against the budgets of the
// day on which the run last continued.
func TestTheDayCountsWhatAKillCutOff(t *testing.T) {
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		killed time.Time
		want   consumption
	}{
		"today":     {noon.Add(-time.Hour), consumption{calls: 11, tokens: 550, tasks: 6, usd: .55}},
		"yesterday": {noon.Add(-13 * time.Hour), consumption{}},
	} {
		t.Run(name, func(t *testing.T) {
			root, _ := killedRun(t, c.killed)
			got := (&Host{Now: func() time.Time { return noon }, Ctx: t.Context()}).spending(root).total()
			if math.Abs(got.usd-c.want.usd) > 1e-9 || got.calls != c.want.calls || got.tokens != c.want.tokens || got.tasks != c.want.tasks {
				t.Errorf("the day counts %+v, want %+v", got, c.want)
			}
		})
	}
}

// TestAResumedRunCountsItsEarlierProcesses checks that the budgets of a run, and of each
// agent in it, begin with what its killed processes spent and reserved. The budgets of
// another run begin at 0.
func TestAResumedRunCountsItsEarlierProcesses(t *testing.T) {
	_, store := killedRun(t, time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC))
	set := workspace.Settings{Policies: policy.Book{Environment: policy.Settings{PerRun: policy.Budget{USD: 1}}}}
	f := &AgentFactory{host: &Host{Ctx: t.Context()}, workspace: &workspace.Workspace{Settings: set}}
	earlier := f.spentByRun(store)
	if all, _ := earlier(policy.Provider, "local"); all != (policy.Usage{}) {
		t.Errorf("a run that is not resumed begins with %+v", all)
	}
	run, err := store.Run(t.Context(), "1-a")
	if err != nil {
		t.Fatal(err)
	}
	run.Resumed++
	if err := store.PutRun(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	all, agents := earlier(policy.Provider, "local")
	if math.Abs(all.USD-.55) > 1e-9 || all.Calls != 11 || math.Abs(agents["clerk"].USD-.45) > 1e-9 || math.Abs(agents["scribe"].USD-.25) > 1e-9 {
		t.Errorf("the resumed run begins with %+v, by agent %+v", all, agents)
	}
	if tasks, _ := earlier(policy.Agent, "scribe"); tasks.Calls != 3 {
		t.Errorf("the role begins with %+v", tasks)
	}
}

// TestATurnIsACallOfTheRole tests that each turn of a scripted conversation counts as a
// call in the budget of the agent's role.
func TestATurnIsACallOfTheRole(t *testing.T) {
	var talk agent.Transcript
	for range 3 {
		talk.Add(0, agent.Event{Kind: agent.EventUser})
		talk.Add(0, agent.Event{Kind: agent.EventAnswer})
	}
	if got := used(agent.Usage{}, talk, 1).usage(policy.Agent, "clerk").Calls; got != 3 {
		t.Errorf("%d calls", got)
	}
	if got := used(agent.Usage{}, agent.Transcript{}, 1).usage(policy.Agent, "clerk").Calls; got != 1 {
		t.Errorf("%d calls", got)
	}
}
