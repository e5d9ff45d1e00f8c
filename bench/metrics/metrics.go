// Package metrics reads the values that a scoring command measured for a program, case by
// case, and converts them to scores for a search. A command prints one JSON object for each
// value, on a line of its own:
//
//	{"case": "or1-07", "metric": "excess", "value": 5.81, "unit": "%", "better": "lower"}
//
// The first metric of a command determines the score, unless the caller names another one.
// The measured code may have printed the lines, so they are untrusted: they can name
// neither other cases nor other directions than those of the base. The package runs nothing
// and writes nothing.
package metrics

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"

	"evolve/runtime/text"
)

// Better is the direction in which a metric improves.
type Better string

// The directions.
const (
	Lower  Better = "lower"
	Higher Better = "higher"
)

// Value is one metric of one case.
type Value struct {
	// Case is the name of the case, and Metric the name of the measured quantity; both
	// have 1 to 200 visible characters.
	Case   string `json:"case"`
	Metric string `json:"metric"`
	// Value is within ±1e300.
	Value float64 `json:"value"`
	// Unit may be empty.
	Unit   string `json:"unit,omitempty"`
	Better Better `json:"better"`
}

// Limits on the output that a command prints.
const (
	mostLine   = 64 << 10 // bytes of a line
	mostValues = 100_000
	mostName   = 200 // characters of a name
	// mostAbsolute is the largest allowed magnitude of a value. With this limit, the sums
	// and differences of all values that can be read are finite.
	mostAbsolute = 1e300
)

// Read reads the values that a command printed. Lines that do not begin with "{" are the
// command's own output. It returns an error if any other line is not a value, if a value
// is given twice, if a metric has two directions or units, or if there is no value at
// all. An error about a line has the line's number and text.
func Read(from io.Reader) ([]Value, error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 4096), mostLine)
	var out []Value
	type key struct{ of, metric string }
	seen, kinds, own := map[key]bool{}, map[string]Value{}, ""
	for number := 1; lines.Scan(); number++ {
		line := bytes.TrimSpace(lines.Bytes())
		if !bytes.HasPrefix(line, []byte("{")) {
			if own == "" || !nearly(own) && nearly(string(line)) {
				own = string(line)
			}
			continue
		}
		v, err := parse(line)
		if err == nil && seen[key{v.Case, v.Metric}] {
			err = fmt.Errorf("case %s has two values of %s", text.Quote(v.Case), text.Quote(v.Metric))
		}
		if first, known := kinds[v.Metric]; err == nil && known && (first.Better != v.Better || first.Unit != v.Unit) {
			err = fmt.Errorf("%s is in %s and %s is better; on an earlier line it is in %s and %s is better", text.Quote(v.Metric), unitName(v.Unit), v.Better, unitName(first.Unit), first.Better)
		}
		if err == nil && len(out) == mostValues {
			err = fmt.Errorf("there are more than %d values", mostValues)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w: %s", number, err, shown(string(line)))
		}
		seen[key{v.Case, v.Metric}], kinds[v.Metric] = true, v
		out = append(out, v)
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("a line is longer than %d bytes", mostLine)
	case err != nil:
		return nil, fmt.Errorf("reading the values: %w", err)
	case len(out) == 0:
		err := errors.New(`no line is a value such as {"case": "a", "metric": "cost", "value": 1.5, "better": "lower"}`)
		if own != "" {
			err = fmt.Errorf("%w; it printed %s", err, shown(own))
		}
		return nil, err
	}
	return out, nil
}

// nearly reports whether a line that is not a value may have been meant as one.
func nearly(line string) bool { return strings.Contains(line, "case") }

// mostShown limits the length of the part of a line that an error shows, in bytes.
const mostShown = 100

// shown returns a line in the form in which an error quotes it, which is shortened and
// has no line breaks.
func shown(line string) string { return text.ClipMiddle(text.OneLine(line), mostShown) }

// unitName quotes a unit.
func unitName(unit string) string {
	if unit == "" {
		return "no unit"
	}
	return text.Quote(unit)
}

// Parse reads the value in a stored answer, or returns false if it has none.
func Parse(answer string) (Value, bool) {
	v, err := parse([]byte(answer))
	return v, err == nil
}

// parse reads one line.
func parse(line []byte) (Value, error) {
	var raw struct {
		Value
		Number *float64 `json:"value"` // takes precedence over the embedded field; nil if absent
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	err := d.Decode(&raw)
	var typed *json.UnmarshalTypeError
	if errors.As(err, &typed) {
		kind := "text"
		if typed.Type.Kind() == reflect.Float64 {
			kind = "a finite number"
		}
		return Value{}, fmt.Errorf("it is not a value: %s must be %s", text.Visible(typed.Field[strings.LastIndexByte(typed.Field, '.')+1:]), kind)
	}
	if err != nil {
		return Value{}, fmt.Errorf("it is not a value: %s", text.OneLine(err.Error()))
	}
	if d.More() {
		return Value{}, errors.New("it has more than one object")
	}
	v := raw.Value
	switch {
	case !named(v.Case) || !named(v.Metric):
		return Value{}, fmt.Errorf("case and metric need names of 1 to %d printable characters", mostName)
	case raw.Number == nil:
		return Value{}, errors.New("it has no value")
	case !(math.Abs(*raw.Number) <= mostAbsolute):
		return Value{}, fmt.Errorf("its value %g is outside ±%g, the range within which sums of values stay finite", *raw.Number, mostAbsolute)
	case v.Better != Lower && v.Better != Higher:
		return Value{}, errors.New(`better must be "lower" or "higher"`)
	case v.Unit != "" && !named(v.Unit):
		return Value{}, errors.New("its unit has characters that are not printable")
	}
	v.Value = *raw.Number
	return v, nil
}

// named reports whether a name has an allowed length and consists of printable characters.
func named(s string) bool {
	n := 0
	for _, r := range s {
		if n++; !text.Shown(r) {
			return false
		}
	}
	return 0 < n && n <= mostName
}
