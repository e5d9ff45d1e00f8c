package workspace

import (
	"fmt"
	"path/filepath"
	"slices"

	"evolve/bench"
	"evolve/gates/review"
)

// The limits on the number of search tasks that a target's agent runs for a patch, and the
// default.
const (
	minTrialTasks     = 6 // fewer than stats.MinClusters cannot show a difference
	maxTrialTasks     = 1000
	defaultTrialTasks = 40
)

// checkTrials checks the agents that targets name. Such an agent must be a program, and its
// folder must be inside the target so that an exported tree of the target contains it. A
// target that contains the whole workspace is rejected, because no patch may change the
// workspace's agents.
func (l *loader) checkTrials(s *source, agents []Agent) {
	targets := l.set.patches["targets"]
	if targets == nil {
		return
	}
	ids := (&Workspace{Agents: agents}).AgentIDs()
	for _, n := range targets.Content {
		given, tasks := child(n, "agent"), child(n, "tasks")
		if given == nil {
			if tasks != nil {
				s.bad(tasks, "name the agent whose program the target is", `"tasks" requires "agent"`)
			}
			continue
		}
		at := slices.IndexFunc(l.set.Patches.Targets, func(t PatchTarget) bool { return t.Agent == given.Value && t.Name == child(n, "name").Value })
		if at < 0 { // the agent was refused
			continue
		}
		t := l.set.Patches.Targets[at]
		i := slices.Index(ids, t.Agent)
		if i < 0 {
			s.bad(given, didYouMean(t.Agent, ids), "there is no agent %q", t.Agent)
			continue
		}
		a := &agents[i]
		const hint = "make the agent's folder a repository of its own, and set repo: agents/"
		switch repo := t.Dir(l.root); {
		case a.Adapter.Kind != KindCommand:
			s.bad(given, "name an agent whose adapter is command", "the agent %q is not a separate program", t.Agent)
		case !inside(repo, a.Dir):
			s.bad(given, hint+t.Agent, "the folder of the agent %q is not in the target's repository", t.Agent)
		case inside(repo, l.root):
			s.bad(given, hint+t.Agent, "the folder of the agent %q is part of the workspace, which no patch of this target may touch", t.Agent)
		}
	}
}

// inside reports whether a folder is the folder outer itself or lies inside it.
func inside(outer, folder string) bool {
	within, err := filepath.Rel(outer, folder)
	return err == nil && filepath.IsLocal(within)
}

// TrialTasks returns the number of search tasks on which a patch to a target is tried.
func (w *Workspace) TrialTasks(t PatchTarget) int {
	n := 0
	if a, ok := w.Agent(t.Agent); ok {
		for _, name := range a.Suites {
			n += len(w.Suites[name].Side(bench.Search))
		}
	}
	return min(n, t.Tasks)
}

// OwnCode returns the name of the patch target under which nights search an agent's code
// together with its config, or "" if there is none.
func (w *Workspace) OwnCode(agentID string) string {
	for _, t := range w.Settings.Patches.Targets {
		if t.Agent == agentID && review.Target(t).OwnCode() {
			return t.Name
		}
	}
	return ""
}

// FolderIn returns the path of the agent's folder below the root of a repository,
// slash-separated, or "." for the root itself. It returns an error if the folder is outside
// the repository.
func (a *Agent) FolderIn(top string) (string, error) {
	home, err := filepath.EvalSymlinks(a.Dir)
	if err != nil {
		return "", fmt.Errorf("finding the folder of agent %s: %w", a.ID, err)
	}
	root, err := filepath.EvalSymlinks(top)
	if err != nil {
		return "", fmt.Errorf("finding the repository: %w", err)
	}
	folder, err := filepath.Rel(root, home)
	if err != nil || !filepath.IsLocal(folder) {
		return "", fmt.Errorf("the folder of agent %s is not in the repository", a.ID)
	}
	return filepath.ToSlash(folder), nil
}

// DefiningFiles lists the files, by their names in an agent's folder, that define the
// agent's champion and how the agent is run. Not all of them need to exist.
func DefiningFiles() []string { return []string{agentYAML, ConfigFile, StrategyFile} }
