package bench

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"evolve/runtime/agent"
)

// TestBrokenGraderIsNamed checks that a run whose grader keeps failing ends with that
// grader's error and blames no agent.
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

// TestGraderThatFailsOnceIsCounted checks that a failure is counted even if the repeat
// succeeds.
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

// taskGradedBy returns a task that is graded by a Python program.
func taskGradedBy(id, program string) *Task {
	tk := task(id, "x")
	tk.Graders = []GraderSpec{{Type: "command", Raw: json.RawMessage(`{"type":"command","argv":["python3","` + program + `"]}`)}}
	return tk
}

// TestMissingGraderEndsTheRunAtOnce checks that a program that cannot be started and has
// not graded anything ends the run at its first attempt, and that a program that has graded
// before does not.
func TestMissingGraderEndsTheRunAtOnce(t *testing.T) {
	answers := scripted(func(context.Context, agent.Request) agent.Result { return agent.Result{Outcome: agent.OK} })
	gone := &GraderError{Argv: []string{"python3", "check.py"}, Err: errors.New(`"python3 check.py" is not there`), Unstartable: true}
	worked, calls := false, 0
	grade := func(context.Context, GradeInput) (Grading, error) {
		if calls++; !worked {
			return Grading{}, gone
		}
		return Grading{Score: 1}, nil
	}
	b := newBed(t, Settings{}, answers, grade)
	_, err := b.harness.Evaluate(t.Context(), job(taskGradedBy("t", "check.py")))
	var failing *GradersFailingError
	if !errors.Is(err, ErrOutage) || !errors.As(err, &failing) || calls != 1 || err.Error() != `a grader cannot be started: "python3 check.py" is not there` || failing.Try() != "evolve agent run --task t" {
		t.Errorf("after %d attempts: %v", calls, err)
	}
	// Another program's verdicts do not show that this program can start.
	worked, b = true, newBed(t, Settings{}, answers, grade)
	if _, err := b.harness.Evaluate(t.Context(), job(taskGradedBy("o", "other.py"))); err != nil {
		t.Fatal(err)
	}
	worked, calls = false, 0
	if _, err := b.harness.Evaluate(t.Context(), job(taskGradedBy("t", "check.py"))); !errors.Is(err, ErrOutage) || calls != 1 {
		t.Errorf("after %d attempts: %v", calls, err)
	}
	// A program that has graded before is tried again, and its evaluation becomes missing
	// data.
	worked, b = true, newBed(t, Settings{}, answers, grade)
	if _, err := b.harness.Evaluate(t.Context(), job(taskGradedBy("t", "check.py"))); err != nil {
		t.Fatal(err)
	}
	worked, calls = false, 0
	e, err := b.harness.Evaluate(t.Context(), job(taskGradedBy("u", "check.py")))
	if err != nil || e.Scored || calls != 4 {
		t.Errorf("after %d attempts: %+v, %v", calls, e, err)
	}
}

// TestGraderThatCrashesAtEachStartEndsTheRun checks that a program that crashed at its
// first ten starts ends the run before any pause. A program that has graded, or that
// fails in another way in between, does not end the run.
func TestGraderThatCrashesAtEachStartEndsTheRun(t *testing.T) {
	answers := scripted(func(context.Context, agent.Request) agent.Result { return agent.Result{Outcome: agent.OK} })
	crash := &GraderError{Argv: []string{"python3", "check.py"}, Err: errors.New(`"python3 check.py" ended with exit code 1 and no verdict: "ImportError"`), Crashed: true}
	late := &GraderError{Argv: crash.Argv, Err: errors.New(`"python3 check.py" took longer than 1m0s`)}
	calls := 0
	bedOf := func(failure func(call int) error) *bed {
		calls = 0
		return newBed(t, Settings{}, answers, func(_ context.Context, in GradeInput) (Grading, error) {
			if strings.HasPrefix(in.Task.ID, "other") {
				return Grading{Score: 1}, nil
			}
			calls++
			err := failure(calls)
			return Grading{Score: 1}, err
		})
	}
	run := func(b *bed, ids ...string) (err error) {
		for _, id := range ids {
			program := "check.py"
			if strings.HasPrefix(id, "other") {
				program = "other.py"
			}
			if _, err = b.harness.Evaluate(t.Context(), job(taskGradedBy(id, program))); err != nil {
				return err
			}
		}
		return nil
	}
	always := func(int) error { return crash }
	err := run(bedOf(always), "a", "b", "other1", "c", "d", "e")
	var failing *GradersFailingError
	if !errors.Is(err, ErrOutage) || !errors.As(err, &failing) || calls != 10 || !failing.Never || failing.Try() != "evolve agent run --task c" ||
		err.Error() != "a grader keeps failing: "+crash.Error()+"; it failed this way at each of 10 starts" {
		t.Errorf("after %d starts: %v", calls, err)
	}
	once := func(call int) error {
		if call == 1 {
			return nil
		}
		return crash
	}
	if err := run(bedOf(once), "a", "b", "other1", "c", "d", "other2", "e"); err != nil {
		t.Errorf("one that has graded: %v", err)
	}
	between := func(call int) error {
		if call%9 == 0 {
			return late
		}
		return crash
	}
	if err := run(bedOf(between), "a", "b", "other1", "c", "d", "other2", "e"); err != nil {
		t.Errorf("one that started in between: %v", err)
	}
}
