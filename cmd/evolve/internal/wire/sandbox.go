package wire

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"evolve/bench"
	"evolve/bench/grade"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night"
	"evolve/runtime/command"
	"evolve/runtime/model"
	"evolve/runtime/sandbox"
	"evolve/runtime/scrub"
)

// Sandbox separates untrusted programs from the workspace. It holds the sandbox in which
// they run, and the scrubber for their output.
type Sandbox struct {
	Scrubber *scrub.Scrubber
	// Sandbox detects the sandbox of this machine, once and only when needed.
	Sandbox func() sandbox.Sandbox

	// root is the workspace's folder. A program sees only the part of the folder that it
	// needs.
	root string
	// graders holds the grader programs that answer each line of input with one line of
	// output. They keep running while an agent is open.
	graders *command.Programs
}

var _ grade.Runner = (*Sandbox)(nil)

// Sandbox returns the sandbox for the programs of a workspace.
func (h *Host) Sandbox(w *workspace.Workspace) *Sandbox {
	s := &Sandbox{
		Scrubber: scrub.New(h.secrets(w)), root: w.Root,
		Sandbox: sync.OnceValue(func() sandbox.Sandbox { return sandbox.Detect(h.Ctx) }),
	}
	s.graders = command.NewPrograms(s.Sandbox, []string{w.Root}, s.Scrubber.String)
	return s
}

// secrets returns the values that must never be stored: the values of variables that are
// passed to agents, and the values of variables whose name suggests a secret.
func (h *Host) secrets(w *workspace.Workspace) []string {
	var passed, values []string
	for i := range w.Agents {
		passed = append(passed, w.Agents[i].Adapter.Env...)
		passed = slices.AppendSeq(passed, maps.Values(w.Agents[i].Adapter.HeadersEnv))
	}
	for _, p := range w.Settings.Providers {
		passed = append(passed, p.KeyEnv)
	}
	for _, m := range w.Settings.MCP {
		passed = append(passed, m.Env...)
		passed = slices.AppendSeq(passed, maps.Values(m.HeadersEnv))
	}
	passed = append(passed, w.Settings.Notify.EnvNames()...)
	telling := []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"}
	for _, variable := range h.Env {
		name, value, _ := strings.Cut(variable, "=")
		tells := func(part string) bool { return strings.Contains(strings.ToUpper(name), part) }
		// A path only indicates where a secret is stored, and a number is a setting such as
		// MAX_TOKENS, so neither counts as a secret.
		plain := filepath.IsAbs(value) || strings.Trim(value, "0123456789") == ""
		if slices.Contains(passed, name) || slices.ContainsFunc(telling, tells) && !plain {
			// In "Bearer abc", the word abc alone is just as secret as the whole value.
			values = append(values, value, value[strings.LastIndexByte(strings.TrimSpace(value), ' ')+1:])
		}
	}
	return values
}

// RunGrader runs a command grader without a network and with an empty environment. The only
// part of the workspace that is visible to it is the folder of the grader's suite, and only
// the working directory is writable.
func (s *Sandbox) RunGrader(ctx context.Context, p grade.Program) (grade.Exit, error) {
	timed, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	dir, err := filepath.Abs(p.Dir)
	if err != nil {
		return grade.Exit{}, fmt.Errorf("finding the suite's folder: %w", err)
	}
	spec := sandbox.Spec{Argv: p.Argv, Dir: dir, Hidden: []string{s.root}, Limits: sandbox.Limits{Processes: sandbox.ProcessLimit()}}
	if p.Workdir != "" {
		work, err := filepath.Abs(p.Workdir)
		if err != nil {
			return grade.Exit{}, fmt.Errorf("finding the working directory: %w", err)
		}
		spec.Writable, spec.Temp = []string{work}, filepath.Dir(work)
	}
	exit, out, err := s.Sandbox().Run(timed, spec, p.Stdin, p.MaxOutput)
	timedOut := errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
	if err != nil && !timedOut {
		return grade.Exit{}, err
	}
	return grade.Exit{Code: exit.Code, Stdout: out.Stdout, Stderr: out.Stderr, Truncated: out.Truncated, TimedOut: timedOut}, nil
}

// AskGrader sends a request to a process of a command grader that keeps running. The
// process can see and do the same as a program that RunGrader runs without a working
// directory.
func (s *Sandbox) AskGrader(ctx context.Context, p grade.Program, accept func([]byte) error) error {
	dir, err := filepath.Abs(p.Dir)
	if err != nil {
		return fmt.Errorf("finding the suite's folder: %w", err)
	}
	err = s.graders.Ask(ctx, command.Question{
		Argv: p.Argv, Dir: dir, ID: p.ID, Line: p.Stdin, Timeout: p.Timeout, Accept: accept,
	})
	var failed *command.ProgramError
	switch {
	case errors.Is(err, command.ErrLate):
		return &grade.Failure{Late: true}
	case errors.As(err, &failed):
		return &grade.Failure{Text: failed.Text, Stderr: failed.Stderr, Crashed: failed.Crashed}
	}
	return err
}

// withGraders returns an opened agent that keeps grader programs running during its
// evaluations. The programs end when the last open agent is closed.
func (s *Sandbox) withGraders(opened night.Opened) night.Opened {
	release, done := s.graders.Keep(), opened.Close
	opened.Close = func() error {
		defer release()
		return done()
	}
	return opened
}

// Grading returns the graders for all suites. Their judges ask the model only for verdicts
// that the judged evaluations do not contain.
func (s *Sandbox) Grading(suites []*bench.Suite, judge model.Model, judged ...bench.Evaluation) bench.GradeFunc {
	dirs, tasks := map[*bench.Task]string{}, map[string]*bench.Task{}
	for _, suite := range suites {
		for i := range suite.Tasks {
			t := &suite.Tasks[i]
			dirs[t], tasks[t.ID] = suite.Dir, t
		}
	}
	g := grade.New(s, func(t *bench.Task) string { return dirs[t] }).Judged(judge)
	for i := range judged {
		if t := tasks[judged[i].Task]; t != nil {
			g.Recall(t, &judged[i])
		}
	}
	return s.discreet(g.Grade)
}

// GradeWith grades a result using only the graders of its task, without a judge model. dir
// is the folder of the task's suite.
func (s *Sandbox) GradeWith(ctx context.Context, dir string, in bench.GradeInput) (bench.Grading, error) {
	return s.discreet(grade.New(s, func(*bench.Task) string { return dir }).Grade)(ctx, in)
}

// discreet removes credentials from the reasons of grades. If the answer holds a
// credential, the reason is not stored at all, because reasons quote shortened answers, and
// a part of a credential would not be recognised.
func (s *Sandbox) discreet(grade bench.GradeFunc) bench.GradeFunc {
	return func(ctx context.Context, in bench.GradeInput) (bench.Grading, error) {
		g, err := grade(ctx, in)
		answer := in.Result.Answer
		holds := answer != nil && s.Scrubber.String(*answer) != *answer
		for i := range g.Grades {
			reason := &g.Grades[i].Reason
			if *reason = s.Scrubber.String(*reason); holds && *reason != "" {
				*reason = "not stored, because the answer contains a credential"
			}
		}
		return g, err
	}
}
