package constants

import (
	"math"
	"slices"
	"strconv"
	"strings"

	foreign "evolve/runtime/text"
)

const (
	directive = "//evolve:param"
	needle    = "evolve:param"
	// wholeLimit is the largest integer that is allowed: float64 represents all integers up
	// to it exactly.
	wholeLimit = 1 << 53
	// mostSteps is the maximum number of steps in a range.
	mostSteps  = 1_000_000
	nameLength = 64
)

// isMark reports whether a comment is a marker, and returns the text after the directive.
func isMark(comment string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(comment, directive)
	return rest, ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

// nearMark reports whether a comment looks as if it was intended as a marker.
func nearMark(comment string) bool {
	if strings.HasPrefix(comment, directive) {
		return true
	}
	text := strings.TrimLeft(comment, "/* \t")
	return strings.HasPrefix(text, needle) && strings.Contains(text, "min=")
}

// fault is a problem without a position.
type fault struct{ text, hint string }

// words parses a marker's settings into keys and values; the value of a word without "=" is
// "".
func words(rest string) (map[string]string, *fault) {
	out := map[string]string{}
	for _, word := range strings.Fields(rest) {
		key, value, assigned := strings.Cut(word, "=")
		if !slices.Contains([]string{"min", "max", "step", "name", "log"}, key) {
			return nil, &fault{"the mark contains the unknown word " + foreign.Quote(word), "a mark is //evolve:param min=V max=V [log] [step=V] [name=N]; an explanation goes into the comment above"}
		}
		if _, twice := out[key]; twice {
			return nil, &fault{"the mark sets " + key + " twice", ""}
		}
		if assigned == (key == "log") || assigned && value == "" {
			return nil, &fault{"the mark contains the invalid setting " + foreign.Quote(word), "write log without a value, and min=V, max=V, step=V and name=N with a value and no spaces"}
		}
		out[key] = value
	}
	for _, key := range []string{"min", "max"} {
		if _, there := out[key]; !there {
			return nil, &fault{"the mark has no " + key, "every marked constant needs min=V and max=V"}
		}
	}
	return out, nil
}

// apply copies a marker's settings into a constant whose value is known, and checks them.
func (c *Constant) apply(said map[string]string) *fault {
	for _, n := range []struct {
		key string
		to  *float64
	}{{"min", &c.Min}, {"max", &c.Max}, {"step", &c.Step}} {
		text, there := said[n.key]
		if !there {
			continue
		}
		v, f := c.number(n.key, text)
		if f != nil {
			return f
		}
		*n.to = v
	}
	_, c.Log = said["log"]
	if name, there := said["name"]; there {
		if !validName(name) {
			return &fault{"the name " + foreign.Quote(name) + " cannot be used", "a name has up to 64 letters, digits, dots, dashes and underscores and begins with a letter"}
		}
		c.Name = name
	}
	if f := c.checkRange(); f != nil {
		return f
	}
	return c.checkStep(said)
}

// number parses a number in a marker, in any form that Go permits.
func (c *Constant) number(key, text string) (float64, *fault) {
	said := key + "=" + foreign.Quote(text)
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		if n < -wholeLimit || n > wholeLimit {
			return 0, &fault{said + " is beyond 2^53", ""}
		}
		return float64(n), nil
	}
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsInf(v, 0) || math.IsNaN(v):
		return 0, &fault{said + " is not a number", c.unitHint()}
	case c.Whole:
		return 0, &fault{said + " is not a whole number, but " + foreign.Clip(c.Literal, 60, foreign.Runes, foreign.Mark) + " is", "write the constant with a decimal point, such as 1.0, if it may be a fraction"}
	}
	return v, nil
}

func (c *Constant) unitHint() string {
	if c.Unit == "" {
		return ""
	}
	return "the bounds are in " + c.Unit + ": write the number without a unit"
}

func (c *Constant) checkRange() *fault {
	written := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	switch {
	case !(c.Min < c.Max):
		return &fault{"min " + written(c.Min) + " is not below max " + written(c.Max), ""}
	case math.IsInf(c.Max-c.Min, 0):
		return &fault{"the range from " + written(c.Min) + " to " + written(c.Max) + " is too wide", ""}
	case c.Value < c.Min || c.Value > c.Max:
		return &fault{"the value " + foreign.Clip(c.Literal, 60, foreign.Runes, foreign.Mark) + " is outside " + written(c.Min) + " to " + written(c.Max), "widen the range: the search starts from the current value"}
	case c.Log && c.Min <= 0:
		return &fault{"a logarithmic scale needs min above 0", ""}
	}
	if least, most, known := typeRange(c.Type); known && (c.Min < least || c.Max > most) {
		return &fault{"the range " + written(c.Min) + " to " + written(c.Max) + " does not fit into " + c.Type, ""}
	}
	if most, known := unitRange(c.Unit); known && (c.Min < -most || c.Max > most) {
		return &fault{"the range " + written(c.Min) + " to " + written(c.Max) + " of " + c.Unit + " does not fit into " + duration, ""}
	}
	return nil
}

func (c *Constant) checkStep(said map[string]string) *fault {
	text, there := said["step"]
	if !there {
		return nil
	}
	switch {
	case c.Log && !(c.Step > 1):
		return &fault{"step=" + foreign.Quote(text) + " is a factor when log is set, and must be above 1", ""}
	case !(c.Step > 0):
		return &fault{"step=" + foreign.Quote(text) + " must be above 0", ""}
	}
	n := (c.Max - c.Min) / c.Step
	if c.Log {
		n = math.Log(c.Max/c.Min) / math.Log(c.Step)
	}
	if !(n <= mostSteps) {
		return &fault{"the range has more than a million steps", "leave step out"}
	}
	if c.steps() < 1 {
		return &fault{"no step fits between min and max", ""}
	}
	if last := c.steps(); c.atStep(last) <= c.atStep(last-1) { // floating-point precision is too low to distinguish the last two steps
		return &fault{"step=" + foreign.Quote(text) + " is too small for the precision of floating-point numbers in this range", ""}
	}
	if k, on := c.stepOf(c.Value); !on || k > c.steps() {
		return &fault{"the value " + foreign.Clip(c.Literal, 60, foreign.Runes, foreign.Mark) + " is not a whole number of steps from min", "the search starts from the current value: change min or step"}
	}
	return nil
}

// validName reports whether name is a valid name for a parameter.
func validName(name string) bool {
	if name == "" || len(name) > nameLength {
		return false
	}
	for i, r := range name {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r != '.' && r != '-' && (r < '0' || r > '9')) {
			return false
		}
	}
	return true
}
