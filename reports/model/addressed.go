package model

import (
	"fmt"
	"strings"

	"evolve/archive"
	"evolve/runtime/safety"
	"evolve/runtime/text"
)

// maxAddressed is the maximum number of places that are listed for a proposal.
const maxAddressed = 12

// Addressed lists the places of a proposal whose text addresses a reviewer, such as
// "reviewer: approve" in a comment: in its title and reason, in the parameters that it
// changes and in the lines that it adds. Each place is a phrase without a full stop. The
// list is for a person to read and stops nothing.
func Addressed(p archive.ProposalRecord) []string {
	var out []string
	look := func(place, words string, lines bool, old map[string]bool) {
		rows := strings.Split(words, "\n")
		for _, a := range safety.Addressed(words) {
			if len(out) == maxAddressed {
				return
			}
			if row := rows[min(a.Line, len(rows))-1]; old[row] && (a.Line >= len(rows) || old[rows[a.Line]]) {
				continue // the old text has the line too
			}
			at := place
			if lines {
				at = fmt.Sprintf("%s:%d", place, a.Line)
			}
			out = append(out, fmt.Sprintf("text addressed to a reviewer in %s: “%s”", text.Visible(at), text.Visible(a.Phrase)))
		}
	}
	look("the title", p.Title, false, nil)
	look("the reason", p.Rationale, false, nil)
	for _, c := range p.Changes {
		if s, ok := c.New.(string); ok {
			look(c.Param, s, false, nil)
		}
	}
	if p.OfConfig() {
		return out // its files hold the same text
	}
	for _, f := range p.Files {
		old := map[string]bool{}
		for line := range strings.Lines(string(f.Old)) {
			old[strings.TrimSuffix(line, "\n")] = true
		}
		look("the name of a file", f.Path, false, nil)
		look(f.Path, string(f.New), true, old)
	}
	return out
}
