package problem

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/runtime/agent"
)

// all returns the families of both lists.
func all() []Family { return slices.Concat(Families(), Yardstick()) }

// each runs a test on one problem of every family.
func each(t *testing.T, test func(t *testing.T, p *Problem)) {
	for seed, f := range all() {
		t.Run(f.Name, func(t *testing.T) { test(t, f.Make(int64(seed))) })
	}
}

func (p *Problem) random(rng *rand.Rand) agent.Config { return p.codec.decode(p.codec.random(rng)) }

func TestSpacesAreSound(t *testing.T) {
	each(t, func(t *testing.T, p *Problem) {
		if problems := p.Space.Check(); len(problems) > 0 {
			t.Fatal(problems)
		}
		rng := rand.New(rand.NewPCG(1, 1))
		for range 200 {
			at := p.codec.random(rng)
			c := p.codec.decode(at)
			parsed, problems := p.Space.Parse(c)
			if len(problems) > 0 || parsed.ID() != c.ID() {
				t.Fatalf("%s is not the canonical form of a config: %v", c.Canonical(), problems)
			}
			back := p.codec.encode(c)
			for i := range at {
				if math.Float64bits(at[i]) != math.Float64bits(back[i]) {
					t.Fatalf("%s came back as %v instead of %v", p.Space.Params[i].Name, back[i], at[i])
				}
			}
		}
	})
}

func TestSameSeedSameProblem(t *testing.T) {
	each(t, func(t *testing.T, p *Problem) {
		var q *Problem
		for _, f := range all() {
			if f.Name == p.Family {
				q = f.Make(p.Seed)
			}
		}
		if d := cmp.Diff(p.Space, q.Space) + cmp.Diff(p.Tasks, q.Tasks); d != "" {
			t.Fatal(d)
		}
		rng := rand.New(rand.NewPCG(2, 2))
		for i := range 50 {
			c := p.random(rng)
			if p.True(c) != q.True(c) || p.Holdout(c) != q.Holdout(c) {
				t.Fatal("another true score")
			}
			task := i % len(p.Tasks)
			if p.Score(c, task, i, 4, 0.3) != q.Score(c, task, i, 4, 0.3) {
				t.Fatal("another score")
			}
		}
	})
}

func TestSeedsAreVariants(t *testing.T) {
	for _, f := range all() {
		spaces, suites := map[string]bool{}, map[string]bool{}
		for seed := range int64(4) {
			p := f.Make(seed)
			spaces[fmt.Sprint(p.Space.Names(), p.Default())] = true
			suites[fmt.Sprint(len(p.Tasks), p.True(p.Default()))] = true
			if n := len(p.Tasks); n < 60 || n > 200 {
				t.Errorf("%s %d has %d tasks", f.Name, seed, n)
			}
			if n := len(p.Space.Params); f.Name == "wide" && n < 31 {
				t.Errorf("%s %d has only %d parameters", f.Name, seed, n)
			}
		}
		if len(spaces) < 4 || len(suites) < 4 {
			t.Errorf("%s: %d spaces and %d suites of 4 seeds", f.Name, len(spaces), len(suites))
		}
	}
}

func TestScoresAverageToTheTruth(t *testing.T) {
	each(t, func(t *testing.T, p *Problem) {
		rng := rand.New(rand.NewPCG(3, 3))
		for _, c := range []agent.Config{p.Default(), p.random(rng), p.random(rng)} {
			const repeats = 20
			sum, weight, variance := 0.0, 0.0, 0.0
			for task, of := range p.Tasks {
				expected := p.Expected(c, task)
				for repeat := range repeats {
					r := p.Score(c, task, repeat, 7, 0)
					if !(r.Score >= 0 && r.Score <= 1 && r.CostUSD > 0 && r.Seconds > 0) {
						t.Fatalf("result %+v", r)
					}
					sum += of.Weight * r.Score
					weight += of.Weight
					variance += of.Weight * of.Weight * expected * (1 - expected)
				}
			}
			// The tolerance is five standard errors, which are largest if every score is
			// 0 or 1.
			if truth, mean := p.OnSearch(c), sum/weight; math.Abs(mean-truth) > 5*math.Sqrt(variance)/weight+1e-9 {
				t.Errorf("scores average to %.4f, the truth is %.4f", mean, truth)
			}
		}
	})
}

func TestCommonRandomNumbers(t *testing.T) {
	// Two configs with about equal expected scores agree more often on the same repeat
	// than on different repeats.
	for _, f := range all() {
		p := f.Make(1)
		if p.noise.grading == exact {
			continue
		}
		a := p.Default()
		b := a.Clone()
		for _, q := range p.Space.Params {
			if q.Numeric() && a[q.Name] != nil {
				b[q.Name] = decode(q, math.Abs(snap(q, encode(q, a[q.Name])-0.1)))
			}
		}
		same, other := 0.0, 0.0
		for task := range p.Tasks {
			for repeat := range 40 {
				x := p.Score(a, task, repeat, 1, 0).Score
				same += math.Abs(x - p.Score(b, task, repeat, 1, 0).Score)
				other += math.Abs(x - p.Score(b, task, repeat+1000, 1, 0).Score)
			}
		}
		if same > 0.9*other {
			t.Errorf("%s: mean difference %.0f on the same repeats, %.0f on others", f.Name, same, other)
		}
	}
}

func TestBestAndDefault(t *testing.T) {
	each(t, func(t *testing.T, p *Problem) {
		config, best := p.Best()
		if got := p.True(config); got != best {
			t.Errorf("the best config scores %v, not %v", got, best)
		}
		rng := rand.New(rand.NewPCG(5, 5))
		if top := plainSearch(p, rng); top > best+1e-3 {
			t.Errorf("a plain local search reached %.4f, the best is said to be %.4f", top, best)
		}
		mean := 0.0
		for range 400 {
			mean += p.True(p.random(rng)) / 400
		}
		share := (p.True(p.Default()) - mean) / (best - mean)
		if p.Family != "needle" && (share < 0.25 || share > 0.7) { // all families but needle are alike
			t.Errorf("the default is %.2f of the way from random %.3f to best %.3f", share, mean, best)
		}
		if d := p.True(p.Default()); mean < 0.1 || d > 0.9 || best > 0.995 {
			t.Errorf("scores of random %.3f, default %.3f and best %.3f are too near the ends", mean, d, best)
		}
		if gap := best - p.True(p.Default()); gap < 0.06 {
			t.Errorf("only %.3f to gain", gap)
		}
		if h := math.Abs(p.Holdout(p.Default()) - p.True(p.Default())); h > 0.2 {
			t.Errorf("holdout differs by %.3f", h)
		}
	})
}

// plainSearch returns the best score of 2,000 uniform configs followed by a local search
// that differs from the climber's: it takes many random steps of one to three parameters.
func plainSearch(p *Problem, rng *rand.Rand) float64 {
	at, top := p.codec.encode(p.Default()), p.True(p.Default())
	for range 2000 {
		if next := p.codec.random(rng); p.truth(next) > top {
			at, top = next, p.truth(next)
		}
	}
	for range 4000 {
		next := slices.Clone(at)
		for range 1 + rng.IntN(3) {
			i := rng.IntN(len(next))
			switch {
			case !next.on(i):
			case p.Space.Params[i].Numeric():
				next[i] = clamp(next[i]+0.1*rng.NormFloat64(), 0, 1)
			default:
				next[i] = p.codec.draw(i, rng)
			}
		}
		p.codec.settle(next, rng)
		if s := p.truth(next); s > top {
			at, top = next, s
		}
	}
	return top
}

func TestOnlyCostAndSecondsDrift(t *testing.T) {
	for _, f := range all() {
		p := f.Make(2)
		changed := false
		for task := range p.Tasks {
			early, late := p.Score(p.Default(), task, 0, 1, 0), p.Score(p.Default(), task, 0, 1, 0.999)
			if early.Score != late.Score {
				t.Fatalf("%s: the score drifts", f.Name)
			}
			changed = changed || early.CostUSD != late.CostUSD
		}
		if changed != (f.Name == "drift") {
			t.Errorf("%s: cost drifts: %v", f.Name, changed)
		}
	}
}

func TestForeignFormsOfAConfig(t *testing.T) {
	var problems []*Problem
	for _, f := range all() {
		problems = append(problems, f.Make(1))
	}
	rapid.Check(t, func(t *rapid.T) {
		p := problems[rapid.IntRange(0, len(problems)-1).Draw(t, "family")]
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "config"), 1))
		c := p.random(rng)
		// Values of inactive parameters have no effect.
		full := c.Clone()
		for _, q := range p.Space.Params {
			if _, ok := full[q.Name]; !ok {
				full[q.Name] = q.Default
			}
		}
		if p.True(full) != p.True(c) {
			t.Fatalf("%s differs from its canonical form", full.Canonical())
		}
	})
}
