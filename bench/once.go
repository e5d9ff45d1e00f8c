package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/sourcegraph/conc/panics"

	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// attemptDetails holds further results of an attempt: the refusal by a shared limit, if one
// kept the agent from working; the last line that the agent's program wrote to standard
// error; and the failure of a grader.
type attemptDetails struct {
	refused *agent.Refusal
	said    string
	// grader is the failure of a grader's program, if it gave no score.
	grader *GraderError
	// refusing is the address on this machine that refused the agent a connection.
	refusing string
}

// once makes one attempt: it lays out the task, runs the agent and grades the result.
func (h *Harness) once(ctx context.Context, job Job, seed int64) (Evaluation, attemptDetails) {
	e := Evaluation{
		Run: h.set.Run, Agent: h.set.Agent, Variant: job.Variant, Task: job.Task.ID, Domain: job.Task.Domain,
		Split: job.Task.Split, Stage: job.Stage, Repeat: job.Repeat, Seed: seed, Seq: job.Seq,
	}
	missing := func(format string, args ...any) (Evaluation, attemptDetails) {
		e.Outcome, e.Scored, e.Error = agent.Infrastructure, false, fmt.Sprintf(format, args...)
		e.Time = h.now()
		return e, attemptDetails{}
	}
	workdir, files, err := h.layOut(job.Task)
	if workdir != "" {
		defer h.clear(workdir)
	}
	if err != nil {
		return missing("preparing the working directory of the task: %v", err)
	}

	task := job.Task.ForAgent()
	task.Files = files
	req := agent.Request{
		ID: h.set.Name(), Task: task, Config: job.Config,
		Seed: seed, Limits: h.set.Limits, Workdir: workdir,
	}
	var res agent.Result
	var exchanges []Exchange
	start := h.now()
	var used agent.Usage
	talk := Conversation{Agent: h.agent, Name: h.set.Agent, Now: h.now, Scrub: h.set.Scrub, User: h.set.User}
	if p := panics.Try(func() { res, exchanges, used = talk.Run(ctx, job.Task, req) }); p != nil {
		res = agent.Result{Outcome: agent.Execution, Error: fmt.Sprintf("the agent panicked: %v", p.Value)}
	}
	e.Latency, e.Started = max(h.now().Sub(start)-res.Waited, 0), res.Started
	e.Outcome, e.Usage, e.Judge, e.Error = res.Outcome, res.Usage, used, text.Clip(res.Error, 512)
	if h.set.KeepTranscripts && len(res.Transcript.Events) > 0 {
		e.Transcript = &res.Transcript
	}
	if res.Answer != nil {
		e.Answer = text.Clip(*res.Answer, answerKept)
		if h.set.Scrub != nil {
			e.Answer = h.set.Scrub(e.Answer)
		}
	}
	e.Time = h.now()
	if e.Outcome.Missing() {
		e.Scored = false
		return e, attemptDetails{refused: res.Refused, refusing: res.Refusing}
	}
	var g Grading
	start = h.now()
	if p := panics.Try(func() {
		g, err = h.grade(ctx, GradeInput{Task: job.Task, Exchanges: exchanges, Result: res, Workdir: workdir, Latency: e.Latency})
	}); p != nil {
		err = fmt.Errorf("the grader panicked: %v", p.Value)
	}
	if e.Judge = used.Plus(g.Judge); g.Judge.Iterations > 0 {
		e.Judging = max(h.now().Sub(start), 0)
	}
	if err != nil {
		e, beside := missing("grading: %v", err)
		var by *RefusedError
		if errors.As(err, &by) {
			beside.refused, e.Outcome = &by.Refusal, by.Refusal.Outcome()
		}
		errors.As(err, &beside.grader)
		return e, beside
	}
	if !(g.Score >= 0 && g.Score <= 1) { // NaN fails both
		return missing("grading: the score %v is not in [0,1]", g.Score)
	}
	e.Scored, e.Score, e.Pass, e.Grades = true, g.Score, g.Pass, g.Grades
	return e, attemptDetails{said: lastSaid(res.Transcript)}
}

// layOut creates the working directory if the task or the agent needs one.
func (h *Harness) layOut(t *Task) (dir string, files []string, err error) {
	if len(t.Fixtures.Files) == 0 && t.Fixtures.Dir == "" && !h.set.AlwaysWorkdir {
		return "", nil, nil
	}
	if dir, err = h.workdir(); err != nil {
		return "", nil, err
	}
	var suiteDir string
	if h.set.SuiteDir != nil {
		suiteDir = h.set.SuiteDir(t)
	}
	files, err = LayOut(t, suiteDir, dir)
	return dir, files, err
}

// workdir returns an empty directory with a new name and current times, so that neither
// reveals how many directories came before it.
func (h *Harness) workdir() (string, error) {
	dir := filepath.Join(h.set.Scratch, h.set.Name())
	select {
	case spare := <-h.spare:
		now := h.now()
		if os.Rename(spare, dir) == nil && os.Chtimes(dir, now, now) == nil {
			return dir, nil
		}
	default:
	}
	return dir, os.MkdirAll(dir, 0o700)
}

// clear removes a working directory or, if it is empty, keeps it for reuse, because
// making and removing directories can take longer than a fast agent.
func (h *Harness) clear(dir string) {
	if info, err := os.Lstat(dir); err == nil && info.Mode() == os.ModeDir|0o700 && empty(dir) {
		select {
		case h.spare <- dir:
			return
		default:
		}
	}
	_ = os.RemoveAll(dir)
}

// empty reports whether a directory has no entries.
func empty(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	_, err = f.Readdirnames(1)
	return errors.Is(err, io.EOF)
}

// HostFailure reports whether err is a failure of this machine: out of disk, memory,
// processes or file handles, or an I/O error.
func HostFailure(err error) bool {
	for _, host := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE, syscall.EAGAIN, syscall.EIO, syscall.EROFS} {
		if errors.Is(err, host) {
			return true
		}
	}
	return false
}
