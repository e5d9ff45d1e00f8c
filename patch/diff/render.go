package diff

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"evolve/runtime/text"
)

// maxShown is the maximum number of bytes of a line that are shown. Longer lines, such as
// those of generated code, are truncated, and the length and hash of the omitted part are
// shown.
const maxShown = 500

// Shown is a changed file for display to people. All its text is escaped by
// text.VisibleCode. It is therefore safe in a terminal, and also in HTML after HTML
// escaping.
type Shown struct {
	Path string
	// Kind is "new", "removed" or "changed".
	Kind string
	// Note describes what is not shown in full and why; it is "" if everything is shown.
	Note string
	// Added and Removed are the numbers of added and removed lines.
	Added, Removed int
	Lines          []ShownLine
}

// ShownLine is a line of a Shown file.
type ShownLine struct {
	// Kind is ' ', '-' or '+'. It is '@' for the line numbers before each run of lines, and
	// '\\' for the remark that a file does not end in a newline.
	Kind byte
	// Old and New are the line's numbers in the old file and in the new file, from 1. A
	// number is 0 if that file does not have the line.
	Old, New int
	Text     string
}

// Show prepares files for display, with no more than the given number of unchanged lines
// (context) before and after each change. Binary content is only described, and long lines
// are truncated.
func Show(files []File, context int) []Shown {
	out := make([]Shown, 0, len(files))
	for _, f := range files {
		s := Shown{Path: text.VisibleCode(f.Path), Kind: "changed"}
		switch {
		case f.Old == nil:
			s.Kind = "new"
		case f.New == nil:
			s.Kind = "removed"
		}
		if binary(f.Old) || binary(f.New) {
			s.Note = fmt.Sprintf("binary, or too large to show: %s before, %s after", describe(f.Old), describe(f.New))
		} else {
			s.show(blocks(f.Old, f.New, context))
		}
		out = append(out, s)
	}
	return out
}

// show adds the lines.
func (s *Shown) show(all []hunk) {
	cut := 0
	for _, b := range all {
		s.Lines = append(s.Lines, ShownLine{Kind: '@', Text: b.header()})
		old, now := b.oldStart, b.newStart
		for _, p := range b.lines {
			l := ShownLine{Kind: p.kind}
			if p.kind != '+' {
				old++
				l.Old = old
			}
			if p.kind != '-' {
				now++
				l.New = now
			}
			switch p.kind {
			case '+':
				s.Added++
			case '-':
				s.Removed++
			}
			l.Text = text.VisibleCode(p.text)
			if len(p.text) > maxShown {
				cut++
				begin := text.Clip(p.text, maxShown)
				rest := p.text[len(begin):]
				l.Text = text.VisibleCode(begin) + fmt.Sprintf(" ⟦… %d bytes more, SHA-256 %s⟧", len(rest), digest(rest))
			}
			s.Lines = append(s.Lines, l)
			if p.bare {
				s.Lines = append(s.Lines, ShownLine{Kind: '\\', Text: " No newline at end of file"})
			}
		}
	}
	if cut > 0 {
		s.Note = fmt.Sprintf("%d lines longer than %d bytes are truncated", cut, maxShown)
	}
}

// binary reports whether content is not text, or is too large to compare. A few bytes that
// are not text do not suffice, because adding a few bytes would then hide the rest of a
// file.
func binary(content []byte) bool {
	odd := bytes.Count(content, []byte{0})
	for rest := content; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		if r == utf8.RuneError && n == 1 {
			odd++
		}
		rest = rest[n:]
	}
	return len(content) > MaxFile || odd*10 > len(content)
}

// describe returns the length and the hash of content that is not shown, or "nothing" if
// content is nil.
func describe(content []byte) string {
	if content == nil {
		return "nothing"
	}
	return fmt.Sprintf("%d bytes with SHA-256 %s", len(content), digest(string(content)))
}

// Render formats the result of Show as text in the style of a unified diff, safe for a
// terminal. The text cannot be applied as a diff, because characters in it are escaped.
func Render(files []File, context int) string {
	var b strings.Builder
	for _, s := range Show(files, context) {
		before, after := "a/"+s.Path, "b/"+s.Path
		switch s.Kind {
		case "new":
			before = null
		case "removed":
			after = null
		}
		fmt.Fprintf(&b, "--- %s\n+++ %s\n", before, after)
		if s.Note != "" {
			fmt.Fprintf(&b, "⟦%s⟧\n", s.Note)
		}
		for _, l := range s.Lines {
			if l.Kind != '@' {
				b.WriteByte(l.Kind)
			}
			b.WriteString(l.Text + "\n")
		}
	}
	return b.String()
}

// digest returns the beginning of a text's SHA-256, in hexadecimal digits.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}
