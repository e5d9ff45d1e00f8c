package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s is %.12g, want %.12g", what, got, want)
	}
}

func TestCompareHandComputed(t *testing.T) {
	raw, err := os.ReadFile("testdata/comparisons.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name  string
		Level float64
		Pairs []Pair
		Want  struct{ Difference, SE, Lo, Hi, P, Detectable float64 }
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 4 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			got := Compare(c.Pairs, c.Level)
			near(t, "difference", got.Difference, c.Want.Difference, 1e-9)
			near(t, "se", got.SE, c.Want.SE, 1e-9)
			near(t, "lo", got.Lo, c.Want.Lo, 1e-7)
			near(t, "hi", got.Hi, c.Want.Hi, 1e-7)
			near(t, "p", got.P, c.Want.P, 1e-9)
			near(t, "detectable", got.Detectable, c.Want.Detectable, 1e-7)
		})
	}
}

// steady returns n tasks, all with the same difference.
func steady(n int, a, b float64) []Pair {
	out := make([]Pair, n)
	for i := range out {
		out[i] = Pair{Task: fmt.Sprint("t", i), A: []float64{a}, B: []float64{b}}
	}
	return out
}

func TestCompareDegenerate(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name  string
		pairs []Pair
		want  Comparison
	}{
		{"nothing", nil, Comparison{Lo: -1, Hi: 1, P: 1, Level: .95, Detectable: 1}},
		{"one task", steady(1, 0, 1), Comparison{MeanB: 1, Difference: 1, Lo: -1, Hi: 1, P: 1, Level: .95, Tasks: 1, Clusters: 1, Repeats: 1, Wins: 1, Detectable: 1}},
		{"one cluster of two tasks", []Pair{
			{Task: "a", Cluster: "x", A: []float64{0, 0}, B: []float64{1, 1}},
			{Task: "b", Cluster: "x", A: []float64{0, 0}, B: []float64{0, 0}},
		}, Comparison{MeanB: .5, Difference: .5, Lo: -1, Hi: 1, P: 1, Level: .95, Tasks: 2, Clusters: 1, Repeats: 2, Wins: 1, Ties: 1, Detectable: 1}},
		{
			"nothing scored",
			[]Pair{{Task: "a", A: []float64{1}}, {Task: "b", A: []float64{nan}, B: []float64{1}}},
			Comparison{Lo: -1, Hi: 1, P: 1, Level: .95, Detectable: 1},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Compare(c.pairs, .95)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCompareWithoutSpread(t *testing.T) {
	c := Compare(steady(10, 0, 1), .95)
	near(t, "sign test", c.P, math.Pow(2, -10), 1e-12)
	if c.SE != 0 || c.Hi != 1 || c.Lo <= 0 || c.Lo >= 1 {
		t.Errorf("ten wins out of ten: %+v", c)
	}
	c = Compare(steady(10, .2, .3), .95)
	near(t, "p of a tenth on ten tasks", c.P, math.Pow(1.1, -10), 1e-9)
	if c.Lo >= 0 || c.Hi <= .1 {
		t.Errorf("a tenth on ten tasks is proven: %+v", c)
	}
	c = Compare(steady(40, 1, 1), .95)
	near(t, "rule of three", c.Hi, 1-math.Pow(.025, 1./40), 1e-12)
	near(t, "rule of three, below", c.Lo, -c.Hi, 1e-12)
	if c.P != 1 || c.Ties != 40 {
		t.Errorf("forty ties: %+v", c)
	}
	if c := Compare(steady(40, 1, .5), .95); c.P != 1 || c.Hi >= 0 {
		t.Errorf("half a point worse everywhere: %+v", c)
	}
}

func TestCompareWeighsAndClusters(t *testing.T) {
	// A cluster with nearly all the weight makes it impossible to estimate the spread.
	pairs := steady(8, 0, 1)
	pairs[0].Weight, pairs[1].B[0] = 1e9, 0
	if c := Compare(pairs, .95); c.Lo > -1 || c.P < .05 {
		t.Errorf("one task in effect: %+v", c)
	}
	pairs = steady(8, 0, 1)
	pairs[3].B[0] = 0
	twice := append(pairs, pairs...)
	for i := range twice {
		twice[i].Cluster = twice[i].Task
		twice[i].Task = fmt.Sprint(i)
	}
	one, two := Compare(pairs, .95), Compare(twice, .95)
	near(t, "se of doubled tasks", two.SE, one.SE, 1e-12)
	near(t, "p of doubled tasks", two.P, one.P, 1e-12)
}

func TestCompareDomains(t *testing.T) {
	pairs := steady(5, 0, 1)
	pairs[0].Domain, pairs[1].Domain, pairs[2].Domain = "b", "b", "a"
	pairs[3].Domain, pairs[4].Domain, pairs[4].B = "a", "lonely", []float64{0}
	c := Compare(pairs, .95)
	if len(c.Domains) != 2 || c.Domains[0].Domain != "a" || c.Domains[1].Domain != "b" || c.Domains[0].Tasks != 2 || c.Domains[0].Domains != nil {
		t.Errorf("domains: %+v", c.Domains)
	}
}

func genPairs(t *rapid.T) []Pair {
	score := rapid.SampledFrom([]float64{0, .1, .25, 1. / 3, .5, .7, 1})
	n := rapid.IntRange(0, 25).Draw(t, "tasks")
	out := make([]Pair, n)
	for i := range out {
		out[i] = Pair{
			Task:    fmt.Sprint("t", i),
			Domain:  rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "domain"),
			Cluster: rapid.SampledFrom([]string{"", "", "c", "d"}).Draw(t, "cluster"),
			Weight:  rapid.SampledFrom([]float64{0, 1, 2, .3}).Draw(t, "weight"),
			A:       rapid.SliceOfN(score, 0, 4).Draw(t, "a"),
			B:       rapid.SliceOfN(score, 0, 4).Draw(t, "b"),
		}
	}
	return out
}

func TestCompareProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pairs := genPairs(t)
		c := Compare(pairs, .95)
		seed := rapid.Uint64().Draw(t, "seed")
		rng := rand.New(rand.NewPCG(seed, 1))
		shuffled := make([]Pair, len(pairs))
		for i, j := range rng.Perm(len(pairs)) {
			p := pairs[j]
			p.A, p.B = append([]float64(nil), p.A...), append([]float64(nil), p.B...)
			rng.Shuffle(len(p.A), func(i, j int) { p.A[i], p.A[j] = p.A[j], p.A[i] })
			rng.Shuffle(len(p.B), func(i, j int) { p.B[i], p.B[j] = p.B[j], p.B[i] })
			shuffled[i] = p
		}
		if diff := cmp.Diff(c, Compare(shuffled, .95)); diff != "" {
			t.Fatalf("order matters: %s", diff)
		}
		swapped := make([]Pair, len(pairs))
		for i, p := range pairs {
			p.A, p.B = p.B, p.A
			swapped[i] = p
		}
		s := Compare(swapped, .95)
		if s.Wins != c.Losses || math.Abs(s.Difference+c.Difference) > 1e-12 || math.Abs(s.Lo+c.Hi) > 1e-9 {
			t.Fatalf("swapped sides: %+v, %+v", c, s)
		}
		if c.Wins+c.Losses+c.Ties != c.Tasks || c.Lo < -1 || c.Hi > 1 || c.Lo > c.Difference+1e-12 || c.Hi < c.Difference-1e-12 ||
			!(c.P > 0 && c.P <= 1) || !(c.Detectable > 0 && c.Detectable <= 1) || math.IsNaN(c.SE) {
			t.Fatalf("out of range: %+v", c)
		}
		if c.Clusters >= 2 && math.Abs(c.Lo) > 1e-9 && c.Lo > -1 && (c.Lo > 0) != (c.P < .025) {
			t.Fatalf("interval and p-value disagree: %+v", c)
		}
		if _, err := json.Marshal(c); err != nil {
			t.Fatal(err)
		}
	})
}
