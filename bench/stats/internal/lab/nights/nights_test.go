package nights

import (
	"math"
	"math/rand/v2"
	"testing"

	"evolve/bench/stats"
)

// smoke returns a world that is small enough for every test run.
func smoke(gain float64, tasks int) World {
	return World{Gain: gain, Tasks: tasks, Interaction: .5, Items: 1, Cluster: 1, Budget: 2000, Nights: 30, Variants: 30}
}

// TestNightsWithoutGain checks that without a gain there are few false adoptions, as the
// stated .05 a month implies, while other policies adopt every night. By chance, twelve
// months may have up to four (Poisson, p = .003).
func TestNightsWithoutGain(t *testing.T) {
	t.Parallel()
	const months = 12
	if ours := Simulate(smoke(0, 40), Policies()[0], months, 1); ours.FalseNew > 4 {
		t.Errorf("%d false adoptions in %d months", ours.FalseNew, months)
	} else if rate, _ := ours.New.Rate(); ours.New.N < 50 || rate < .92 {
		t.Errorf("the interval for new tasks holds %.2f of %d gains", rate, ours.New.N)
	}
	naive := Simulate(smoke(0, 40), Policies()[len(Policies())-1], months, 1)
	if rate, _ := naive.False(); rate < 20 {
		t.Errorf("the argmax adopts %.1f a month: the world is too easy", rate)
	}
}

// TestNightsWithGain checks that a gain of eight points is found in about four nights,
// and that its reported size is about right.
func TestNightsWithGain(t *testing.T) {
	t.Parallel()
	const repetitions = 60
	got := Simulate(smoke(.08, 40), Policies()[0], repetitions, 1)
	if power, _ := got.Power(); power < .9 {
		t.Errorf("power %.2f", power)
	}
	if spent, _ := got.Spent.Mean(); spent > 16_000 {
		t.Errorf("%.0f evaluations", spent)
	}
	if bias, se := got.Raw.Mean(); bias < -3*se || bias > .03+3*se {
		t.Errorf("what is measured is %.3f ± %.3f too high", bias, se)
	}
	for name, s := range map[string]Share{"these tasks": got.Here, "new tasks": got.New} {
		if rate, _ := s.Rate(); s.N < repetitions || rate < .92 {
			t.Errorf("the interval for %s holds %.2f of %d gains", name, rate, s.N)
		}
	}
}

// TestRivals checks that the rivals match their names: each finds a large gain, and
// without a gain each adopts about as often per month as its error rate implies.
func TestRivals(t *testing.T) {
	t.Parallel()
	adopts := map[string][2]float64{
		"3 finalists, Holm, fixed n": {.2, 1.5}, "t-test on holdout": {.7, 2.5}, "t-test on search data": {5, 20}, "argmax, best ever": {1, 8}, "argmax": {25, 30},
	}
	w := smoke(.15, 40)
	w.Nights = 15
	for _, p := range Policies() {
		w.Gain = .15
		if power, _ := Simulate(w, p, 8, 2).Power(); power < .7 {
			t.Errorf("%s finds fifteen points with power %.2f", p.Name, power)
		}
		want, rival := adopts[p.Name]
		if !rival {
			continue
		}
		w.Gain = 0
		if rate, _ := Simulate(w, p, 20, 2).False(); rate < want[0] || rate > want[1] {
			t.Errorf("%s adopts %.1f a month", p.Name, rate)
		}
	}
}

func TestPromiseOfANight(t *testing.T) {
	t.Parallel()
	w := smoke(0, 40)
	got := promise(w, share*float64(w.Budget)/2, 100, 1)
	if rate, _ := got.Kept.Rate(); got.Kept.N == 0 || math.Abs(rate-.8) > .13 {
		t.Errorf("%.1f points, said to be shown with 80 %% power, are shown in %.2f of nights", 100*got.Stated, rate)
	}
}

// TestSimulateIsDeterministic checks that the same seed gives the same table on any number
// of processors.
func TestSimulateIsDeterministic(t *testing.T) {
	t.Parallel()
	w := smoke(.08, 10)
	w.Nights = 4
	for _, p := range Policies() {
		if a, b := Simulate(w, p, 4, 3), Simulate(w, p, 4, 3); a != b {
			t.Errorf("%s: %v and %v", p.Name, a, b)
		}
	}
}

// TestGainIsWhatItSays checks that the mean gain over very many tasks equals the world's
// gain, with and without an interaction.
func TestGainIsWhatItSays(t *testing.T) {
	t.Parallel()
	for _, interaction := range []float64{0, .5} {
		for _, gain := range []float64{0, .03, .15} {
			w := World{Gain: gain, Tasks: 50_000, Interaction: interaction, Items: 1, Cluster: 1, Budget: 1, Nights: 1, Variants: 1}
			l := w.draw(rand.New(rand.NewPCG(1, 1)))
			if v := l.propose(true); math.Abs(v.here(l)-gain) > .002 {
				t.Errorf("a gain of %g with interaction %g is %g", gain, interaction, v.here(l))
			}
		}
	}
}

// TestDue checks that if a trial is not due, the judge's ruling is always "open".
func TestDue(t *testing.T) {
	t.Parallel()
	due, open := 0, 0
	for seed := range uint64(40) {
		w := smoke([]float64{0, .2, .3}[seed%3], 10)
		l := w.draw(rand.New(rand.NewPCG(seed, 1)))
		v := l.propose(true)
		v.holdoutEvidence = newHoldoutEvidence(w.Tasks, w.Items)
		rule := stats.Rule{Alpha: .05 / 12, Cap: 70}
		for range 16 {
			l.block(v, 1)
			r := l.judge(v.holdoutEvidence, rule)
			if v.holdoutEvidence.due(rule) {
				due++
				continue
			}
			if open++; r.State != stats.Open || r.Claim != stats.NoClaim {
				t.Fatalf("%s, %q after %d blocks, and it was not due", r.State, r.Claim, v.holdoutEvidence.blocks)
			}
			if r.Pairs != v.holdoutEvidence.sample.N() || math.Abs(r.Difference-v.holdoutEvidence.sample.Mean()) > 1e-12 || math.Abs(r.LogE-v.holdoutEvidence.sample.LogSuperior(0)) > 1e-9 {
				t.Fatalf("the judge was given %+v, the trial has %d pairs with a mean of %g", r, v.holdoutEvidence.sample.N(), v.holdoutEvidence.sample.Mean())
			}
		}
	}
	if due < 20 || open < 100 {
		t.Errorf("%d due and %d open", due, open)
	}
}

// TestFixedWorld checks that a fixed world gives the same answer every time.
func TestFixedWorld(t *testing.T) {
	t.Parallel()
	w := smoke(.08, 40)
	w.Fixed, w.Nights = true, 3
	l := w.draw(rand.New(rand.NewPCG(1, 1)))
	a := newArchive(w.Tasks)
	l.searchNight(a, 5000)
	for _, v := range a.variants {
		if v.runs > w.Tasks {
			t.Fatalf("%d runs on %d tasks", v.runs, w.Tasks)
		}
	}
	v := l.propose(true)
	v.holdoutEvidence = newHoldoutEvidence(w.Tasks, w.Items)
	l.block(v, 1)
	if d := v.holdoutEvidence.sample.Mean() - v.here(l); math.Abs(d) > 1e-12 {
		t.Errorf("a block is off what is known by %g", d)
	}
}
