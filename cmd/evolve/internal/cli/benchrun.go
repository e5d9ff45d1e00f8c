package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/sourcegraph/conc/pool"
	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// benchView is `evolve bench run --json`.
type benchView struct {
	Agent   string         `json:"agent"`
	Config  agent.ConfigID `json:"config"`
	Score   float64        `json:"score"`
	Lo      float64        `json:"lo"`
	Hi      float64        `json:"hi"`
	Scored  int            `json:"scored"`
	Missing int            `json:"missing"`
	Domains []domainScore  `json:"domains"`
	Tasks   []taskScore    `json:"tasks"`
}

type domainScore struct {
	Domain string  `json:"domain"`
	Tasks  int     `json:"tasks"`
	Score  float64 `json:"score"`
}

type taskScore struct {
	Task    string        `json:"task"`
	Domain  string        `json:"domain"`
	Scored  bool          `json:"scored"`
	Score   float64       `json:"score"`
	Outcome agent.Outcome `json:"outcome"`
	Reason  string        `json:"reason,omitempty"`
}

func benchRunCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "run", Usage: "evaluate one config once on an agent's search tasks", ArgsUsage: "[AGENT]",
		Description: "The champion, or --variant. The holdout stays closed: only `evolve run` opens it, and keeps\n" +
			"count. Nothing is recorded but failures of tools that the agent wrote.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "variant", Usage: "an archived `VARIANT` instead of the champion"},
			&cli.IntFlag{Name: "concurrency", Usage: "`N` evaluations at once"},
		},
		Action: func(c *cli.Context) error { return benchRun(sh, c) },
	}
}

func benchRun(sh *shell, c *cli.Context) error {
	w, err := sh.load(c)
	if err != nil {
		return err
	}
	a, err := oneAgent(w, c.Args().First())
	if err == nil {
		err = wire.Startable(a)
	}
	if err != nil {
		return err
	}
	config, err := configOf(c, w, a)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "evolve-bench-")
	if err != nil {
		return fmt.Errorf("making the working directory: %w", err)
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	agents, err := sh.Agents(w)
	if err != nil {
		return err
	}
	opened, err := agents.Open(c.Context, a, scratch)
	if err != nil {
		return err
	}
	suites, tasks, dirs := wire.SearchSide(w, a)
	h := bench.NewHarness(bench.Settings{
		Run: "bench", Agent: a.ID, Identity: opened.Identity, Limits: w.Settings.Limits, UsesSeed: a.UsesSeed || !a.Deterministic,
		Scratch: scratch, AlwaysWorkdir: opened.Workdir, SuiteDir: func(t *bench.Task) string { return dirs[t] },
	}, opened.Agent, agents.Sandbox.Grading(suites), archive.OpenMemory(), bench.NewBudget(0, time.Time{}, sh.Now), bench.NewBreaker(bench.Patience{}, config.ID(), sh.Sleep), sh.Now)
	parallel := cmp.Or(c.Int("concurrency"), w.Settings.Search.Concurrency)
	if opened.Parallel > 0 {
		parallel = min(parallel, opened.Parallel)
	}
	view, err := evaluateAll(c.Context, h, config, tasks, parallel)
	if err = errors.Join(err, opened.Close()); err != nil {
		return err
	}
	view.Agent = a.ID
	return sh.show(view, func() { printBench(sh.console, view) })
}

// evaluateAll evaluates a config once on every task.
func evaluateAll(ctx context.Context, h *bench.Harness, config agent.Config, tasks []*bench.Task, parallel int) (benchView, error) {
	view := benchView{Config: config.ID(), Domains: []domainScore{}, Tasks: make([]taskScore, len(tasks))}
	var (
		mu    sync.Mutex
		first error
	)
	workers := pool.New().WithMaxGoroutines(parallel)
	for i, t := range tasks {
		workers.Go(func() {
			e, err := h.Evaluate(ctx, bench.Job{Variant: view.Config, Config: config, Task: t, Stage: bench.StageBench, Seq: int64(i)})
			mu.Lock()
			defer mu.Unlock()
			if err != nil && first == nil {
				first = err
			}
			line := taskScore{Task: t.ID, Domain: t.Domain, Scored: e.Scored, Score: e.Score, Outcome: e.Outcome, Reason: e.Error}
			for _, g := range e.Grades {
				if !g.Pass && line.Reason == "" {
					line.Reason = g.Reason
				}
			}
			view.Tasks[i] = line
		})
	}
	workers.Wait()
	if first != nil {
		return view, first
	}
	view.summarize(tasks)
	return view, nil
}

// summarize computes the weighted means of all tasks and of each domain.
func (v *benchView) summarize(tasks []*bench.Task) {
	type mean struct {
		sum, weight float64
		tasks       int
	}
	var all mean
	domains := map[string]*mean{}
	for i, t := range tasks {
		d := domains[t.Domain]
		if d == nil {
			d = &mean{}
			domains[t.Domain] = d
		}
		d.tasks++
		if !v.Tasks[i].Scored {
			v.Missing++
			continue
		}
		v.Scored++
		for _, m := range []*mean{&all, d} {
			m.sum += t.Importance() * v.Tasks[i].Score
			m.weight += t.Importance()
		}
	}
	if all.weight > 0 {
		v.Score = all.sum / all.weight
		v.Lo, v.Hi = stats.Wilson(v.Score, float64(v.Scored), 0.95)
	}
	for _, domain := range workspace.SortedNames(domains) {
		if d := domains[domain]; d.weight > 0 {
			v.Domains = append(v.Domains, domainScore{domain, d.tasks, d.sum / d.weight})
		}
	}
}

func printBench(con *console, v benchView) {
	for _, t := range v.Tasks {
		if t.Scored && t.Score >= 1 {
			continue
		}
		con.printf("  %.2f  %-14s %-28s %-20s %s\n", t.Score, text.Visible(t.Domain), text.Visible(t.Task), t.Outcome, text.Visible(oneLine(t.Reason, 80)))
	}
	con.printf("\n")
	for _, d := range v.Domains {
		con.printf("  %-16s %.3f  over %d tasks\n", text.Visible(d.Domain), d.Score, d.Tasks)
	}
	con.printf("  %-16s %.3f  [%.3f, %.3f] over %d search tasks", "all", v.Score, v.Lo, v.Hi, v.Scored)
	if v.Missing > 0 {
		con.printf(", %d missing", v.Missing)
	}
	con.printf("\n")
}
