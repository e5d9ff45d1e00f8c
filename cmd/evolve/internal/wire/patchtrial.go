package wire

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/mutate/night"
)

// patchTrial prepares the agent of a target twice: once with its program from the base,
// and once with its program from the candidate of a patch. Neither agent's evaluations
// are recorded.
func (h *Host) patchTrial(w *workspace.Workspace) func(context.Context, review.TrialSpec) (*review.AgentTrial, error) {
	return func(ctx context.Context, ask review.TrialSpec) (*review.AgentTrial, error) {
		a, ok := w.Agent(ask.Agent)
		if !ok {
			return nil, fmt.Errorf("there is no agent %q", ask.Agent)
		}
		agents, err := h.Agents(w)
		if err != nil {
			return nil, err
		}
		folder, err := a.FolderIn(ask.Top)
		if err != nil {
			return nil, err
		}
		suites, tasks, dirs := SearchSide(w, a)
		trial := &review.AgentTrial{Config: a.Champion, Tasks: tasks, Parallel: w.Settings.Search.Concurrency, Folder: folder, Close: func() error { return nil }}
		budget := ask.Budget
		if budget == nil { // outside a run, a patch has the limits that a run would have
			budget = bench.NewBudget(w.Settings.Budget.USD, h.trialStop(w), h.Now)
		}
		side := func(name, tree string) (*bench.Harness, error) {
			opened, scratch, err := agents.openFrom(ctx, a, filepath.Join(tree, filepath.FromSlash(folder)), filepath.Join(ask.Scratch, name))
			if err != nil {
				return nil, err
			}
			before := trial.Close
			trial.Close = func() error { return errors.Join(before(), opened.Close()) }
			trial.Parallel = min(trial.Parallel, opened.Parallel)
			return bench.NewHarness(bench.Settings{
				Run: "patch", Agent: a.ID, Identity: opened.Identity, Limits: w.Settings.Limits, Seed: ask.Seed, UsesSeed: a.UsesSeed || !a.Deterministic,
				Scratch: scratch, AlwaysWorkdir: opened.Workdir, SuiteDir: func(t *bench.Task) string { return dirs[t] }, Scrub: agents.Sandbox.Scrubber.String,
			}, opened.Agent, agents.Sandbox.Grading(suites, opened.Judge), archive.OpenMemory(), budget,
				// A program that always fails counts as a result here rather than as an
				// outage, because no config is the champion.
				bench.NewBreaker(bench.Patience{}, "", h.Sleep), h.Now), nil
		}
		if trial.Base, err = side("base", ask.Base); err == nil {
			trial.Candidate, err = side("candidate", ask.Candidate)
		}
		if err == nil {
			trial.Patched, err = workspace.ReadChampionIn(ask.Candidate, folder, a)
		}
		if err != nil {
			return nil, errors.Join(err, trial.Close())
		}
		return trial, nil
	}
}

// trialStop returns the time after which a trial starts no more work. A trial may take as
// long as the settings allow a run to take.
func (h *Host) trialStop(w *workspace.Workspace) time.Time {
	if w.Settings.Budget.Time == 0 {
		return time.Time{}
	}
	return h.Now().Add(w.Settings.Budget.Time)
}

// openFrom opens an agent's program from a folder in an exported tree; see
// [AgentFactory.moved].
func (f *AgentFactory) openFrom(ctx context.Context, a *workspace.Agent, folder, scratch string) (night.Opened, string, error) {
	moved, err := f.moved(a, folder, scratch)
	if err != nil {
		return night.Opened{}, "", err
	}
	opened, err := f.Open(ctx, moved, scratch)
	return opened, scratch, err
}

// OpenCode opens only an agent's program, from the folder of a version of its code, without
// a model or a judge. See [AgentFactory.moved].
func (f *AgentFactory) OpenCode(a *workspace.Agent, folder, scratch string) (night.Opened, error) {
	moved, err := f.moved(a, folder, scratch)
	if err != nil {
		return night.Opened{}, err
	}
	opened, err := f.openCommand(moved, scratch)
	if err != nil {
		return night.Opened{}, err
	}
	return f.Sandbox.withGraders(opened), nil
}

// moved returns a copy of an agent whose program is in a folder of another tree, and
// creates the agent's folder for working directories. The copy always runs in the available
// sandbox, without network access and without the variables of its adapter, regardless of
// what the operator allows the agent, because no person has read the code yet.
func (f *AgentFactory) moved(a *workspace.Agent, folder, scratch string) (*workspace.Agent, error) {
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("no commit contains the folder of agent %s", a.ID)
	}
	moved := *a
	moved.Dir, moved.Adapter.Sandbox, moved.Adapter.Argv = folder, "auto", slices.Clone(a.Adapter.Argv)
	moved.Adapter.Network, moved.Adapter.Env = "none", nil
	for i, word := range moved.Adapter.Argv {
		if rest, ok := strings.CutPrefix(word, a.Dir+string(filepath.Separator)); ok {
			moved.Adapter.Argv[i] = filepath.Join(folder, rest)
		}
	}
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		return nil, fmt.Errorf("creating the folder for working directories: %w", err)
	}
	return &moved, nil
}

// SearchSide returns the suites of an agent, and the agent's search tasks with their
// fixture folders.
func SearchSide(w *workspace.Workspace, a *workspace.Agent) (suites []*bench.Suite, tasks []*bench.Task, dirs map[*bench.Task]string) {
	dirs = map[*bench.Task]string{}
	for _, name := range a.Suites {
		s := w.Suites[name]
		suites = append(suites, s)
		for _, t := range s.Side(bench.Search) {
			tasks = append(tasks, t)
			dirs[t] = s.Dir
		}
	}
	return suites, tasks, dirs
}
