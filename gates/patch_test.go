package gates

import (
	"fmt"
	"strings"
	"testing"

	"evolve/patch/scope"
)

func TestPatchGates(t *testing.T) {
	judged(t, []Gate{Applied(2), Scope(scope.Judgement{Changed: []string{"a.go", "b.go"}})}, "", "")
	judged(t, []Gate{Applied(0), Scope(scope.Judgement{Changed: []string{"a.go"}})}, "apply failed, scope not_run", "changes nothing")
	judged(t, []Gate{Applied(1), Scope(scope.Judgement{Changed: []string{"go.mod"}, Refused: []scope.Finding{{Path: "go.mod", Rule: "module", Why: "it says so"}}})},
		"scope failed", "go.mod: module: it says so")
	judged(t, []Gate{Applied(1), Scope(scope.Judgement{Refused: []scope.Finding{{Rule: "too many files", Why: "the patch changes 30 files"}}})},
		"scope failed", "too many files: the patch changes 30 files")
	var many scope.Judgement
	for i := range 25 {
		many.Refused = append(many.Refused, scope.Finding{Path: fmt.Sprintf("f%d", i), Rule: "not allowed", Why: "w"})
	}
	judged(t, []Gate{Applied(25), Scope(many)}, "scope failed", "f19: not allowed: w; and 5 more")
	_, evidence := Scope(scope.Judgement{Changed: []string{"a.go", "a_test.go"}, NewTests: []string{"a_test.go"}}).Check(t.Context())
	if !strings.Contains(evidence, "new tests: a_test.go") {
		t.Errorf("the new test is not named: %s", evidence)
	}
}
