package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestComponentsByHand(t *testing.T) {
	// The task means 1/2, 0 and 1/4 have the variance 1/16. Their variances due to chance
	// are (1/4)/1, 0 and (1/16)/1.
	c := newComponents([][]float64{{0, 1}, {0, 0}, {0, .5}, {}})
	near(t, "mean", c.Mean, .25, 1e-15)
	near(t, "within", c.Within, (.5+0+.125)/3, 1e-15)
	near(t, "between", c.Between, 0, 0) // 1/16 − 5/48 is below 0
	near(t, "se for these tasks", c.SETasks, math.Sqrt((.25+.0625)/9), 1e-15)
	if c.Tasks != 3 || c.Effective != 3 || !c.Repeated {
		t.Errorf("%+v", c)
	}
	// For a row with one value, the pooled variance serves as the variance due to chance.
	c = newComponents([][]float64{{.4, .6}, {0, 0}, {1}})
	near(t, "within, one row short", c.Within, .01, 1e-15)
	near(t, "between, one row short", c.Between, .25-(.01+0+.01)/3, 1e-15)
	if one := newComponents([][]float64{{.2}, {.6}}); one.Repeated || one.Within != 0 || math.Abs(one.Between-.08) > 1e-15 {
		t.Errorf("without repeats all spread is between tasks: %+v", one)
	}
	if none := newComponents(nil); none != (Components{}) {
		t.Errorf("nothing gives %+v", none)
	}
}

func TestComponentsOfClusters(t *testing.T) {
	// Two twins of a task carry no more information about new tasks than the task alone.
	pairs := []Pair{
		{Task: "a", A: []float64{0, 0}, B: []float64{1, 0}},
		{Task: "b", A: []float64{0, 0}, B: []float64{1, 1}},
		{Task: "c", A: []float64{0, 0}, B: []float64{0, 0}},
	}
	var twins []Pair
	for _, p := range pairs {
		for k := range 2 {
			twin := p
			twin.Task, twin.Cluster = fmt.Sprint(p.Task, k), p.Task
			twins = append(twins, twin)
		}
	}
	one, two := pairComponents(normalizePairs(pairs)), pairComponents(normalizePairs(twins))
	if two.Tasks != 3 || math.Abs(two.Mean-one.Mean) > 1e-15 {
		t.Errorf("%+v of twins, %+v of singles", two, one)
	}
	near(t, "spread of cluster means", two.Between+3*two.SETasks*two.SETasks, one.Between+3*one.SETasks*one.SETasks, 1e-15)
	// A heavy task counts according to its weight, which reduces the effective number of
	// tasks.
	pairs[0].Weight = 4
	c := pairComponents(normalizePairs(pairs))
	near(t, "weighted mean", c.Mean, (4*.5+1+0)/6, 1e-15)
	near(t, "effective tasks", c.Effective, 2, 1e-15)
	near(t, "mean of the sample", sampleOf(normalizePairs(pairs)).Mean(), c.Mean, 1e-15)
}

func TestComponentsProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pairs := genPairs(t)
		c := pairComponents(normalizePairs(pairs))
		if !(c.Between >= 0 && c.Within >= 0 && c.SENew >= c.SETasks && c.Effective <= float64(c.Tasks)+1e-9 && math.Abs(c.Mean) <= 1+1e-12) {
			t.Fatalf("%+v", c)
		}
		rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2)).Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		if again := pairComponents(normalizePairs(pairs)); again != c {
			t.Fatalf("order matters: %+v, %+v", c, again)
		}
		for i := range pairs {
			pairs[i].A, pairs[i].B = pairs[i].B, pairs[i].A
		}
		if m := pairComponents(normalizePairs(pairs)); math.Abs(m.Mean+c.Mean) > 1e-12 || math.Abs(m.Between-c.Between) > 1e-12 {
			t.Fatalf("swapped sides: %+v, %+v", c, m)
		}
	})
}

// tasksAndChance draws blocks of tasks whose true differences vary around the mean with
// standard deviation τ. Pairs are lost at random.
func tasksAndChance(rng *rand.Rand, tasks, blocks int, mean, tau, sigma, lost float64) [][]float64 {
	rows := make([][]float64, tasks)
	for i := range rows {
		own := mean + tau*rng.NormFloat64()
		for range blocks {
			if rng.Float64() >= lost {
				rows[i] = append(rows[i], own+sigma*rng.NormFloat64())
			}
		}
	}
	return rows
}

// TestComponentsOnAverage checks that the estimate of τ² is unbiased apart from its
// truncation at 0, both with complete and with incomplete blocks.
func TestComponentsOnAverage(t *testing.T) {
	const rounds, tau, sigma = 2000, .2, .3
	for _, lost := range []float64{0, .3} {
		rng := rand.New(rand.NewPCG(8, 8))
		var between, within, squares float64
		for range rounds {
			c := newComponents(tasksAndChance(rng, 20, 4, .05, tau, sigma, lost))
			between += c.Between / rounds
			within += c.Within / rounds
			squares += (c.Mean - .05) * (c.Mean - .05) / rounds
		}
		near(t, fmt.Sprintf("τ² with %g lost", lost), between, tau*tau, .002)
		near(t, fmt.Sprintf("σ² with %g lost", lost), within, sigma*sigma, .002)
		near(t, fmt.Sprintf("error of the mean with %g lost", lost), math.Sqrt(squares), math.Sqrt((tau*tau+sigma*sigma/(4*(1-lost)))/20), .004)
	}
}

// newComponents takes one row of differences per task, with one pair per block. Empty rows
// are left out.
func newComponents(tasks [][]float64) Components {
	units := make([]unit, 0, len(tasks))
	for _, row := range tasks {
		if len(row) > 0 {
			units = append(units, unit{newStrand(row, 1)})
		}
	}
	return componentsOf(units)
}

// widen takes an interval about these tasks and adds to both of its sides the error of
// generalising from these tasks to all tasks, each at alpha.
func (c Components) widen(mean float64, same Interval, alpha float64) Interval {
	spread := c.spread(alpha)
	return Interval{
		Lo: math.Max(-1, mean-math.Hypot(mean-same.Lo, spread)),
		Hi: math.Min(1, mean+math.Hypot(same.Hi-mean, spread)),
	}
}
