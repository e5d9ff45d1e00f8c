package influence

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestEveryFigureIsFinite checks small searches of every kind: with scores that are all
// equal, decided by one parameter or random, with levels that have few configs, and with
// tasks that some configs lack.
func TestEveryFigureIsFinite(t *testing.T) {
	finite := func(c Contrast) bool {
		sum := c.Difference + c.Lo + c.Hi
		return !math.IsNaN(sum) && !math.IsInf(sum, 0)
	}
	judged := 0
	for seed := range uint64(1000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		in := Input{Tasks: 8 + rng.IntN(5)}
		for range 1 + rng.IntN(5) {
			in.Levels = append(in.Levels, 2+rng.IntN(3))
		}
		for range 10 + rng.IntN(15) {
			levels := make([]int, len(in.Levels))
			for p, n := range in.Levels {
				levels[p] = rng.IntN(n) * rng.IntN(2)
			}
			in.Configs = append(in.Configs, levels)
		}
		sort := rng.IntN(4)
		for c, levels := range in.Configs {
			for task := range in.Tasks {
				if sort != 3 && rng.IntN(3) == 0 {
					continue
				}
				score := float64(rng.IntN(2))
				switch {
				case sort == 0, sort == 1 && levels[0] == 1:
					score = 1
				case sort == 1:
					score = 0
				}
				in.Trials = append(in.Trials, Trial{c, task, score})
			}
		}
		r := Estimate(in)
		for _, m := range r.Mains {
			judged++
			if !finite(m.Spread) {
				t.Errorf("seed %d: the spread of parameter %d is %+v", seed, m.Param, m.Spread)
			}
			for level, c := range m.Levels {
				if !finite(c) {
					t.Errorf("seed %d: level %d of parameter %d is %+v", seed, level, m.Param, c)
				}
			}
		}
		for _, p := range r.Pairs {
			if !finite(p.Contrast) {
				t.Errorf("seed %d: a pair is %+v", seed, p)
			}
		}
	}
	if judged < 500 {
		t.Errorf("only %d parameters were judged", judged)
	}
}
