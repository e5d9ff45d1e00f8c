package night

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"evolve/mutate"
	"evolve/runtime/agent"
)

// TestMeasurementsAreKept checks that evaluations added over several blocks can be read
// back.
func TestMeasurementsAreKept(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	m := newMeasurements()
	var want []mutate.Observation
	for range 30_000 {
		c := agent.Config{"x": int64(rng.IntN(300))}
		o := mutate.Observation{
			Trial: mutate.Trial{Variant: c.ID(), Config: c, Task: fmt.Sprint(rng.IntN(300)), Repeat: rng.IntN(1<<17) - 1}, Scored: rng.IntN(9) > 0,
		}
		if o.Scored {
			o.Score = []float64{0, 1, rng.Float64(), -rng.Float64()}[rng.IntN(4)]
		}
		m.add(o.Trial, o.Scored, o.Score)
		want = append(want, o)
	}
	i := 0
	for got := range m.all() {
		if !reflect.DeepEqual(got, want[i]) {
			t.Fatalf("evaluation %d is %+v, not %+v", i, got, want[i])
		}
		i++
	}
	if i != len(want) || len(m.blocks) < 2 {
		t.Errorf("%d of %d evaluations in %d blocks", i, len(want), len(m.blocks))
	}
}
