package session

import (
	"strings"

	"evolve/runtime/memory"
	"evolve/runtime/text"
)

// Bounds of the notes of a session.
const (
	MaxNotes     = 50
	MaxNoteChars = 500
)

// AddNotes returns the notes of a session followed by new ones: each one line, cut to
// [MaxNoteChars] characters, without empty ones. Notes beyond [MaxNotes] are refused,
// because no older note is dropped; refused is their number. The result is bounded for
// any input.
func AddNotes(notes []string, fresh ...string) (kept []string, refused int) {
	for _, list := range [][]string{notes, fresh} {
		for _, n := range list {
			// A character has at most four bytes; 16 per character are enough even with
			// removed characters.
			if len(n) > 16*MaxNoteChars {
				n = n[:16*MaxNoteChars]
			}
			n = strings.TrimSpace(text.Clip(clean(n), MaxNoteChars, text.Runes))
			switch {
			case n == "":
			case len(kept) >= MaxNotes:
				refused++
			default:
				kept = append(kept, n)
			}
		}
	}
	return kept, refused
}

// Inject returns the notes for a prompt, oldest first: the newest that fit the budget
// in [memory.Tokens] together.
func Inject(notes []string, budget int) []string {
	notes, _ = AddNotes(nil, notes...)
	spent, first := 0, len(notes)
	for first > 0 {
		if spent += memory.Tokens(notes[first-1]); spent > budget {
			break
		}
		first--
	}
	return notes[first:]
}
