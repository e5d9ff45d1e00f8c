package batch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night"
	"evolve/mutate/night/limits"
	"evolve/runtime/agent"
)

// TestAPlanForTooMuchIsCut plans twenty thousand evaluations in twenty seconds for an agent
// that has time for a thousand. The plan must be cut to what the time allows, and the night
// must end with a confirmed result.
func TestAPlanForTooMuchIsCut(t *testing.T) {
	n := timed{each: 80 * time.Millisecond, tasks: 100, seed: 1, budget: workspace.Budget{Evaluations: 20_000, Time: 20 * time.Second}}
	n.run(t, func(t *testing.T, s tells) {
		r, l := s.Results[0], s.Run.Limits[0]
		if r.Verdict != archive.Adopt || s.Run.Exit != 0 || r.Incomplete != "" {
			t.Errorf("%s: %s, exit %d, incomplete %q", r.Verdict, r.Reason, s.Run.Exit, r.Incomplete)
		}
		if l.Bound != string(limits.Time) || math.Abs(float64(l.Evaluations)-1000) > 50 || math.Abs(l.Seconds-.02) > .002 {
			t.Errorf("%+v", l)
		}
		if p := s.Plans[0]; !p.Replanned || p.Search > 900 || r.Search.Variants < 40 {
			t.Errorf("%d variants with the plan %+v", r.Search.Variants, p)
		}
	})
}

// TestAnEarlierNightIsKnown checks that the second night, and a dry run, use the recorded
// pace of the first night, and that an agent whose folder has changed is measured anew.
func TestAnEarlierNightIsKnown(t *testing.T) {
	n := timed{each: 200 * time.Millisecond, cost: .01, tasks: 40, seed: 1, budget: workspace.Budget{Time: 15 * time.Second, USD: 50}}
	n.run(t, func(t *testing.T, s tells) {
		look := func(w *workspace.Workspace) Expectation {
			list, err := Forecast(t.Context(), Options{Workspace: w, Budget: n.budget, Concurrency: timedParallel, Env: night.Env{Archive: s.store, Now: time.Now}})
			if err != nil {
				t.Fatal(err)
			}
			return list[0]
		}
		w := toyWorkspace(t, n.tasks)
		if e := look(w); e.Limit != limits.Time || math.Abs(float64(e.Evaluations)-300) > 10 || math.Abs(e.USD-.01) > 1e-9 || e.Run != s.Run.ID {
			t.Errorf("%+v", e)
		}
		w.Agents[0].Hash = "another"
		if e := look(w); e.Known() || e.Evaluations != 0 {
			t.Errorf("of another agent nothing is known: %+v", e)
		}
	})
}

// TestResumeWithinLimits stops a night in the middle and then resumes it; the night has
// limits on time and money. The resumed run must be the same run, its limits must cover
// both parts, and nothing may be paid for twice.
func TestResumeWithinLimits(t *testing.T) {
	for name, budget := range map[string]workspace.Budget{
		"time": {Time: 20 * time.Second}, "money": {USD: 4}, "both": {Time: 20 * time.Second, USD: 5},
	} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { resumeWithin(t, budget) }) })
	}
}

func resumeWithin(t *testing.T, budget workspace.Budget) {
	store := archive.OpenMemory()
	paid := 0.
	night := func(after int) (Summary, time.Duration) {
		ctx, cut := context.WithCancelCause(t.Context())
		defer cut(nil)
		calls := 0
		o := toyOptions(toyWorkspace(t, 40), store, inProcess(func(ctx context.Context, req agent.Request) agent.Result {
			if calls++; calls > after {
				cut(errors.New("power cut"))
				return agent.Result{Outcome: agent.Cancelled}
			}
			time.Sleep(200 * time.Millisecond)
			r := toyAgent(40)(ctx, req)
			r.Usage.CostUSD = .01
			paid += .01
			return r
		}), 0)
		o.Budget, o.Concurrency, o.Drain = budget, 1, ctx
		start := time.Now()
		s, err := Run(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		return s, time.Since(start)
	}
	first, worked := night(40)
	first.Run.State, first.Run.Ended = archive.RunRunning, time.Time{}
	if err := store.PutRun(t.Context(), first.Run); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Hour) // the machine was down
	second, took := night(math.MaxInt)
	if second.Run.ID != first.Run.ID || second.Run.Resumed != 1 {
		t.Errorf("run %s went on as %s, resumed %d times", first.Run.ID, second.Run.ID, second.Run.Resumed)
	}
	if budget.Time > 0 && (worked+took > budget.Time || worked+took < budget.Time/2) {
		t.Errorf("%v and %v of %v", worked, took, budget.Time)
	}
	if budget.USD > 0 && paid > budget.USD+1e-9 {
		t.Errorf("%.2f of %.2f USD", paid, budget.USD)
	}
	if r := second.Results[0]; second.Run.Exit != 0 || r.Blocks == 0 || !r.SearchDone {
		t.Errorf("exit %d, %d blocks: %s; incomplete: %s", second.Run.Exit, r.Blocks, r.Reason, r.Incomplete)
	}
	n := 0
	for _, err := range store.Evaluations(t.Context(), second.Run.ID, "toy") {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if math.Abs(float64(n)*.01-paid) > .005 {
		t.Errorf("%d evaluations are on record, and %.2f USD were paid for them", n, paid)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestMoreIsNeverWorse raises one limit at a time, over the same seeds. The true skill of
// the result, which is the champion's if nothing is adopted, must not fall by more than the
// tolerance on average. Making one evaluation at a time makes each night the same in every
// run.
func TestMoreIsNeverWorse(t *testing.T) {
	whole(t)
	const seeds, tolerance = 24, .03
	was := toySkill(toySpace().Default())
	skill := func(change func(*timed)) float64 {
		mean := 0.
		for seed := range int64(seeds) {
			n := timed{each: 100 * time.Millisecond, cost: .01, tasks: 60, seed: seed + 1, parallel: 1}
			change(&n)
			n.run(t, func(t *testing.T, s tells) {
				end := was
				if id := s.Results[0].Winner; id != "" {
					v, err := s.store.Variant(t.Context(), "toy", id)
					if err != nil {
						t.Fatal(err)
					}
					end = toySkill(v.Config)
				}
				mean += end / seeds
			})
		}
		return mean
	}
	for name, set := range map[string]func(n *timed, count int){
		"evaluations": func(n *timed, count int) { n.budget = workspace.Budget{Evaluations: count, Time: time.Hour} },
		"evaluations beyond the time": func(n *timed, count int) {
			n.budget = workspace.Budget{Evaluations: count, Time: 30 * time.Second}
		},
		"money": func(n *timed, count int) { n.budget = workspace.Budget{USD: float64(count) * .01, Evaluations: 5000} },
		"time":  func(n *timed, count int) { n.budget.Time = time.Duration(count) * n.each },
		"deadline": func(n *timed, count int) {
			n.until = untilFor(time.Duration(count) * n.each)
			n.budget.USD = 40
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			best := was
			for _, count := range []int{40, 100, 200, 400, 800} {
				got := skill(func(n *timed) { set(n, count) })
				t.Logf("%d evaluations' worth: %.3f", count, got)
				if got < best-tolerance {
					t.Errorf("%d evaluations' worth end with %.3f, less of it with %.3f", count, got, best)
				}
				best = max(best, got)
			}
		})
	}
}

// TestALimitThatDoesNotBindChangesNothing checks that a distant deadline and ample money
// change nothing in a deterministic night that its number of evaluations bounds.
func TestALimitThatDoesNotBindChangesNothing(t *testing.T) {
	var alone string
	for _, budget := range []workspace.Budget{{Evaluations: 300}, {Evaluations: 300, Time: time.Hour, USD: 1000}} {
		n := timed{each: 100 * time.Millisecond, cost: .01, tasks: 40, seed: 2, budget: budget}
		n.run(t, func(t *testing.T, s tells) {
			if s.Plans[0].Replanned || s.Run.Limits[0].Bound != string(limits.Evaluations) {
				t.Errorf("%+v, %+v", s.Plans[0], s.Run.Limits[0])
			}
			story := ""
			for e, err := range s.store.Evaluations(t.Context(), s.Run.ID, "toy") {
				if err != nil {
					t.Fatal(err)
				}
				story += fmt.Sprintln(e.Seq, e.Variant, e.Task, e.Repeat, e.Score)
			}
			if alone == "" {
				alone = story
			}
			if story != alone {
				t.Error("the evaluations differ")
			}
		})
	}
}

// TestWhatOneAgentLeavesIsNotSpent first runs an agent whose space has only three configs,
// all of which are soon tried. The other agent has its own share, so its night does not
// depend on the first agent.
func TestWhatOneAgentLeavesIsNotSpent(t *testing.T) {
	store := archive.OpenMemory()
	w := toyWorkspace(t, 40)
	small := w.Agents[0]
	small.ID, small.Hash = "small", "small"
	small.Space = agent.Space{Params: []agent.Param{{Name: "planner", Kind: agent.Choice, Values: []any{"none", "linear", "tree"}, Default: "none"}}}
	small.Champion = small.Space.Default()
	w.Agents = append([]workspace.Agent{small}, w.Agents...)
	s, err := Run(t.Context(), toyOptions(w, store, toyAgent(40), 600))
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]int{}
	for _, l := range s.Run.Limits {
		for _, err := range store.Evaluations(t.Context(), s.Run.ID, l.Agent) {
			if err != nil {
				t.Fatal(err)
			}
			used[l.Agent]++
		}
	}
	if got := s.Run.Limits[1]; got.Agent != "toy" || got.Evaluations != 300 || used["small"] >= 200 || used["toy"] <= 250 || used["toy"] > 300 {
		t.Errorf("%v of 600; the second may have %+v", used, got)
	}
}
