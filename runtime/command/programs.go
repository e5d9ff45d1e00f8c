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

// mostIdle bounds the processes without a request, of all programs together.
const mostIdle = 16

// Programs runs programs that answer one line with one line. A process answers one question
// at a time and is kept for the next of the same program, so that a program has at most as
// many processes as it has questions at once. A process that fails is killed with all its
// descendants. It is safe for concurrent use.
type Programs struct {
	// sandbox isolates the processes; it is called when the first is started.
	sandbox func() sandbox.Sandbox
	hidden  []string
	scrub   func(string) string

	mu sync.Mutex
	// idle are the processes without a question, the one that was used longest ago first.
	idle    []idleProgram
	keepers int
}

// idleProgram is a process that waits for a question to its program.
type idleProgram struct {
	program string
	worker  *worker
}

// Question is a line for a program.
type Question struct {
	// Argv is the program and its arguments.
	Argv []string
	// Dir is the absolute folder in which it runs, which it cannot change.
	Dir string
	// ID is unique among all questions. Line holds it, and the answer has to repeat it.
	ID string
	// Line is the question with its line end.
	Line []byte
	// Timeout bounds the answer and, where a process is started for it, the start.
	Timeout time.Duration
	// Accept judges the answer, a line without its end, which is valid until it returns.
	// After an error the process is ended, and Ask returns that error.
	Accept func(line []byte) error
}

// program identifies what the process of a question runs.
func (q *Question) program() string {
	return strings.Join(append([]string{q.Dir}, q.Argv...), "\x00")
}

// ProgramError is a failure of a program, as opposed to one of the machine.
type ProgramError struct {
	// Text continues a sentence that begins with the program: "ended with exit code 2".
	Text string
	// Stderr is the end of its standard error, scrubbed, where the program ended by itself.
	Stderr string
	// Crashed reports whether the program ended by itself before its answer.
	Crashed bool
}

// Error implements error.
func (e *ProgramError) Error() string { return "the program " + e.Text }

// ErrLate reports that a program gave no answer in time.
var ErrLate = errors.New("the program gave no answer in time")

// NewPrograms returns Programs without a process. hidden are folders that the programs do not
// see, apart from their own, and scrub removes credentials from their text.
func NewPrograms(around func() sandbox.Sandbox, hidden []string, scrub func(string) string) *Programs {
	return &Programs{sandbox: around, hidden: hidden, scrub: scrub}
}

// Keep keeps the processes for further questions until release is called. While there is no
// keeper, each process ends with its answer. The last release returns when all processes
// without a question are gone; the others end with their answers.
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

// Ask asks a process of the program and passes its answer to q.Accept. The error is the
// context's, [ErrLate], a [ProgramError], that of q.Accept, or one of the start. A question
// does not suffer from another: where a process ended before it read a byte of the question,
// or gave a further answer to the previous one, a new process gets the question.
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

// take returns the process of a program that was used last, or nil.
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
		w.dispose() // it ended, or wrote a line without a question
	}
}

// put keeps a process for the next question, or ends it; nil is ignored.
func (p *Programs) put(program string, w *worker) {
	if w == nil {
		return
	}
	p.mu.Lock()
	if p.keepers > 0 {
		p.idle = append(p.idle, idleProgram{program, w})
		if w = nil; len(p.idle) > mostIdle {
			w = p.idle[0].worker // before Delete moves the others
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

// ask asks one process. keep reports whether it can be asked again, and again whether the
// question needs a new process.
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

// idOf returns the id of an answer, "" where it has none.
func idOf(line []byte) string {
	var answer struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(line, &answer) != nil {
		return ""
	}
	return answer.ID
}
