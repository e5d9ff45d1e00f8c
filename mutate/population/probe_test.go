package population

import (
	"math/rand/v2"
	"strings"
	"testing"

	"evolve/mutate"
	"evolve/mutate/operator"
	"evolve/runtime/agent"
)

// mostly is an operator whose children behave as changed programs usually do. Of ten
// variants, five behave like the parent, one of those with a shorter text, and two fail.
type mostly struct{ nudge }

func (o mostly) Make(s operator.FailureContext, rng *rand.Rand) (operator.Child, bool) {
	words := write(read(s.Parent))
	text, tail := "", strings.Repeat(" ", 1+rng.IntN(200))
	switch n := rng.IntN(10); {
	case n == 0:
		text = words + tail[:len(tail)/4+1]
	case n < 5:
		text = words + tail
	case n < 7:
		text = words + "fail" + tail
	default:
		c, ok := o.nudge.Make(s, rng)
		if !ok {
			return c, false
		}
		text = c.Config.String("block") + tail
	}
	return operator.Child{Config: agent.Config{"block": text}, Operator: "mostly", Rationale: "it was changed"}, true
}

func failing(w *world) func(mutate.Trial) (float64, bool) {
	return func(tr mutate.Trial) (float64, bool) {
		if strings.Contains(tr.Config.String("block"), "fail") {
			return 0, true
		}
		return w.score(tr.Config, tr.Task), true
	}
}

// TestProbe checks how many cases variants get: one for variants that fail, three for
// variants that behave like another variant that is not larger, and ten or more for all
// others.
func TestProbe(t *testing.T) {
	t.Parallel()
	w := newWorld(60, 5)
	o := w.options(3000, 1)
	o.Operators = []operator.Operator{mostly{}}
	s := start(t, o)
	counts, first := map[agent.ConfigID]int{}, map[agent.ConfigID]int{}
	score := failing(w)
	for i, tr := range drive(t, s, 1, score) {
		if counts[tr.Variant]++; counts[tr.Variant] == 1 {
			first[tr.Variant] = i
		}
	}
	smallest := map[string]int{}
	left := map[string]int{}
	for _, m := range s.members[1:] {
		text, n := m.config.String("block"), counts[m.id]
		numbers := write(read(m.config))
		size, known := smallest[numbers]
		switch {
		case first[m.id] > 2900: // the search may have ended before the stage of this variant did
		case strings.Contains(text, "fail"):
			if left["fail"]++; n != 1 {
				t.Fatalf("a variant that fails got %d cases", n)
			}
		case known && m.size < size && n < 10 && m.beats(0) > .1:
			t.Fatalf("a variant that behaves like a larger one got %d cases", n)
		case known && m.size >= size && n == 3:
			left["alike"]++
		case !known && n < 10 && m.beats(0) > .5:
			t.Fatalf("a better variant got %d cases", n)
		}
		if !strings.Contains(text, "fail") && (!known || m.size < size) {
			smallest[numbers] = m.size
		}
	}
	if left["fail"] < 40 || left["alike"] < 50 {
		t.Errorf("left after the probe: %v", left)
	}
}

// TestProbeFindsMore checks that the search with a probe finds more at equal cost if most
// mutants fail or change nothing.
func TestProbeFindsMore(t *testing.T) {
	t.Parallel()
	truth := map[int]float64{}
	const worlds = 60
	for _, probe := range []int{0, 1 << 20} {
		for seed := range uint64(worlds) {
			w := newWorld(60, seed)
			o := w.options(2000, int64(seed))
			o.Operators, o.Probe = []operator.Operator{mostly{}}, probe
			s := start(t, o)
			drive(t, s, 4, failing(w))
			truth[probe] += w.truth(s.Recommend().Best.Config) / worlds
		}
	}
	t.Logf("true score %.3f, without a probe %.3f", truth[0], truth[1<<20])
	if truth[0] <= truth[1<<20]+.01 {
		t.Errorf("true score %.3f, without a probe %.3f", truth[0], truth[1<<20])
	}
}

// TestProbeOfChance checks that equal scores on three tasks are not taken as evidence if
// every variant passes and fails tasks at random.
func TestProbeOfChance(t *testing.T) {
	t.Parallel()
	s := start(t, newWorld(60, 6).options(3000, 1))
	rng := rand.New(rand.NewPCG(1, 1))
	drive(t, s, 1, func(mutate.Trial) (float64, bool) { return float64(rng.IntN(2)), true })
	if a := s.audits; a.telling() || a.other < leastAudits || a.other < 4*a.same {
		t.Errorf("%+v; want no variant left because it scores like another character", a)
	}
}

// TestPromisingFirst checks that a variant that is better on its first cases gets its
// remaining cases before variants that change nothing get theirs. With a small budget,
// and with many evaluations under way at once, the better variant must not have to wait
// for all the others.
func TestPromisingFirst(t *testing.T) {
	t.Parallel()
	for seed := range int64(10) {
		w := newWorld(30, 1)
		o := w.options(190, seed)
		o.Operators, o.Finalists = []operator.Operator{seldom{}}, 2
		s := start(t, o)
		drive(t, s, 32, func(tr mutate.Trial) (float64, bool) {
			if strings.Contains(tr.Config.String("block"), "good") {
				return .7, true
			}
			return .5, true
		})
		rec := s.Recommend()
		if len(rec.Finalists) == 0 || rec.Best.Common < 30 || !strings.Contains(rec.Best.Config.String("block"), "good") {
			t.Errorf("seed %d: the best has %v cases of 30, with a gain of %+.3f, of %d variants", seed, rec.Best.Common, rec.Best.Gain, rec.Variants)
		}
	}
}

// seldom is an operator. In one of ten calls it makes a better variant; in the others, a
// variant that behaves like its parent.
type seldom struct{ nudge }

func (seldom) Make(s operator.FailureContext, rng *rand.Rand) (operator.Child, bool) {
	text := s.Parent.String("block") + strings.Repeat(" ", 1+rng.IntN(300))
	if rng.IntN(10) == 0 {
		text += "good"
	}
	return operator.Child{Config: agent.Config{"block": text}, Operator: "seldom", Rationale: "it was changed"}, true
}
