package metrics

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"evolve/runtime/text"
)

// half is the improvement, relative to the mean size of the base's values, that takes a score
// half of the way from the base's to the best.
const half = .25

// Form is the form of the scores of [Scale.Score]. Scores of different forms cannot be
// compared: those of an older evolve, of form 0, were 1/(1 + exp(−8·d)).
const Form = 2

// Coarse is the score above which improvements differ too little to distinguish versions: that
// of 12 times the mean size of the base's values.
const Coarse = .99

// mostSize bounds the mean size of the base's values, as a multiple of their median. Beyond it
// the change of a usual value by all of its size is less than a thousandth in the score.
const mostSize = 10_000

// Scale turns the values of one metric into scores relative to those of the base.
type Scale struct {
	metric string
	better Better
	unit   string
	base   map[string]float64
	order  []string
	size   float64
	// further are the kinds of the other metrics.
	further []Kind
	// zero reports whether all values of the base are 0, in which case size is 1.
	zero bool
}

// NewScale returns the scale of a metric; "": the first one. base are the values of the
// unchanged program. It returns an error when the base has no value of the metric, or
// lacks it for a case that has another value, and when a few values are so large that
// scores show no change of the others.
func NewScale(base []Value, metric string) (*Scale, error) {
	if len(base) == 0 {
		return nil, errors.New("the base has no values")
	}
	if metric == "" {
		metric = base[0].Metric
	}
	s := &Scale{metric: metric, base: map[string]float64{}, further: furtherKinds(base, metric)}
	cases := map[string]bool{}
	for _, v := range base {
		cases[v.Case] = true
		if v.Metric != metric {
			continue
		}
		s.better, s.unit = v.Better, v.Unit
		s.base[v.Case] = v.Value
		s.order = append(s.order, v.Case)
		s.size += math.Abs(v.Value)
	}
	switch {
	case len(s.base) == 0:
		return nil, fmt.Errorf("no value is one of %s", text.Quote(metric))
	case len(s.base) < len(cases):
		return nil, fmt.Errorf("%d of %d cases have no value of %s", len(cases)-len(s.base), len(cases), text.Quote(metric))
	}
	if s.size /= float64(len(s.base)); s.size == 0 {
		s.size, s.zero = 1, true
	}
	if err := s.even(); err != nil {
		return nil, err
	}
	return s, nil
}

// even returns an error that names the largest value if the mean size of the values is far from
// their median. Values of 0 do not count.
func (s *Scale) even() error {
	var sizes []float64
	largest := s.order[0]
	for _, of := range s.order {
		size := math.Abs(s.base[of])
		if size > 0 {
			sizes = append(sizes, size)
		}
		if size > math.Abs(s.base[largest]) {
			largest = of
		}
	}
	if len(sizes) == 0 {
		return nil
	}
	slices.Sort(sizes)
	if usual := sizes[(len(sizes)-1)/2]; s.size/mostSize > usual {
		return fmt.Errorf("case %s has the value %g of %s, next to which a change of about %g in the others does not count: do not print a placeholder value for a failure, or use a logarithm as the metric",
			text.Quote(largest), s.base[largest], text.Quote(s.metric), usual)
	}
	return nil
}

// Cases returns the names of the cases in the order of the base's output.
func (s *Scale) Cases() []string { return s.order }

// Metric returns the name of the metric, its unit and its direction.
func (s *Scale) Metric() (name, unit string, better Better) { return s.metric, s.unit, s.better }

// Base returns the base's value of a case.
func (s *Scale) Base(of string) float64 { return s.base[of] }

// Find returns the value of a case among those that a program printed. It returns an error
// when there is none, which names a case that the program printed instead, or when its unit
// or direction differs from the base's.
func (s *Scale) Find(values []Value, of string) (float64, error) {
	for _, v := range values {
		if v.Case != of || v.Metric != s.metric {
			continue
		}
		if v.Better != s.better || v.Unit != s.unit {
			return 0, fmt.Errorf("%s of case %s is in %s, %s is better; the base has it in %s, %s is better", text.Quote(s.metric), text.Quote(of), unitName(v.Unit), v.Better, unitName(s.unit), s.better)
		}
		return v.Value, nil
	}
	err := fmt.Errorf("case %s has no value of %s", text.Quote(of), text.Quote(s.metric))
	if len(values) > 0 {
		err = fmt.Errorf("%w; it printed %s of case %s", err, text.Quote(values[0].Metric), text.Quote(values[0].Case))
	}
	return 0, err
}

// Score returns the score of a value of a case, in [0,1]: with d the improvement over the
// base's value, relative to the mean size of the base's values, it is
//
//	½ + ½·d/(¼ + |d|)
//
// so that the base scores ½ on every case, a program that is better by a tenth of that
// mean .64, one that is better by half of it .83 and by all of it .90, and one that is worse by
// a tenth .36. The best score is reached in the limit only: of two improvements the larger one
// has the higher score. The relation to the mean, and not to the case's own value, lets a value
// of the base be 0, and gives the same weight to the same improvement on every case.
func (s *Scale) Score(of string, value float64) float64 {
	d := s.base[of] - value
	if s.better == Higher {
		d = -d
	}
	return .5 + .5*d/(half*s.size+math.Abs(d))
}
