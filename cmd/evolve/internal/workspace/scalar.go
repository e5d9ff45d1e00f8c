package workspace

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// text is a string.
type text struct {
	to *string
	// pattern, if not nil, is a pattern that the value must match; rule describes it.
	pattern *regexp.Regexp
	rule    string
	hint    string
	// private keeps an invalid value out of the message, because it may be a secret.
	private bool
	// words, if not empty, are the only valid values.
	words []string
	// check, if not nil, returns a description of the fault in a value, in words that
	// follow the value's name, and a hint at a remedy.
	check func(v string) (problem, hint string)
	// form is the JSON schema of a text that has a check.
	form schema
}

func oneOf(to *string, words ...string) text { return text{to: to, words: words} }

func (t text) read(s *source, n *yaml.Node, name string) { t.take(s, n, name) }

// take stores the text and reports whether it was valid.
func (t text) take(s *source, n *yaml.Node, name string) bool {
	tag := n.ShortTag()
	if n.Kind != yaml.ScalarNode || tag != "!!str" && tag != "!!timestamp" {
		hint := ""
		if n.Kind == yaml.ScalarNode && tag != "!!null" {
			hint = fmt.Sprintf("write %q in quotes", n.Value)
		}
		s.bad(n, hint, "%s must be text, not %s", name, describe(n))
		return false
	}
	v := n.Value
	switch {
	case len(t.words) > 0 && !slices.Contains(t.words, v):
		s.bad(n, didYouMean(v, t.words), "%s must be %s, not %q", name, alternatives(t.words), v)
		return false
	case t.pattern != nil && !t.pattern.MatchString(v):
		if t.private {
			s.bad(n, t.hint, "%s must be %s", name, t.rule)
		} else {
			s.bad(n, t.hint, "%s must be %s, not %q", name, t.rule, v)
		}
		return false
	}
	if t.check != nil {
		if problem, hint := t.check(v); problem != "" {
			s.bad(n, hint, "%s %s", name, problem)
			return false
		}
	}
	*t.to = v
	return true
}

func (t text) schema() schema {
	switch {
	case t.form != nil:
		return maps.Clone(t.form)
	case len(t.words) > 0:
		return schema{"enum": enum(t.words)}
	case t.pattern != nil:
		return schema{"type": "string", "pattern": t.pattern.String()}
	}
	return schema{"type": "string"}
}

func alternatives(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// flag is a field for true or false.
type flag struct{ to *bool }

func (f flag) read(s *source, n *yaml.Node, name string) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		hint := ""
		switch strings.ToLower(n.Value) {
		case "yes", "on", "y":
			hint = "write true"
		case "no", "off", "n":
			hint = "write false"
		}
		s.bad(n, hint, "%s must be true or false, not %s", name, describe(n))
		return
	}
	*f.to = strings.EqualFold(n.Value, "true")
}

func (flag) schema() schema { return schema{"type": "boolean"} }

// whole is a field for a whole number between two bounds, both inclusive.
type whole[T int | int64] struct {
	to       *T
	min, max T
}

func (w whole[T]) read(s *source, n *yaml.Node, name string) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" {
		s.bad(n, "", "%s must be a whole number, not %s", name, describeNumber(n))
		return
	}
	v, ok := scalarValue(n).(int64)
	if w.min == w.max && v != int64(w.min) {
		s.bad(n, "", "%s must be %d, not %s", name, w.min, n.Value)
		return
	}
	if !ok || v < int64(w.min) || v > int64(w.max) {
		s.bad(n, "", "%s is %s, but must be from %d to %d", name, n.Value, w.min, w.max)
		return
	}
	*w.to = T(v)
}

func (w whole[T]) schema() schema {
	return schema{"type": "integer", "minimum": w.min, "maximum": w.max}
}

// number is a field for a finite number between two bounds, both inclusive unless above is
// set.
type number struct {
	to       *float64
	min, max float64
	// If above is set, the number must be greater than min and not equal to it.
	above bool
	// hint is shown if the number is out of bounds; it may be empty.
	hint string
}

func (f number) read(s *source, n *yaml.Node, name string) {
	v, ok := numberOf(n)
	if !ok {
		s.bad(n, f.hint, "%s must be a number, not %s", name, describe(n))
		return
	}
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		s.bad(n, f.hint, "%s must be a finite number", name)
	case f.above && v == f.min:
		s.bad(n, f.hint, "%s must be above %s", name, plain(f.min))
	case v < f.min || v > f.max:
		s.bad(n, f.hint, "%s is %s, but must be from %s to %s", name, n.Value, plain(f.min), plain(f.max))
	default:
		*f.to = v
	}
}

func (f number) schema() schema {
	if f.above {
		return schema{"type": "number", "exclusiveMinimum": f.min, "maximum": f.max}
	}
	return schema{"type": "number", "minimum": f.min, "maximum": f.max}
}

// duration is a field for a length of time such as 60s, 1h30m or 250ms.
type duration struct {
	to       *time.Duration
	min, max time.Duration
}

var durationPattern = regexp.MustCompile(`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`)

func (d duration) read(s *source, n *yaml.Node, name string) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || !durationPattern.MatchString(n.Value) {
		hint := "write it like 60s, 2m or 1h30m"
		if _, ok := numberOf(n); ok {
			hint = fmt.Sprintf("write %ss for seconds", n.Value)
		}
		s.bad(n, hint, "%s must be a duration", name)
		return
	}
	v, err := time.ParseDuration(n.Value)
	if err != nil || v < d.min || v > d.max {
		s.bad(n, "", "%s is %s, but must be from %s to %s", name, n.Value, short(d.min), short(d.max))
		return
	}
	*d.to = v
}

func (duration) schema() schema {
	return schema{"type": "string", "pattern": durationPattern.String()}
}

// custom is a field that is read by a function of its own.
type custom struct {
	// take checks a node and stores its value. If take is nil, a later check, which depends
	// on other keys, does both.
	take func(s *source, n *yaml.Node, name string)
	form schema
}

func (c custom) read(s *source, n *yaml.Node, name string) {
	if c.take != nil {
		c.take(s, n, name)
	}
}

func (c custom) schema() schema { return maps.Clone(c.form) }

// describeNumber is like describe, but returns the value of a number with a fraction.
func describeNumber(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!float" {
		return n.Value
	}
	return describe(n)
}

// numberOf returns the value of a numeric scalar.
func numberOf(n *yaml.Node) (float64, bool) {
	if n.Kind != yaml.ScalarNode {
		return 0, false
	}
	switch v := scalarValue(n).(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// scalarValue returns the value of a scalar as a config holds it: a bool, an int64, a
// float64, a string, or nil for null. A date is returned as a string.
func scalarValue(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!str", "!!timestamp":
		return n.Value
	}
	var v any
	if err := n.Decode(&v); err != nil {
		return n.Value
	}
	switch v := v.(type) {
	case bool, int64, float64:
		return v
	case int:
		return int64(v)
	case uint64:
		return float64(v)
	case nil:
		return nil
	}
	return n.Value
}

// plain formats a number in its shortest form, without an exponent for common magnitudes.
func plain(f float64) string {
	if a := math.Abs(f); a < 1e15 && (a == 0 || a >= 1e-4) {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// short formats a duration without parts that are zero: 2m, not 2m0s.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func show[T int | int64](n T) string { return strconv.FormatInt(int64(n), 10) }
