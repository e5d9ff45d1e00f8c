package stats

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"evolve/bench/metrics"
)

// TestFurtherGains checks the findings on metrics other than the deciding one. The
// intervals of these metrics hold simultaneously.
func TestFurtherGains(t *testing.T) {
	t.Parallel()
	k := excess(10)
	k.Further = []metrics.Kind{
		{Name: "memory", Unit: "MB", Better: metrics.Lower, Size: 100, Form: metrics.Form},
		{Name: "hits", Better: metrics.Higher, Size: 5, Form: metrics.Form},
		{Name: "size", Better: metrics.Lower, Size: 30, Form: metrics.Form},
		{Name: "steps", Better: metrics.Lower, Size: 3, Form: metrics.Form},
		{Name: "noise", Better: metrics.Lower, Size: 3, Form: metrics.Form},
	}
	var pairs []Pair
	for i := range 10 {
		base, x := 10., float64(i)
		p := valued(string(rune('a'+i)), k, base, []float64{base}, []float64{base - 2 - x/10})
		p.Further = AddFurther(nil, []float64{100, 5, 30, 3, 3}, []float64{110 + x, 6 + x/10, 31, 3, 3 + math.Cos(3*x)})
		pairs = append(pairs, p)
	}
	r := Judge("v", pairs, Rule{Alpha: .05 / 12, Fixed: true}.Of(&k))
	want := []string{FurtherWorse, FurtherBetter, FurtherWorse, FurtherEqual, FurtherOpen}
	if len(r.Further) != len(want) || r.State != Proven {
		t.Fatalf("%s, %+v", r.State, r.Further)
	}
	for i, f := range r.Further {
		if f.Finding != want[i] || f.Cases != 10 || len(f.Kind.Further) > 0 {
			t.Errorf("%s is %s, want %s: %+v", f.Name, f.Finding, want[i], f.Gain)
		}
	}
	// The mean of 0 to 9 has the standard error √(82.5/90); t with 9 degrees of freedom at
	// .995 is 3.249836.
	near(t, "level", r.Further[0].Level, .99, 1e-12)
	near(t, "lo", r.Further[0].Interval.Lo, 14.5-3.249836*math.Sqrt(82.5/90), 1e-5)
	price := "significantly worse, corrected for 5 further metrics (Bonferroni): memory 100.0 → 114.5 MB, +14.5 MB, 99 % interval +11.4 to +17.6; size 30.0 → 31.0, +1.0 on every case"
	for what, words := range map[string]string{"the reason": r.Reason, "the sentence": Conclude([]Ruling{r}, Circumstances{Searched: true}).Sentence} {
		if !strings.Contains(words, price) {
			t.Errorf("%s does not have the price: %q", what, words)
		}
	}
	for _, f := range FurtherGains(&k, pairs[:5], false) {
		if f.Interval != nil || f.Finding != FurtherOpen && f.Finding != FurtherEqual {
			t.Errorf("five cases show %s of %s: %+v", f.Finding, f.Name, f.Interval)
		}
	}
	if several := FurtherGains(&k, pairs, true); several[0].Level != 1-.05/5/4 {
		t.Errorf("after several looks the level is %v", several[0].Level)
	}
	// Repeats of a case add no evidence.
	twice := append([]Pair{}, pairs...)
	for i := range twice {
		twice[i].A, twice[i].B = append(twice[i].A, twice[i].A...), append(twice[i].B, twice[i].B...)
		twice[i].Values = Measured{A: append(twice[i].Values.A, twice[i].Values.A...), B: append(twice[i].Values.B, twice[i].Values.B...)}
		twice[i].Further = addFurther(twice[i].Further, twice[i].Further)
	}
	again := FurtherGains(&k, normalizePairs(twice), false)
	if again[0].Interval == nil || math.Abs(again[0].Interval.Lo-r.Further[0].Interval.Lo) > 1e-9 {
		t.Errorf("two repeats give %+v", again[0].Interval)
	}
}

// TestFurtherErrors draws metrics that do not change. At most one in twenty comparisons
// may find that one of the four metrics is better or worse.
func TestFurtherErrors(t *testing.T) {
	t.Parallel()
	k := excess(10)
	for _, name := range []string{"a", "b", "c", "d"} {
		k.Further = append(k.Further, metrics.Kind{Name: name, Better: metrics.Lower, Size: 1, Form: metrics.Form})
	}
	rng, found := rand.New(rand.NewPCG(3, 5)), 0
	const rounds = 2000
	for range rounds {
		var pairs []Pair
		for i := range 12 {
			a, b := make([]float64, 4), make([]float64, 4)
			for j := range a {
				a[j], b[j] = rng.NormFloat64(), rng.NormFloat64()
			}
			pairs = append(pairs, Pair{Task: string(rune('a' + i)), Cluster: string(rune('a' + i)), Weight: 1, A: []float64{.5}, B: []float64{.5}, Further: AddFurther(nil, a, b)})
		}
		for _, f := range FurtherGains(&k, pairs, false) {
			if f.Finding != FurtherOpen {
				found++
				break
			}
		}
	}
	if share := float64(found) / rounds; share > .065 || share < .03 {
		t.Errorf("%.3f of comparisons find a difference, want about .05", share)
	}
}

// TestPriceInPercentagePoints checks that the change of a further metric whose unit is %
// is given in percentage points, except in the words of older records, which are computed
// again and must stay the same.
func TestPriceInPercentagePoints(t *testing.T) {
	t.Parallel()
	k := excess(10)
	k.Further = []metrics.Kind{{Name: "misses", Unit: "%", Better: metrics.Lower, Size: 10, Form: metrics.Form}}
	var pairs []Pair
	for i := range 10 {
		p := valued(string(rune('a'+i)), k, 10, []float64{10}, []float64{8 - float64(i)/10})
		p.Further = AddFurther(nil, []float64{10}, []float64{12 + float64(i)/10})
		pairs = append(pairs, p)
	}
	judge := func() Ruling { return Judge("v", pairs, Rule{Alpha: .05 / 12, Fixed: true}.Of(&k)) }
	r := judge()
	if !strings.Contains(r.Reason, "misses 10.00 → 12.45 %, +2.45 %, ") || !strings.Contains(FurtherPrice(r.Further), "misses 10.00 → 12.45 %, +2.45 percentage points, ") {
		t.Errorf("the reason of an older record is %q, and what is shown %q", r.Reason, FurtherPrice(r.Further))
	}
	k.Further[0].Points = true
	if r := judge(); !strings.Contains(r.Reason, ": misses 10.00 → 12.45 %, +2.45 percentage points, ") {
		t.Errorf("the reason is %q", r.Reason)
	}
}
