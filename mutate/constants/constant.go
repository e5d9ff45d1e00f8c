package constants

import (
	"fmt"
	"math"

	"evolve/runtime/agent"
)

// Constant is a marked numeric constant.
type Constant struct {
	// Name is the name of the parameter: the constant's own name, or the name given in the
	// marker.
	Name string
	// File and Line are the position of the constant; lines are counted from 1.
	File string
	Line int
	// Type is the declared type, or "" if there is none. Unit is the name by which the
	// literal is multiplied, or "" if there is none.
	Type, Unit string
	// Literal is the number as written, with its sign. Value is its value in units of Unit.
	Literal string
	Value   float64
	// Whole reports whether only integers are valid.
	Whole bool
	// Min and Max are the bounds of the value, both inclusive. With Step above 0 the values
	// are Min, Min+Step, … or, with Log, Min, Min·Step, ….
	Min, Max, Step float64
	Log            bool
	// Doc is the comment above the constant, shortened, for people and language models.
	Doc string

	start, end int // byte offsets of Literal in the file
}

// Problem is an invalid marker.
type Problem struct {
	File string
	Line int
	// Text describes the problem. Hint describes a remedy and may be empty.
	Text, Hint string
}

func (p Problem) String() string {
	s := fmt.Sprintf("%s:%d: %s", printable(p.File), p.Line, p.Text)
	if p.Hint != "" {
		s += " (" + p.Hint + ")"
	}
	return s
}

// Space returns constants as parameters, and the config of their current values. The
// parameter of a constant with a step counts the steps from the constant's minimum, so
// neighbors in the search are neighbors in the source.
func Space(list []Constant) (agent.Space, agent.Config) {
	var s agent.Space
	for _, c := range list {
		s.Params = append(s.Params, c.param())
	}
	return s, s.Default()
}

func (c Constant) param() agent.Param {
	p := agent.Param{Name: c.Name, Kind: agent.Float, Min: c.Min, Max: c.Max, Log: c.Log, Default: c.Value, Description: c.Doc}
	switch {
	case c.Step > 0:
		p.Kind, p.Min, p.Max, p.Log = agent.Int, 0, float64(c.steps()), false
		k, _ := c.stepOf(c.Value)
		p.Default = int64(k)
	case c.Whole:
		p.Kind, p.Default = agent.Int, int64(c.Value)
	}
	return p
}

// valueOf returns the constant's value that corresponds to v, which must be a valid value
// of the constant's parameter.
func (c Constant) valueOf(v any) float64 {
	f, _ := v.(float64)
	if n, whole := v.(int64); whole {
		f = float64(n)
	}
	if c.Step > 0 {
		return c.atStep(int(f))
	}
	return f
}

// steps returns the number of steps that can be made from Min without exceeding Max.
func (c Constant) steps() int {
	n := (c.Max - c.Min) / c.Step
	if c.Log {
		n = math.Log(c.Max/c.Min) / math.Log(c.Step)
	}
	k := int(math.Floor(n + gridTolerance))
	if c.Whole && k > 0 && c.atStep(k) > c.Max { // integers are exact
		k--
	}
	return k
}

// atStep returns the value k steps from Min, without the rounding artifacts of binary
// fractions: .1 + 2·.1 is .3.
func (c Constant) atStep(k int) float64 {
	v := c.Min + float64(k)*c.Step
	switch {
	case c.Log && c.Whole: // exact, unlike a power
		v = c.Min
		for range k {
			v *= c.Step
		}
	case c.Log:
		v = c.Min * math.Pow(c.Step, float64(k))
	}
	if c.Whole {
		return v
	}
	return math.Max(c.Min, math.Min(rounded(v), c.Max))
}

// gridTolerance is the fraction of a step by which a value may miss the grid because
// decimal fractions are rounded.
const gridTolerance = 1e-9

// stepOf returns the step nearest to a value, and whether the value is exactly at that
// step.
func (c Constant) stepOf(v float64) (int, bool) {
	n := (v - c.Min) / c.Step
	if c.Log {
		n = math.Log(v/c.Min) / math.Log(c.Step)
	}
	k := math.Round(n)
	on := math.Abs(n-k) <= gridTolerance*math.Max(1, math.Abs(n))
	return int(k), on && (!c.Whole || c.atStep(int(k)) == v)
}
