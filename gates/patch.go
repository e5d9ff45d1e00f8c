package gates

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/patch/scope"
	"evolve/runtime/text"
)

// MaxFindings is the maximum number of findings that one gate lists; further findings are
// only counted.
const MaxFindings = 20

// Listed joins the findings of a gate into one text. It lists at most [MaxFindings] of them
// and only counts the rest.
func Listed(findings []string) string {
	if more := len(findings) - MaxFindings; more > 0 {
		findings = append(slices.Clone(findings[:MaxFindings]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(findings, "; ")
}

// Applied returns the gate that records that a patch applies to its base. If a patch does
// not apply, no other gates are run.
func Applied(files int) Gate {
	return Gate{Name: archive.ApplyGate, Check: func(context.Context) (Verdict, string) {
		if files == 0 {
			return Failed, "the patch changes nothing"
		}
		return Passed, fmt.Sprintf("every passage to change was found exactly once; %s", text.Count(files, "file"))
	}}
}

// Scope returns the gate that fails a patch that changes files outside its target's scope.
func Scope(j scope.Judgement) Gate {
	return Gate{Name: "scope", Needs: []string{archive.ApplyGate}, Check: func(context.Context) (Verdict, string) {
		if len(j.Refused) > 0 {
			var lines []string
			for _, f := range j.Refused {
				line := f.Rule + ": " + f.Why
				if f.Path != "" {
					line = f.Path + ": " + line
				}
				lines = append(lines, line)
			}
			return Failed, Listed(lines)
		}
		evidence := text.Count(len(j.Changed), "changed path") + ", all of them allowed"
		if n := len(j.NewTests); n > 0 {
			evidence += "; new tests: " + strings.Join(j.NewTests, ", ")
		}
		return Passed, evidence
	}}
}
