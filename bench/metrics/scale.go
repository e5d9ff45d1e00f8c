package metrics

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"evolve/runtime/text"
)

// half is the improvement, relative to the mean size of the base's values, at which a score
// is halfway between the base's score and the best score.
const half = .25

// Form identifies the formula of the scores that [Scale.Score] returns. Scores of different
// forms cannot be compared: form 0, in older versions of evolve, was 1/(1 + exp(−8·d)).
const Form = 2

// Coarse is the score above which improvements differ too little to distinguish versions.
// It is the score of an improvement by 12 times the mean size of the base's values.
const Coarse = .99

// mostSize is the maximum ratio of the mean size of the base's values to their median
// size. Beyond this ratio, changing a typical value by its whole size changes the score
// by less than a thousandth.
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

// NewScale returns the scale of a metric; "" stands for the first metric of the base.
// base holds the values of the unchanged program. NewScale returns an error if the base
// has no value of the metric, if a case has a value of another metric but no value of
// this metric, or if a few values are so large that scores would show no change in the
// others.
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
		return nil, fmt.Errorf("there is no value of %s", text.Quote(metric))
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

// even returns an error that names the largest value if the mean size of the values is far
// above their median. Values of 0 do not count.
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
		return fmt.Errorf("case %s has a value of %g for %s, so large that a change of about %g in the other cases hardly affects the score: if the value is a placeholder for a failure, do not print it; otherwise use a logarithm as the metric",
			text.Quote(largest), s.base[largest], text.Quote(s.metric), usual)
	}
	return nil
}

// Cases returns the names of the cases in the order of the base's output.
func (s *Scale) Cases() []string { return s.order }

// Metric returns the name of the metric, its unit and its direction.
func (s *Scale) Metric() (name, unit string, better Better) { return s.metric, s.unit, s.better }

// Base returns the value that the base has on a case.
func (s *Scale) Base(of string) float64 { return s.base[of] }

// Find returns the value of a case among those that a program printed. If there is none, it
// returns an error that names a case that the program printed instead. It also returns an
// error if the unit or direction of the value differs from the base's.
func (s *Scale) Find(values []Value, of string) (float64, error) {
	for _, v := range values {
		if v.Case != of || v.Metric != s.metric {
			continue
		}
		if v.Better != s.better || v.Unit != s.unit {
			return 0, fmt.Errorf("the unit or direction of %s for case %s differs from the base: %s, %s is better; in the base: %s, %s is better", text.Quote(s.metric), text.Quote(of), unitName(v.Unit), v.Better, unitName(s.unit), s.better)
		}
		return v.Value, nil
	}
	err := fmt.Errorf("case %s has no value for the metric %s", text.Quote(of), text.Quote(s.metric))
	if len(values) > 0 {
		err = fmt.Errorf("%w; the first value printed is %s of case %s", err, text.Quote(values[0].Metric), text.Quote(values[0].Case))
	}
	return 0, err
}

// Score returns the score of a value of a case, in [0,1]. With d the improvement over the
// base's value, relative to the mean size of the base's values, it is
//
//	½ + ½·d/(¼ + |d|)
//
// The base therefore scores ½ on every case. A program that is better by a tenth of that
// mean scores .64, one that is better by half of it .83 and by all of it .90, and one that
// is worse by a tenth .36. The best score is reached only in the limit: of two
// improvements, the larger one has the higher score. Because d is relative to the mean and
// not to the case's own value, a value of the base may be 0, and the same improvement has
// the same weight on every case.
func (s *Scale) Score(of string, value float64) float64 {
	d := s.base[of] - value
	if s.better == Higher {
		d = -d
	}
	return .5 + .5*d/(half*s.size+math.Abs(d))
}
