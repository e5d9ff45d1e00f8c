package problem

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"evolve/runtime/agent"
)

// point is a config with one number for each parameter: a numeric value on the unit scale
// (logarithmic if declared so), the index of a choice, 0 or 1 for a switch, or a bit set:
// the chosen members of a subset, or the chosen lines of a text. Inactive parameters are
// NaN, so equal configs are equal points.
type point []float64

// on reports whether a parameter is active.
func (v point) on(i int) bool { return !math.IsNaN(v[i]) }

// codec converts between the configs of a space and points.
type codec struct {
	params []agent.Param
	// needs holds the conditions of each parameter: parameter i is active only if, for
	// each of its conditions, the parameter at index other has one of the given values.
	// Each parameter comes after those on which it depends.
	needs [][]condition
}

type condition struct {
	other  int
	values []float64
}

func newCodec(s agent.Space) codec {
	c := codec{params: s.Params, needs: make([][]condition, len(s.Params))}
	for i, p := range s.Params {
		for j, q := range s.Params[:i] {
			if when, ok := p.When[q.Name]; ok {
				need := condition{other: j}
				for _, v := range when {
					need.values = append(need.values, encode(q, v))
				}
				c.needs[i] = append(c.needs[i], need)
			}
		}
	}
	return c
}

func (c codec) active(v point, i int) bool {
	for _, n := range c.needs[i] {
		if !slices.Contains(n.values, v[n.other]) {
			return false
		}
	}
	return true
}

// encode returns the point of a config in the space, whether the config is canonical or
// not.
func (c codec) encode(config agent.Config) point {
	v := make(point, len(c.params))
	for i, p := range c.params {
		value, ok := config[p.Name]
		if !ok {
			value = p.Default
		}
		v[i] = math.NaN()
		if c.active(v, i) {
			v[i] = encode(p, value)
		}
	}
	return v
}

// decode returns the canonical config of a point.
func (c codec) decode(v point) agent.Config {
	config := make(agent.Config, len(c.params))
	for i, p := range c.params {
		if v.on(i) {
			config[p.Name] = decode(p, v[i])
		}
	}
	return config
}

// settle makes a point consistent after a change: newly inactive parameters become NaN,
// newly active parameters are drawn, and numbers are rounded to valid values.
func (c codec) settle(v point, rng *rand.Rand) {
	for i := range c.params {
		switch {
		case !c.active(v, i):
			v[i] = math.NaN()
		case !v.on(i):
			v[i] = c.draw(i, rng)
		default:
			v[i] = snap(c.params[i], v[i])
		}
	}
}

// draw returns a value of a parameter drawn uniformly.
func (c codec) draw(i int, rng *rand.Rand) float64 {
	p := c.params[i]
	if p.Numeric() {
		return snap(p, rng.Float64())
	}
	return float64(rng.IntN(levels(p)))
}

// random returns a point drawn uniformly.
func (c codec) random(rng *rand.Rand) point {
	v := make(point, len(c.params))
	for i := range v {
		v[i] = math.NaN()
	}
	c.settle(v, rng)
	return v
}

// levels returns the number of values of a non-numeric parameter.
func levels(p agent.Param) int {
	switch p.Kind {
	case agent.Choice:
		return len(p.Values)
	case agent.Subset:
		return 1 << len(p.Of)
	case agent.Text:
		return 1 << len(p.Lines)
	}
	return 2
}

func encode(p agent.Param, value any) float64 {
	switch value := value.(type) {
	case float64:
		if p.Kind == agent.Float {
			return toUnit(p, value)
		}
	case int64:
		if p.Numeric() {
			return toUnit(p, float64(value))
		}
	case bool:
		if p.Kind == agent.Bool {
			if value {
				return 1
			}
			return 0
		}
	case []string:
		return mask(p.Of, value)
	case string:
		if p.Kind == agent.Text {
			return mask(p.Lines, strings.Split(value, "\n"))
		}
	}
	return float64(slices.Index(p.Values, value))
}

func mask(of, present []string) float64 {
	n := 0
	for k, member := range of {
		if slices.Contains(present, member) {
			n |= 1 << k
		}
	}
	return float64(n)
}

func decode(p agent.Param, x float64) any {
	switch p.Kind {
	case agent.Float:
		return fromUnit(p, x)
	case agent.Int:
		return int64(math.Round(fromUnit(p, x)))
	case agent.Bool:
		return x == 1
	case agent.Choice:
		return p.Values[int(x)]
	case agent.Subset:
		return members(p.Of, x)
	}
	lines := members(p.Lines, x)
	// In a text, lines that were written by a person come first.
	for own := range strings.SplitSeq(p.Default.(string), "\n") {
		if !slices.Contains(p.Lines, own) {
			lines = append([]string{own}, lines...)
		}
	}
	return strings.Join(lines, "\n")
}

func members(of []string, x float64) []string {
	list := []string{}
	for k, member := range of {
		if int(x)>>k&1 == 1 {
			list = append(list, member)
		}
	}
	return list
}

// snap rounds a value on the unit scale to the nearest valid value.
func snap(p agent.Param, x float64) float64 {
	switch p.Kind {
	case agent.Int:
		return toUnit(p, math.Round(fromUnit(p, x)))
	case agent.Float:
		return math.Round(x*resolution) / resolution
	}
	return x
}

// resolution is the number of values of a Float. There are few enough of them for a value
// to survive the conversion to a config and back, but their spacing is far finer than any
// effect.
const resolution = 1 << 20

func toUnit(p agent.Param, x float64) float64 {
	u := (x - p.Min) / (p.Max - p.Min)
	if p.Log {
		u = math.Log(x/p.Min) / math.Log(p.Max/p.Min)
	}
	return clamp(math.Round(u*resolution)/resolution, 0, 1)
}

func fromUnit(p agent.Param, u float64) float64 {
	if p.Log {
		return clamp(p.Min*math.Pow(p.Max/p.Min, u), p.Min, p.Max)
	}
	return clamp(p.Min+u*(p.Max-p.Min), p.Min, p.Max)
}
