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
	// slight is a list or map that is nil on one side and empty on the other, or a
	// runtime panic that no longer occurs.
	slight
	// wording is a difference only in the text of an error, or in types that it wraps
	// in addition.
	wording
	real
)

// tolerance is the relative difference up to which two numbers are equal: sums computed
// in another order differ by less.
const tolerance = 1e-9

// compareParts compares two values in the harness's format.
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

// piece is a part of a written value with its kind, which decides how it is compared;
// "" is plain text.
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

// wrapsToo reports whether an error still wraps everything that it wrapped, in the same
// order.
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

// visible returns a written value for display: without marks, at most most bytes around
// the first place at which it differs from other.
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
