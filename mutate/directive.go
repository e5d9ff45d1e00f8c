package mutate

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"evolve/runtime/agent"
)

// changeLine adds one of the offered lines to a text, drops one that it holds, or
// swaps one for another. Other lines, which a person wrote, are never touched.
func changeLine(p agent.Param, old any, rng *rand.Rand) (any, bool) {
	text, ok := old.(string)
	if !ok {
		return nil, false
	}
	have := splitLines(text)
	var ours, missing []string
	for _, l := range offered(p) {
		if slices.Contains(have, l) {
			ours = append(ours, l)
		} else {
			missing = append(missing, l)
		}
	}
	// Half the time add, a quarter each drop and swap, as far as there is what for.
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

// offered are the lines of a text parameter that can be lines: not empty, of one
// line each.
func offered(p agent.Param) []string {
	var out []string
	for _, l := range p.Lines {
		if l != "" && !strings.ContainsAny(l, "\r\n") && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// addLine puts a line at the end; a final line break stays one.
func addLine(text, line string) string {
	switch {
	case text == "":
		return line
	case strings.HasSuffix(text, "\n"):
		return text + line + "\n"
	}
	return text + "\n" + line
}

// dropLine takes a line out wherever it stands.
func dropLine(text, line string) string {
	kept := slices.DeleteFunc(splitLines(text), func(l string) bool { return l == line })
	return strings.Join(kept, "\n")
}

func fits(p agent.Param, text string) bool {
	return p.MaxChars <= 0 || utf8.RuneCountInString(text) <= p.MaxChars
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// lineChange says which lines came and went.
func lineChange(before, after string) string {
	old, now := splitLines(before), splitLines(after)
	var parts []string
	for _, l := range now {
		if !slices.Contains(old, l) {
			parts = append(parts, "+ "+l)
		}
	}
	for _, l := range old {
		if !slices.Contains(now, l) {
			parts = append(parts, "− "+l)
		}
	}
	return strings.Join(parts, ", ")
}
