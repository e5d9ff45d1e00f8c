package beside

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"evolve/gates/beside/harness"
)

// difference is the degree to which two outcomes differ.
type difference int

const (
	none difference = iota
	// slight is a difference only in whether an empty list or map is nil, or a runtime
	// panic that no longer occurs.
	slight
	// wording is a difference only in the text of an error, or in additional types that an
	// error wraps.
	wording
	real
)

// tolerance is the relative difference up to which two numbers count as equal: sums of the
// same numbers computed in a different order differ by less.
const tolerance = 1e-9

// compareParts compares two values written in the harness's format.
func compareParts(a, b string) difference {
	if a == b {
		return none
	}
	x, y := pieces(a), pieces(b)
	if len(x) != len(y) {
		return real
	}
	worst := none
	for i := range x {
		d := real
		switch kind := x[i].kind; {
		case x[i] == y[i]:
			d = none
		case kind != y[i].kind:
		case kind == harness.Float && near(x[i].text, y[i].text):
			d = none
		case kind == harness.Message:
			d = wording
		case kind == harness.Wrapped && wrapsToo(x[i].text, y[i].text):
			d = wording
		case kind == harness.Empty:
			d = slight
		}
		worst = max(worst, d)
	}
	return worst
}

// piece is a part of a written value. Its kind determines how it is compared; "" is plain
// text.
type piece struct{ kind, text string }

func pieces(s string) []piece {
	var out []piece
	for {
		before, rest, marked := strings.Cut(s, harness.Open)
		out = append(out, piece{"", before})
		if !marked || rest == "" {
			return out
		}
		inner, after, _ := strings.Cut(rest[1:], harness.Close)
		out = append(out, piece{rest[:1], inner})
		s = after
	}
}

// wrapsToo reports whether the list of types that an error wraps still contains all types
// that it contained before, in the same order.
func wrapsToo(was, is string) bool {
	now := strings.Split(is, " of ")
	for _, t := range strings.Split(was, " of ") {
		at := slices.Index(now, t)
		if at < 0 {
			return false
		}
		now = now[at+1:]
	}
	return true
}

func near(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX != nil || errY != nil {
		return false
	}
	return x == y || math.Abs(x-y) <= tolerance*math.Max(math.Abs(x), math.Abs(y))
}

// visible returns a written value for display, without marks. Of a long value it returns
// only a part, around the first position at which the value differs from the other value
// (other).
func visible(s, other string) string {
	const most, before = 160, 40
	at := 0
	for at < len(s) && at < len(other) && s[at] == other[at] {
		at++
	}
	cutFront := ""
	if len(s) > most && at > before {
		from := at - before
		s, cutFront = s[from:], "…"
	}
	cutEnd := ""
	if len(s) > most {
		s, cutEnd = s[:most], "…"
	}
	out := strings.Builder{}
	for _, p := range pieces(strings.ToValidUTF8(s, "")) {
		out.WriteString(p.text)
	}
	return cutFront + strings.ReplaceAll(out.String(), harness.Close, "") + cutEnd
}
