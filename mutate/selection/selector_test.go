package selection

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func chance(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

func mustNamed(t testing.TB, name string) Selector {
	t.Helper()
	choose, err := Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return choose
}

// anyCandidates draws lists with all kinds of invalid values.
func anyCandidates(t *rapid.T) []Candidate {
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.MaxFloat64, -math.MaxFloat64}
	number := rapid.OneOf(rapid.Float64Range(-1, 1), rapid.SampledFrom(odd))
	width := rapid.IntRange(0, 5).Draw(t, "tasks")
	list := make([]Candidate, rapid.IntRange(1, 12).Draw(t, "candidates"))
	for i := range list {
		list[i] = Candidate{
			Number: rapid.IntRange(-3, 40).Draw(t, "number"), Mean: number.Draw(t, "mean"), SD: number.Draw(t, "sd"),
			Evaluations: rapid.IntRange(-1, 300).Draw(t, "evaluations"), Sum: number.Draw(t, "sum"), Pending: rapid.IntRange(0, 9).Draw(t, "pending"),
			Parents: rapid.SliceOfN(rapid.IntRange(-2, 14), 0, 3).Draw(t, "parents"), Children: rapid.IntRange(-1, 9).Draw(t, "children"),
			Tasks:   rapid.SliceOfN(number, width, width).Draw(t, "scores"),
			Domains: rapid.SliceOfN(number, 0, 3).Draw(t, "domains"), Cost: number.Draw(t, "cost"), Latency: number.Draw(t, "latency"),
		}
	}
	return list
}

func TestEverySelectorTakesOneOfAnyListAndSaysWhy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := anyCandidates(t)
		b := Budget{rapid.IntRange(-5, 3000).Draw(t, "spent"), rapid.IntRange(-5, 2000).Draw(t, "total")}
		seed := rapid.Uint64().Draw(t, "seed")
		for _, name := range Names() {
			choose, err := Named(name)
			if err != nil {
				t.Fatal(err)
			}
			rng := chance(seed)
			at, why := choose(list, b, rng)
			if at < 0 || at >= len(list) {
				t.Fatalf("%s took %d of %d", name, at, len(list))
			}
			if !strings.HasPrefix(why, name+": ") || strings.Contains(why, "NaN") {
				t.Fatalf("%s says %q", name, why)
			}
			if again, word := choose(list, b, chance(seed)); again != at || word != why {
				t.Fatalf("%s took %d (%s), then %d (%s) by the same chance", name, at, why, again, word)
			}
		}
	})
}

// family returns a small search with its lineage: champion 0, its children 1 and 2,
// candidate 3 as a child of 1, and candidate 4 as a child of 1 and 2.
func family() []Candidate {
	nan := math.NaN()
	return []Candidate{
		{Number: 0, Evaluations: 40, Sum: 20, Children: 2, Tasks: []float64{.5, .5, .5, .5}, Domains: []float64{.5, .5}, Cost: 1, Latency: 1},
		{Number: 1, Mean: .06, SD: .05, Evaluations: 20, Sum: 11, Parents: []int{0}, Children: 2, Tasks: []float64{.9, .5, .4, nan}, Domains: []float64{.7, .4}, Cost: .4, Latency: 1},
		{Number: 2, Mean: -.05, SD: .06, Evaluations: 10, Sum: 4, Parents: []int{0}, Children: 1, Tasks: []float64{.2, .5, nan, .6}, Domains: []float64{.35, .55}, Cost: 1.5, Latency: 2.5},
		{Number: 3, Mean: .12, SD: .06, Evaluations: 10, Sum: 7, Parents: []int{1}, Tasks: []float64{.9, .8, .4, .6}, Domains: []float64{.85, .5}, Cost: .95, Latency: 1},
		{Number: 5, Mean: .02, SD: .07, Evaluations: 10, Sum: 5, Parents: []int{1, 2}, Tasks: []float64{nan, nan, .7, nan}, Domains: []float64{nan, .7}, Cost: 3, Latency: 0},
	}
}

// shares returns the relative frequency with which each index is selected.
func shares(choose Selector, list []Candidate, b Budget, draws int, seed uint64) []float64 {
	rng := chance(seed)
	out := make([]float64, len(list))
	for range draws {
		at, _ := choose(list, b, rng)
		out[at] += 1 / float64(draws)
	}
	return out
}

// permuted returns the list in another order, with the champion first. place maps each old
// index to the new one.
func permuted(list []Candidate, seed uint64) (out []Candidate, place []int) {
	place = make([]int, len(list))
	for i, p := range chance(seed).Perm(len(list) - 1) {
		place[i+1] = p + 1
	}
	out = make([]Candidate, len(list))
	for i, c := range list {
		parents := make([]int, len(c.Parents))
		for k, p := range c.Parents {
			parents[k] = place[p]
		}
		c.Parents = parents
		out[place[i]] = c
	}
	return out, place
}

// TestTheOrderOfTheListDoesNotMatter compares selection shares over 2,000 draws in two
// orders, with twins among the candidates. The standard error of the shares is below .016.
func TestTheOrderOfTheListDoesNotMatter(t *testing.T) {
	list := family()
	twin := list[3]
	twin.Number = 7 // the same island as its sibling, because number 3 has the same remainder
	list = append(list, twin)
	list[1].Children++
	for _, name := range Names() {
		choose := mustNamed(t, name)
		here := shares(choose, list, Budget{50, 500}, 2000, 1)
		if d := math.Abs(here[3] - here[5]); d > .05 {
			t.Errorf("%s: twins are taken with %.3f and %.3f", name, here[3], here[5])
		}
		for seed := range uint64(2) {
			other, place := permuted(list, seed)
			there := shares(choose, other, Budget{50, 500}, 2000, 2+seed)
			for i := range list {
				if d := math.Abs(here[i] - there[place[i]]); d > .05 {
					t.Errorf("%s: candidate %d is taken with %.3f, in another order with %.3f", name, i, here[i], there[place[i]])
				}
			}
		}
	}
}

func TestTheChampionIsTakenWhenAllElseIsWorse(t *testing.T) {
	list := family()
	for i := range list[1:] {
		c := &list[i+1]
		c.Mean, c.Sum = -.2, 0
		c.Tasks, c.Domains = []float64{.1, .1, .1, .1}, []float64{.1, .1}
	}
	for _, name := range Names() {
		// A share of one in a hundred would be chance. By merit the champion gets far more,
		// except from selections that are meant to explore.
		if got := shares(mustNamed(t, name), list, Budget{50, 500}, 2000, 3)[0]; got < .05 {
			t.Errorf("%s takes the champion in a share of %.3f", name, got)
		}
	}
}

func TestALoneChampionIsTaken(t *testing.T) {
	for _, name := range Names() {
		if at, why := mustNamed(t, name)([]Candidate{{}}, Budget{}, chance(1)); at != 0 || why == "" {
			t.Errorf("%s took %d: %s", name, at, why)
		}
	}
}

func TestNamesAndUnknownNames(t *testing.T) {
	if got := Names()[0]; got != Default {
		t.Errorf("the first name is %s", got)
	}
	if _, err := Named("clades"); err == nil || !strings.Contains(err.Error(), "map_elites") {
		t.Errorf("an unknown selection: %v", err)
	}
	a, _ := mustNamed(t, "")(family(), Budget{}, chance(4))
	b, _ := mustNamed(t, Default)(family(), Budget{}, chance(4))
	if a != b {
		t.Errorf("no name takes %d, the default %d", a, b)
	}
}

func BenchmarkSelectors(b *testing.B) {
	rng := chance(9)
	list := make([]Candidate, 2000)
	for i := range list {
		tasks := make([]float64, 200)
		for j := range tasks {
			tasks[j] = float64(rng.IntN(5)) / 4
		}
		list[i] = Candidate{
			Number: i, Mean: .1 * rng.NormFloat64(), SD: .05, Evaluations: rng.IntN(40), Children: rng.IntN(4),
			Tasks: tasks, Domains: tasks[:8], Cost: 1 + rng.Float64(), Latency: 1 + rng.Float64(),
		}
		list[i].Sum = rng.Float64() * float64(list[i].Evaluations)
		if i > 0 {
			list[i].Parents = []int{rng.IntN(i)}
		}
	}
	for _, name := range Names() {
		choose := mustNamed(b, name)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				choose(list, Budget{500, 2000}, rng)
			}
		})
	}
}
