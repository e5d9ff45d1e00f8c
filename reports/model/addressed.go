package model

import (
	"fmt"
	"strings"

	"evolve/archive"
	"evolve/patch/diff"
	"evolve/runtime/safety"
	"evolve/runtime/text"
)

// maxAddressed is the maximum number of places that are listed for one proposal or version.
const maxAddressed = 12

// Addressed lists the places in a proposal where the text addresses a reviewer, such as
// "reviewer: approve" in a comment. It examines the title and reason of the proposal, the
// parameters that it changes and the lines that it adds. Each place is described in a
// phrase without a full stop. The list is for a person to read and does not block anything.
func Addressed(p archive.ProposalRecord) []string {
	var out addressed
	out.look("the title", p.Title)
	out.look("the reason", p.Rationale)
	for _, c := range p.Changes {
		if s, ok := c.New.(string); ok {
			out.look(c.Param, s)
		}
	}
	if p.OfConfig() {
		return out // the proposal's files contain the same text
	}
	for _, f := range p.Files {
		out.added(f.Path, f.Old, f.New)
	}
	return out
}

// AddressedIn does what [Addressed] does, for a single text; place is the name of the text,
// as in "the reason of v12".
func AddressedIn(place, words string) []string {
	var out addressed
	out.look(place, words)
	return out
}

// AddressedFiles does what [Addressed] does, for the lines that a change to files adds.
func AddressedFiles(files []diff.File) []string {
	var out addressed
	for _, f := range files {
		out.added(f.Path, f.Old, f.New)
	}
	return out
}

// addressed lists places where text addresses a reviewer.
type addressed []string

// look adds the places in a text that address a reviewer.
func (l *addressed) look(place, words string) {
	for _, a := range safety.Addressed(words) {
		l.add(place, a.Phrase)
	}
}

// added adds the places in a file that address a reviewer: in the file's name, and in the
// lines that the old file lacks.
func (l *addressed) added(path string, before, after []byte) {
	old := map[string]bool{}
	for line := range strings.Lines(string(before)) {
		old[strings.TrimSuffix(line, "\n")] = true
	}
	l.look("a file name", path)
	rows := strings.Split(string(after), "\n")
	for _, a := range safety.Addressed(string(after)) {
		if row := rows[min(a.Line, len(rows))-1]; old[row] && (a.Line >= len(rows) || old[rows[a.Line]]) {
			continue // the old text also has the line
		}
		l.add(fmt.Sprintf("%s:%d", path, a.Line), a.Phrase)
	}
}

func (l *addressed) add(at, phrase string) {
	if len(*l) < maxAddressed {
		*l = append(*l, fmt.Sprintf("text addressed to a reviewer in %s: “%s”", text.Visible(at), text.Visible(phrase)))
	}
}
