package workspace

import (
	"path"
	"slices"

	"evolve/bench"
	"evolve/gates/review"
	"evolve/runtime/agent"
	"evolve/runtime/mcp"
	"evolve/runtime/tool"
)

// Reviewed returns the workspace in the form that package review uses.
func (w *Workspace) Reviewed() *review.Workspace {
	out := &review.Workspace{
		Root: w.Root, OwnFiles: w.OwnFiles,
		Agent: func(id string) (*review.Agent, bool) {
			a, ok := w.Agent(id)
			if !ok {
				return nil, false
			}
			return w.reviewed(a), true
		},
		HasPolicy: func(tool string) bool {
			_, ok := w.Settings.Policies.Tools[tool]
			return ok
		},
	}
	for _, t := range slices.Concat(tool.Builtin(), tool.Further()) {
		out.Tools = append(out.Tools, t.Spec().Name)
	}
	for server, m := range w.Settings.MCP {
		for name := range m.Tools {
			out.Tools = append(out.Tools, mcp.ToolName(server, name))
		}
	}
	return out
}

func (w *Workspace) reviewed(a *Agent) *review.Agent {
	dir := path.Join(agentsDir, a.ID)
	out := &review.Agent{
		ID: a.ID, Builtin: a.Adapter.Kind == KindBuiltin, Champion: a.Champion, Space: a.Space,
		Base: BaseOf(a, w.Suites), Hash: a.Hash, Rules: w.Rules(a),
		ConfigFiles: []string{path.Join(dir, ConfigFile), path.Join(dir, StrategyFile)},
		Files:       func(c agent.Config) map[string][]byte { return ChampionFiles(a, c) },
		Load:        func(root string) (agent.Config, error) { return ReadChampion(root, a) },
		Tools:       a.Tools, ToolFiles: len(a.ToolFiles), SkillFiles: a.SkillFiles, Memories: a.Memories,
	}
	out.Suites = w.SuitesOf(a)
	return out
}

// SuitesOf returns the suites on which an agent is measured.
func (w *Workspace) SuitesOf(a *Agent) []*bench.Suite {
	var out []*bench.Suite
	for _, name := range a.Suites {
		if s := w.Suites[name]; s != nil {
			out = append(out, s)
		}
	}
	return out
}

// PatchTargets returns the patch targets in the settings, with absolute paths.
func (w *Workspace) PatchTargets() []review.Target {
	var out []review.Target
	for _, t := range w.Settings.Patches.Targets {
		t.Repo, t.Named = t.Dir(w.Root), true
		out = append(out, review.Target(t))
	}
	return out
}
