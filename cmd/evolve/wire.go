package main

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

	"evolve/bench"
	"evolve/bench/grade"
	"evolve/cmd/evolve/internal/decide"
	"evolve/cmd/evolve/internal/nightly"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate"
	"evolve/runtime/agent"
	"evolve/runtime/tool"
	"evolve/runtime/turn"
)

// builtins is what the workspace loader must know of this version.
func builtins() workspace.Builtins {
	var tools []string
	for _, t := range tool.Builtin() {
		tools = append(tools, t.Spec().Name)
	}
	return workspace.Builtins{
		// Parameters that only a language model feels would waste the search of a
		// heuristic agent.
		Space: func(model string, domains, tools, routes []string) agent.Space {
			if domains == nil {
				domains = slices.Sorted(maps.Keys(turn.DefaultDomains()))
			}
			if model == workspace.ModelHeuristic {
				return turn.HeuristicSpace(domains, tools)
			}
			return turn.DefaultSpace(domains, tools, routes)
		},
		Tools:   tools,
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
func (sh *shell) nightlyOptions(c *cli.Context, w *workspace.Workspace, o runOptions) (nightly.Options, error) {
	set := w.Settings
	until, err := deadline(o.until, sh.now())
	if err != nil {
		return nightly.Options{}, err
	}
	budget := set.Budget
	if o.budget.Evaluations > 0 {
		budget.Evaluations = o.budget.Evaluations
	}
	if o.budget.USD > 0 {
		budget.USD = o.budget.USD
	}
	if o.budget.Time > 0 {
		budget.Time = o.budget.Time
	}
	binary, err := binaryHash()
	if err != nil {
		return nightly.Options{}, err
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	walls := sh.newWalls(w)
	opts := nightly.Options{
		Workspace: w, Agents: o.agents, Stages: o.stages, Budget: budget, Until: until,
		Concurrency: orDefault(o.concurrency, set.Search.Concurrency), Lookahead: orDefault(o.lookahead, set.Search.Lookahead),
		Seed: o.seed, Selection: set.Search.Selection, Resume: o.resume,
		Open: func(ctx context.Context, a *workspace.Agent, scratch string) (nightly.Opened, error) {
			return sh.openAgent(ctx, w, a, scratch, walls, binary)
		},
		Grading: func(suites []*bench.Suite) (bench.GradeFunc, error) { return grading(suites, walls), nil },
		Scrub:   walls.scrubber.String, Now: sh.now, Sleep: sh.sleep, Log: sh.logger(c), Binary: binary, Host: host,
	}
	if o.selection != "" {
		opts.Selection = o.selection
	}
	return opts, nil
}

// withDesk adds where proposals are made; it needs the open archive.
func (sh *shell) withDesk(opts *nightly.Options) {
	desk := &decide.Desk{Workspace: opts.Workspace, Archive: opts.Archive, Env: sh.env, Now: sh.now}
	opts.Propose = desk.Propose
}

// grading makes the graders of all suites.
func grading(suites []*bench.Suite, walls *walls) bench.GradeFunc {
	dirs := map[*bench.Task]string{}
	for _, s := range suites {
		for i := range s.Tasks {
			dirs[&s.Tasks[i]] = s.Dir
		}
	}
	return grade.New(walls, func(t *bench.Task) string { return dirs[t] }).Grade
}

// openAgent makes an agent ready to run: the one table from adapter to implementation.
func (sh *shell) openAgent(ctx context.Context, w *workspace.Workspace, a *workspace.Agent, scratch string, walls *walls, binary string) (nightly.Opened, error) {
	identity := a.Hash + "\x00" + a.Version + "\x00" + binary
	switch a.Adapter.Kind {
	case workspace.KindBuiltin:
		built, err := turn.New(turn.Options{
			Memories: a.Memories, Bootstrap: a.Bootstrap, Domains: a.Domains, Tools: a.Tools,
			HardLimits: w.Settings.Limits, Space: a.Space, Scrub: walls.scrubber.String,
		})
		if err != nil {
			return nightly.Opened{}, err
		}
		return nightly.Opened{Agent: built, Identity: identity, Sandbox: "in process", Close: func() error { return nil }}, nil
	case workspace.KindCommand:
		return sh.openCommand(ctx, a, scratch, walls, identity)
	}
	return nightly.Opened{}, fmt.Errorf("no adapter is called %q", a.Adapter.Kind)
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
