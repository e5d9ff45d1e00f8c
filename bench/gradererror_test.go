package bench

import (
	"context"
	"errors"
	"strings"
	"testing"

	"evolve/runtime/agent"
)

// TestBrokenGraderIsNamed checks that a run whose grader keeps failing ends with the error of
// the grader and blames no agent.
func TestBrokenGraderIsNamed(t *testing.T) {
	answers := scripted(func(context.Context, agent.Request) agent.Result {
		answer := "x"
		return agent.Result{Outcome: agent.OK, Answer: &answer}
	})
	broken := &GraderError{Argv: []string{"python3", "check.py"}, Err: errors.New(`"python3 check.py" crashed`)}
	b := newBed(t, Settings{}, answers, func(context.Context, GradeInput) (Grading, error) { return Grading{}, broken })
	var ended error
	for i := 0; ended == nil && i < 100; i++ {
		_, ended = b.harness.Evaluate(t.Context(), job(task("t", "x")))
	}
	var failing *GradersFailingError
	if !errors.Is(ended, ErrOutage) || !errors.As(ended, &failing) || failing.Last != broken || failing.Try() != "evolve agent run --task t" {
		t.Fatalf("%v", ended)
	}
	if text := ended.Error(); strings.Contains(text, "the agent") || !strings.HasPrefix(text, `a grader keeps failing: "python3 check.py" crashed; it failed `) {
		t.Errorf("%s", text)
	}
	if n, first := b.harness.GraderFailures(); n != failing.InARow || first != broken.Error() {
		t.Errorf("%d failures, %s", n, first)
	}
}

// TestGraderThatFailsOnceIsCounted checks that a repeat which succeeds hides no failure.
func TestGraderThatFailsOnceIsCounted(t *testing.T) {
	answers := scripted(func(context.Context, agent.Request) agent.Result { return agent.Result{Outcome: agent.OK} })
	calls := 0
	b := newBed(t, Settings{}, answers, func(context.Context, GradeInput) (Grading, error) {
		if calls++; calls == 1 {
			return Grading{}, &GraderError{Err: errors.New("crashed")}
		}
		return Grading{Score: 1}, nil
	})
	e, err := b.harness.Evaluate(t.Context(), job(task("t", "x")))
	if n, first := b.harness.GraderFailures(); err != nil || !e.Scored || n != 1 || first != "crashed" {
		t.Errorf("%+v, %v: %d failures, %s", e, err, n, first)
	}
}
