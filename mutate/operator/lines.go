package operator

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"evolve/runtime/agent"
)

// changeLine adds one of the offered lines to a text, drops one, or swaps one for
// another. Other lines, which a person wrote, are never changed.
func changeLine(p agent.Param, old any, _ float64, rng *rand.Rand) (any, bool) {
	text, ok := old.(string)
	if !ok {
		return nil, false
	}
	ours, missing := divide(p, text)
	// Add a line half the time, drop a line a quarter of the time, and swap a line a
	// quarter of the time, if possible.
	move := rng.IntN(4)
	drop := len(ours) > 0 && (move >= 2 || len(missing) == 0)
	add := len(missing) > 0 && (move != 2 || len(ours) == 0)
	next := text
	if drop {
		next = dropLine(next, ours[rng.IntN(len(ours))])
	}
	if add {
		next = addLine(next, missing[rng.IntN(len(missing))])
	}
	return next, next != text && fits(p, next)
}

// Offered returns the distinct valid lines that are offered for a text parameter. A valid
// line is not empty and has no line breaks.
func Offered(p agent.Param) []string {
	var out []string
	for _, l := range p.Lines {
		if l != "" && !strings.ContainsAny(l, "\r\n") && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// divide splits the offered lines into those that a text has and the others.
func divide(p agent.Param, text string) (ours, missing []string) {
	have := SplitLines(text)
	for _, l := range Offered(p) {
		if slices.Contains(have, l) {
			ours = append(ours, l)
		} else {
			missing = append(missing, l)
		}
	}
	return ours, missing
}

// addLine appends a line. If the text ends with a line break, so does the result.
func addLine(text, line string) string {
	switch {
	case text == "":
		return line
	case strings.HasSuffix(text, "\n"):
		return text + line + "\n"
	}
	return text + "\n" + line
}

// Recombine returns a text with an additional line from another text, or without one of
// the lines that are not in the champion's text (own). It returns the text unchanged if
// neither is possible.
func Recombine(p agent.Param, text, other, own string, rng *rand.Rand) string {
	lines := without(SplitLines(other), SplitLines(text))
	if rng.IntN(2) == 0 {
		lines = without(SplitLines(text), SplitLines(own))
	}
	if lines = slices.DeleteFunc(lines, func(l string) bool { return strings.TrimSpace(l) == "" }); len(lines) == 0 {
		return text
	}
	line := lines[rng.IntN(len(lines))]
	if slices.Contains(SplitLines(text), line) {
		return dropLine(text, line)
	}
	if next := addLine(text, line); fits(p, next) {
		return next
	}
	return text
}

// dropLine removes all occurrences of a line.
func dropLine(text, line string) string {
	kept := slices.DeleteFunc(SplitLines(text), func(l string) bool { return l == line })
	return strings.Join(kept, "\n")
}

func fits(p agent.Param, text string) bool {
	return p.MaxChars <= 0 || utf8.RuneCountInString(text) <= p.MaxChars
}

// SplitLines splits a text into lines; the empty text has no lines.
func SplitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
