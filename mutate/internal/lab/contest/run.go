package contest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"evolve/mutate/internal/lab/problem"
)

// Round is the part of a comparison with one budget: its contestants play on a number of
// seeds per family.
type Round struct {
	Budget, Seeds int
	// First is the first seed.
	First       int64
	Contestants []string
}

// Plan describes a comparison.
type Plan struct {
	Families []string
	// Real holds families of real problems, in addition to the families of package problem.
	Real   []problem.Family
	Rounds []Round
	// External limits the number of seeds for external peers; 0 means no limit.
	External int
	// Workers is the number of concurrent runs.
	Workers int
	// Kept holds earlier runs. Runs of peers that it contains are not repeated. New runs
	// are added to it.
	Kept *Kept
}

// Run runs a plan. Contestants that are not installed are left out; the second result
// gives the reasons, keyed by the contestant's name.
func (p Plan) Run(ctx context.Context) ([]Run, map[string]error, error) {
	type job struct {
		contestant Contestant
		stand      stand
		budget     int
	}
	var jobs []job
	missing := map[string]error{}
	for _, r := range p.Rounds {
		var field []Contestant
		for _, name := range r.Contestants {
			c, err := Lookup(ctx, name)
			switch {
			case errors.Is(err, ErrMissing):
				missing[name] = err
			case err != nil:
				return nil, nil, err
			default:
				field = append(field, c)
			}
		}
		for seed := r.First; seed < r.First+int64(r.Seeds); seed++ {
			for _, f := range p.Families {
				for _, c := range field {
					if c.External && p.External > 0 && seed-r.First >= int64(p.External) {
						continue
					}
					jobs = append(jobs, job{c, stand{f, seed}, r.Budget})
				}
			}
		}
	}
	stands := &stands{families: slices.Concat(problem.Families(), problem.Yardstick(), p.Real), made: map[stand]func() (*problem.Problem, string){}}
	runs := make([]Run, len(jobs))
	failed := make([]error, len(jobs))
	next := make(chan int)
	var crew sync.WaitGroup
	for range max(1, p.Workers) {
		crew.Go(func() {
			for i := range next {
				j := jobs[i]
				if runs[i], failed[i] = p.one(j.contestant, stands, j.stand, j.budget); failed[i] != nil {
					failed[i] = fmt.Errorf("%s on %s %d with %d: %w", j.contestant.Name, j.stand.family, j.stand.seed, j.budget, failed[i])
				}
			}
		})
	}
	for i := range jobs {
		next <- i
	}
	close(next)
	crew.Wait()
	return runs, missing, errors.Join(failed...)
}

// one returns the run of a contestant. For peers it takes the run from the file if
// possible.
func (p Plan) one(c Contestant, stands *stands, at stand, budget int) (Run, error) {
	made, print, err := stands.open(at)
	if err != nil {
		return Run{}, err
	}
	r := Run{Problem: print, Family: at.family, Seed: at.seed, Budget: budget, Contestant: c.Name}
	if c.Peer {
		if old, ok := p.Kept.find(r); ok {
			_, old.Best = made.Best()
			return old, nil
		}
	}
	desk := NewDesk(made, budget, at.seed)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := processorTime()
	out, err := c.Play(desk)
	if err != nil {
		return r, err
	}
	took := (processorTime() - start - desk.worked).Seconds() + out.Seconds
	_, r.Best = made.Best()
	r.True, r.Default, r.Holdout = made.True(out.Config), made.True(made.Default()), made.Holdout(out.Config)
	r.Claim = claim(made, out)
	r.Milliseconds = 1000 * took / float64(max(1, desk.bought))
	if !c.Peer {
		return r, nil
	}
	return r, p.Kept.add(r)
}

// stand identifies a problem.
type stand struct {
	family string
	seed   int64
}

// stands caches problems.
type stands struct {
	families []problem.Family

	mu   sync.Mutex
	made map[stand]func() (*problem.Problem, string)
}

func (s *stands) open(at stand) (*problem.Problem, string, error) {
	i := slices.IndexFunc(s.families, func(f problem.Family) bool { return f.Name == at.family })
	if i < 0 {
		return nil, "", fmt.Errorf("there is no family %q", at.family)
	}
	s.mu.Lock()
	if s.made[at] == nil {
		s.made[at] = sync.OnceValues(func() (*problem.Problem, string) {
			p := s.families[i].Make(at.seed)
			return p, fingerprint(p)
		})
	}
	open := s.made[at]
	s.mu.Unlock()
	p, print := open()
	return p, print, nil
}
