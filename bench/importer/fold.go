package importer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	visible "evolve/runtime/text"
)

// foldedNotes is the number of notes on one file that a person is shown.
const foldedNotes = 10

// variable parts of a note: what it quotes, and numbers.
var noteDetail = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\d+`)

// cause returns what notes of the same cause have in common.
func (n Note) cause() string { return noteDetail.ReplaceAllString(n.Text, "#") + "\x00" + n.Kind }

// Fold returns at most ten notes that stand for all: those of one cause together, the first of
// them with the number of the rest and their first lines. Of more than ten causes, those of
// the whole file and the most frequent others are shown, and the last note names the kinds of
// the rest; the order is that of the file.
func Fold(notes []Note) []Note {
	if len(notes) <= foldedNotes {
		return notes
	}
	var causes []string
	by := map[string][]Note{}
	for _, n := range notes {
		c := n.cause()
		if by[c] == nil {
			causes = append(causes, c)
		}
		by[c] = append(by[c], n)
	}
	shown := causes
	if len(causes) > foldedNotes {
		shown = slices.Clone(causes)
		slices.SortStableFunc(shown, func(a, b string) int {
			if x, y := by[a][0].Whole, by[b][0].Whole; x != y {
				if x {
					return -1
				}
				return 1
			}
			return len(by[b]) - len(by[a])
		})
		shown = shown[:foldedNotes-1]
	}
	var out, rest []Note
	for _, c := range causes {
		if !slices.Contains(shown, c) {
			rest = append(rest, by[c]...)
			continue
		}
		out = append(out, together(by[c]))
	}
	if len(rest) > 0 {
		out = append(out, others(rest, len(causes)-len(shown)))
	}
	return out
}

// others returns the note that stands for notes of further causes.
func others(rest []Note, causes int) Note {
	var kinds []string
	for _, n := range rest {
		if n.Kind != "" && !slices.Contains(kinds, n.Kind) {
			kinds = append(kinds, n.Kind)
		}
	}
	text := fmt.Sprintf("and %s of %s", visible.Count(len(rest), "more note"), visible.Count(causes, "other cause"))
	if len(kinds) > 0 {
		text += ", among them: " + strings.Join(kinds, ", ")
	}
	return Note{Text: text}
}

// namedLines is the number of lines that a folded note names.
const namedLines = 3

// together returns the notes of one cause as one.
func together(list []Note) Note {
	first := list[0]
	more := len(list) - 1
	if more == 0 {
		return first
	}
	first.Text += fmt.Sprintf("; and %d more like this", more)
	var lines []string
	for _, n := range list[1:] {
		if n.Line > 0 && len(lines) < namedLines {
			lines = append(lines, fmt.Sprint(n.Line))
		}
	}
	if len(lines) > 0 {
		word, end := "lines", ""
		if len(lines) == 1 {
			word = "line"
		}
		if len(lines) < more {
			end = ", …"
		}
		first.Text += fmt.Sprintf(" (%s %s%s)", word, strings.Join(lines, ", "), end)
	}
	return first
}
