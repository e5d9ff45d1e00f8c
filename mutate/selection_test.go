package mutate

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSelectionsGolden(t *testing.T) {
	list := []Candidate{{Score: 0.50, Children: 6}, {Score: 0.58, Children: 2}, {Score: 0.62}, {Score: 0.44, Children: 1}}
	type choice struct {
		At  int
		Why string
	}
	for name, want := range map[string][]choice{
		"dgm": {
			{2, "dgm: score 0.620 against a median of 0.540, 0 children, chance 0.751"},
			{2, "dgm: score 0.620 against a median of 0.540, 0 children, chance 0.751"},
			{2, "dgm: score 0.620 against a median of 0.540, 0 children, chance 0.751"},
		},
		"top_k":  {{1, "top_k: the second best, 0.580"}, {2, "top_k: the best, 0.620"}, {2, "top_k: the best, 0.620"}},
		"random": {{0, "random: one of 4"}, {1, "random: one of 4"}, {3, "random: one of 4"}},
	} {
		rng := rand.New(rand.NewPCG(4, 4))
		var got []choice
		for range want {
			at, why := selectors()[name](list, rng)
			got = append(got, choice{at, why})
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestSelectionsChooseOneOfThoseThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Candidate {
			return Candidate{
				Score:    rapid.SampledFrom([]float64{0, 0.5, 0.5, 1, -3, 1e-300, 1e6}).Draw(t, "score"),
				Children: rapid.IntRange(0, 1000).Draw(t, "children"),
			}
		}), 1, 20).Draw(t, "list")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		for _, name := range Selections() {
			at, why := selectors()[name](list, rng)
			if at < 0 || at >= len(list) || !strings.HasPrefix(why, name+": ") || strings.Contains(why, "NaN") {
				t.Fatalf("%s chose %d of %d: %s", name, at, len(list), why)
			}
		}
	})
	if len(Selections()) != len(selectors()) || Selections()[0] != DefaultSelection {
		t.Errorf("the list of selections %v is not the table's", Selections())
	}
}

func TestSelectionShares(t *testing.T) {
	const draws = 20_000
	list := []Candidate{{Score: 0.4}, {Score: 0.5}, {Score: 0.6}, {Score: 0.6, Children: 1}, {Score: 0.5}}
	shares := func(name string) []float64 {
		rng := rand.New(rand.NewPCG(1, 1))
		out := make([]float64, len(list))
		for range draws {
			at, _ := selectors()[name](list, rng)
			out[at] += 1.0 / draws
		}
		return out
	}
	// Median .5 and MAD .1: weights σ(−2), σ(0), σ(2), σ(2)/2, σ(0).
	up, sum := 1/(1+math.Exp(-2)), 0.0
	weights := []float64{1 - up, 0.5, up, up / 2, 0.5}
	for _, w := range weights {
		sum += w
	}
	for i, got := range shares("dgm") {
		if want := weights[i] / sum; math.Abs(got-want) > 0.015 {
			t.Errorf("dgm takes %d with share %.3f, want %.3f", i, got, want)
		}
	}
	if top := shares("top_k"); math.Abs(top[2]-0.5) > 0.015 || math.Abs(top[3]-0.5) > 0.015 {
		t.Errorf("top_k: %v", top)
	}
	for i, got := range shares("random") {
		if math.Abs(got-0.2) > 0.015 {
			t.Errorf("random takes %d with share %.3f", i, got)
		}
	}
}
