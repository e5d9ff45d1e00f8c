package night

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/bench"
	"evolve/mutate"
	"evolve/mutate/reflection"
)

// diary is a searcher that records every call. If hold is set, the searcher waits while
// Ask has been called hold times more often than Tell.
type diary struct {
	budget, hold int
	asked, told  int
	calls        []string
}

func (d *diary) Ask() (mutate.Trial, mutate.Status) {
	switch {
	case d.asked == d.budget:
		return mutate.Trial{}, mutate.Done
	case d.hold > 0 && d.asked-d.told >= d.hold:
		d.calls = append(d.calls, "wait")
		return mutate.Trial{}, mutate.Wait
	}
	t := mutate.Trial{N: int64(d.asked)}
	d.asked++
	d.calls = append(d.calls, fmt.Sprintf("ask %d", t.N))
	return t, mutate.Ready
}

func (d *diary) Tell(o mutate.Observation) {
	d.told++
	d.calls = append(d.calls, fmt.Sprintf("tell %d", o.Trial.N))
}

func (*diary) Hindsight([]mutate.Moment) mutate.Hindsight { return mutate.Hindsight{} }

func (d *diary) Recommend() mutate.Recommendation { return mutate.Recommendation{} }

// walk drives a diary with evaluations of random length, and returns the maximum number
// that ran at once.
func walk(t *testing.T, d *driver, s *diary, seed uint64) (most int, err error) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	lengths := make([]time.Duration, s.budget)
	for i := range lengths {
		lengths[i] = time.Duration(rng.IntN(1000)) * time.Millisecond
	}
	var mu sync.Mutex
	running := 0
	d.searcher = s
	d.begin = func(mutate.Trial) error { return nil }
	d.evaluate = func(tr mutate.Trial) (bench.Evaluation, error) {
		mu.Lock()
		running++
		most = max(most, running)
		mu.Unlock()
		time.Sleep(lengths[tr.N])
		mu.Lock()
		running--
		mu.Unlock()
		return bench.Evaluation{Scored: true, Score: 1}, nil
	}
	err = d.run(t.Context())
	return most, err
}

func TestOrderedDriverIsBlindToTiming(t *testing.T) {
	for _, hold := range []int{0, 3, 10} {
		var first []string
		for _, c := range []int{1, 4, 32} {
			for seed := range uint64(3) {
				synctest.Test(t, func(t *testing.T) {
					s := &diary{budget: 120, hold: hold}
					most, err := walk(t, &driver{concurrency: c, lookahead: 32, ordered: true}, s, seed)
					if err != nil {
						t.Fatal(err)
					}
					if s.told != s.budget {
						t.Errorf("%d of %d results were told", s.told, s.budget)
					}
					if first == nil {
						first = s.calls
					}
					if diff := cmp.Diff(first, s.calls); diff != "" {
						t.Errorf("hold %d, concurrency %d, timing %d: another sequence of calls:\n%s", hold, c, seed, diff)
					}
					if want := min(c, 32); hold == 0 && most != want {
						t.Errorf("concurrency %d: at most %d under way", c, most)
					}
				})
			}
		}
	}
}

func TestFreeDriverHasNoBarrier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &diary{budget: 200}
		start := time.Now()
		most, err := walk(t, &driver{concurrency: 10, lookahead: 1}, s, 5)
		if err != nil || s.told != 200 || most != 10 {
			t.Fatalf("told %d, at most %d under way, %v", s.told, most, err)
		}
		// 200 evaluations of .5 s on average, 10 at a time, take 10 s plus the last
		// straggler.
		if took := time.Since(start); took > 12*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

func TestDriverStopsAtTheFirstError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, ordered := range []bool{true, false} {
			s := &diary{budget: 1000}
			d := &driver{searcher: s, concurrency: 4, lookahead: 8, ordered: ordered, begin: func(mutate.Trial) error { return nil }}
			d.evaluate = func(tr mutate.Trial) (bench.Evaluation, error) {
				time.Sleep(time.Second) // so that no evaluation overtakes the one that fails
				if tr.N == 50 {
					return bench.Evaluation{}, bench.ErrBudget
				}
				return bench.Evaluation{Scored: true}, nil
			}
			if err := d.run(t.Context()); !errors.Is(err, bench.ErrBudget) {
				t.Errorf("ordered %v: %v", ordered, err)
			}
			if s.told < 50 || s.asked > 60 {
				t.Errorf("ordered %v: told %d, asked %d", ordered, s.told, s.asked)
			}
		}
	})
}

func TestDriverDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		issue, stop := context.WithCancelCause(t.Context())
		s := &diary{budget: 1000}
		d := &driver{searcher: s, concurrency: 4, lookahead: 8, ordered: true, begin: func(mutate.Trial) error { return nil }}
		var made atomic.Int64
		d.evaluate = func(mutate.Trial) (bench.Evaluation, error) {
			time.Sleep(time.Second)
			made.Add(1)
			return bench.Evaluation{Scored: true}, nil
		}
		time.AfterFunc(10500*time.Millisecond, func() { stop(ErrInterrupted) })
		if err := d.run(issue); !errors.Is(err, ErrInterrupted) {
			t.Errorf("%v, want ErrInterrupted", err)
		}
		if s.told != s.asked || made.Load() != 44 || d.count != 44 {
			t.Errorf("asked %d, told %d, %d evaluations made, %d counted: what was under way must be finished, and nothing else begun", s.asked, s.told, made.Load(), d.count)
		}
	})
}

// briefly is a diary in which every third trial is a brief.
type briefly struct{ diary }

func (b *briefly) Ask() (mutate.Trial, mutate.Status) {
	t, status := b.diary.Ask()
	if status == mutate.Ready && t.N%3 == 2 {
		t.Brief = &mutate.Brief{Component: "strategy"}
	}
	return t, status
}

func (b *briefly) Tell(o mutate.Observation) {
	b.diary.Tell(o)
	if o.Draft != nil {
		b.calls = append(b.calls, "draft "+o.Draft.Rationale)
	}
}

func TestBriefsKeepTheOrderAndCostNoEvaluation(t *testing.T) {
	for _, ordered := range []bool{true, false} {
		var first []string
		for _, c := range []int{1, 4, 32} {
			synctest.Test(t, func(t *testing.T) {
				s := &briefly{diary{budget: 90}}
				var kept []int64
				var evaluations, told atomic.Int64
				work := func(n int64) { time.Sleep(time.Duration((n*7919)%1000) * time.Millisecond) }
				d := &driver{searcher: s, concurrency: c, lookahead: 32, ordered: ordered, progress: func(n int) { told.Store(int64(n)) }}
				d.begin = func(tr mutate.Trial) error {
					if tr.Brief != nil {
						t.Error("a brief was begun as an evaluation")
					}
					return nil
				}
				d.evaluate = func(tr mutate.Trial) (bench.Evaluation, error) {
					evaluations.Add(1)
					work(tr.N)
					return bench.Evaluation{Scored: true}, nil
				}
				d.draft = func(tr mutate.Trial) func() (reflection.Reply, error) {
					prepared := len(s.calls) // no call of Tell may come between Ask and this
					return func() (reflection.Reply, error) {
						work(tr.N)
						if tr.N%2 == 0 {
							return reflection.Reply{Reason: "nothing to offer"}, nil
						}
						return reflection.Reply{Draft: &mutate.Draft{Rationale: fmt.Sprint(tr.N, " at ", prepared)}}, nil
					}
				}
				d.record = func(tr mutate.Trial, _ reflection.Reply) error { kept = append(kept, tr.N); return nil }
				if err := d.run(t.Context()); err != nil {
					t.Fatal(err)
				}
				if s.told != 90 || evaluations.Load() != 60 || told.Load() != 60 || d.count != 60 || len(kept) != 30 {
					t.Errorf("told %d, evaluated %d, counted %d, kept %d", s.told, evaluations.Load(), d.count, len(kept))
				}
				if !ordered {
					return
				}
				if first == nil {
					first = s.calls
				}
				if diff := cmp.Diff(first, s.calls); diff != "" {
					t.Errorf("concurrency %d: another sequence of calls:\n%s", c, diff)
				}
			})
		}
	}
}

func TestDriverStopsWhenABriefEndsTheRun(t *testing.T) {
	lost := errors.New("the disk is full")
	for _, asks := range []bool{true, false} {
		s := &briefly{diary{budget: 90}}
		d := &driver{searcher: s, concurrency: 2, lookahead: 4, ordered: true, begin: func(mutate.Trial) error { return nil }}
		d.evaluate = func(mutate.Trial) (bench.Evaluation, error) { return bench.Evaluation{Scored: true}, nil }
		d.draft = func(mutate.Trial) func() (reflection.Reply, error) {
			return func() (reflection.Reply, error) {
				if asks {
					return reflection.Reply{}, lost
				}
				return reflection.Reply{}, nil
			}
		}
		d.record = func(mutate.Trial, reflection.Reply) error { return lost }
		if err := d.run(t.Context()); !errors.Is(err, lost) || s.asked > 10 {
			t.Errorf("asked %d, %v", s.asked, err)
		}
	}
}

// TestNextStep checks each state in which the driver decides what to do.
func TestNextStep(t *testing.T) {
	lost := errors.New("the disk is full")
	arrived := map[int]arrival{2: {}}
	two := newQueue(4, 1)
	two.add(waiting{})
	two.add(waiting{})
	for _, c := range []struct {
		name  string
		state driveState
		want  step
	}{
		{"at the beginning", driveState{}, stepAsk},
		{"a place is free", driveState{asked: 3, inFlight: 3}, stepAsk},
		{"all places are taken", driveState{asked: 4, inFlight: 4}, stepAsk},
		{"all places are taken, and enough trials wait", driveState{asked: 6, inFlight: 4, queue: two}, stepAwait},
		{"a place is free, and enough trials wait", driveState{asked: 6, inFlight: 3, queue: two, finished: true}, stepIssue},
		{"the searcher waits, trials wait for a place", driveState{asked: 6, inFlight: 3, queue: two, waiting: true}, stepIssue},
		{"an error, trials wait for a place", driveState{asked: 6, inFlight: 3, queue: two, err: lost}, stepAwait},
		{"the searcher waits, free mode", driveState{asked: 3, told: 2, inFlight: 1, waiting: true}, stepAwait},
		{"the searcher waits, ordered, the result is there", driveState{driver: &driver{ordered: true, lookahead: 8}, asked: 4, told: 2, inFlight: 1, waiting: true, buffer: arrived}, stepTell},
		{"the searcher waits, ordered, the result is not there", driveState{driver: &driver{ordered: true, lookahead: 8}, asked: 4, told: 1, inFlight: 1, waiting: true, buffer: arrived}, stepAwait},
		{"within the lookahead, a result is not told early", driveState{driver: &driver{ordered: true, lookahead: 3}, asked: 4, told: 2, inFlight: 1, buffer: arrived}, stepAsk},
		{"at the end of the lookahead, the result is there", driveState{driver: &driver{ordered: true, lookahead: 2}, asked: 4, told: 2, inFlight: 1, buffer: arrived}, stepTell},
		{"at the end of the lookahead, the result is not there", driveState{driver: &driver{ordered: true, lookahead: 2}, asked: 5, told: 3, inFlight: 1, buffer: arrived}, stepAwait},
		{"an error, trials under way", driveState{asked: 4, inFlight: 1, err: lost}, stepAwait},
		{"an error, none under way", driveState{driver: &driver{ordered: true, lookahead: 2}, asked: 4, told: 2, buffer: arrived, err: lost}, stepEnd},
		{"the searcher is done, trials under way", driveState{asked: 4, inFlight: 2, finished: true}, stepAwait},
		{"the searcher is done, none under way", driveState{asked: 4, told: 4, finished: true}, stepEnd},
	} {
		if c.state.driver == nil {
			c.state.driver = &driver{lookahead: 1}
		}
		c.state.parallel, c.state.ahead = 4, 6
		if c.state.queue == nil {
			c.state.queue = newQueue(4, 1)
		}
		if got := c.state.next(); got != c.want {
			t.Errorf("%s: step %d, want %d", c.name, got, c.want)
		}
	}
}
