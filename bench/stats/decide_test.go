package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func TestHolm(t *testing.T) {
	for _, c := range []struct{ in, want []float64 }{
		{nil, []float64{}},
		{[]float64{.02}, []float64{.02}},
		{[]float64{.01, .04, .03, .005}, []float64{.03, .06, .06, .02}},
		{[]float64{.9, .8, math.NaN()}, []float64{1, 1, 1}},
	} {
		if diff := cmp.Diff(c.want, Holm(c.in), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Error(diff)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOf(rapid.Float64Range(0, 1)).Draw(t, "p")
		adjusted := Holm(p)
		for i := range p {
			if adjusted[i] < p[i] || adjusted[i] > math.Min(1, p[i]*float64(len(p)))+1e-15 {
				t.Fatalf("%v adjusted to %v", p, adjusted)
			}
			for j := range p {
				if p[i] < p[j] && adjusted[i] > adjusted[j] {
					t.Fatalf("%v adjusted to %v: order changed", p, adjusted)
				}
			}
		}
	})
}

func TestPlanned(t *testing.T) {
	near(t, "40 tasks", Planned(40, .5, 1, .95, 1), (2.022690920+.850610)*.5/math.Sqrt(40), 1e-4)
	if d := Planned(1, .5, 1, .95, 1); !math.IsInf(d, 1) {
		t.Errorf("one cluster can show %g", d)
	}
	if d := Planned(3, 2, 1, .95, 1); !math.IsInf(d, 1) {
		t.Errorf("three wild clusters can show %g", d)
	}
	if a, b := Planned(40, 0, 1, .95, 1), Planned(40, PriorSD, 1, .95, 1); a != b {
		t.Errorf("no history gives %g, the prior %g", a, b)
	}
	if n := Needed(.05, .5, 1, .95, 1); Planned(n, .5, 1, .95, 1) > .05 || Planned(n-1, .5, 1, .95, 1) <= .05 {
		t.Errorf("%d clusters needed", n)
	}
	if n := Needed(1e-9, .5, 1, .95, 1); n != 0 {
		t.Errorf("%d clusters for nothing at all", n)
	}
	rapid.Check(t, func(t *rapid.T) {
		n, r := rapid.IntRange(2, 500).Draw(t, "n"), rapid.IntRange(1, 9).Draw(t, "repeats")
		sd, k := rapid.Float64Range(.01, .7).Draw(t, "sd"), rapid.IntRange(1, 5).Draw(t, "k")
		d := Planned(n, sd, r, .95, k)
		if Planned(n+1, sd, r, .95, k) > d || Planned(n, sd, r+1, .95, k) > d || Planned(n, sd, r, .95, k+1) < d || !(d > 0) {
			t.Fatalf("not monotone at %g", d)
		}
	})
}

// The power that is promised is the power that is had.
func TestDetectableIsFoundFourTimesInFive(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n, sd, rounds = 25, .2, 2000
	d := Planned(n, sd, 1, .95, 1)
	found, mistaken := 0, 0
	for range rounds {
		better, same := make([]Pair, n), make([]Pair, n)
		for i := range better {
			z := rng.NormFloat64() * sd
			better[i] = Pair{Task: fmt.Sprint(i), A: []float64{0}, B: []float64{d + z}}
			same[i] = Pair{Task: fmt.Sprint(i), A: []float64{0}, B: []float64{z}}
		}
		if Compare(better, .95).Lo > 0 {
			found++
		}
		if Compare(same, .95).Lo > 0 {
			mistaken++
		}
	}
	near(t, "power", float64(found)/rounds, .8, .03)
	near(t, "false finds", float64(mistaken)/rounds, .025, .011)
}

func passes(n int, wins, losses int) []Pair {
	out := steady(n, 0, 0)
	for i := range out {
		switch {
		case i < wins:
			out[i].B = []float64{1}
		case i < wins+losses:
			out[i].A = []float64{1}
		}
	}
	return out
}

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		name      string
		finalists []Finalist
		verdict   Verdict
		winner    int
		sentence  string
	}{
		{"nothing to confirm", nil, Keep, -1, "nothing was confirmed"},
		{"a clear winner", []Finalist{{"aaaaaaaaaa", passes(60, 0, 20)}, {"bbbbbbbbbb", passes(60, 20, 2)}}, Adopt, 1, "variant bbbbbbbb is better than the champion by +30.0 points on 60 tasks"},
		{"the surer of two", []Finalist{{"a", passes(60, 14, 1)}, {"b", passes(60, 20, 2)}}, Adopt, 1, "variant b"},
		{"too few tasks", []Finalist{{"a", passes(5, 5, 0)}}, Undecided, -1, "not ruled out"},
		{"as few as can be", []Finalist{{"a", passes(6, 6, 0)}}, Adopt, 0, "variant a"},
		{"as few, but two finalists", []Finalist{{"a", passes(6, 6, 0)}, {"b", passes(6, 6, 0)}}, Undecided, -1, "not ruled out"},
		{"no power", []Finalist{{"a", passes(40, 6, 4)}}, Undecided, -1, "neither"},
		{"power and no gain", []Finalist{{"a", passes(2000, 200, 190)}}, Keep, -1, "by a margin this run could see (2.8 points at 80 % power)"},
		{"worse", []Finalist{{"a", passes(60, 0, 20)}}, Keep, -1, "by a margin this run could see"},
		{"identical", []Finalist{{"a", passes(300, 0, 0)}}, Keep, -1, "by a margin this run could see (1.2 points"},
		{"nothing scored", []Finalist{{"a", nil}}, Undecided, -1, "could see no difference"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := Decide(c.finalists, .95)
			text := d.Sentence
			for _, r := range d.Rulings {
				if r.Reason == "" || (r.Accepted && (r.Lo <= 0 || r.Open)) {
					t.Errorf("ruling %+v", r)
				}
				text += "; " + r.Reason
			}
			if d.Verdict != c.verdict || d.Winner != c.winner || !strings.Contains(text, c.sentence) {
				t.Errorf("%s, winner %d: %s", d.Verdict, d.Winner, text)
			}
		})
	}
}

func TestDecideRarelyAdoptsNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	adopted := 0
	const rounds = 1000
	for range rounds {
		finalists := make([]Finalist, 3)
		for f := range finalists {
			pairs := steady(30, 0, 0)
			for i := range pairs {
				pairs[i].A[0], pairs[i].B[0] = float64(rng.IntN(2)), float64(rng.IntN(2))
			}
			finalists[f] = Finalist{fmt.Sprint(f), pairs}
		}
		if Decide(finalists, .95).Verdict == Adopt {
			adopted++
		}
	}
	if adopted > rounds*35/1000 {
		t.Errorf("%d of %d nights without any improvement adopt something", adopted, rounds)
	}
}
