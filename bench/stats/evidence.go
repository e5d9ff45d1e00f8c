package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// bets lists the bets of the mixture, each as the share of its own capital that it
// stakes: .05·2^(j/2) for j = 0…8. Each bet begins with a ninth of the total capital.
// Small bets detect small differences in many pairs, and large bets detect large
// differences in few pairs.
var bets = [...]float64{.05, .07071067811865477, .1, .14142135623730953, .2, .28284271247461906, .4, .5656854249492381, .8}

// won and lost are the log factors by which each bet changes its capital at margin 0 on a
// win and on a loss, the only differences other than 0 between pass/fail scores.
var won, lost = outcome(1), outcome(-1)

func outcome(d float64) (logs [len(bets)]float64) {
	for j, l := range bets {
		logs[j] = math.Log1p(l * d)
	}
	return logs
}

// capital is the capital of each bet, starting from 1.
type capital struct {
	// The log capital is logs + log parts: factors are collected in parts, since a
	// product costs less than a logarithm, and moved to logs before they leave the range
	// of a float64.
	logs, parts [len(bets)]float64
}

func newCapital() capital {
	var c capital
	for j := range c.parts {
		c.parts[j] = 1
	}
	return c
}

// bet multiplies the capital of each bet by 1 + l·x, count times, where l is the share that
// the bet stakes; x is at least −1.
func (c *capital) bet(x, count float64) {
	switch {
	case x == 0:
	case x == 1:
		for j := range c.logs {
			c.logs[j] += count * won[j]
		}
	case x == -1:
		for j := range c.logs {
			c.logs[j] += count * lost[j]
		}
	case count != 1:
		for j, l := range bets {
			c.logs[j] += count * math.Log1p(l*x)
		}
	default:
		const tiny, huge = 1e-200, 1e200 // a factor is between .2 and 2/edge
		for j, l := range bets {
			c.parts[j] *= 1 + l*x
			if c.parts[j] < tiny || c.parts[j] > huge {
				c.logs[j] += math.Log(c.parts[j])
				c.parts[j] = 1
			}
		}
	}
}

// total returns the logarithm of each capital and that of their mean.
func (c *capital) total() (logs [len(bets)]float64, mean float64) {
	for j, l := range c.logs {
		if logs[j] = l; c.parts[j] != 1 {
			logs[j] += math.Log(c.parts[j])
		}
	}
	return logs, floats.LogSumExp(logs[:]) - math.Log(float64(len(bets)))
}

// evidence returns log E(sign·D, margin); sign is 1 or −1.
func (s *Sample) evidence(margin, sign float64) float64 {
	c := newCapital()
	for i := range s.groups {
		g := &s.groups[i]
		c.bet((sign*g.value-margin)/(margin+1), g.count)
	}
	_, mean := c.total()
	return mean
}

// tangent returns log E(sign·D, m) and its derivative with respect to m.
func (s *Sample) tangent(m, sign float64) (value, slope float64) {
	c := newCapital()
	var slopes [len(bets)]float64
	for i := range s.groups {
		g := &s.groups[i]
		x := (sign*g.value - m) / (m + 1)
		c.bet(x, g.count)
		for j, l := range bets {
			slopes[j] -= g.count * l * (x + 1) / (1 + l*x)
		}
	}
	logs, value := c.total()
	var weight float64
	for j, v := range logs {
		w := math.Exp(v - value)
		slope += w * slopes[j] / (m + 1)
		weight += w
	}
	return value, slope / weight
}
