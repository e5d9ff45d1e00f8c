package operator

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// play runs a bandit in which each operator has its own probability of a gain.
func play(b *Bandit, rng *rand.Rand, picks int, chance map[string]float64, names []string) map[string]int {
	count := map[string]int{}
	for range picks {
		name, scale := b.Pick(names, rng)
		count[name]++
		gain := 0.0
		if rng.Float64() < chance[name] {
			gain = 0.08 * rng.Float64()
		}
		b.Reward(name, scale, Credit(gain, 1))
	}
	return count
}

func TestBanditFindsTheBestOperatorAndForgetsNone(t *testing.T) {
	names := []string{"perturb", "flip", "subset", "directive", "merge"}
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 5))
		count := play(NewBandit(State{}), rng, 1500, map[string]float64{"perturb": 0.05, "flip": 0.1, "subset": 0.4, "directive": 0.1}, names)
		if count["subset"] < 800 {
			t.Errorf("seed %d: the best operator got %d of 1500 picks: %v", seed, count["subset"], count)
		}
		for _, n := range names {
			// The floor alone gives each operator 60 of 1500 picks. The probability of
			// fewer than 35 picks is below 1 in 5000.
			if count[n] < 35 {
				t.Errorf("seed %d: %s got only %d picks", seed, n, count[n])
			}
		}
	}
}

func TestBanditTurnsWhenAnOperatorIsExhausted(t *testing.T) {
	names := []string{"early", "late"}
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 6))
		b := NewBandit(State{})
		play(b, rng, 400, map[string]float64{"early": 0.5, "late": 0.1}, names)
		play(b, rng, 400, map[string]float64{"late": 0.5}, names)
		if last := play(b, rng, 400, map[string]float64{"late": 0.5}, names); last["late"] < 260 {
			t.Errorf("seed %d: it holds on to an exhausted operator: %v", seed, last)
		}
	}
}

func TestBanditGoesOnFromAnExport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"a", "b", "c"}[:rapid.IntRange(1, 3).Draw(t, "names")]
		chance := map[string]float64{"a": 0.2, "b": 0.5}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		b := NewBandit(State{})
		play(b, rng, rapid.IntRange(0, 300).Draw(t, "before"), chance, names)
		raw, err := json.Marshal(b.Export())
		if err != nil {
			t.Fatal(err)
		}
		var s State
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatal(err)
		}
		other := NewBandit(s)
		if d := cmp.Diff(b.Export(), other.Export()); d != "" {
			t.Fatal(d)
		}
		next := func(b *Bandit) map[string]int { return play(b, rand.New(rand.NewPCG(7, 8)), 50, chance, names) }
		if d := cmp.Diff(next(b), next(other)); d != "" {
			t.Fatalf("they part: %s", d)
		}
		if d := cmp.Diff(b.Export(), other.Export()); d != "" {
			t.Fatalf("they learn differently: %s", d)
		}
	})
}

// TestBanditStaysWithinItsBounds checks the bounds for any imported state and rewards.
func TestBanditStaysWithinItsBounds(t *testing.T) {
	odd := []float64{0, -1, 1, 0.3, 1e308, 1e-308, math.Inf(1), math.Inf(-1), math.NaN(), LeastScale}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(what string) float64 { return rapid.SampledFrom(odd).Draw(t, what) }
		b := NewBandit(State{Top: draw("top"), Arms: map[string]Arm{"a": {draw("success"), draw("children"), draw("scale")}}})
		rng := rand.New(rand.NewPCG(1, 1))
		for range 20 {
			b.Reward("a", draw("scale"), Credit(draw("gain"), draw("ratio")))
			name, scale := b.Pick([]string{"a", "b"}, rng)
			if !(scale >= LeastScale && scale <= 1) || name == "" {
				t.Fatalf("picked %q at scale %v", name, scale)
			}
			s := b.Export()
			a := s.Arms["a"]
			if !(s.Top >= leastTop && s.Top <= 1) || !(a.Scale >= LeastScale && a.Scale <= 1) || !(a.Success >= 0 && a.Success <= a.Children+1e-9 && a.Children <= horizon+1) {
				t.Fatalf("the state is %+v", s)
			}
		}
	})
}

func TestScaleFollowsWhatGains(t *testing.T) {
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 9))
		b := NewBandit(State{})
		for range 400 {
			name, scale := b.Pick([]string{"perturb"}, rng)
			// Only small scales gain.
			b.Reward(name, scale, Credit(0.2-scale, 1))
		}
		if s := b.Export().Arms["perturb"].Scale; s > 0.7 {
			t.Errorf("seed %d: the scale is %v", seed, s)
		}
	}
}

func TestCredit(t *testing.T) {
	for _, c := range []struct{ gain, ratio, want float64 }{
		{0.1, 1, 0.1},
		{0.1, 0, 0.2},
		{0.1, 3, 0.05},
		{0.1, math.NaN(), 0.1},
		{0.1, -2, 0.1},
		{0, 1, 0},
		{-0.3, 0, 0},
		{math.NaN(), 1, 0},
		{0.1, math.Inf(1), 0},
	} {
		if got := Credit(c.gain, c.ratio); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("a gain of %v at %v times the cost is worth %v, want %v", c.gain, c.ratio, got, c.want)
		}
	}
}
