package nightly

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/bench"
	"evolve/mutate"
)

// diary is a searcher that writes down every call. It waits whenever the asks
// outnumber the tells by hold.
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

func (d *diary) Recommend() mutate.Recommendation { return mutate.Recommendation{} }

// walk drives a diary with evaluations of random length, and returns the most that
// were under way at once.
func walk(t *testing.T, d *drive, s *diary, seed uint64) (most int, err error) {
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

func TestOrderedDriveIsBlindToTiming(t *testing.T) {
	for _, hold := range []int{0, 3, 10} {
		var first []string
		for _, c := range []int{1, 4, 32} {
			for seed := range uint64(3) {
				synctest.Test(t, func(t *testing.T) {
					s := &diary{budget: 120, hold: hold}
					most, err := walk(t, &drive{concurrency: c, lookahead: 32, ordered: true}, s, seed)
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

func TestFreeDriveHasNoBarrier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &diary{budget: 200}
		start := time.Now()
		most, err := walk(t, &drive{concurrency: 10, lookahead: 1}, s, 5)
		if err != nil || s.told != 200 || most != 10 {
			t.Fatalf("told %d, at most %d under way, %v", s.told, most, err)
		}
		// 200 evaluations of .5 s on average on 10 places: 10 s, and the last straggler.
		if took := time.Since(start); took > 12*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

func TestDriveStopsAtTheFirstError(t *testing.T) {
	for _, ordered := range []bool{true, false} {
		s := &diary{budget: 1000}
		d := &drive{searcher: s, concurrency: 4, lookahead: 8, ordered: ordered, begin: func(mutate.Trial) error { return nil }}
		d.evaluate = func(tr mutate.Trial) (bench.Evaluation, error) {
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
}

func TestDriveDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		issue, stop := context.WithCancelCause(t.Context())
		s := &diary{budget: 1000}
		d := &drive{searcher: s, concurrency: 4, lookahead: 8, ordered: true, begin: func(mutate.Trial) error { return nil }}
		d.evaluate = func(mutate.Trial) (bench.Evaluation, error) {
			time.Sleep(time.Second)
			return bench.Evaluation{Scored: true}, nil
		}
		time.AfterFunc(10500*time.Millisecond, func() { stop(ErrInterrupted) })
		if err := d.run(issue); !errors.Is(err, ErrInterrupted) {
			t.Errorf("%v, want ErrInterrupted", err)
		}
		if s.told != s.asked || s.told != 44 {
			t.Errorf("asked %d, told %d: what was under way must be finished", s.asked, s.told)
		}
	})
}
