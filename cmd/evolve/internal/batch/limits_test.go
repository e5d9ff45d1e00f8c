package batch

import (
	"cmp"
	"context"
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

// timed describes a night on fake time: an agent with a fixed time and cost per evaluation,
// and the limits of the run.
type timed struct {
	each  time.Duration
	cost  float64
	tasks int
	// seed is the seed of the run. noisy makes the agent's answers random.
	seed  int64
	noisy bool
	// budget and until are the run's limits. until counts from the start of the run.
	budget workspace.Budget
	until  time.Duration
	most   int
	// champion, unless nil, replaces the default of the toy.
	champion agent.Config
	// parallel is the number of simultaneous evaluations; 0 means timedParallel.
	parallel int
	trouble
}

const timedParallel = 4

// tells is the result of a night on fake time.
type tells struct {
	Summary
	store *archive.Archive
	took  time.Duration // by its own clock
}

// run runs the night and passes the result to the function look.
func (n timed) run(t *testing.T, look func(t *testing.T, out tells)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store := archive.OpenMemory()
		look(t, n.in(t, store))
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// in is the method that runs the night, on fake time and with the given archive.
func (n timed) in(t *testing.T, store *archive.Archive) tells {
	t.Helper()
	w := toyWorkspace(t, n.tasks)
	w.Agents[0].UsesSeed = n.noisy
	if n.champion != nil {
		w.Agents[0].Champion = n.champion
	}
	if n.small {
		w.Agents[0].Space = agent.Space{Params: []agent.Param{{Name: "planner", Kind: agent.Choice, Values: []any{"none", "linear", "tree"}, Default: "none"}}}
		w.Agents[0].Known, w.Agents[0].Champion = w.Agents[0].Space, w.Agents[0].Space.Default()
	}
	answer := toyAgent(n.tasks)
	drain, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	o := toyOptions(w, store, n.around(func(ctx context.Context, req agent.Request) agent.Result {
		select {
		case <-time.After(n.each):
		case <-ctx.Done():
			return agent.Result{Outcome: agent.Cancelled}
		}
		r := answer(ctx, req)
		r.Usage.CostUSD = n.cost
		return r
	}, func() { stop(night.ErrInterrupted) }), 0)
	o.Drain = drain
	o.Sleep = func(ctx context.Context, d time.Duration) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	start := time.Now()
	o.Budget, o.Concurrency, o.Seed, o.Most = n.budget, cmp.Or(n.parallel, timedParallel), &n.seed, n.most
	if n.until > 0 {
		o.Until = start.Add(n.until)
	}
	s, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return tells{s, store, time.Since(start)}
}

// counted returns the number of evaluations on record.
func (n timed) counted(t *testing.T, s tells) int {
	t.Helper()
	made := 0
	for _, err := range s.store.Evaluations(t.Context(), s.Run.ID, "toy") {
		if err != nil {
			t.Fatal(err)
		}
		made++
	}
	return made
}

// untilFor returns how far away a deadline must be to leave the given time for the work.
func untilFor(work time.Duration) time.Duration {
	until := work
	for until-drainReserve(until) < work {
		until += max(time.Millisecond, work/1000)
	}
	return until
}

// TestEveryCombinationOfLimits runs a night for each of the 16 sets of limits, for agents
// that take 1 ms, 200 ms and 2 s, with and without cost. In each night the limit that
// allows the fewest evaluations must bind, no limit may be exceeded, and a block of the
// confirmation must be complete.
func TestEveryCombinationOfLimits(t *testing.T) {
	all := []limits.Limit{limits.Evaluations, limits.Money, limits.Time, limits.Deadline}
	counts := []float64{180, 220, 270, 330}
	cell := 0
	for set := range 16 {
		for _, each := range []time.Duration{time.Millisecond, 200 * time.Millisecond, 2 * time.Second} {
			for _, cost := range []float64{0, .01} {
				if cell++; set == 0 && cell > 1 {
					continue // without limits, the default is the same for all agents
				}
				if testing.Short() && cell%6 != 0 {
					continue
				}
				n := timed{each: each, cost: cost, tasks: 40, seed: int64(cell), most: 380}
				want, allows, name := limits.Evaluations, float64(workspace.DefaultEvaluations), ""
				if set != 0 {
					want, allows = limits.Enough, float64(n.most)
				}
				for i, l := range all {
					if set>>i&1 == 0 {
						continue
					}
					name += " " + string(l)
					count := counts[(i+cell)%len(counts)] // each limit binds in some cell
					work := time.Duration(count * float64(each) / timedParallel)
					switch l {
					case limits.Evaluations:
						n.budget.Evaluations = int(count)
					case limits.Money:
						n.budget.USD = count * .01
						if cost == 0 {
							count = math.Inf(1)
						}
					case limits.Time:
						n.budget.Time = work
					case limits.Deadline:
						n.until = untilFor(work)
					}
					if count < allows || want == limits.Enough && l == limits.Evaluations {
						want, allows = l, count
					}
				}
				t.Run(fmt.Sprintf("%s/%v/%v", orNone(name), each, cost), func(t *testing.T) { n.check(t, want, allows) })
			}
		}
	}
}

func orNone(name string) string {
	if name == "" {
		return "none"
	}
	return name[1:]
}

func (n timed) check(t *testing.T, want limits.Limit, allows float64) {
	n.run(t, func(t *testing.T, s tells) { n.compare(t, s, want, allows) })
}

func (n timed) compare(t *testing.T, s tells, want limits.Limit, allows float64) {
	r := s.Results[0]
	made, paid := 0, 0.
	for e, err := range s.store.Evaluations(t.Context(), s.Run.ID, "toy") {
		if err != nil {
			t.Fatal(err)
		}
		made++
		paid += e.Usage.CostUSD
	}
	if s.Run.Exit != 0 || made == 0 || r.Incomplete != "" {
		t.Errorf("exit %d (%s), %d evaluations, incomplete: %q", s.Run.Exit, s.Run.Reason, made, r.Incomplete)
	}
	if got := limits.Limit(s.Run.Limits[0].Bound); got != want {
		t.Errorf("%q bound it, and %q allows no more than %.0f: %+v", got, want, allows, s.Run.Limits[0])
	}
	if b := n.budget.Evaluations; b > 0 && made > b {
		t.Errorf("%d evaluations of %d", made, b)
	}
	if b := n.budget.USD; b > 0 && paid > b+1e-9 {
		t.Errorf("%.2f USD of %.2f", paid, b)
	}
	if b := n.budget.Time; b > 0 && s.took > b {
		t.Errorf("it took %v of %v", s.took, b)
	}
	if n.until > 0 && s.took > n.until {
		t.Errorf("it took %v, and had to be done after %v", s.took, n.until)
	}
	// A confirmation that decides early leaves evaluations unused.
	if float64(made) < .6*allows || float64(made) > allows+1e-9 {
		t.Errorf("%d evaluations, and the limits allow %.0f", made, allows)
	}
	if r.Blocks == 0 || !r.SearchDone {
		t.Errorf("%d blocks, searched to the end: %v; %s", r.Blocks, r.SearchDone, r.Reason)
	}
}
