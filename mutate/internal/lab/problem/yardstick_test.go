package problem

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"evolve/runtime/agent"
)

// unseenProblem returns a problem from a family in the yardstick.
func unseenProblem(t *testing.T, family string, seed int64) *Problem {
	t.Helper()
	for _, f := range Yardstick() {
		if f.Name == family {
			return f.Make(seed)
		}
	}
	t.Fatalf("there is no family %s", family)
	return nil
}

// TestFamiliesHaveNamesOfTheirOwn checks that no name is in both lists.
func TestFamiliesHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range all() {
		if seen[f.Name] {
			t.Errorf("two families are called %s", f.Name)
		}
		seen[f.Name] = true
	}
	if n := len(Yardstick()); n < 8 {
		t.Errorf("the yardstick has %d families", n)
	}
}

// TestSparseHasFewActiveParameters checks that three to six of forty to eighty parameters
// change the true score, and that the others do not change it at all.
func TestSparseHasFewActiveParameters(t *testing.T) {
	for seed := range int64(5) {
		p := unseenProblem(t, "sparse", seed)
		if n := len(p.Space.Params); n < 40 || n > 80 {
			t.Errorf("%d parameters", n)
		}
		kinds := map[agent.Kind]bool{}
		for _, q := range p.Space.Params {
			kinds[q.Kind] = true
		}
		if len(kinds) != 6 {
			t.Errorf("only the kinds %v", kinds)
		}
		rng := rand.New(rand.NewPCG(4, uint64(seed)))
		active := map[int]bool{}
		for range 60 {
			at := p.codec.random(rng)
			before := p.truth(at)
			for i := range at {
				if !at.on(i) {
					continue
				}
				next := slices.Clone(at)
				next[i] = p.codec.draw(i, rng)
				// settle is not called, so parameters that depend on this one stay as they
				// are.
				if p.truth(next) != before {
					active[i] = true
				}
			}
		}
		if n := len(active); n < 3 || n > 6 {
			t.Errorf("seed %d: %d parameters have an effect", seed, n)
		}
	}
}

// TestLevelsActTogether checks that the best value of a single parameter, with the others
// at random, is worth little compared with the best config.
func TestLevelsActTogether(t *testing.T) {
	p := unseenProblem(t, "levels", 1)
	rng := rand.New(rand.NewPCG(6, 6))
	const n = 4000
	sums := make([][3]float64, len(p.Space.Params))
	counts := make([][3]float64, len(p.Space.Params))
	mean := 0.0
	for range n {
		at := p.codec.random(rng)
		x := p.truth(at)
		mean += x / n
		for i, v := range at {
			sums[i][int(v)] += x
			counts[i][int(v)]++
		}
	}
	greedy := make(point, len(sums))
	for i := range sums {
		for v := range sums[i] {
			if sums[i][v]/counts[i][v] > sums[i][int(greedy[i])]/counts[i][int(greedy[i])] {
				greedy[i] = float64(v)
			}
		}
	}
	_, best := p.Best()
	if share := (p.truth(greedy) - mean) / (best - mean); share > 0.75 {
		t.Errorf("the best single values are %.2f of the way to the best", share)
	}
}

// TestPromptsThatShareSentencesAreAlike checks that the scores of two prompts differ less
// if the prompts share more sentences.
func TestPromptsThatShareSentencesAreAlike(t *testing.T) {
	var near, far, nears, fars float64
	for seed := range int64(4) {
		p := unseenProblem(t, "prompts", seed)
		values := p.Space.Params[0].Values
		if len(values) != 200 {
			t.Fatalf("%d prompts", len(values))
		}
		config := p.Default()
		scores := make([]float64, len(values))
		for k, v := range values {
			config["prompt"] = v
			scores[k] = p.True(config)
		}
		for a, v := range values {
			for b, w := range values[:a] {
				differ := max(missing(v.(string), w.(string)), missing(w.(string), v.(string)))
				if d := math.Abs(scores[a] - scores[b]); differ <= 1 {
					near, nears = near+d, nears+1
				} else if differ >= 4 {
					far, fars = far+d, fars+1
				}
			}
		}
	}
	if near/nears > 0.7*far/fars {
		t.Errorf("prompts differ by %.3f with a sentence of their own, by %.3f with four", near/nears, far/fars)
	}
}

// missing returns the number of sentences that occur in one text but not in another.
func missing(of, in string) int {
	n := 0
	for s := range strings.SplitAfterSeq(of, ".") {
		if !strings.Contains(in, strings.TrimSpace(s)) {
			n++
		}
	}
	return n
}

// TestGatesHideParameters checks that most parameters have no effect in many configs, and
// have an effect in some.
func TestGatesHideParameters(t *testing.T) {
	p := unseenProblem(t, "gated", 1)
	rng := rand.New(rand.NewPCG(7, 7))
	const n = 300
	hidden := 0
	for i, q := range p.Space.Params {
		moved := 0
		for range n {
			at := p.codec.random(rng)
			if !at.on(i) {
				continue
			}
			next := slices.Clone(at)
			for next[i] == at[i] {
				next[i] = p.codec.draw(i, rng)
			}
			if p.truth(next) != p.truth(at) {
				moved++
			}
		}
		if moved == 0 {
			t.Errorf("%s never has an effect", q.Name)
		}
		if moved < n*2/3 {
			hidden++
		}
	}
	if 2*hidden < len(p.Space.Params) {
		t.Errorf("only %d of %d parameters are hidden at times", hidden, len(p.Space.Params))
	}
}

// TestSkillsOfDomainsAreSeparate checks that most parameters change the score on one
// domain's tasks far more than on the tasks of most other domains.
func TestSkillsOfDomainsAreSeparate(t *testing.T) {
	p := unseenProblem(t, "skills", 1)
	rng := rand.New(rand.NewPCG(8, 8))
	own := 0
	for i := range p.Space.Params {
		moves := make([]float64, len(p.landscape.skills))
		for range 100 {
			at := p.codec.random(rng)
			if !at.on(i) {
				continue
			}
			next := slices.Clone(at)
			next[i] = p.codec.draw(i, rng)
			a, b := p.landscape.view(at).skills, p.landscape.view(next).skills
			for d := range moves {
				moves[d] += math.Abs(a[d] - b[d])
			}
		}
		slices.Sort(moves)
		if moves[len(moves)-1] > 5*moves[len(moves)-2] {
			own++
		}
	}
	if n := len(p.Space.Params); 3*own < 2*n {
		t.Errorf("only %d of %d parameters belong to a domain", own, n)
	}
	two := 0
	for _, it := range p.search {
		two += len(it.demands) - 1
	}
	if n := len(p.search); 4*two < n || 4*two > 3*n {
		t.Errorf("%d of %d tasks need two skills", two, n)
	}
}

// TestHeavyNoiseDiffers checks that the precision of scores differs between tasks and
// between configs, and that scores collapse now and then. The precision is that of a beta
// distribution with the mean and the variance of the scores.
func TestHeavyNoiseDiffers(t *testing.T) {
	p := unseenProblem(t, "heavy", 1)
	rng := rand.New(rand.NewPCG(9, 9))
	const configs = 20
	byConfig, byTask := make([][]float64, configs), make([][]float64, len(p.Tasks))
	collapsed, total := 0.0, 0.0
	for k := range configs {
		c := p.random(rng)
		for task := range p.Tasks {
			if e := p.Expected(c, task); e < 0.3 || e > 0.7 {
				continue
			}
			var scores []float64
			for repeat := range 60 {
				if s := p.Score(c, task, repeat, 1, 0).Score; s > 0 {
					scores = append(scores, s)
				} else {
					collapsed++
				}
				total++
			}
			mean, variance := stat.MeanVariance(scores, nil)
			precision := math.Log(max(0.1, mean*(1-mean)/variance-1))
			byConfig[k], byTask[task] = append(byConfig[k], precision), append(byTask[task], precision)
		}
	}
	// The standard deviation of the logarithm is .99 between tasks and .6 between
	// configs.
	for what, of := range map[string]struct {
		groups [][]float64
		least  float64
	}{"tasks": {byTask, 0.6}, "configs": {byConfig, 0.3}} {
		var means []float64
		for _, g := range of.groups {
			if len(g) >= 4 {
				means = append(means, stat.Mean(g, nil))
			}
		}
		if d := stat.StdDev(means, nil); len(means) < 6 || d < of.least {
			t.Errorf("the logarithm of the precision of %d %s has a standard deviation of %.2f", len(means), what, d)
		}
	}
	if share := collapsed / total; share < 0.01 || share > 0.35 {
		t.Errorf("%.3f of the scores are 0", share)
	}
}

// TestPricesDiffer checks that configs of the priced family differ in cost by a factor of
// ten to thirty or slightly more, and that Cost is the mean of what Score charges.
func TestPricesDiffer(t *testing.T) {
	for _, f := range all() {
		if got := f.Make(1).Priced; got != (f.Name == "priced") {
			t.Errorf("%s is priced: %v", f.Name, got)
		}
	}
	for seed := range int64(5) {
		p := unseenProblem(t, "priced", seed)
		rng := rand.New(rand.NewPCG(10, 10))
		least, most := math.Inf(1), 0.0
		for range 400 {
			cost := p.Cost(p.random(rng))
			least, most = math.Min(least, cost), math.Max(most, cost)
		}
		if ratio := most / least; ratio < 7 || ratio > 45 {
			t.Errorf("seed %d: the dearest costs %.1f times as much as the cheapest", seed, ratio)
		}
		sum, weight := 0.0, 0.0
		for task, of := range p.Tasks {
			for repeat := range 40 {
				sum += of.Weight * p.Score(p.Default(), task, repeat, 1, 0).CostUSD
				weight += of.Weight
			}
		}
		if cost := p.Cost(p.Default()); math.Abs(sum/weight/cost-1) > 0.02 {
			t.Errorf("seed %d: evaluations of the default cost %.5f on average, not %.5f", seed, sum/weight, cost)
		}
	}
}

// TestEarlierNightIsAlikeAndDiffers checks that an earlier night has the same space and
// tasks, the same score for the default, and scores that partly agree with tonight's.
func TestEarlierNightIsAlikeAndDiffers(t *testing.T) {
	for _, f := range all() {
		if got := f.Make(1).Earlier != nil; got != (f.Name == "nights") {
			t.Errorf("%s has an earlier night: %v", f.Name, got)
		}
	}
	for seed := range int64(5) {
		p := unseenProblem(t, "nights", seed)
		then := p.Earlier
		if d := then.True(p.Default()) - p.True(p.Default()); math.Abs(d) > 1e-6 {
			t.Errorf("seed %d: the default's score changed by %.4f", seed, d)
		}
		rng := rand.New(rand.NewPCG(11, 11))
		var now, before []float64
		for range 400 {
			c := p.random(rng)
			now, before = append(now, p.True(c)), append(before, then.True(c))
		}
		if r := stat.Correlation(now, before, nil); r < 0.1 || r > 0.97 {
			t.Errorf("seed %d: the nights correlate at %.2f", seed, r)
		}
	}
}

// TestNeedleIsAlone checks that one config is far better than all others, that the others
// are alike, and that the default is not that config.
func TestNeedleIsAlone(t *testing.T) {
	for seed := range int64(5) {
		p := unseenProblem(t, "needle", seed)
		c, best := p.Best()
		needle := p.codec.encode(c)
		for i := range 125 {
			at := point{float64(i / 25), float64(i / 5 % 5), float64(i % 5)}
			if x := p.truth(at); !slices.Equal(at, needle) && (x > best-0.3 || math.Abs(x-p.True(p.Default())) > 1e-12) {
				t.Errorf("seed %d: %v scores %.3f, the needle %.3f, the default %.3f", seed, at, x, best, p.True(p.Default()))
			}
		}
		if best < 0.75 || best > 0.95 {
			t.Errorf("seed %d: the needle scores %.3f", seed, best)
		}
	}
}

// TestFixedIsWithoutChance checks that every repeat of a task has the same score, and that
// the true score is measured on tasks other than those of the search.
func TestFixedIsWithoutChance(t *testing.T) {
	p := unseenProblem(t, "fixed", 2)
	rng := rand.New(rand.NewPCG(9, 9))
	differ := 0
	for range 30 {
		c := p.random(rng)
		passed := 0.0
		for task := range p.Tasks {
			first := p.Score(c, task, 0, 1, 0).Score
			if again := p.Score(c, task, 1, 2, 1).Score; again != first || first != 0 && first != 1 {
				t.Fatalf("task %d scores %g and then %g", task, first, again)
			}
			passed += first
		}
		if mean := passed / float64(len(p.Tasks)); math.Abs(mean-p.OnSearch(c)) > 1e-9 {
			t.Errorf("%g of the tasks are passed, OnSearch is %g", mean, p.OnSearch(c))
		}
		if p.True(c) != p.OnSearch(c) {
			differ++
		}
	}
	if differ < 20 {
		t.Errorf("the true score differs from that on the search tasks for %d of 30 configs", differ)
	}
}
