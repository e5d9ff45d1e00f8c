package ablation

import "strings"

const (
	// mostEdits is how many changed lines of a text go back one by one; a text with more was
	// rewritten, and goes back as a whole or not at all.
	mostEdits = 8
	// longest is the number of lines up to which texts are compared line by line.
	longest = 1000
)

// edit is a step from one text to another: a line that both have, one that came, one that
// went, or one that came in the place of another.
type edit struct {
	old, now       string
	wasThere, here bool
}

func (e edit) changes() bool { return !e.wasThere || !e.here || e.old != e.now }

func (e edit) String() string {
	switch {
	case !e.wasThere:
		return "+ " + e.now
	case !e.here:
		return "− " + e.old
	}
	return "− " + e.old + " + " + e.now
}

// editsOf compares two texts line by line along a longest common subsequence; nil when
// they go back as a whole.
func editsOf(base, winner any) []edit {
	a, ok := base.(string)
	b, also := winner.(string)
	if !ok || !also {
		return nil
	}
	x, y := linesOf(a), linesOf(b)
	if len(x) > longest || len(y) > longest {
		return nil
	}
	common := commonLengths(x, y)
	var out []edit
	open := 0 // edits of the hunk that lack their other half begin here
	changes := 0
	for i, j := 0, 0; i < len(x) || j < len(y); {
		switch {
		case i < len(x) && j < len(y) && x[i] == y[j]:
			out = append(out, edit{x[i], y[j], true, true})
			i, j, open = i+1, j+1, len(out)
			continue
		case j == len(y) || i < len(x) && common[i+1][j] >= common[i][j+1]:
			out = append(out, edit{old: x[i], wasThere: true})
			changes++
			i++
		default:
			// A line that went in the same hunk is what this one replaces.
			for open < len(out) && out[open].here {
				open++
			}
			if open < len(out) {
				out[open].now, out[open].here = y[j], true
			} else {
				out = append(out, edit{now: y[j], here: true})
				changes++
			}
			j++
		}
	}
	if changes > mostEdits {
		return nil
	}
	return out
}

// linesOf splits a text; the empty one has no lines.
func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// commonLengths[i][j] is the length of a longest common subsequence of x[i:] and y[j:].
func commonLengths(x, y []string) [][]int {
	out := make([][]int, len(x)+1)
	for i := range out {
		out[i] = make([]int, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				out[i][j] = out[i+1][j+1] + 1
			} else {
				out[i][j] = max(out[i+1][j], out[i][j+1])
			}
		}
	}
	return out
}

// render is the winner's text with some edits undone.
func render(edits []edit, gone map[int]bool) string {
	var lines []string
	for i, e := range edits {
		switch {
		case gone[i] && e.wasThere:
			lines = append(lines, e.old)
		case !gone[i] && e.here:
			lines = append(lines, e.now)
		}
	}
	return strings.Join(lines, "\n")
}
