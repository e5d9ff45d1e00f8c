package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// exchange is the distribution of one task's part of a difference when its evaluations are
// exchanged between the two sides at random: c·(X − draws·mean), where X is the sum of as
// many scores as the smaller side has, drawn without replacement.
type exchange struct {
	scores []float64 // sorted
	draws  int
	c      float64 // negative if the smaller side is the earlier one
	mean   float64
	// If the scores have only two values, low and high, logs holds the logarithms of the
	// probabilities that the value high occurs least, least + 1, … times among the draws.
	// Otherwise logs is nil.
	low, high float64
	least     int
	logs      []float64
}

// newExchange returns the distribution for a task whose weight is 1/tasks.
func newExchange(before, after []float64, tasks float64) exchange {
	e := exchange{scores: slices.Concat(before, after), draws: len(after)}
	e.c = (1/float64(len(before)) + 1/float64(len(after))) / tasks
	if len(before) < len(after) {
		e.draws, e.c = len(before), -e.c
	}
	slices.Sort(e.scores)
	e.mean = stat.Mean(e.scores, nil)
	e.low, e.high = e.scores[0], e.scores[len(e.scores)-1]
	highs := 0
	for _, x := range e.scores {
		switch x {
		case e.high:
			highs++
		case e.low:
		default:
			return e
		}
	}
	e.least = max(0, e.draws-(len(e.scores)-highs))
	all := logChoose(len(e.scores), e.draws)
	for x := e.least; x <= min(highs, e.draws); x++ {
		e.logs = append(e.logs, logChoose(highs, x)+logChoose(len(e.scores)-highs, e.draws-x)-all)
	}
	return e
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// logMGF returns the logarithm of the moment-generating function of the task's part at l.
func (e exchange) logMGF(l float64) float64 {
	if e.low == e.high {
		return 0
	}
	theta, draws := l*e.c, float64(e.draws)
	if e.logs != nil {
		terms := make([]float64, len(e.logs))
		for i, p := range e.logs {
			terms[i] = p + theta*(e.high-e.low)*float64(e.least+i)
		}
		return floats.LogSumExp(terms) + theta*draws*(e.low-e.mean)
	}
	// means[k] is the mean, over all subsets of k of the first n scores, of the product of
	// the exponentials of the scores in the subset, each divided by the largest
	// exponential; k = 0 … draws.
	top := e.high
	if theta < 0 {
		top = e.low
	}
	means := make([]float64, e.draws+1)
	means[0] = 1
	for i, x := range e.scores {
		y, n := math.Exp(theta*(x-top)), float64(i+1)
		for k := min(i+1, e.draws); k > 0; k-- {
			part := float64(k) / n
			means[k] = (1-part)*means[k] + part*y*means[k-1]
		}
	}
	return math.Log(math.Max(means[e.draws], math.SmallestNonzeroFloat64)) + theta*draws*(top-e.mean)
}

// exponent bounds one tail of a difference: the probability that sign·difference is at
// least d is at most e^(−rate(d)).
type exponent struct {
	groups []exchange
	shared float64 // variance due to effects that a night's evaluations share
	sign   float64
}

// The function named best searches this range of arguments of the moment-generating
// function, in this number of steps.
const (
	leastArgument = .1
	mostArgument  = 1e4
	argumentSteps = 24
)

func (e exponent) logMGF(l float64) float64 {
	sum := l * l * e.shared / 2
	for _, g := range e.groups {
		sum += g.logMGF(e.sign * l)
	}
	return sum
}

// sd returns the standard deviation of the difference.
func (e exponent) sd() float64 {
	variance := e.shared
	for _, g := range e.groups {
		if n := float64(len(g.scores)); g.low < g.high {
			variance += g.c * g.c * float64(g.draws) * (1 - float64(g.draws)/n) * stat.Variance(g.scores, nil)
		}
	}
	return math.Sqrt(variance)
}

// critical returns the difference at which the bound on the tail probability is
// e^(−logLevel).
func (e exponent) critical(logLevel float64) float64 {
	return -e.best(func(l float64) float64 { return -(e.logMGF(l) + logLevel) / l })
}

// rate returns the exponent of the bound at d.
func (e exponent) rate(d float64) float64 {
	return math.Max(0, e.best(func(l float64) float64 { return l*d - e.logMGF(l) }))
}

// best returns the maximum of a function that rises and then falls, found by golden-section
// search over the logarithm of its argument. Any argument gives a valid bound.
func (e exponent) best(f func(float64) float64) float64 {
	const golden = .6180339887498949
	lo, hi := math.Log(leastArgument), math.Log(mostArgument)
	x, y := hi-golden*(hi-lo), lo+golden*(hi-lo)
	fx, fy := f(math.Exp(x)), f(math.Exp(y))
	most := math.Max(fx, fy)
	for range argumentSteps {
		if fx > fy {
			hi, y, fy = y, x, fx
			x = hi - golden*(hi-lo)
			fx = f(math.Exp(x))
		} else {
			lo, x, fx = x, y, fy
			y = lo + golden*(hi-lo)
			fy = f(math.Exp(y))
		}
		most = math.Max(most, math.Max(fx, fy))
	}
	return most
}
