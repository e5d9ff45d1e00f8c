package stats

import (
	"math"
	"testing"
)

// TestPassPowers compares the results with the shares counted over all subsets of the runs.
func TestPassPowers(t *testing.T) {
	for made := 1; made <= 8; made++ {
		for passed := 0; passed <= made; passed++ {
			all := PassPowers([]Tries{{passed, made}})
			if len(all) != made {
				t.Fatalf("%d of %d: %+v", passed, made, all)
			}
			for k := 1; k <= made; k++ {
				sets, good := 0, 0
				for set := range 1 << made {
					size, passes := 0, true
					for i := range made {
						if set>>i&1 == 1 {
							size++
							passes = passes && i < passed
						}
					}
					if size == k {
						if sets++; passes {
							good++
						}
					}
				}
				if got, want := all[k-1].Value, float64(good)/float64(sets); math.Abs(got-want) > 1e-12 || all[k-1].K != k {
					t.Errorf("%d of %d, k %d: %v, want %v", passed, made, k, got, want)
				}
			}
		}
	}
	mean := PassPowers([]Tries{{4, 4}, {2, 4}, {0, 3}})
	lo, hi := Wilson((1+1./6)/3, 3, .95)
	if len(mean) != 3 || math.Abs(mean[1].Value-(1+1./6)/3) > 1e-12 || math.Abs(mean[1].Lo-lo) > 1e-12 || math.Abs(mean[1].Hi-hi) > 1e-12 || mean[0].Tasks != 3 {
		t.Errorf("%+v, want [%v, %v]", mean, lo, hi)
	}
	// Even if all tasks passed every time, doubt remains about other tasks.
	sure := PassPowers([]Tries{{3, 3}, {3, 3}, {3, 3}, {3, 3}})
	if sure[2].Value != 1 || !(sure[2].Lo < .6) {
		t.Errorf("%+v", sure[2])
	}
	if got := PassPowers(nil); got != nil {
		t.Errorf("%+v", got)
	}
}
