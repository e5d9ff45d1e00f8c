package operator

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"

	"evolve/runtime/agent"
)

// changeLine adds one of the offered lines to a text, drops one that it holds, or
// swaps one for another. Other lines, which a person wrote, are never touched.
func changeLine(p agent.Param, old any, _ float64, rng *rand.Rand) (any, bool) {
	text, ok := old.(string)
	if !ok {
		return nil, false
	}
	ours, missing := divide(p, text)
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

// Offered are the lines that a text parameter offers and that can be lines: not empty,
// of one line each, each once.
func Offered(p agent.Param) []string {
	var out []string
	for _, l := range p.Lines {
		if l != "" && !strings.ContainsAny(l, "\r\n") && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	return out
}

// divide parts the offered lines into those that a text holds and the others.
func divide(p agent.Param, text string) (ours, missing []string) {
	have := splitLines(text)
	for _, l := range Offered(p) {
		if slices.Contains(have, l) {
			ours = append(ours, l)
		} else {
			missing = append(missing, l)
		}
	}
	return ours, missing
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
