package importer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	visible "evolve/runtime/text"
)

// foldedNotes is the maximum number of notes on one file that a person is shown.
const foldedNotes = 10

// noteDetail matches the variable parts of a note: quoted texts and numbers.
var noteDetail = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\d+`)

// cause returns the key that is common to all notes with the same cause: the kind, and
// the text without its variable parts.
func (n Note) cause() string { return noteDetail.ReplaceAllString(n.Text, "#") + "\x00" + n.Kind }

// Fold returns at most ten notes that stand for all notes. Notes with the same cause are
// combined into the first of them, with the number of the others and the first of their
// lines. If there are more than ten causes, the notes on the whole file and those with the
// most frequent causes are shown, and the last note names the kinds of the rest. The notes
// are in the order of the file.
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

// others returns a note that counts the remaining notes and their causes, and names their
// kinds.
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

// namedLines is the maximum number of lines that a folded note names.
const namedLines = 3

// together returns one note that stands for all notes with the same cause.
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
