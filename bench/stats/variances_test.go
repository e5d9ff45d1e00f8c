package stats

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestVariancesByHand(t *testing.T) {
	// Two runs that differ by .2 have a variance of .02, and a pair of runs one of .04.
	v := NewVariances([][]float64{{.4, .6}, {.5}}, nil, false)
	near(t, "runs", v.Within, (.04+.25*2)/3, 1e-15)
	near(t, "between", v.Between, 0, 0)
	r := Ruling{Blocks: 4, Pairs: 40, Independent: 10, Within: .1, Between: .03, Night: .02}
	r.Tasks = 10
	v = NewVariances(nil, []Ruling{r}, false)
	near(t, "ruling's chance", v.Within, (.1*30+.25*2)/32, 1e-15)
	near(t, "ruling's tasks", v.Between, (.03*9+.01*2)/11, 1e-15)
	near(t, "night", v.Night, .02, 0)
	r.Blocks = 1
	if v := NewVariances(nil, []Ruling{r}, false); v != (Variances{}) {
		t.Errorf("one block tells %+v", v)
	}
	r.Fixed = true
	v = NewVariances([][]float64{{1, 0}}, []Ruling{r}, true)
	near(t, "fixed", v.Between, (.03*9+.26*2)/11, 1e-15)
	if v := NewVariances([][]float64{{1, 0}}, nil, true); v != (Variances{}) {
		t.Errorf("the repeats of a fixed agent tell %+v", v)
	}
}

// spreadWorld simulates the runs of a champion and the pairs of a night.
type spreadWorld struct {
	rng   *rand.Rand
	score func(rng *rand.Rand, task int) float64
}

func (w spreadWorld) runs(tasks, repeats int) [][]float64 {
	rows := make([][]float64, tasks)
	for i := range rows {
		for range repeats {
			rows[i] = append(rows[i], w.score(w.rng, i))
		}
	}
	return rows
}

func (w spreadWorld) ruling(tasks, blocks int, gain float64) Ruling {
	a, b := w.runs(tasks, blocks), w.runs(tasks, blocks)
	for _, row := range b {
		for i := range row {
			row[i] = math.Min(1, row[i]+gain)
		}
	}
	pairs := make([]Pair, tasks)
	for i := range pairs {
		pairs[i] = Pair{Task: string(rune('a' + i)), Cluster: string(rune('a' + i)), A: a[i], B: b[i]}
	}
	return Judge("v", pairs, Rule{Alpha: 1. / 240})
}

// TestPowerOfGradedScores checks that a design with learnt variances states beforehand what
// a report states after the night. With the variances of pass and fail, the figure is
// several times as large.
func TestPowerOfGradedScores(t *testing.T) {
	for _, c := range []struct {
		name   string
		graded bool
		score  func(rng *rand.Rand, task int) float64
		// before is a minimum: the detectable difference that is computed from the priors
		// must be at least this many times the detectable difference that is known after
		// a night.
		before float64
	}{
		{"graded, .4 ± .1", true, func(rng *rand.Rand, _ int) float64 { return math.Min(1, math.Max(0, .4+.1*rng.NormFloat64())) }, 1.9},
		{"pass and fail", false, func(rng *rand.Rand, task int) float64 {
			// p·(1 − p) is .125 on average, so one pair in four differs.
			if rng.Float64() < []float64{.147, .853}[task%2] {
				return 1
			}
			return 0
		}, .9},
	} {
		prior := Design{Tasks: 40, Units: 40, Tonight: 320, Month: 9600, Alpha: 1. / 240, Graded: c.graded}
		known := func(runs [][]float64, rulings ...Ruling) Design {
			v := NewVariances(runs, rulings, false)
			v.Graded = c.graded
			return prior.With(v)
		}
		w := spreadWorld{rand.New(rand.NewPCG(7, 11)), c.score}
		dry := known(w.runs(40, 3))
		night := w.ruling(40, 8, 0)
		report := prior.learned(&night).Detectable(float64(night.Pairs))
		doctor := known(w.runs(40, 3), night).Detectable(prior.Tonight)
		before, repeated := prior.Detectable(prior.Tonight), dry.Detectable(prior.Tonight)
		t.Logf("%s: %.1f points by the priors, %.1f by the champion's repeats, %.1f after a night; its report %.1f",
			c.name, 100*before, 100*repeated, 100*doctor, 100*report)
		if doctor > 1.3*report || report > 1.3*doctor {
			t.Errorf("%s: doctor states %.3f, the report %.3f", c.name, doctor, report)
		}
		if before < c.before*doctor || repeated > before*1.05 {
			t.Errorf("%s: %.3f by the priors, %.3f by repeats, %.3f after a night", c.name, before, repeated, doctor)
		}
		if !c.graded {
			continue
		}
		// The stated power is reached. The power exceeds 80 % here because the assumed
		// drift of 2 points between nights is left out.
		proven := 0
		for range 50 {
			if r := w.ruling(40, 8, doctor); r.State == Proven {
				proven++
			}
		}
		if proven < 40 {
			t.Errorf("a gain of %.3f is proven in %d of 50 nights", doctor, proven)
		}
	}
}

// TestStatementOfPassAndFail checks that the statement does not change if there is no
// history and there are no graded scores.
func TestStatementOfPassAndFail(t *testing.T) {
	d := Design{Tasks: 40, Units: 40, Tonight: 320, Month: 9600, Alpha: 1. / 240}
	if got := d.With(NewVariances(nil, nil, false)); got != d {
		t.Errorf("%+v became %+v", d, got)
	}
	graded := d
	graded.Graded = true
	if a, b := d.Statement(), graded.Statement(); strings.Contains(a, "assumed") || !strings.Contains(b, "; random variation is assumed to be as large as for pass-or-fail scores until the first night has measured it") {
		t.Errorf("%s\n%s", a, b)
	}
	if text := graded.With(Variances{Within: .02, Graded: true}).Assumption(); text != "" {
		t.Errorf("known, and %s", text)
	}
}
