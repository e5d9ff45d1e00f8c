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
	// Form identifies the formula of the scores and the wording of the texts in records; it
	// is 0 in records by an older version of evolve.
	Form int `json:"form,omitempty"`
	// Points reports whether the texts in records state differences of a metric in % as
	// percentage points. It is false for other units, and in records by an older version of
	// evolve.
	Points bool `json:"percentage_points,omitempty"`
	// Further holds the other metrics for which the base has values; they do not affect the
	// score.
	Further []Kind `json:"further,omitempty"`
}

// Kind returns the metric of the scale.
func (s *Scale) Kind() Kind {
	return Kind{Name: s.metric, Unit: s.unit, Better: s.better, Size: s.size, Form: Form, Points: Percentage(s.unit), Further: s.further}
}

// Find returns the value in a stored answer, or NaN if the answer has no value of the
// kind k.
func (k Kind) Find(answer string) float64 {
	if v, _, ok := ParseAnswer(answer); ok && v.Metric == k.Name && v.Unit == k.Unit && v.Better == k.Better {
		return v.Value
	}
	return math.NaN()
}

// Unscaled returns the difference in the metric that corresponds to a difference of 1 in
// the score, based on the slope of the scale at the base's value. There the scale is
// steepest; elsewhere the difference in the metric is larger.
func (k Kind) Unscaled() float64 { return 2 * half * k.Size }

// Point returns a description of the change in the metric that corresponds to one point
// (a hundredth of the score) at the base's value.
func (k Kind) Point() string {
	size := k.Unscaled() / 100
	return fmt.Sprintf("near the value of the current code, one point of the score corresponds to %s of %s", WithChangeUnit(Figure(size, Decimals(size)), k.Unit), text.Clip(k.Name, 40, text.Runes, text.Ellipsis))
}

// Comparable reports whether scores of both kinds are of the same form. A nil kind belongs
// to a record from before kinds were recorded.
func Comparable(a, b *Kind) bool { return a.form() == b.form() }

func (k *Kind) form() int {
	if k == nil {
		return 0
	}
	return k.Form
}

// Unsized describes the consequences if all values of the base are 0, so that no change can
// be relative to their size. It returns "" for any other base.
func (s *Scale) Unsized() string {
	if !s.zero {
		return ""
	}
	return fmt.Sprintf("the value of %s is 0 on every case for the current code, so changes cannot be expressed relative to it: scores treat a change of %s as a change of 100 percent, and points of the score mean little; read the values of %s instead",
		text.Quote(s.metric), WithChangeUnit("1", s.unit), text.Quote(s.metric))
}
