package gates

import (
	"context"
	"fmt"
	"strings"

	"evolve/patch/scope"
)

// maxFindings bounds the findings that one gate lists; the others are counted.
const maxFindings = 20

// Applied returns the gate that records that the text of a patch fits its base. A patch
// that does not fit has no further gates.
func Applied(files int) Gate {
	return Gate{Name: "apply", Check: func(context.Context) (Verdict, string) {
		if files == 0 {
			return Failed, "it changes nothing"
		}
		return Passed, fmt.Sprintf("every place was found exactly once; %s", countOf(files, "file"))
	}}
}

// Scope fails a patch that changes files outside its target's scope.
func Scope(j scope.Judgement) Gate {
	return Gate{Name: "scope", Needs: []string{"apply"}, Check: func(context.Context) (Verdict, string) {
		if len(j.Refused) > 0 {
			lines := make([]string, 0, maxFindings+1)
			for i, f := range j.Refused {
				if i == maxFindings {
					lines = append(lines, fmt.Sprintf("and %d more", len(j.Refused)-i))
					break
				}
				line := f.Rule + ": " + f.Why
				if f.Path != "" {
					line = f.Path + ": " + line
				}
				lines = append(lines, line)
			}
			return Failed, strings.Join(lines, "; ")
		}
		evidence := countOf(len(j.Changed), "changed path") + ", all of them allowed"
		if n := len(j.NewTests); n > 0 {
			evidence += "; new tests: " + strings.Join(j.NewTests, ", ")
		}
		return Passed, evidence
	}}
}

func countOf(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
