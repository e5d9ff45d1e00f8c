package mutate

import (
	"slices"

	"evolve/runtime/agent"
)

// surrogate predicts the effect of a config from the effects of others. The search
// works without one as well; a better model than [process] goes behind this seam.
type surrogate interface {
	// train learns from points with observed effects y, each with the variance of
	// its noise, and returns the posterior mean and variance of each.
	train(x []point, y, noise []float64) (mean, variance []float64)
	// retrain takes other effects of the points last trained on.
	retrain(y []float64) (mean []float64)
	// predict gives the mean and variance of the effect of an unseen config.
	predict(x point) (mean, variance float64)
}

// point is a config as numbers, one for each dimension of an encoder: a place on
// the scale 0 … grid, or a negative code that is equal or not.
type point []int16

const (
	grid     = 256
	inactive = -1
	absent   = -2
	present  = -3
	category = -4 // and below: the values of a choice in their order
)

// dimension is a parameter, or one member of a subset or line of a text.
type dimension struct {
	param  agent.Param
	member string
	// weight is the share of a parameter that the dimension stands for.
	weight float64
}

// encoder turns configs into points.
type encoder []dimension

func newEncoder(params []agent.Param) encoder {
	var e encoder
	for _, p := range params {
		var members []string
		switch p.Kind {
		case agent.Subset:
			members = p.Of
		case agent.Text:
			members = offered(p)
		default:
			e = append(e, dimension{p, "", 1})
			continue
		}
		for _, m := range members {
			e = append(e, dimension{p, m, 1 / float64(len(members))})
		}
	}
	return e
}

func (e encoder) encode(c agent.Config) point {
	x := make(point, len(e))
	var lines []string
	of := ""
	for i, d := range e {
		v, ok := c[d.param.Name]
		if !ok {
			x[i] = inactive
			continue
		}
		switch d.param.Kind {
		case agent.Float, agent.Int:
			f, _ := asFloat(v)
			x[i] = int16(unit(d.param, f)*grid + 0.5)
		case agent.Choice:
			x[i] = category - int16(min(slices.Index(d.param.Values, v), 1<<14))
		case agent.Bool:
			x[i] = presence(v == true)
		case agent.Subset:
			list, _ := v.([]string)
			x[i] = presence(slices.Contains(list, d.member))
		case agent.Text:
			if of != d.param.Name {
				text, _ := v.(string)
				lines, of = splitLines(text), d.param.Name
			}
			x[i] = presence(slices.Contains(lines, d.member))
		}
	}
	return x
}

func presence(there bool) int16 {
	if there {
		return present
	}
	return absent
}
