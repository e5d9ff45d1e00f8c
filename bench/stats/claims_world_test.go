package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// claimWorld is a benchmark with a candidate that enters the confirmation without a search.
type claimWorld struct {
	gain  float64 // of the candidate, in score units, over all possible tasks and nights
	tasks int
	// interaction is the standard deviation, in logits, of the gain between tasks.
	interaction float64
	// clusters is the number of clusters, whose tasks share difficulty and gain; 0 means
	// that each task is its own cluster. If hidden is set, the judge does not get the
	// clusters.
	clusters int
	hidden   bool
	// broken is the share of all tasks on which the candidate always fails. The
	// candidate's gain on the other tasks compensates for these failures.
	broken float64
	// lost is the share of the candidate's failures that end as missing data, and missing
	// is the share of all runs on both sides that end in this way.
	lost, missing float64
	// night is the standard deviation, in logits, of the shift that all differences within
	// a night share.
	night float64
	// blocks is the number of blocks per night, and nights the number of nights.
	blocks, nights int
	domains        int
}

func (w claimWorld) String() string {
	s := []string{fmt.Sprintf("%+.0f points, %d tasks", 100*w.gain, w.tasks)}
	add := func(on bool, format string, args ...any) {
		if on {
			s = append(s, fmt.Sprintf(format, args...))
		}
	}
	add(w.interaction > 0, "interaction %g", w.interaction)
	add(w.clusters > 0, "%d %s clusters", w.clusters, map[bool]string{true: "undeclared", false: "declared"}[w.hidden])
	add(w.broken > 0, "%g %% of tasks break", 100*w.broken)
	add(w.lost > 0, "%g %% of its failures are missing", 100*w.lost)
	add(w.missing > 0, "%g %% of all runs are missing", 100*w.missing)
	add(w.night > 0, "a night shares %g logits", w.night)
	add(w.domains > 0, "%d domains", w.domains)
	return strings.Join(append(s, fmt.Sprintf("%d × %d blocks", w.nights, w.blocks)), ", ")
}

// hardness is the standard deviation of the tasks' difficulty, in logits.
const hardness = 1.5

// shift returns the shift, in logits, at which the mean probability of success over all
// tasks equals .5 plus the gain, although the tasks that break always fail. The
// difficulties of the tasks are normally distributed. The shift is found by bisection.
func (w claimWorld) shift() float64 {
	want := (.5 + w.gain) / (1 - w.broken)
	sd := math.Sqrt(hardness*hardness + w.interaction*w.interaction + w.night*w.night)
	mean := func(shift float64) float64 {
		var sum, weights float64
		for i := -200; i <= 200; i++ {
			z := 6 * float64(i) / 200
			density := math.Exp(-z * z / 2)
			sum += density / (1 + math.Exp(-shift-sd*z))
			weights += density
		}
		return sum / weights
	}
	lo, hi := -8.0, 8.0
	for range 40 {
		if mid := (lo + hi) / 2; mean(mid) < want {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// claimEntry is the state of one simulated entry.
type claimEntry struct {
	claimWorld
	rng            *rand.Rand
	logit, effect  []float64
	breaks         []bool
	pairs          []Pair
	sample         Sample
	drift          float64
	nightsHad, had int
}

func (w claimWorld) enter(rng *rand.Rand, shift float64) *claimEntry {
	e := &claimEntry{
		claimWorld: w, rng: rng, logit: make([]float64, w.tasks), effect: make([]float64, w.tasks),
		breaks: make([]bool, w.tasks), pairs: make([]Pair, w.tasks),
	}
	for i := range e.pairs {
		e.logit[i], e.effect[i], e.breaks[i] = hardness*rng.NormFloat64(), shift+w.interaction*rng.NormFloat64(), rng.Float64() < w.broken
		e.pairs[i].Task = fmt.Sprintf("t%03d", i)
		if w.clusters > 0 {
			c := i % w.clusters
			e.logit[i], e.effect[i], e.breaks[i] = e.logit[c], e.effect[c], e.breaks[c]
			if !w.hidden {
				e.pairs[i].Cluster = fmt.Sprintf("c%03d", c)
			}
		}
		if w.domains > 0 {
			e.pairs[i].Domain = fmt.Sprintf("d%03d", i%w.domains)
		}
	}
	return e
}

// block runs one more block of the entry.
func (e *claimEntry) block() {
	if e.had%e.blocks == 0 {
		e.drift = e.night * e.rng.NormFloat64()
		e.nightsHad++
	}
	e.had++
	for i := range e.pairs {
		p := &e.pairs[i]
		chance := logistic(e.logit[i] + e.effect[i] + e.drift)
		if e.breaks[i] {
			chance = 0
		}
		a, b := float64(btoi(e.rng.Float64() < logistic(e.logit[i]))), float64(btoi(e.rng.Float64() < chance))
		noA := e.missing > 0 && e.rng.Float64() < e.missing
		noB := e.missing > 0 && e.rng.Float64() < e.missing || b == 0 && e.lost > 0 && e.rng.Float64() < e.lost
		e.take(p, a, b, noA, noB)
	}
}

func (e *claimEntry) take(p *Pair, a, b float64, noA, noB bool) {
	switch {
	case !noA && !noB:
		p.A, p.B, p.Nights = append(p.A, a), append(p.B, b), append(p.Nights, e.nightsHad)
		e.sample.Add(b-a, 1)
	case !noA:
		p.AloneA = append(p.AloneA, a)
	case !noB:
		p.AloneB = append(p.AloneB, b)
	}
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// verdictOf is the outcome of an entry under a rule: whether it claims a gain on new
// tasks, and when.
type verdictOf struct {
	claimed bool
	nights  int
	ruling  Ruling
}

// claimRule decides on an entry after each block.
type claimRule func(e *claimEntry) (claim, ended bool, r Ruling)

// before is the former rule of adoption: it has both conditions but no minimum number of
// tasks, and leaves out pairs with missing data.
func before(e *claimEntry) (claim, ended bool, r Ruling) {
	clean := normalizePairs(e.pairs)
	s, c := sampleOf(clean), pairComponents(clean)
	bound, limit := NewTaskLower(s, c, entryAlpha/looks)
	if s.LogSuperior(0) < -math.Log(entryAlpha) {
		return false, false, r
	}
	vetoed := false
	for _, name := range distinct(clean, func(p Pair) string { return p.Domain }) {
		vetoed = vetoed || sampleOf(ofDomain(clean, name)).Upper(domainAlpha) < 0
	}
	if vetoed {
		return false, true, r
	}
	if bound > 0 {
		r.New = Components.widen(c, s.Mean(), s.Interval(.95), .025)
		r.Difference = s.Mean()
		return true, true, r
	}
	return false, limit <= 0 && e.had >= enoughBlocks, r
}

// now is the current rule, which is [Judge].
func now(e *claimEntry) (claim, ended bool, r Ruling) {
	r = Judge("v", e.pairs, Rule{Alpha: entryAlpha})
	return r.State == Proven, r.State.Ended(), r
}

const entryAlpha = .05 / 12

// run takes an entry through its nights and returns the outcome under each rule.
func (e *claimEntry) run(rules ...claimRule) []verdictOf {
	out := make([]verdictOf, len(rules))
	over := make([]bool, len(rules))
	for range e.nights * e.blocks {
		e.block()
		if e.sample.LogInferior(0) >= -math.Log(harmAlpha) {
			break
		}
		if e.sample.LogSuperior(0) < -math.Log(entryAlpha) {
			continue
		}
		open := false
		for i, rule := range rules {
			if !over[i] {
				claim, ended, r := rule(e)
				over[i] = ended
				out[i] = verdictOf{claimed: claim, nights: e.nightsHad, ruling: r}
			}
			open = open || !over[i]
		}
		if !open {
			break
		}
	}
	return out
}

// simulate runs many entries and returns the outcome of each entry under each rule.
func (w claimWorld) simulate(entries int, seed uint64, rules ...claimRule) [][]verdictOf {
	shift := w.shift()
	out := make([][]verdictOf, entries)
	for i := range out {
		out[i] = w.enter(rand.New(rand.NewPCG(seed, uint64(i))), shift).run(rules...)
	}
	return out
}

// rates returns the share of entries that each rule claims.
func rates(verdicts [][]verdictOf) []float64 {
	out := make([]float64, len(verdicts[0]))
	for _, v := range verdicts {
		for i := range v {
			out[i] += float64(btoi(v[i].claimed)) / float64(len(verdicts))
		}
	}
	return out
}
