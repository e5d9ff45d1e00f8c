package ablation

import (
	"strings"

	"evolve/mutate/operator"
)

const (
	// mostEdits is the maximum number of changed lines in a text that are reverted
	// separately. A text with more changed lines counts as rewritten, and is reverted as a
	// whole or not at all.
	mostEdits = 8
	// longest is the maximum number of lines in a text that is compared line by line.
	longest = 1000
)

// edit is one step from an old text to a new one: a line in both texts, an added line, a
// removed line, or a replaced line.
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

// editsOf compares two texts line by line along a longest common subsequence. It returns
// nil if the change can be reverted only as a whole: if more than most lines changed, a
// text is too long, or a value is not a text.
func editsOf(base, winner any, most int) []edit {
	a, ok := base.(string)
	b, also := winner.(string)
	if !ok || !also {
		return nil
	}
	x, y := operator.SplitLines(a), operator.SplitLines(b)
	if len(x) > longest || len(y) > longest {
		return nil
	}
	common := operator.CommonLengths(x, y)
	var out []edit
	open := 0 // index of the first edit in the hunk that may still get an added line
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
			// An added line replaces a line removed in the same hunk.
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
	if changes > most {
		return nil
	}
	return out
}

// render returns the winner's text with the edits in gone reverted.
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
