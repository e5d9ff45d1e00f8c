package mutate

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"evolve/bench/stats"
)

// TestPackedVariants packs and unpacks variants whose tasks are in any state.
func TestPackedVariants(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 500 {
		n := 1 + rng.IntN(40)
		a := &variantStats{repeats: make([]uint16, n), told: make([]uint16, n)}
		for j := range n {
			switch rng.IntN(5) {
			case 0: // not tried
			case 1: // demonstrated
				a.repeats[j] = closed
			case 2: // with gaps, and evaluations without a score or a price
				a.repeats[j], a.told[j] = uint16(rng.IntN(1<<16)), uint16(rng.IntN(1<<16))
				if rng.IntN(2) == 0 {
					a.observe(j, rng.Float64())
				}
				if rng.IntN(2) == 0 {
					a.pay(j, rng.Float64(), 1e30)
					a.pay(j, rng.Float64(), math.NaN())
				}
			default:
				for range 1 + rng.IntN(300) {
					a.repeats[j]++
					a.told[j]++
					score := rng.Float64()
					if j%2 == 0 {
						score = float64(rng.IntN(2))
					}
					a.observe(j, score)
					a.pay(j, float64(j%3)*rng.Float64(), rng.ExpFloat64())
				}
			}
		}
		want := *a
		a.pack()
		if a.cells != nil || a.repeats != nil {
			t.Fatal("a packed variant keeps its lists")
		}
		if scores, spent := a.scores(), a.spent(); !reflect.DeepEqual(scores, want.cells) || !reflect.DeepEqual(spent, want.spends) {
			t.Fatalf("packed, it has the scores %v and %v, not %v and %v", scores, spent, want.cells, want.spends)
		}
		a.pack()
		a.unpack()
		a.unpack()
		if !reflect.DeepEqual(*a, want) {
			t.Fatalf("%+v became %+v", want, *a)
		}
	}
}

// TestPackingChangesNothing compares a search with one whose variants are all unpacked
// before each call.
func TestPackingChangesNothing(t *testing.T) {
	for _, repeats := range []int{0, 1} {
		w := newWorld(t, "drift", 7)
		o := w.options(600)
		o.MaxRepeats = repeats
		o.Guards = []stats.Bound{{Name: stats.Cost, Of: stats.Mean, AtMost: 1.5, Floor: .00005}}
		packing, plain := newSearch(t, o), newSearch(t, o)
		unpacked := func() *search {
			for _, a := range plain.variants {
				a.unpack()
			}
			return plain
		}
		packed := 0
		var waiting []Trial
		rng := rand.New(rand.NewPCG(3, 3))
		for {
			trial, status := packing.Ask()
			same, _ := unpacked().Ask()
			if !reflect.DeepEqual(trial, same) {
				t.Fatalf("trial %d is %+v, and without packing %+v", trial.N, trial, same)
			}
			if status == Ready {
				if waiting = append(waiting, trial); len(waiting) < 8 {
					continue
				}
			}
			if len(waiting) == 0 {
				break
			}
			at := rng.IntN(len(waiting))
			tr := waiting[at]
			waiting = append(waiting[:at], waiting[at+1:]...)
			score, scored := w.score(tr, rng)
			told := Observation{Trial: tr, Scored: scored && rng.IntN(20) > 0, Score: score, CostUSD: rng.Float64(), Seconds: rng.Float64()}
			packing.Tell(told)
			unpacked().Tell(told)
		}
		for _, a := range packing.variants {
			if a.packed != nil {
				packed++
			}
		}
		if packed < len(packing.variants)/2 {
			t.Errorf("%d of %d variants are packed", packed, len(packing.variants))
		}
		moments := []Moment{packing.Recommend().Moment()}
		if got, want := packing.Recommend(), unpacked().Recommend(); !reflect.DeepEqual(got, want) {
			t.Errorf("recommends %+v, and without packing %+v", got, want)
		}
		if got, want := packing.Hindsight(moments), unpacked().Hindsight(moments); !reflect.DeepEqual(got, want) {
			t.Errorf("hindsight %+v, and without packing %+v", got, want)
		}
	}
}
