package model

import (
	"evolve/archive"
	"evolve/runtime/text"
)

// maxFlag bounds the evidence of a gate in one line beside a decision, in characters.
const maxFlag = 140

// Flags describes in a line each what gates flagged for a person: the gate, and the beginning of its
// evidence. It is foreign text.
func Flags(list []archive.GateVerdict) []string {
	var out []string
	for _, g := range list {
		if g.Verdict == "flagged" {
			out = append(out, g.Gate+": "+text.Clip(text.OneLine(g.Evidence), maxFlag, text.Runes, text.Words, text.Ellipsis))
		}
	}
	return out
}
