package diff

import (
	"fmt"
	"strings"

	"evolve/runtime/text"
)

// Reason is the kind of a refusal, for use by programs.
type Reason string

// The reasons.
const (
	Empty         Reason = "empty"         // nothing would be changed
	TooLarge      Reason = "too large"     // the change exceeds one of the limits
	Malformed     Reason = "malformed"     // the change cannot be read, or could be read in two ways
	Unsupported   Reason = "unsupported"   // a binary file, rename, copy, mode, link, submodule or merge
	UnsafePath    Reason = "unsafe path"   // a path that must not leave this package
	Absent        Reason = "absent"        // the file to change does not exist
	Exists        Reason = "exists"        // the file to create exists
	Missing       Reason = "missing"       // the text to change is not in the file
	Ambiguous     Reason = "ambiguous"     // the text occurs more than once, or fits in more than one place
	OutOfOrder    Reason = "out of order"  // hunks that are not in the order of the file
	Overlapping   Reason = "overlapping"   // two changes to the same lines
	Endings       Reason = "line endings"  // the line endings cannot be determined as CRLF or LF, or would be mixed
	FinalNewline  Reason = "final newline" // the end of the file cannot be determined
	Contradiction Reason = "contradiction" // the diff's own hashes contradict the result
)

// RefusedError describes why a change is not applied, so that its author, a person or a
// model, can correct it. Text that it quotes is escaped for a terminal.
type RefusedError struct {
	Path   string `json:"path,omitempty"` // "" for the change as a whole; not escaped
	Hunk   int    `json:"hunk,omitempty"` // number of the hunk in the file, or of the pair, from 1; 0 if the refusal concerns none in particular
	Line   int    `json:"line,omitempty"` // line of the diff's text, from 1; 0 if the refusal concerns none in particular
	Reason Reason `json:"reason"`
	Text   string `json:"text"` // what is wrong
	Hint   string `json:"hint"` // what the author can do about it
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

// quote returns the beginning of an untrusted text, escaped and in quotation marks.
func quote(s string) string {
	const most = 60 // characters
	return `"` + text.VisibleCode(text.Clip(s, most, text.Runes, text.Mark)) + `"`
}
