package versions

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/confirm"
	"evolve/bench/grade"
	"evolve/bench/metrics"
	"evolve/mutate"
	"evolve/mutate/blocks"
	"evolve/mutate/night"
	"evolve/mutate/operator"
	"evolve/mutate/population"
	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// clocked is a program that is timed. A version's times on a case are log-normal around its
// true time, and one start in fifty takes half as long again.
type clocked struct {
	scale *metrics.Scale
	// gain is the share of the time that each step of the factor towards 7 saves.
	gain, spread float64
	world        uint64
}

// time returns the time of one start of a version.
func (c *clocked) time(factor int, of string, seed int64) float64 {
	digest := fnv.New64a()
	_, _ = fmt.Fprint(digest, factor, " ", of, " ", seed)
	rng := rand.New(rand.NewPCG(c.world, digest.Sum64()))
	n, _ := strconv.Atoi(of[1:])
	steps := 4 - math.Abs(float64(7-factor))
	t := (100 + 10*float64(n%13)) * (1 - c.gain*steps) * math.Exp(c.spread*rng.NormFloat64())
	if rng.IntN(50) == 0 {
		t *= 1.5
	}
	return t
}

func (c *clocked) Run(_ context.Context, req agent.Request) agent.Result {
	var task struct{ Case string }
	if err := json.Unmarshal(req.Task.Input, &task); err != nil {
		return agent.Result{Outcome: agent.Infrastructure, Error: err.Error()}
	}
	factor, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(req.Config.String("factor"), "factor=")))
	if err != nil {
		return agent.Result{Outcome: agent.Execution, Error: err.Error()}
	}
	value := c.time(factor, task.Case, req.Seed)
	score := c.scale.Score(task.Case, value)
	answer, _ := json.Marshal(metrics.Value{Case: task.Case, Metric: "time", Value: value, Unit: "ms", Better: metrics.Lower})
	said := string(answer)
	return agent.Result{Outcome: agent.OK, Answer: &said, Score: &score}
}

// month counts what a series of nights did with a program: the entries into the
// confirmation, the nights that propose a version, and the finalists that are claimed to
// be better.
type month struct{ entries, adopted, claims int }

// monthOf runs consecutive nights over a program; fixed reports whether the nights treat
// repeats as identical.
func monthOf(t *testing.T, c *clocked, cases, budget, nights int, fixed bool) (out month) {
	t.Helper()
	var base []metrics.Value
	for i := range cases {
		of := fmt.Sprintf("c%03d", i)
		base = append(base, metrics.Value{Case: of, Metric: "time", Value: c.time(3, of, -1), Unit: "ms", Better: metrics.Lower})
	}
	var err error
	if c.scale, err = metrics.NewScale(base, ""); err != nil {
		t.Fatal(err)
	}
	suite, err := Suite("cases", c.scale, grade.Rules())
	if err != nil {
		t.Fatal(err)
	}
	list, _ := blocks.Find(map[string][]byte{"params": []byte(params)})
	space, champion := blocks.Space(list)
	store := archive.OpenMemory()
	clock := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for i := range nights {
		now := clock.AddDate(0, 0, i)
		run := archive.Run{ID: fmt.Sprintf("%d-target", i+1), Number: i + 1, State: archive.RunRunning, Agents: []string{"target"}, Seed: int64(i + 1), Lookahead: 16, Concurrency: 1, BudgetEval: budget, Started: now}
		if err := store.PutRun(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		s := night.Spec{
			Agent: night.Agent{
				ID: "target", Adapter: "code", Hash: "target", Deterministic: fixed, Relative: true, Hunks: true, Champion: champion, Space: space, Known: space, Suites: []*bench.Suite{suite},
			},
			Settings: night.Settings{Confirm: confirm.DefaultSettings()},
			Env: night.Env{
				Archive: store, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler), Drain: t.Context(),
				Sleep: func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) },
				Grading: func([]*bench.Suite, model.Model, []bench.Evaluation) (bench.GradeFunc, error) {
					return grade.New(nil, nil).Grade, nil
				},
				NewSearch: func(o mutate.Options) (mutate.Searcher, error) {
					return population.New(population.Options{Options: o, Operators: []operator.Operator{nudge{}}})
				},
			},
			Run: &run, Scratch: t.TempDir(), Budget: bench.NewBudget(0, time.Time{}, func() time.Time { return now }),
			Open: func(context.Context, string) (night.Opened, error) {
				return night.Opened{Agent: c, Identity: "target", Sandbox: "none", Close: func() error { return nil }}, nil
			},
			Propose: func(context.Context, night.Draft) (night.Proposed, error) { return night.Proposed{}, nil },
		}
		if s.Variances, err = night.EstimateVariances(t.Context(), store, &s.Agent, run.Number); err != nil {
			t.Fatal(err)
		}
		plan := s.NewPlan(nil)
		plan.Run = run.ID
		s.Allocate(&plan, budget)
		s.Plan, s.Share = &plan, night.Share{Evaluations: budget}
		done, err := night.Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		run.State, run.Ended = archive.RunDone, now
		if err := store.PutRun(t.Context(), run); err != nil {
			t.Fatal(err)
		}
		r := done.Result
		out.entries = 0
		if r.Entries != nil {
			out.entries = r.Entries.Used
		}
		if r.Verdict.Proposes() {
			out.adopted++
		}
		for _, f := range r.Finalist {
			if f.Ruling.Claim != "" {
				out.claims++
			}
		}
	}
	return out
}

// TestChanceNights runs nights over a timed program. If no version is faster, nights that
// allow for chance claim nothing, while nights that treat each difference as exact claim
// that versions are faster on the held-out cases. A version that is faster by 4 % is
// confirmed.
func TestChanceNights(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("many nights")
	}
	var exact, chance month
	for _, world := range []uint64{1, 6} { // worlds in which versions enter the confirmation
		for _, fixed := range []bool{true, false} {
			sum := &chance
			if fixed {
				sum = &exact
			}
			m := monthOf(t, &clocked{spread: .3, world: world}, 20, 700, 3, fixed)
			sum.entries, sum.adopted, sum.claims = sum.entries+m.entries, sum.adopted+m.adopted, sum.claims+m.claims
		}
	}
	if chance.entries == 0 || chance.claims > 0 || exact.claims == 0 {
		t.Errorf("without a faster version: %+v with chance, %+v without", chance, exact)
	}
	if m := monthOf(t, &clocked{gain: .01, spread: .03, world: 1}, 60, 700, 3, false); m.adopted == 0 {
		t.Errorf("with a version that is faster by 4 %%: %+v", m)
	}
}
