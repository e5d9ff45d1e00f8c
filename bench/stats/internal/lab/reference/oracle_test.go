package reference

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// oracle is a case with a result calculated by another program or by hand.
type oracle struct {
	ID, Function string
	Input        struct {
		Differences                     []float64
		Clusters                        []int
		Wins, Losses, Successes, Trials int
		A, B, Level, Mean, Alpha        float64
		Sequence                        int
		Adopted                         []int
	}
	Expected  []float64
	Tolerance float64
}

func TestOracles(t *testing.T) {
	raw, err := os.ReadFile("testdata/oracles.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []oracle
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) != 12 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			got := c.compute(t)
			if len(got) != len(c.Expected) {
				t.Fatalf("%d numbers, want %d", len(got), len(c.Expected))
			}
			for i, want := range c.Expected {
				if !(math.Abs(got[i]-want) <= c.Tolerance) {
					t.Errorf("number %d is %.15g, want %.15g", i, got[i], want)
				}
			}
		})
	}
}

func (c oracle) compute(t *testing.T) []float64 {
	in := c.Input
	switch c.Function {
	case "mcnemar beta":
		return []float64{LogMcNemarBeta(in.Wins, in.Losses, in.A, in.B)}
	case "sign flip":
		return []float64{SignFlip(in.Differences)}
	case "wilcoxon":
		return []float64{Wilcoxon(in.Differences)}
	case "clustered":
		return []float64{ClusteredSE(in.Differences, in.Clusters)}
	case "clopper-pearson":
		lo, hi := ClopperPearson(in.Successes, in.Trials, in.Level)
		return []float64{lo, hi}
	case "hedged":
		x := make([]float64, in.Sequence)
		for i := range x {
			_, x[i] = math.Modf(math.Sqrt2 * float64(i+1))
		}
		return []float64{HedgedLogCapital(x, in.Mean, in.Alpha)}
	case "e-lond":
		var out []float64
		for i, adopted := range in.Adopted {
			out = append(out, LogThreshold(in.Alpha, i+1, adopted))
		}
		return out
	}
	t.Fatalf("no function computes %q", c.Function)
	return nil
}
