package batch

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/batch/coding"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night"
	"evolve/runtime/agent"
)

// TestSeats checks how many nights run simultaneously and how many one after another:
// agents run side by side, and the targets whose code is searched run after them, one at a
// time.
func TestSeats(t *testing.T) {
	for name, c := range map[string]struct {
		agents, concurrency int
		code                []string
		want                []seat
	}{
		"one":                    {1, 4, nil, []seat{{0, 1, 1}}},
		"as many slots":          {3, 4, nil, []seat{{0, 3, 1}, {1, 3, 1}, {2, 3, 1}}},
		"fewer slots":            {3, 2, nil, []seat{{0, 2, 2}, {1, 2, 2}, {2, 1, 1}}},
		"one slot":               {2, 1, nil, []seat{{0, 1, 2}, {1, 1, 1}}},
		"code in between":        {3, 4, []string{"toy2"}, []seat{{0, 2, 2}, {2, 2, 2}, {1, 1, 1}}},
		"code alone":             {2, 4, []string{"toy", "toy2"}, []seat{{0, 1, 2}, {1, 1, 1}}},
		"more than run at once":  {9, 64, nil, []seat{{0, 8, 2}, {1, 8, 2}, {2, 8, 2}, {3, 8, 2}, {4, 8, 2}, {5, 8, 2}, {6, 8, 2}, {7, 8, 2}, {8, 1, 1}}},
		"no number of slots set": {2, 0, nil, []seat{{0, 1, 2}, {1, 1, 1}}},
	} {
		r := &runner{run: archive.Run{Concurrency: c.concurrency}}
		w := toyAgents(toyWorkspace(t, 10), c.agents)
		r.o.Code.Found = map[string]*coding.Prospect{}
		for _, id := range c.code {
			r.o.Code.Found[id] = new(coding.Prospect)
		}
		var all []int
		for i := range w.Agents {
			r.agents, all = append(r.agents, &w.Agents[i]), append(all, i)
		}
		if diff := cmp.Diff(c.want, r.seats(all), cmp.AllowUnexported(seat{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestMoneyAfterAKill checks that each agent of a resumed run may spend the rest of its own
// part, and that all agents together may spend no more than the run has left.
func TestMoneyAfterAKill(t *testing.T) {
	store := archive.OpenMemory()
	w := toyAgents(toyWorkspace(t, 10), 3)
	r := &runner{o: toyOptions(w, store, nil, 0), run: archive.Run{ID: "1-a", Resumed: 1}}
	r.o.Budget.USD = 9
	for i := range w.Agents {
		r.agents = append(r.agents, &w.Agents[i])
	}
	for seq, e := range []bench.Evaluation{
		{Agent: "toy", Usage: agent.Usage{CostUSD: 3}}, {Agent: "toy2", Usage: agent.Usage{CostUSD: 2}}, {Agent: "toy2", Usage: agent.Usage{CostUSD: 9}, Cached: true}, {Agent: "toy3", Usage: agent.Usage{CostUSD: 1}},
	} {
		e.Run, e.Seq, e.Key = "1-a", int64(seq), bench.Key(fmt.Sprint("k", seq))
		if err := store.Record(t.Context(), e, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		spent float64 // including evaluations that were in progress at the time of the kill
		todo  []int
		want  map[int]float64
	}{
		{6, []int{0, 1, 2}, map[int]float64{0: math.SmallestNonzeroFloat64, 1: 1, 2: 2}},
		{7.5, []int{1, 2}, map[int]float64{1: .5, 2: 1}},
		{6, []int{2}, map[int]float64{2: 2}},
		{10, []int{2}, map[int]float64{2: math.SmallestNonzeroFloat64}},
	} {
		r.budget = bench.NewBudget(9, time.Time{}, time.Now)
		r.budget.Keep(bench.Account{USD: c.spent}, func(bench.Account) error { return nil })
		got, err := r.money(t.Context(), c.todo)
		if diff := cmp.Diff(c.want, got, cmpopts.EquateApprox(0, 1e-9)); err != nil || diff != "" {
			t.Errorf("$%v of $9 are spent, agents %v go on: %v %s", c.spent, c.todo, err, diff)
		}
	}
}

// TestTimeSideBySide checks that agents that run side by side finish in time, that an
// agent with short evaluations gets its share of the slots beside one with long
// evaluations, and that the forecast for the next night equals what the agents had.
func TestTimeSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := archive.OpenMemory()
		o := toyOptions(toyAgents(toyWorkspace(t, 40), 2), store, nil, 0)
		o.Budget, o.Concurrency, o.Stages = workspace.Budget{Time: 2 * time.Minute}, 4, []string{SearchStage}
		each := map[string]time.Duration{"toy": 4 * time.Second, "toy2": 200 * time.Millisecond}
		o.Open = func(_ context.Context, w *workspace.Agent, _ string) (night.Opened, error) {
			return night.Opened{Agent: inProcess(func(ctx context.Context, req agent.Request) agent.Result {
				time.Sleep(each[w.ID])
				return toyAgent(40)(ctx, req)
			}), Identity: "toy", Sandbox: "in process", Close: func() error { return nil }}, nil
		}
		began := time.Now()
		s, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > o.Budget.Time {
			t.Errorf("the night took %s", took)
		}
		next, err := Forecast(t.Context(), Options{Workspace: o.Workspace, Budget: o.Budget, Concurrency: 4, Stages: o.Stages, Env: night.Env{Archive: store, Now: time.Now}})
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range s.Run.Limits {
			// Each agent has two of the four slots, and more only while the other has
			// nothing to do.
			whole := int(2 * o.Budget.Time / each[l.Agent])
			if l.Used < whole*7/10 || l.Used > whole*5/4 {
				t.Errorf("agent %s had %d evaluations, and two slots make %d", l.Agent, l.Used, whole)
			}
			if e := next[i]; e.Evaluations < whole*8/10 || e.Evaluations > whole*5/4 || !strings.Contains(e.Text, "2m of time beside 1 other agent, about") {
				t.Errorf("agent %s is forecast %d evaluations of %d: %s", l.Agent, e.Evaluations, whole, e.Text)
			}
		}
	})
}
