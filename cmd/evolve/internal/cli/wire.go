package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/grade"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/decide"
	"evolve/cmd/evolve/internal/patching"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate"
	"evolve/runtime/agent"
	"evolve/runtime/authored"
	"evolve/runtime/mcp"
	"evolve/runtime/model"
	"evolve/runtime/tool"
	"evolve/runtime/turn"
)

// builtins returns what the workspace loader needs of this version.
func builtins() workspace.Builtins {
	names := func(tools []tool.Tool) []string {
		out := make([]string, len(tools))
		for i, t := range tools {
			out[i] = t.Spec().Name
		}
		return out
	}
	return workspace.Builtins{
		Space: func(model string, domains, tools, routes []string) agent.Space {
			if domains == nil {
				domains = slices.Sorted(maps.Keys(turn.DefaultDomains()))
			}
			if len(tools) == 0 && model == workspace.ModelHeuristic {
				tools = names(tool.Builtin()) // it could not make use of the others
			}
			return turn.DefaultSpace(domains, tools, routes)
		},
		Idle: func(space agent.Space, a *workspace.Agent, tasks []agent.Task) map[string]string {
			files, err := withSkills(a)
			if err != nil { // a run refuses it; until then no parameter is left out for its length
				return nil
			}
			return turn.Idle(space, turn.Circumstances{
				Language: a.Adapter.Model != workspace.ModelHeuristic, Tools: a.Tools, Bootstrap: files,
				Memories: len(a.Memories), Domains: a.Domains, Tasks: tasks,
			})
		},
		Tools: names(tool.Builtin()), Further: names(tool.Further()), ServerTool: mcp.ToolName,
		Graders: grade.Rules(),
	}
}

func selections() []string { return mutate.Selections() }

func knownSelection(name string) error {
	if slices.Contains(selections(), name) {
		return nil
	}
	hint := fmt.Sprintf("they are %v", selections())
	if near := nearest(name, selections()); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	}
	return hinted(exitUsage, hint, "there is no selection %q", name)
}

// nightlyOptions puts flags over settings and wires the parts of a run.
func (sh *shell) nightlyOptions(c *cli.Context, w *workspace.Workspace, o runOptions) (batch.Options, *crew, error) {
	set := w.Settings
	budget := set.Budget.Override(o.budget)
	until, err := deadline(budget.Until, sh.now())
	if err != nil {
		return batch.Options{}, nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	crew, err := sh.newCrew(w, sh.logger(c), sh.today(w))
	if err != nil {
		return batch.Options{}, nil, err
	}
	crew.reflects = true
	opts := batch.Options{
		Workspace: w, Agents: o.agents, Stages: o.stages, Budget: budget, Until: until,
		Concurrency: orDefault(o.concurrency, set.Search.Concurrency), Lookahead: orDefault(o.lookahead, set.Search.Lookahead),
		Seed: o.seed, Selection: set.Search.Selection, Resume: o.resume,
		Given: batch.Given{
			Agents: o.agents, Stages: o.stages, Budget: o.budget, Seed: o.seed, Selection: o.selection,
			Lookahead: o.lookahead, Concurrency: o.concurrency, Until: until,
		},
		Open: crew.open, Guards: crew.guard.Stats,
		Grading: func(suites []*bench.Suite) (bench.GradeFunc, error) { return grading(suites, crew.walls), nil },
		Scrub:   crew.walls.scrubber.String, Now: sh.now, Sleep: sh.sleep, Log: crew.log, Binary: crew.binary, Host: host,
	}
	if o.selection != "" {
		opts.Selection = o.selection
	}
	if len(set.Patches.Targets) > 0 {
		opts.Patches = sh.patchDesk(c, w, nil)
	}
	if set.Patches.Write != "" && opts.Patches != nil {
		opts.Writer = func(_ context.Context, a *workspace.Agent) (model.Model, func() error, error) { return crew.writer(a) }
	}
	return opts, crew, nil
}

// withDesk adds where proposals are made; it needs the open archive.
func (sh *shell) withDesk(opts *batch.Options) {
	desk := sh.desk(opts.Workspace, opts.Archive)
	opts.Propose, opts.Skill = desk.Propose, desk.DraftSkill
	if opts.Patches != nil {
		opts.Patches.Archive = patching.Held(opts.Archive)
		opts.Asked = func(ctx context.Context, run string) ([]patching.Submission, error) {
			return sh.askedPatches(ctx, opts.Workspace, opts.Archive, run)
		}
	}
}

// desk is where proposals are drawn up and decided on.
func (sh *shell) desk(w *workspace.Workspace, a *archive.Archive) *decide.Desk {
	return &decide.Desk{
		Workspace: w, Archive: a, Env: sh.env, Now: sh.now, Reached: sh.reached,
		Check: func(ctx context.Context, d authored.Definition) authored.Report {
			pool := authored.NewPool(sh.newWalls(w).sandbox(), 1)
			defer pool.Close()
			return pool.Check(ctx, d)
		},
	}
}

// grading makes the graders of all suites.
func grading(suites []*bench.Suite, walls *walls) bench.GradeFunc {
	dirs := map[*bench.Task]string{}
	for _, s := range suites {
		for i := range s.Tasks {
			dirs[&s.Tasks[i]] = s.Dir
		}
	}
	return walls.discreet(grade.New(walls, func(t *bench.Task) string { return dirs[t] }).Grade)
}

// binaryHash identifies this program: what graders and built-in agents do is part
// of what an evaluation depends on.
func binaryHash() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding this program: %w", err)
	}
	f, err := os.Open(filepath.Clean(path))
	if err != nil {
		return "", fmt.Errorf("reading this program: %w", err)
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("reading this program: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

func orDefault(n, def int) int {
	if n > 0 {
		return n
	}
	return def
}

// sortedNames lists the keys of a table.
func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
