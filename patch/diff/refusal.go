package diff

import (
	"fmt"
	"strings"

	"evolve/runtime/text"
)

// Reason is the kind of a refusal, for programs.
type Reason string

// The reasons.
const (
	Empty         Reason = "empty"         // nothing would be changed
	TooLarge      Reason = "too large"     // beyond one of the limits
	Malformed     Reason = "malformed"     // cannot be read, or could be read in two ways
	Unsupported   Reason = "unsupported"   // binary, rename, copy, mode, link, submodule, merge
	UnsafePath    Reason = "unsafe path"   // a path that may not leave this package
	Absent        Reason = "absent"        // the file to change does not exist
	Exists        Reason = "exists"        // the file to create exists
	Missing       Reason = "missing"       // the text to change is not in the file
	Ambiguous     Reason = "ambiguous"     // the text occurs more than once, or could go to more than one place
	OutOfOrder    Reason = "out of order"  // hunks whose order is not that of the file
	Overlapping   Reason = "overlapping"   // two changes of the same lines
	Endings       Reason = "line endings"  // CRLF or LF cannot be determined, or would be mixed
	FinalNewline  Reason = "final newline" // the end of the file cannot be determined
	Contradiction Reason = "contradiction" // the diff's own hashes contradict the result
)

// RefusedError describes why a change is not applied, so that its author, person or
// model, can correct it. Text that it quotes is escaped for a terminal.
type RefusedError struct {
	Path   string `json:"path,omitempty"` // "" for the change as a whole; not escaped
	Hunk   int    `json:"hunk,omitempty"` // of the file's hunks, or of the pairs, from 1; 0: none in particular
	Line   int    `json:"line,omitempty"` // of the diff's text, from 1; 0: none in particular
	Reason Reason `json:"reason"`
	Text   string `json:"text"` // what is wrong
	Hint   string `json:"hint"` // what to do about it
}

func (e *RefusedError) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(text.VisibleCode(e.Path) + ": ")
	}
	if e.Hunk > 0 {
		fmt.Fprintf(&b, "hunk %d: ", e.Hunk)
	}
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d of the diff: ", e.Line)
	}
	return b.String() + e.Text
}

// quote returns the beginning of foreign text in quotes, escaped.
func quote(s string) string {
	const most = 60 // characters
	return `"` + text.VisibleCode(text.Clip(s, most, text.Runes, text.Mark)) + `"`
}
