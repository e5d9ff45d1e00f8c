package bench

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"evolve/runtime/text"
)

// GraderError is the failure of a program that grades: it crashed, hung or wrote no
// verdict. It does not make the answer right or wrong.
type GraderError struct {
	// Argv is the program and its arguments.
	Argv []string
	// Err names the program and the cause. It quotes foreign text.
	Err error
	// Unstartable reports whether the program, or what it has to start, does not exist or
	// is not a program, so that further attempts would fail too.
	Unstartable bool
	// Crashed reports whether the program started and ended with an error instead of a
	// verdict, for example because it lacks a module.
	Crashed bool
}

// Error implements error.
func (e *GraderError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *GraderError) Unwrap() error { return e.Err }

// GradersFailingError is an outage caused by a program that grades. It wraps ErrOutage.
type GradersFailingError struct {
	// Task is the task of the last failure.
	Task *Task
	// InARow is the number of failures since the last score; it is 1 for a program that
	// cannot be started.
	InARow int
	// Last is the last failure.
	Last *GraderError
	// Never reports whether the program crashed at each start and gave no verdict in this
	// process.
	Never bool

	err error
}

func (e *GradersFailingError) Error() string {
	if e.Last.Unstartable {
		return "a grader cannot be started: " + brief(e.Last.Error(), 400)
	}
	if e.Never {
		return fmt.Sprintf("a grader keeps failing: %s; it failed this way at each of %d starts", brief(e.Last.Error(), 400), e.InARow)
	}
	return fmt.Sprintf("a grader keeps failing: %s; it failed %d times in a row", brief(e.Last.Error(), 400), e.InARow)
}

// Unwrap returns the outage.
func (e *GradersFailingError) Unwrap() error { return e.err }

// graderFailures counts the failures of programs that grade. It is safe for concurrent use.
type graderFailures struct {
	mu     sync.Mutex
	all    int
	inARow int
	first  *GraderError
	last   *GraderError // nil if the last attempt did not fail because of a grader
	// graded holds the tasks for which all graders gave a score.
	graded map[*Task]bool
	// crashes counts the consecutive crashes of each program, keyed by the words of the
	// program's command.
	crashes map[string]int
}

// note counts an attempt at a task; e is the failure of a grader, or nil if no grader
// failed. It returns an outage if the program has graded nothing yet and either cannot be
// started or has crashed at least the given number of times (most) in a row, because
// further attempts would only take time.
func (f *graderFailures) note(e *GraderError, t *Task, scored bool, most int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if scored {
		if f.graded == nil {
			f.graded = map[*Task]bool{}
		}
		f.graded[t] = true
	}
	if f.last = e; e == nil {
		f.inARow = 0
		return nil
	}
	f.all++
	f.inARow++
	if f.first == nil {
		f.first = e
	}
	crashes := f.crash(e)
	if !e.Unstartable && crashes < most {
		return nil
	}
	for task := range f.graded {
		if task.gradedBy(e.Argv) {
			return nil
		}
	}
	return &GradersFailingError{Task: t, InARow: max(crashes, 1), Last: e, Never: !e.Unstartable, err: ErrOutage}
}

// crash updates the number of consecutive crashes of a program after a failure, and returns
// that number. A failure that is not a crash resets it to 0.
func (f *graderFailures) crash(e *GraderError) int {
	program := strings.Join(e.Argv, "\x00")
	if !e.Crashed {
		delete(f.crashes, program)
		return 0
	}
	if f.crashes == nil {
		f.crashes = map[string]int{}
	}
	f.crashes[program]++
	return f.crashes[program]
}

// gradedBy reports whether a program is among the graders of a task.
func (t *Task) gradedBy(argv []string) bool {
	for _, step := range t.Steps() {
		for _, spec := range step.Graders {
			if own := argvOf(spec); own != nil && slices.Equal(own, argv) {
				return true
			}
		}
	}
	return false
}

// blamed returns an error that names the grader if err is an outage caused by a grader, and
// otherwise err unchanged.
func (f *graderFailures) blamed(err error, t *Task) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last == nil || !errors.Is(err, ErrOutage) {
		return err
	}
	return &GradersFailingError{Task: t, InARow: f.inARow, Last: f.last, err: err}
}

// GraderFailures returns the number of attempts in this process that failed because of a
// grading program, and the first such error, which quotes foreign text.
func (h *Harness) GraderFailures() (attempts int, first string) {
	h.graders.mu.Lock()
	defer h.graders.mu.Unlock()
	if h.graders.first == nil {
		return 0, ""
	}
	return h.graders.all, brief(h.graders.first.Error(), 300)
}

// brief returns a foreign text on one line, cut to n bytes.
func brief(s string, n int) string { return text.Clip(strings.Join(strings.Fields(s), " "), n) }

// Try returns the command that shows the failure. The id of a holdout task, which a night
// must not reveal, is replaced by a placeholder.
func (e *GradersFailingError) Try() string {
	if e.Task.Split == Holdout {
		return "evolve agent run --task ID"
	}
	return "evolve agent run --task " + e.Task.ID
}
