package scaffold

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"evolve/bench"
	"evolve/bench/grade"
	"evolve/runtime/agent"
)

// laidOut returns the workspace on disk and its suite as a run loads it.
func laidOut(t testing.TB) (root string, suite *bench.Suite) {
	t.Helper()
	root = t.TempDir()
	if err := os.CopyFS(root, asFS()); err != nil {
		t.Fatal(err)
	}
	suite, issues := bench.LoadSuite(filepath.Join(root, "suites"), "starter", grade.Rules())
	for _, issue := range issues {
		t.Error(issue)
	}
	if suite == nil {
		t.FailNow()
	}
	return root, suite
}

func TestGradersAcceptTheTruthAndNothingCheaper(t *testing.T) {
	_, suite := laidOut(t)
	for i := range suite.Tasks {
		task := &suite.Tasks[i]
		grader := grade.New(nil, nil)
		passes := func(answer string, outcome agent.Outcome) bool {
			g, err := grader.Grade(context.Background(), bench.GradeInput{
				Task: task, Result: agent.Result{Answer: &answer, Outcome: outcome},
			})
			if err != nil {
				t.Errorf("%s: %v", task.ID, err)
			}
			return g.Pass
		}
		if task.Answer != nil {
			if !passes(*task.Answer, agent.OK) {
				t.Errorf("%s: the graders refuse the right answer %q", task.ID, *task.Answer)
			}
			for _, cheap := range []string{"", "unknown", "0", task.Goal} {
				if passes(cheap, agent.LowUtility) || passes(cheap, agent.OK) {
					t.Errorf("%s: the graders take %q for an answer", task.ID, cheap)
				}
			}
			continue
		}
		right := agent.LowUtility
		if _, ok := absent[task.ID]; !ok {
			right = agent.WrongToolBoundary
		}
		for _, outcome := range agent.Outcomes() {
			if outcome.Missing() {
				continue
			}
			if passes("unknown", outcome) != (outcome == right) {
				t.Errorf("%s: the outcome %s passes: %v", task.ID, outcome, outcome != right)
			}
		}
	}
}
