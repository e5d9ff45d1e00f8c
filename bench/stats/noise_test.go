package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// passes returns fifty tasks with one pass/fail pair each and the given numbers of wins and
// losses.
func passes(wins, losses int) []Pair {
	return blocksOf(50, 1, func(task, _ int) int { return btoi(task < wins) - btoi(wins <= task && task < wins+losses) })
}

func TestNoiseFloor(t *testing.T) {
	same := NoiseFloor(passes(0, 0), .95)
	if same.TwoSided != 1 || same.Drifted || same.LogE != 0 {
		t.Errorf("the same results twice: %+v", same)
	}
	if none := NoiseFloor(nil, .95); none.TwoSided != 1 || none.Drifted || none.Lo != -1 || none.Hi != 1 {
		t.Errorf("nothing measured: %+v", none)
	}
	for _, pairs := range [][]Pair{passes(0, 25), passes(25, 0), steady(20, 1, 0), steady(20, 0, 1)} {
		if n := NoiseFloor(pairs, .95); !n.Drifted || n.TwoSided > .01 || math.Abs(n.Difference) < .5 {
			t.Errorf("a broken provider passes: %+v", n)
		}
	}
	if n := NoiseFloor(passes(5, 6), .95); n.Drifted || n.TwoSided < .5 {
		t.Errorf("plain noise alarms: %+v", n)
	}
	rapid.Check(t, func(t *rapid.T) {
		pairs := genPairs(t)
		n := NoiseFloor(pairs, .95)
		for i := range pairs {
			pairs[i].A, pairs[i].B = pairs[i].B, pairs[i].A
		}
		if m := NoiseFloor(pairs, .95); math.Abs(m.LogE-n.LogE) > 1e-9 || m.Drifted != n.Drifted {
			t.Fatalf("swapped sides: %+v, %+v", n, m)
		}
		if n.Drifted != (n.TwoSided <= alarm) || !(n.TwoSided > 0 && n.TwoSided <= 1) {
			t.Fatalf("%+v", n)
		}
	})
}

// TestNoiseOverNights checks that an unchanged champion raises an alarm in at most 1 % of
// all histories, although every night includes all earlier nights, and that a champion that
// loses thirty points soon raises one.
func TestNoiseOverNights(t *testing.T) {
	const runs, nights, tasks = 200, 12, 20
	rng := rand.New(rand.NewPCG(1, 12))
	history := func(loss float64) (alarmed bool) {
		pairs := blocksOf(tasks, 0, nil)
		for range nights {
			for i := range pairs {
				p := float64(i+1) / (tasks + 1)
				pairs[i].A = append(pairs[i].A, float64(btoi(rng.Float64() < p)))
				pairs[i].B = append(pairs[i].B, float64(btoi(rng.Float64() < p-loss)))
			}
			if NoiseFloor(pairs, .95).Drifted {
				return true
			}
		}
		return false
	}
	mistaken, found := 0, 0
	for range runs {
		mistaken += btoi(history(0))
	}
	for range runs / 10 {
		found += btoi(history(.3))
	}
	if mistaken > 6 || found < runs/10*9/10 {
		t.Errorf("%d of %d champions alarm for nothing, %d of %d for thirty points", mistaken, runs, found, runs/10)
	}
}
