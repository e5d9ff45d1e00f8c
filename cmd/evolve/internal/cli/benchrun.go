package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sourcegraph/conc/pool"
	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/reports/number"
	"evolve/runtime/agent"
	"evolve/runtime/tempdir"
	"evolve/runtime/text"
)

// benchView is the output of `evolve bench run --json`.
type benchView struct {
	Agent  string         `json:"agent"`
	Config agent.ConfigID `json:"config"`
	benchMean
	Scored  int           `json:"scored"`
	Missing int           `json:"missing"`
	Domains []domainScore `json:"domains"`
	Tasks   []taskScore   `json:"tasks"`
	// PassPowers holds the values of pass^k over the tasks; it is empty without --repeats.
	PassPowers []stats.Reliability `json:"pass_powers,omitempty"`
}

type domainScore struct {
	Domain string `json:"domain"`
	Tasks  int    `json:"tasks"`
	benchMean
}

type taskScore struct {
	Task    string        `json:"task"`
	Domain  string        `json:"domain"`
	Scored  bool          `json:"scored"`
	Score   float64       `json:"score"`
	Outcome agent.Outcome `json:"outcome"`
	Reason  string        `json:"reason,omitempty"`
	// Repeats is the number of repeats that were scored, and Passed is how many of them
	// passed; both are 0 without --repeats.
	Repeats int `json:"repeats,omitempty"`
	Passed  int `json:"passed,omitempty"`
}

func benchRunCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "run", Usage: "evaluate one config on an agent's search tasks", ArgsUsage: "[AGENT]",
		Description: "Evaluates the champion, or --variant. The holdout tasks are not used: only `evolve run` uses them, and counts\n" +
			"how often. Nothing is recorded except failures of tools that the agent wrote.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "variant", Usage: "an archived `VARIANT` instead of the champion"},
			&cli.IntFlag{Name: "repeats", Value: 1, Usage: "run each task `N` times; pass^k is the share of tasks whose k runs all pass"},
			&cli.IntFlag{Name: "concurrency", Usage: "run `N` evaluations at once"},
		},
		Action: func(c *cli.Context) error { return benchRun(sh, c) },
	}
}

func benchRun(sh *shell, c *cli.Context) error {
	if n := c.Int("repeats"); n < 1 || n > 100 {
		return exit.Misuse(fmt.Errorf("--repeats must be from 1 to 100, not %d", n))
	}
	w, a, err := sh.loadAgent(c, c.Args().First())
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
	scratch, err := tempdir.Make("bench")
	if err != nil {
		return fmt.Errorf("creating the working directory: %w", err)
	}
	defer func() { _ = scratch.Remove() }()
	agents, err := sh.Agents(w)
	if err != nil {
		return err
	}
	opened, err := agents.Open(c.Context, a, scratch.Path)
	if err != nil {
		return err
	}
	suites, tasks, dirs := wire.SearchSide(w, a)
	h := bench.NewHarness(bench.Settings{
		Run: "bench", Agent: a.ID, Identity: opened.Identity, Limits: w.Settings.Limits, UsesSeed: a.UsesSeed || !a.Deterministic,
		Scratch: scratch.Path, AlwaysWorkdir: opened.Workdir, SuiteDir: func(t *bench.Task) string { return dirs[t] }, User: opened.Judge,
	}, opened.Agent, agents.Sandbox.Grading(suites, opened.Judge), archive.OpenMemory(), bench.NewBudget(0, time.Time{}, sh.Now), bench.NewBreaker(bench.Patience{}, config.ID(), sh.Sleep), sh.Now)
	parallel := cmp.Or(c.Int("concurrency"), w.Settings.Search.Concurrency)
	if opened.Parallel > 0 {
		parallel = min(parallel, opened.Parallel)
	}
	view, err := evaluateAll(c.Context, h, config, tasks, c.Int("repeats"), parallel)
	if err = errors.Join(err, opened.Close()); err != nil {
		return err
	}
	view.Agent = a.ID
	return sh.show(view, func() { printBench(sh.console, view) })
}

// evaluateAll evaluates a config on every task, each task the given number of times
// (repeats).
func evaluateAll(ctx context.Context, h *bench.Harness, config agent.Config, tasks []*bench.Task, repeats, parallel int) (benchView, error) {
	view := benchView{Config: config.ID(), Domains: []domainScore{}, Tasks: make([]taskScore, len(tasks))}
	var (
		mu    sync.Mutex
		first error
	)
	made := make([][]bench.Evaluation, len(tasks))
	workers := pool.New().WithMaxGoroutines(parallel)
	for i, t := range tasks {
		made[i] = make([]bench.Evaluation, repeats)
		for r := range repeats {
			workers.Go(func() {
				e, err := h.Evaluate(ctx, bench.Job{Variant: view.Config, Config: config, Task: t, Repeat: r, Stage: bench.StageBench, Seq: int64(i*repeats + r)})
				mu.Lock()
				defer mu.Unlock()
				if err != nil && first == nil {
					first = err
				}
				made[i][r] = e
			})
		}
	}
	workers.Wait()
	if first != nil {
		return view, first
	}
	var tries []stats.Tries
	for i, t := range tasks {
		view.Tasks[i] = scoreOf(t, made[i])
		if n := view.Tasks[i].Repeats; n > 0 {
			tries = append(tries, stats.Tries{Passed: view.Tasks[i].Passed, Made: n})
		}
	}
	view.PassPowers = stats.PassPowers(tries)
	view.summarize(tasks)
	return view, nil
}

// scoreOf returns the mean score of a task's runs. The outcome and the reason are those of
// the first run that did not pass.
func scoreOf(t *bench.Task, runs []bench.Evaluation) taskScore {
	shown := &runs[0]
	for i := range runs {
		if !runs[i].Pass {
			shown = &runs[i]
			break
		}
	}
	line := taskScore{Task: t.ID, Domain: t.Domain, Outcome: shown.Outcome, Reason: shown.Error}
	for _, g := range shown.Grades {
		if !g.Pass && line.Reason == "" {
			line.Reason = g.Reason
		}
	}
	var scored, passed int
	for _, e := range runs {
		if !e.Scored {
			continue
		}
		scored++
		line.Scored, line.Score = true, line.Score+e.Score
		if e.Pass {
			passed++
		}
	}
	line.Score /= float64(max(1, scored))
	if len(runs) > 1 {
		line.Repeats, line.Passed = scored, passed
	}
	return line
}

// summarize computes the mean scores over all tasks and over those of each domain.
func (v *benchView) summarize(tasks []*bench.Task) {
	var all []scoredTask
	domains := map[string][]scoredTask{}
	for i, t := range tasks {
		if !v.Tasks[i].Scored {
			v.Missing++
			continue
		}
		one := scoredTask{t, v.Tasks[i].Score}
		all, domains[t.Domain] = append(all, one), append(domains[t.Domain], one)
	}
	v.Scored, v.benchMean = len(all), meanOfTasks(all)
	for _, domain := range workspace.SortedNames(domains) {
		list := domains[domain]
		v.Domains = append(v.Domains, domainScore{domain, len(list), meanOfTasks(list)})
	}
}

// scoredTask is a task with its mean score.
type scoredTask struct {
	*bench.Task
	score float64
}

// benchMean is a weighted mean score over tasks, with its 95 % interval for tasks like
// these.
type benchMean struct {
	Score float64 `json:"score"`
	// Lo and Hi bound the mean. They are nil if there are fewer than [stats.MinClusters]
	// clusters, unless the interval is Wilson's.
	Lo *float64 `json:"lo"`
	Hi *float64 `json:"hi"`
	// Clusters is the number of independent clusters of tasks.
	Clusters int `json:"clusters"`
}

// meanOfTasks returns the mean score over tasks. If the tasks are independent, have equal
// weights and passed or failed entirely, the interval is Wilson's ([stats.Wilson]);
// otherwise it is the interval of [meanScore].
func meanOfTasks(tasks []scoredTask) benchMean {
	scores, known := map[string][]float64{}, map[string]*bench.Task{}
	plain := true
	for _, t := range tasks {
		scores[t.ID], known[t.ID] = []float64{t.score}, t.Task
		plain = plain && t.Importance() == tasks[0].Importance() && (t.score == 0 || t.score == 1)
	}
	if len(tasks) == 0 {
		return benchMean{}
	}
	s := meanScore(scores, known)
	m := benchMean{Score: s.Mean, Clusters: s.Clusters}
	switch {
	case plain && s.Clusters == len(tasks):
		s.Lo, s.Hi = stats.Wilson(s.Mean, float64(len(tasks)), scoreLevel)
	case s.Clusters < stats.MinClusters:
		return m
	}
	m.Lo, m.Hi = &s.Lo, &s.Hi
	return m
}

// words describes the mean. The parameter tasks states the number of tasks in words.
func (m benchMean) words(tasks string) string {
	switch {
	case m.Lo != nil:
		return fmt.Sprintf("%s  [%s, %s] over %s", number.Score(m.Score), number.Score(*m.Lo), number.Score(*m.Hi), tasks)
	case m.Clusters == 0:
		return number.Unknown + "  no task has a score"
	}
	return fmt.Sprintf("%s  over %s; no interval: it takes at least %d independent tasks, not %d", number.Score(m.Score), tasks, stats.MinClusters, m.Clusters)
}

func printBench(con *console, v benchView) {
	for _, t := range v.Tasks {
		if t.Scored && t.Score >= 1 {
			continue
		}
		con.printf("  %s  %-14s %-28s %-20s %s\n", number.Score(t.Score), text.Visible(t.Domain), text.Visible(t.Task), t.Outcome, text.Visible(oneLine(t.Reason, 80)))
	}
	con.printf("\n")
	for _, d := range v.Domains {
		con.printf("  %-16s %s\n", text.Visible(d.Domain), d.words(count(d.Tasks, "task")))
	}
	con.printf("  %-16s %s", "all", v.words(count(v.Scored, "search task")))
	if v.Missing > 0 {
		con.printf(", %d missing", v.Missing)
	}
	con.printf("\n")
	for _, p := range v.PassPowers {
		con.printf("  pass^%-11d %s  [%s, %s] all %s of a task pass, over %s\n", p.K, number.Score(p.Value), number.Score(p.Lo), number.Score(p.Hi), count(p.K, "run"), count(p.Tasks, "task"))
	}
}
