package metrics

import (
	"fmt"
	"math"

	"evolve/runtime/text"
)

// Kind describes the metric of a scale.
type Kind struct {
	// Name is the name of the metric, and Unit its unit, which may be empty.
	Name   string `json:"name"`
	Unit   string `json:"unit,omitempty"`
	Better Better `json:"better"`
	// Size is the mean size of the base's values, above 0, to which scores are relative.
	Size float64 `json:"size"`
	// Form is the form of the scores and of the words in records; 0 in records of an older
	// evolve.
	Form int `json:"form,omitempty"`
	// Points reports whether the words in records give differences of a metric in % in
	// percentage points; false for other units, and in records of an older evolve.
	Points bool `json:"percentage_points,omitempty"`
	// Further are the other metrics that the base has values of; they decide nothing.
	Further []Kind `json:"further,omitempty"`
}

// Kind returns the metric of the scale.
func (s *Scale) Kind() Kind {
	return Kind{Name: s.metric, Unit: s.unit, Better: s.better, Size: s.size, Form: Form, Points: Percentage(s.unit), Further: s.further}
}

// Find returns the value in a stored answer; NaN if it has none of this kind.
func (k Kind) Find(answer string) float64 {
	if v, _, ok := ParseAnswer(answer); ok && v.Metric == k.Name && v.Unit == k.Unit && v.Better == k.Better {
		return v.Value
	}
	return math.NaN()
}

// Unscaled returns the difference of values that belongs to a difference of scores of 1 at
// the base's value, where the scale is steepest; elsewhere it is larger.
func (k Kind) Unscaled() float64 { return 2 * half * k.Size }

// Point describes in words the change of the metric that corresponds to a point of the score at
// the base's value.
func (k Kind) Point() string {
	size := k.Unscaled() / 100
	return fmt.Sprintf("a point of the score is %s of %s near the code as it is", WithChangeUnit(Figure(size, Decimals(size)), k.Unit), text.Clip(k.Name, 40, text.Runes, text.Ellipsis))
}

// Comparable reports whether scores of both kinds are of the same form; nil is a record from
// before kinds were recorded.
func Comparable(a, b *Kind) bool { return a.form() == b.form() }

func (k *Kind) form() int {
	if k == nil {
		return 0
	}
	return k.Form
}

// Unsized describes a base whose values have no size to which a change could be relative; empty
// for any other.
func (s *Scale) Unsized() string {
	if !s.zero {
		return ""
	}
	return fmt.Sprintf("the code as it is has the value 0 of %s on every case, so there is no size to which changes can be relative: scores count a change by %s as a change by the whole value, and points of the score mean little; read the values of %s instead",
		text.Quote(s.metric), WithChangeUnit("1", s.unit), text.Quote(s.metric))
}
