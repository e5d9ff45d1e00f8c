package gobench

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

const sec = "sec/op"

// runs returns n runs with one noisy value for each key.
func runs(rng *rand.Rand, n int, sd float64, centres map[Key]float64, order ...Key) []Run {
	out := make([]Run, n)
	for i := range out {
		out[i] = Run{}
		for _, k := range order { // in a fixed order, so that the noise is reproducible
			out[i][k] = noisy(rng, 1, centres[k], sd)
		}
	}
	return out
}

func TestCompareJudges(t *testing.T) {
	x, y, allocs, speed := Key{"BenchmarkX", sec}, Key{"BenchmarkY", sec}, Key{"BenchmarkX", "allocs/op"}, Key{"BenchmarkX", "B/s"}
	order := []Key{x, y, allocs, speed}
	base := map[Key]float64{x: 1e-6, y: 2e-6, allocs: 3, speed: 1e8}
	for _, c := range []struct {
		name    string
		change  map[Key]float64 // factors
		spoil   func(*Measured)
		rule    Rule
		runs    int
		verdict Verdict
		says    string
	}{
		{"the same", nil, nil, Rule{}, 10, NotShown, "no change of 1 % or more in sec/op was shown; the smallest that could have been found"},
		{"faster", map[Key]float64{x: .8}, nil, Rule{}, 10, Better, "BenchmarkX: sec/op better by"},
		{"slower", map[Key]float64{y: 1.2}, nil, Rule{}, 10, Worse, "BenchmarkY: sec/op worse by"},
		{"faster here and slower there", map[Key]float64{x: .5, y: 1.2}, nil, Rule{}, 10, Worse, "BenchmarkY: sec/op worse by"},
		{"faster for more memory", map[Key]float64{x: .5, allocs: 2}, nil, Rule{}, 10, Worse, "allocs/op worse by"},
		{"faster, memory not guarded", map[Key]float64{x: .5, allocs: 2}, nil, Rule{Guards: []string{"B/s"}}, 10, Better, "sec/op better"},
		{"only a guard is better", map[Key]float64{allocs: .5}, nil, Rule{}, 10, NotShown, "no change"},
		{"throughput falls", map[Key]float64{speed: .5}, nil, Rule{}, 10, Worse, "B/s worse by"},
		{"throughput is the metric", map[Key]float64{speed: 2}, nil, Rule{Metric: "B/s"}, 10, Better, "B/s better by"},
		{"too little to count", map[Key]float64{x: .9}, nil, Rule{Least: .2}, 10, NotShown, "no change of 20 %"},
		{"too few runs", map[Key]float64{x: .1}, nil, Rule{}, 4, Void, "with 4 runs on each side, no difference among 4 comparisons could be significant: at least 5 runs are needed"},
		{"three runs", map[Key]float64{x: .1}, nil, Rule{Guards: []string{}}, 3, Void, "at least 5"},
		{"no base", nil, func(m *Measured) { m.Base = nil }, Rule{}, 10, Void, "the base has no benchmark"},
		{"no candidate", nil, func(m *Measured) { m.Candidate = nil }, Rule{}, 10, Void, "the candidate has no run"},
		{"a run less", map[Key]float64{x: .5}, func(m *Measured) { m.Candidate = m.Candidate[1:] }, Rule{}, 10, Void, "the candidate has 9 runs, but the base has 10 runs"},
		{"too many runs", nil, nil, Rule{}, mostRuns + 1, Void, "the limit is 200"},
		{"a benchmark is gone", map[Key]float64{x: .5}, func(m *Measured) { delete(m.Candidate[3], y) }, Rule{}, 10, Refused, "run 4 of the candidate reports BenchmarkY in sec/op never; the base's first run reports it once"},
		{"a benchmark came from nowhere", map[Key]float64{x: .5}, func(m *Measured) { m.Candidate[3][Key{"BenchmarkNew", sec}] = []float64{1} }, Rule{}, 10, Better, "BenchmarkX"},
		{"nothing left", nil, func(m *Measured) { m.Candidate = make([]Run, 10) }, Rule{}, 10, Refused, "candidate reports BenchmarkX"},
		{"a line too many", map[Key]float64{x: .5}, func(m *Measured) { m.Candidate[3][x] = append(m.Candidate[3][x], 1e-9) }, Rule{}, 10, Refused, "2 times"},
		{"the base is not steady", nil, func(m *Measured) { delete(m.Base[0], y) }, Rule{}, 10, Void, "base reports BenchmarkY"},
		{"what is to be guarded was not measured", nil, nil, Rule{Guards: []string{"B/op"}}, 10, Void, "no results in B/op"},
		{"what is to get better was not measured", nil, nil, Rule{Metric: "B/op"}, 10, Void, "no benchmark with results in B/op"},
		{"no direction", nil, nil, Rule{Metric: "hits/op"}, 10, Void, "no setting specifies whether higher or lower values of hits/op are better"},
		{"no level", nil, nil, Rule{Alpha: 2}, 10, Void, "2 is not between 0 and 1"},
		{"the base differs from itself", map[Key]float64{x: .5}, func(m *Measured) {
			for i := range m.Again {
				m.Again[i][y][0] *= 1.3
			}
		}, Rule{}, 10, Void, "a second measurement of the base differs from the first: BenchmarkY"},
		{"it differs, but by too little to count", map[Key]float64{x: .5}, func(m *Measured) {
			for i := range m.Again {
				m.Again[i][y][0] *= 1.03
			}
		}, Rule{Least: .1}, 10, Better, "BenchmarkX"},
		{"the check is too short", map[Key]float64{x: .5}, func(m *Measured) { m.Again = m.Again[:2] }, Rule{}, 10, Void, "the second measurement of the base has 2 runs, but the base has 10 runs"},
		{"the base is not steady, and a benchmark of the candidate is gone", nil, func(m *Measured) { delete(m.Base[2], x); delete(m.Candidate[3], y) }, Rule{}, 10, Void, "of the base reports BenchmarkX"},
		{"the check lacks a benchmark", nil, func(m *Measured) { delete(m.Again[0], y) }, Rule{}, 10, Void, "of the second measurement of the base reports BenchmarkY"},
		{"no check", map[Key]float64{x: .5}, func(m *Measured) { m.Again = nil }, Rule{}, 10, Better, "the base was not measured a second time, so it was not compared with itself"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(2, 3))
			changed := map[Key]float64{}
			for k, v := range base {
				changed[k] = v
				if f, ok := c.change[k]; ok {
					changed[k] = v * f
				}
			}
			m := Measured{Base: runs(rng, c.runs, .02, base, order...), Again: runs(rng, c.runs, .02, base, order...), Candidate: runs(rng, c.runs, .02, changed, order...)}
			if c.spoil != nil {
				c.spoil(&m)
			}
			r := Compare(m, c.rule)
			if r.Verdict != c.verdict || !strings.Contains(strings.Join(r.Reasons, "; "), c.says) {
				t.Errorf("%s because %q, want %s because %q", r.Verdict, r.Reasons, c.verdict, c.says)
			}
			if len(r.Reasons) == 0 || len(r.Reasons) > 8 {
				t.Errorf("%d reasons", len(r.Reasons))
			}
			if _, err := json.Marshal(r); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestCompareKnowsExactCounts checks that metrics that do not vary are compared too, even
// with a base of 0.
func TestCompareKnowsExactCounts(t *testing.T) {
	k := Key{"BenchmarkX", "allocs/op"}
	constant := func(v float64) []Run {
		out := make([]Run, 5)
		for i := range out {
			out[i] = Run{k: {v}}
		}
		return out
	}
	for _, c := range []struct {
		base, candidate, change float64
		verdict                 Verdict
	}{
		{3, 3, 0, NotShown}, {4, 3, -.25, Better}, {4, 5, .25, Worse}, {0, 0, 0, NotShown}, {0, 3, 1, Worse}, {3, 0, -1, Better}, {-2, -3, -.5, Better}, {-2, 2, 2, Worse},
	} {
		r := Compare(Measured{Base: constant(c.base), Candidate: constant(c.candidate)}, Rule{Metric: k.Unit})
		got := r.Comparisons[0]
		if r.Verdict != c.verdict || math.Abs(got.Change-c.change) > 1e-9 || got.Detectable != 0 {
			t.Errorf("%v to %v: %s, %+v", c.base, c.candidate, r.Verdict, got)
		}
	}
}

// TestReasonsAreFew checks that a thousand broken benchmarks give few reasons.
func TestReasonsAreFew(t *testing.T) {
	base := Run{}
	for i := range 1000 {
		base[Key{fmt.Sprint("Benchmark", i), sec}] = []float64{1}
	}
	r := Compare(Measured{Base: []Run{base}, Candidate: []Run{{}}}, Rule{})
	if r.Verdict != Refused || len(r.Reasons) != 7 || r.Reasons[6] != "and 994 more of this kind" {
		t.Errorf("%s because %q", r.Verdict, r.Reasons)
	}
}

// TestCompareSeldomCriesWolf checks that for a candidate equal to the base, with ten
// benchmarks in two units, only about alpha of the comparisons find any difference.
func TestCompareSeldomCriesWolf(t *testing.T) {
	const trials, alpha = 500, .1
	rng := rand.New(rand.NewPCG(11, 12))
	centres := map[Key]float64{}
	var order []Key
	for i := range 10 {
		for _, unit := range []string{sec, "B/op"} {
			k := Key{string(rune('A' + i)), unit}
			centres[k] = 1
			order = append(order, k)
		}
	}
	wrong := 0
	for range trials {
		m := Measured{Base: runs(rng, 10, .05, centres, order...), Candidate: runs(rng, 10, .05, centres, order...)}
		if r := Compare(m, Rule{Alpha: alpha, Least: 1e-9}); r.Verdict != NotShown {
			wrong++
		}
	}
	// The bound is three standard errors above alpha; without the correction the number
	// would be about 380.
	if most := trials*alpha + 3*math.Sqrt(trials*alpha*(1-alpha)); float64(wrong) > most || wrong < 10 {
		t.Errorf("%d of %d comparisons of equals found a difference, at most %.0f expected", wrong, trials, most)
	}
}

// TestBlind checks that a comparison is listed as blind if neither its power nor its
// interval excludes a loss greater than the rule allows, and is not listed if the allowed
// loss is larger or the noise is smaller.
func TestBlind(t *testing.T) {
	x, y := Key{"BenchmarkX", sec}, Key{"BenchmarkY", sec}
	base := map[Key]float64{x: 1e-6, y: 2e-6}
	for _, c := range []struct {
		name   string
		noise  float64
		runs   int
		factor float64
		loss   float64
		blind  bool
	}{
		{"quiet", .01, 10, 1, 0, false},
		{"noisy", .6, 10, 1, 0, true},
		{"noisy, and much may be lost", .6, 10, 1, 50, false},
		{"quiet, and little may be lost", .01, 10, 1, .001, true},
		{"noisy, and by far better", .2, 20, .1, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 6))
			other := map[Key]float64{x: base[x] * c.factor, y: base[y] * c.factor}
			r := Compare(Measured{Base: runs(rng, c.runs, c.noise, base, x, y), Candidate: runs(rng, c.runs, c.noise, other, x, y)}, Rule{Loss: c.loss})
			if (len(r.Blind) > 0) != c.blind {
				t.Errorf("%s: blind %q, reasons %q", r.Verdict, r.Blind, r.Reasons)
			}
		})
	}
}
