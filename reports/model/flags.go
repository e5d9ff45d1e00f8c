package model

import (
	"evolve/archive"
	"evolve/runtime/text"
)

// maxFlag is the maximum length, in characters, of a gate's evidence on one line next to a
// decision.
const maxFlag = 140

// Flags returns a line for each gate that flagged something for a person: the gate, and the
// beginning of its evidence. The lines are foreign text.
func Flags(list []archive.GateVerdict) []string {
	var out []string
	for _, g := range list {
		if g.Verdict == "flagged" {
			out = append(out, g.Gate+": "+text.Clip(text.OneLine(g.Evidence), maxFlag, text.Runes, text.Words, text.Ellipsis))
		}
	}
	return out
}
