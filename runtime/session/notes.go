package session

import (
	"strings"

	"evolve/runtime/memory"
	"evolve/runtime/text"
)

// Limits on the notes of a session.
const (
	MaxNotes     = 50
	MaxNoteChars = 500
)

// AddNotes returns the notes of a session followed by the new ones, each on one line and
// cut to [MaxNoteChars] characters; empty notes are left out. If there are more than
// [MaxNotes], the last ones are refused, because an older note is never dropped; refused is
// the number of refused notes. The result is limited in size for any input.
func AddNotes(notes []string, fresh ...string) (kept []string, refused int) {
	for _, list := range [][]string{notes, fresh} {
		for _, n := range list {
			// A character has at most four bytes; 16 bytes per character are enough even if
			// characters are removed.
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

// Inject returns the notes for a prompt, oldest first: the newest ones that together fit
// the budget in [memory.Tokens].
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
