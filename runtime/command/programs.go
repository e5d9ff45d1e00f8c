package command

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"evolve/runtime/sandbox"
)

// mostIdle is the maximum number of idle processes of all programs together.
const mostIdle = 16

// Programs runs programs that answer each line of input with one line of output. A process
// answers one question at a time and is then reused for the next question to the same
// program, so a program has at most as many processes as it has simultaneous questions. A
// process that fails is killed with all its descendants. Programs is safe for concurrent
// use.
type Programs struct {
	// sandbox isolates the processes; it is called when the first process is started.
	sandbox func() sandbox.Sandbox
	hidden  []string
	scrub   func(string) string

	mu sync.Mutex
	// idle are the processes that are not answering a question, least recently used
	// first.
	idle    []idleProgram
	keepers int
}

// idleProgram is a process that waits for a question to its program.
type idleProgram struct {
	program string
	worker  *worker
}

// Question is a line to send to a program, with everything that is needed to run the
// program.
type Question struct {
	// Argv is the program and its arguments.
	Argv []string
	// Dir is the absolute path of the folder in which the program runs; the program cannot
	// change the folder.
	Dir string
	// ID is unique among all questions. Line contains it, and the answer must repeat it.
	ID string
	// Line is the question, including its line end.
	Line []byte
	// Timeout limits the time until the answer, including the start if a process is started
	// for the question.
	Timeout time.Duration
	// Accept judges the answer, a line without its line end. The line is valid only until
	// Accept returns. If Accept returns an error, the process is ended and Ask returns that
	// error.
	Accept func(line []byte) error
}

// program identifies the program that the process for a question runs.
func (q *Question) program() string {
	return strings.Join(append([]string{q.Dir}, q.Argv...), "\x00")
}

// ProgramError is a failure of a program, as opposed to a failure of the machine.
type ProgramError struct {
	// Text continues a sentence whose subject is the program, such as "ended with exit code
	// 2".
	Text string
	// Stderr is the end of the program's standard error, scrubbed, if the program ended by
	// itself.
	Stderr string
	// Crashed reports whether the program ended by itself before it answered.
	Crashed bool
}

// Error implements error.
func (e *ProgramError) Error() string { return "the program " + e.Text }

// ErrLate reports that a program gave no answer in time.
var ErrLate = errors.New("the program gave no answer in time")

// NewPrograms returns a Programs that has no processes yet. hidden lists folders that a
// program must not see unless the folder is its own. scrub removes credentials from the
// programs' text.
func NewPrograms(around func() sandbox.Sandbox, hidden []string, scrub func(string) string) *Programs {
	return &Programs{sandbox: around, hidden: hidden, scrub: scrub}
}

// Keep retains processes for further questions until release is called. While no caller
// retains them, each process ends after its answer. The last release returns once all
// processes without a question have ended; the others end after their answers.
func (p *Programs) Keep() (release func()) {
	p.mu.Lock()
	p.keepers++
	p.mu.Unlock()
	return sync.OnceFunc(func() {
		var idle []idleProgram
		p.mu.Lock()
		if p.keepers--; p.keepers == 0 {
			idle, p.idle = p.idle, nil
		}
		p.mu.Unlock()
		for _, i := range idle {
			i.worker.dispose()
		}
	})
}

// Ask sends a question to a process of the program and passes the answer to q.Accept. The
// error is the context's error, [ErrLate], a [ProgramError], the error from q.Accept, or an
// error from starting the process. No question is affected by an earlier one: if a process
// ended before it read a byte of the question, or gave a further answer to the previous
// question, a new process gets the question.
func (p *Programs) Ask(ctx context.Context, q Question) error {
	deadline := time.Now().Add(q.Timeout)
	w := p.take(q.program())
	for {
		if err := ctx.Err(); err != nil {
			p.put(q.program(), w)
			return err
		}
		if w == nil {
			var err error
			if w, err = p.start(ctx, &q, deadline); err != nil {
				return err
			}
		}
		keep, again, err := p.ask(ctx, w, &q, deadline)
		if keep {
			p.put(q.program(), w)
			return err
		}
		w.dispose()
		if !again {
			return err
		}
		w = nil
	}
}

// take returns the most recently used idle process of a program, or nil if there is none.
func (p *Programs) take(program string) *worker {
	for {
		p.mu.Lock()
		var w *worker
		for i, f := range slices.Backward(p.idle) {
			if f.program == program {
				w, p.idle = f.worker, slices.Delete(p.idle, i, i+1)
				break
			}
		}
		p.mu.Unlock()
		if w == nil || !w.stale() {
			return w
		}
		w.dispose() // it ended, or wrote a line that answers no question
	}
}

// put retains a process for the next question, or ends it. It ignores nil.
func (p *Programs) put(program string, w *worker) {
	if w == nil {
		return
	}
	p.mu.Lock()
	if p.keepers > 0 {
		p.idle = append(p.idle, idleProgram{program, w})
		if w = nil; len(p.idle) > mostIdle {
			w = p.idle[0].worker // must precede Delete, which moves the others
			p.idle = slices.Delete(p.idle, 0, 1)
		}
	}
	p.mu.Unlock()
	if w != nil {
		w.dispose()
	}
}

func (p *Programs) start(ctx context.Context, q *Question, deadline time.Time) (*worker, error) {
	timed, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	w, err := startWorker(timed, &Options{Argv: q.Argv, Dir: q.Dir, Hidden: p.hidden, Sandbox: p.sandbox()}, nil)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, ErrLate
	}
	return w, err
}

// ask sends a question to one process. keep reports whether the process can get further
// questions. again reports whether this question must be sent to a new process.
func (p *Programs) ask(ctx context.Context, w *worker, q *Question, deadline time.Time) (keep, again bool, err error) {
	earlier := w.last
	w.last = q.ID
	w.until(deadline)
	stop := context.AfterFunc(ctx, func() { w.until(time.Unix(1, 0)) })
	defer stop()
	line, b, untouched := w.ask(q.Line)
	switch {
	case ctx.Err() != nil:
		return false, false, ctx.Err()
	case b != nil && b.kind == expired:
		return false, false, ErrLate
	case b != nil:
		broken := &ProgramError{Text: strings.TrimPrefix(b.text, "the program ")}
		if b.kind == crashed {
			broken.Crashed, broken.Stderr = true, w.stderr.collect(p.scrub)
		}
		return false, earlier != "" && untouched, broken
	case earlier != "" && idOf(line) == earlier:
		return false, true, nil
	}
	if err := q.Accept(line); err != nil {
		return false, false, err
	}
	more, gone := w.more()
	if more {
		return false, false, &ProgramError{Text: "wrote more than one line for one answer"}
	}
	w.stderr.collect(p.scrub) // belongs to this answer
	return !gone && stop(), false, nil
}

// idOf returns the id of an answer, or "" if it has none.
func idOf(line []byte) string {
	var answer struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(line, &answer) != nil {
		return ""
	}
	return answer.ID
}
