package metrics

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"evolve/runtime/text"
)

// resolution is k in the formula of [Scale.Score].
const resolution = 8

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
}

// NewScale returns the scale of a metric; "": the first one. base are the values of the
// unchanged program. It returns an error when the base has no value of the metric, or not
// one for every case that it has another value of, and when a few values are so large that
// scores show no change of the others.
func NewScale(base []Value, metric string) (*Scale, error) {
	if len(base) == 0 {
		return nil, errors.New("the base has no values")
	}
	if metric == "" {
		metric = base[0].Metric
	}
	s := &Scale{metric: metric, base: map[string]float64{}}
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
		s.size = 1
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
		return fmt.Errorf("case %s has the value %g of %s, beside which a change of the others, of about %g, does not count: print no value that stands for a failure, or let the metric be a logarithm",
			text.Quote(largest), s.base[largest], text.Quote(s.metric), usual)
	}
	return nil
}

// Cases returns the names of the cases in the order of the base's output.
func (s *Scale) Cases() []string { return s.order }

// Metric returns the name of the metric, its unit and its direction.
func (s *Scale) Metric() (name, unit string, better Better) { return s.metric, s.unit, s.better }

// Kind describes what a scale is of.
type Kind struct {
	// Name of the metric, and its unit, which may be empty.
	Name   string `json:"name"`
	Unit   string `json:"unit,omitempty"`
	Better Better `json:"better"`
	// Size is the mean size of the base's values, above 0, to which scores are relative.
	Size float64 `json:"size"`
}

// Find returns the value in a stored answer; NaN if it has none of this kind.
func (k Kind) Find(answer string) float64 {
	if v, ok := Parse(answer); ok && v.Metric == k.Name && v.Unit == k.Unit && v.Better == k.Better {
		return v.Value
	}
	return math.NaN()
}

// Unscaled returns the difference of values that belongs to a difference of scores of 1 at
// the base's value, where the scale is steepest; elsewhere it is larger.
func (k Kind) Unscaled() float64 { return 4 * k.Size / resolution }

// Kind returns what the scale is of.
func (s *Scale) Kind() Kind { return Kind{s.metric, s.unit, s.better, s.size} }

// Base returns the base's value of a case.
func (s *Scale) Base(of string) float64 { return s.base[of] }

// Find returns the value of a case among those that a program printed. It returns an error
// when there is none, or when its unit or direction is another one than the base's.
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
	return 0, fmt.Errorf("case %s has no value of %s", text.Quote(of), text.Quote(s.metric))
}

// Score returns the score of a value of a case, in (0,1): with d the improvement over the
// base's value, relative to the mean size of the base's values, it is
//
//	1 / (1 + exp(−k·d)),  k = 8
//
// so that the base scores ½ on every case, a program that is better by a tenth of that
// mean .69, and one that is worse by it .31. The relation to the mean, and not to the
// case's own value, lets a value of the base be 0, and gives the same weight to the same
// improvement on every case.
func (s *Scale) Score(of string, value float64) float64 {
	d := s.base[of] - value
	if s.better == Higher {
		d = -d
	}
	return 1 / (1 + math.Exp(-resolution*d/s.size))
}
