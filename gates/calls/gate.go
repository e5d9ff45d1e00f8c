package calls

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"evolve/gates"
	"evolve/runtime/text"
)

// GateName is the name of the gate.
const GateName = "source: calls"

// mostShown is the maximum number of calls of one kind that are shown.
const mostShown = 6

// Reads reports whether the gate applies to a patch: the patch contains a file that the
// gate can read, or it changes a marked block in a file that the gate cannot read.
func Reads(list []File) bool {
	c := compare(list)
	return len(c.read)+len(c.blind) > 0
}

// Gate returns the gate for changed files. It flags calls that the change adds, and changed
// marked blocks that it cannot read. It fails if the calls added in marked blocks end the
// process and also write output or read how the process was started.
func Gate(list []File) gates.Gate {
	return gates.Gate{Name: GateName, Check: func(context.Context) (gates.Verdict, string) {
		c := compare(list)
		found := c.findings()
		unread := ""
		if len(c.unread) > 0 {
			unread = "not read: " + gates.Listed(c.unread)
		}
		switch {
		case c.deceives():
			return gates.Failed, "a marked block that ends the process and also writes output or reads the process's arguments or environment can print made-up values in place of the command's: " + joined(found, unread)
		case len(found) > 0:
			return gates.Flagged, joined(found, unread)
		case len(c.blind) > 0:
			return gates.Flagged, unread
		}
		clean := "judging by the names in it, the change to " + gates.Listed(c.read) + " adds no code that " + strings.Join(kinds[:reaches], ", ") + " or " + kinds[reaches]
		return gates.Passed, joined([]string{clean}, unread)
	}}
}

func joined(found []string, unread string) string {
	if unread != "" {
		found = append(found, unread)
	}
	return strings.Join(found, "; ")
}

// deceives reports whether the calls added in marked blocks end the process and also write
// output or read how the process was started.
func (c comparison) deceives() bool {
	more := func(k kind) bool { return len(c.blocks[k].added()) > 0 }
	return more(ends) && (more(writes) || more(reads))
}

// findings returns a line for each kind of call that the change adds.
func (c comparison) findings() []string {
	var out []string
	for k, what := range kinds {
		list := sorted(slices.Concat(c.blocks[k].added(), c.rest[k].added()))
		if len(list) == 0 {
			continue
		}
		var shown []string
		for i, p := range list {
			if i == mostShown {
				shown = append(shown, fmt.Sprintf("%d more", len(list)-i))
				break
			}
			shown = append(shown, fmt.Sprintf("%s:%d %s", text.Visible(p.file), p.line, text.Visible(text.Clip(p.text, 60, text.Ellipsis))))
		}
		out = append(out, "the change adds code that "+what+": "+strings.Join(shown, ", "))
	}
	return out
}
