package review

import (
	"strings"

	"evolve/archive"
)

// Withheld is the text that language models get instead of evidence that was measured on
// held-out cases.
const Withheld = "its evidence is shown only to people, because it was also measured on held-out cases"

// WithoutHeldOut returns verdicts as language models may read them: without the evidence of
// the gates that score a program on all cases. The findings of such a gate, and the error
// of a command that it started, may name a held-out case or give a mean that includes its
// value, and a model could then fit the next version to that case.
func WithoutHeldOut(verdicts []archive.GateVerdict) []archive.GateVerdict {
	var out []archive.GateVerdict
	for _, v := range verdicts {
		if scoresAll(v.Gate) {
			v.Evidence = Withheld
		}
		out = append(out, v)
	}
	return out
}

// scoresAll reports whether a gate scores a program on all cases of its target; see
// [gateRun.programGates].
func scoresAll(gate string) bool {
	return gate == gateProgram || strings.HasPrefix(gate, gateProgram+":")
}
