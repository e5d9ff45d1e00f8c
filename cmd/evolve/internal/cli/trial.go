package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"evolve/bench"
	"evolve/cmd/evolve/internal/doctor"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night"
	"evolve/runtime/agent"
	"evolve/runtime/command"
	"evolve/runtime/tempdir"
)

// trialTime is the maximum time for which doctor tries one agent.
const trialTime = 30 * time.Second

// shownStderr is the maximum number of lines of standard error that are shown to a person.
const shownStderr = 20

// trialSeeds are the two seeds with which the same task is given to an agent.
var trialSeeds = [2]int64{1, 2}

// trials tries each agent of a workspace on one of its search tasks, and then a second
// time: on the same task if the first attempt succeeded, and on another task otherwise.
func trials(sh *shell, root string, patience time.Duration) func(context.Context, *workspace.Agent) (doctor.Trial, error) {
	return func(ctx context.Context, a *workspace.Agent) (doctor.Trial, error) {
		w, err := wire.Load(root)
		if err != nil {
			return doctor.Trial{}, err
		}
		if known, there := w.Agent(a.ID); there {
			a = known // the agent in the workspace that was just loaded
		}
		_, tasks, _ := wire.SearchSide(w, a)
		if len(tasks) == 0 {
			return doctor.Trial{}, nil
		}
		scratch, err := tempdir.Make("trial")
		if err != nil {
			return doctor.Trial{}, fmt.Errorf("creating the working directory: %w", err)
		}
		defer func() { _ = scratch.Remove() }()
		agents, err := sh.Agents(w)
		if err != nil {
			return doctor.Trial{}, err
		}
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		opened, err := agents.Open(ctx, a, scratch.Path)
		if err != nil {
			return doctor.Trial{}, err
		}
		t, err := try(ctx, agents, opened, w, a, tasks, scratch.Path)
		return t, errors.Join(err, opened.Close())
	}
}

// try gives an agent the first task, and then either the same task or the next one.
func try(ctx context.Context, agents *wire.AgentFactory, opened night.Opened, w *workspace.Workspace, a *workspace.Agent, tasks []*bench.Task, scratch string) (doctor.Trial, error) {
	suiteOf := map[string]*bench.Suite{}
	for _, name := range a.Suites {
		for _, t := range w.Suites[name].Side(bench.Search) {
			suiteOf[t.ID] = w.Suites[name]
		}
	}
	asked := 0
	ask := func(t *bench.Task, seed int64) (wire.TurnResult, time.Duration, error) {
		asked++
		folder := filepath.Join(scratch, strconv.Itoa(asked))
		if err := os.Mkdir(folder, 0o700); err != nil {
			return wire.TurnResult{}, 0, fmt.Errorf("creating the working directory: %w", err)
		}
		start := time.Now()
		v, err := agents.Take(ctx, opened, wire.Turn{Agent: a, Task: t, Suite: suiteOf[t.ID], Config: a.Champion, Seed: seed}, folder, nil)
		return v, time.Since(start), err
	}
	v, took, err := ask(tasks[0], trialSeeds[0])
	if err != nil {
		return doctor.Trial{}, err
	}
	out := doctor.Trial{
		Task: tasks[0].ID, Outcome: v.Outcome, Score: v.Score, Latency: took, CostUSD: v.Usage.CostUSD + v.Judge.CostUSD, Error: v.Error,
		Stderr: stderrOf(v.Transcript), Asked: 1, Late: ctx.Err() != nil, Offline: offline(v.Transcript),
	}
	if out.Ungraded = ungraded(v); out.Late || out.Outcome.Missing() || out.Ungraded != "" {
		return out, nil
	}
	second, seed := tasks[0], trialSeeds[1]
	switch {
	case !out.Outcome.Gradable() && len(tasks) == 1:
		return out, nil
	case !out.Outcome.Gradable():
		second = tasks[1]
	case a.Deterministic:
		seed = trialSeeds[0]
	}
	again, _, err := ask(second, seed)
	if err != nil {
		return out, err
	}
	if over(ctx) || again.Outcome.Missing() {
		return out, nil // the first result is enough
	}
	out.CostUSD += again.Usage.CostUSD + again.Judge.CostUSD
	if out.Outcome.Gradable() || !again.Outcome.Gradable() {
		out.Asked++
	}
	out.Ungraded = ungraded(again)
	out.Same = again.Outcome == v.Outcome && equal(again.Answer, v.Answer) && equal(again.Score, v.Score)
	return out, nil
}

// ungraded returns the reason why a grader program gave no score; it returns "" if there is
// no such reason.
func ungraded(v wire.TurnResult) string {
	var broken *bench.GraderError
	if errors.As(v.Ungraded, &broken) {
		return broken.Error()
	}
	return ""
}

// over reports whether the time of a trial is over.
func over(ctx context.Context) bool { return ctx.Err() != nil }

func equal[T comparable](a, b *T) bool { return (a == nil) == (b == nil) && (a == nil || *a == *b) }

// offline reports whether a program tried to use a network that it does not have.
func offline(t agent.Transcript) bool {
	return slices.ContainsFunc(t.Events, func(e agent.Event) bool { return e.Kind == agent.EventStderr && e.Text == command.Offline })
}

// stderrOf returns the last lines that a program wrote to standard error.
func stderrOf(t agent.Transcript) []string {
	var out []string
	for _, e := range t.Events {
		if e.Kind == agent.EventStderr {
			out = append(out, lastLines(e.Text, 3)...)
		}
	}
	return out
}

// lastLines returns the last n lines of a text that are not blank.
func lastLines(text string, n int) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, " \t\r\n"); strings.TrimSpace(line) != "" {
			out = append(out, line)
		}
	}
	return out[max(0, len(out)-n):]
}
