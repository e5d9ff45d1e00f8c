package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/metrics"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/batch/coding"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/runtime/agent"
)

// compareView is the output of `evolve compare --json`.
type compareView struct {
	Agent   string           `json:"agent"`
	A       agent.ConfigID   `json:"a"`
	B       agent.ConfigID   `json:"b"`
	Changes []archive.Change `json:"changes"`
	// Search has the descriptive interval with clusters as units. Holdout has an interval
	// that is valid at any stopping time, the result for new tasks, the guards and the
	// domains.
	Search  *stats.Comparison `json:"search"`
	Holdout *stats.Ruling     `json:"holdout"`
	// PassPowers holds the values of pass^k on the shared repeats, by side of the split,
	// for each k from 1.
	PassPowers map[string]passPowers `json:"pass_powers,omitempty"`
	// Units describes the source of the tasks' clusters and weights.
	Units string `json:"units"`

	// fixed reports whether all evaluations of a task were compared, whatever their repeats
	// and seeds, because the agent always gives the same answer.
	fixed bool
}

// passPowers holds the values of pass^k for both variants.
type passPowers struct {
	A []stats.Reliability `json:"a"`
	B []stats.Reliability `json:"b"`
}

// The sources of the clusters and weights of tasks in a comparison.
const (
	unitsOfSuites = "suites"
	unitsOfTasks  = "tasks" // each task is its own unit, with weight 1
)

func compareCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "compare", Usage: "compare two variants, pairing their evaluations by task", ArgsUsage: "A B",
		Description: "The difference is B − A. A pair has the same task, repeat and seed; for an agent that always gives the same answer, it has only the same task. Results on search tasks are biased in favour of variants tuned on them; results on the holdout are not.",
		Flags:       []cli.Flag{agentFlag()},
		Action: func(c *cli.Context) error {
			return reading(sh, c, func(_ string, a *archive.Archive) error {
				id, one, err := namedVariant(c, a)
				if err != nil {
					return err
				}
				two, err := findVariant(c, a, id, c.Args().Get(1))
				if err != nil {
					return err
				}
				if one.ID == two.ID {
					return exit.Misuse(fmt.Errorf("%s and %s are the same variant", c.Args().Get(0), c.Args().Get(1)))
				}
				view, err := compareVariants(c.Context, a, one, two, basisOf(sh, c, id))
				if err != nil {
					return err
				}
				return sh.show(view, func() { printComparison(sh.console, view, one, two) })
			})
		},
	}
}

// comparisonBasis is the basis on which recorded evaluations of an agent are compared.
type comparisonBasis struct {
	// tasks holds the tasks in the agent's suites, keyed by id, with their clusters and
	// weights; it is nil if the tasks are not known.
	tasks map[string]*bench.Task
	// rule is the statistical rule of the agent's nightly runs. With it, a comparison by
	// hand claims no more than the confirmation in a nightly run would.
	rule stats.Rule
	// runs holds the ids of the runs whose evaluations are compared; nil means all runs.
	runs []string
}

// basisOf returns the basis for comparing an agent's variants. If the workspace cannot be
// loaded, the basis has no tasks, and its rule is the default.
func basisOf(sh *shell, c *cli.Context, agentID string) comparisonBasis {
	w, err := sh.load(c)
	if err != nil {
		w = nil
	}
	return basisIn(w, agentID)
}

// basisIn is like basisOf for a given workspace, which is nil if it cannot be loaded.
func basisIn(w *workspace.Workspace, agentID string) comparisonBasis {
	rule := stats.Rule{Alpha: stats.Monthly().Alpha(), Guards: stats.DefaultBounds()}
	if w == nil {
		return comparisonBasis{rule: rule}
	}
	configured, ok := w.Agent(agentID)
	if t, target := w.Settings.Patches.Target(agentID); !ok && target {
		if configured, ok = w.Agent(t.Agent); !ok || w.OwnCode(t.Agent) != agentID {
			configured, ok = &workspace.Agent{ID: agentID, Guards: coding.Guards()}, true // each case of the target is its own cluster
		}
	}
	if !ok {
		return comparisonBasis{rule: rule}
	}
	return comparisonBasis{tasks: tasksOf(w.SuitesOf(configured)...), rule: stats.Rule{Alpha: w.Settings.Confirm.Control().Alpha(), Guards: w.Bounds(configured)}}
}

// tasksOf returns the tasks of suites, keyed by id.
func tasksOf(suites ...*bench.Suite) map[string]*bench.Task {
	out := map[string]*bench.Task{}
	for _, suite := range suites {
		for i := range suite.Tasks {
			out[suite.Tasks[i].ID] = &suite.Tasks[i]
		}
	}
	return out
}

// meeting identifies a pair of compared evaluations by what they have in common. If all
// evaluations of a task give the same score, repeat and seed are 0.
type meeting struct {
	task    string
	repeat  int
	seed    int64
	holdout bool
}

// compareVariants compares two variants over the runs of the basis: it pairs evaluations
// that have the same task, repeat and seed. If the agent always gives the same answer, it
// pairs one evaluation of each task, whatever its repeat, seed and stage.
func compareVariants(ctx context.Context, a *archive.Archive, one, two archive.Variant, basis comparisonBasis) (compareView, error) {
	tasks, rule := basis.tasks, basis.rule
	view := compareView{Agent: one.Agent, A: one.ID, B: two.ID, Units: unitsOfSuites}
	if tasks == nil {
		view.Units = unitsOfTasks
	}
	names := maps.Clone(one.Config)
	maps.Copy(names, two.Config)
	view.Changes = review.Changes(slices.Sorted(maps.Keys(names)), one.Config, two.Config)
	plan, err := lastPlan(ctx, a, one.Agent, basis.runs)
	if err != nil {
		return view, err
	}
	view.fixed = plan.Exact()
	met, order, nights, err := meetings(ctx, a, one, two, basis.runs, view.fixed)
	if err != nil {
		return view, err
	}
	rule.Fixed, rule.Metric = plan.Fixed(), plan.Metric
	rule.Even = rule.Metric != nil && one.ID == plan.Champion
	search, holdout := newPairing(tasks, rule.Metric), newPairing(tasks, rule.Metric)
	for _, k := range order {
		side := search
		if k.holdout {
			side = holdout
		}
		if pair := met[k]; pair[0] != nil && pair[1] != nil {
			side.add(pair[0], pair[1], nights[k])
		}
	}
	view.PassPowers = map[string]passPowers{}
	for name, side := range map[string]*pairing{"search": search, "holdout": holdout} {
		if p := side.passPowers(); len(p.A) > 1 {
			view.PassPowers[name] = p
		}
	}
	if len(search.list) > 0 {
		compare := stats.Compare
		if rule.Even {
			compare = stats.CompareEven
		}
		comparison := compare(search.list, 0.95)
		view.Search = &comparison
	}
	if len(holdout.list) == 0 {
		return view, nil
	}
	if plan.Deterministic { // the latency of such an agent is not measured reliably
		rule.Guards = slices.DeleteFunc(rule.Guards, func(b stats.Bound) bool { return b.Name == stats.Latency })
	}
	ruling := stats.Judge(string(two.ID), holdout.list, rule)
	view.Holdout = &ruling
	return view, nil
}

// meetings pairs evaluations of two variants if they have the same task, repeat and seed,
// which form the key of the pair. It returns the pairs by key, the keys in the order of
// the records, and the number of the run for each key. runs holds the ids of the runs
// that are read; nil means all runs. If fixed is set, any two evaluations of a task form
// a pair; otherwise the reruns, which have repeats of their own, are left out.
func meetings(ctx context.Context, a *archive.Archive, one, two archive.Variant, runs []string, fixed bool) (met map[meeting][2]*bench.Evaluation, order []meeting, nights map[meeting]int, err error) {
	met, nights = map[meeting][2]*bench.Evaluation{}, map[meeting]int{}
	for r, err := range a.Runs(ctx) {
		if err != nil {
			return nil, nil, nil, fmt.Errorf("reading the runs: %w", err)
		}
		if runs != nil && !slices.Contains(runs, r.ID) {
			continue
		}
		for e, err := range a.Evaluations(ctx, r.ID, one.Agent) {
			if err != nil {
				return nil, nil, nil, fmt.Errorf("reading the evaluations: %w", err)
			}
			if e.Variant != one.ID && e.Variant != two.ID || e.Stage == bench.StageAA && !fixed {
				continue
			}
			k := meeting{e.Task, e.Repeat, e.Seed, e.Split == bench.Holdout}
			if fixed {
				k.repeat, k.seed = 0, 0
			}
			pair, known := met[k]
			if !known {
				order = append(order, k)
			}
			side := 0
			if e.Variant == two.ID {
				side = 1
			}
			if pair[side] == nil || !pair[side].Scored && e.Scored {
				pair[side], nights[k] = &e, r.Number
			}
			met[k] = pair
		}
	}
	return met, order, nights, nil
}

// lastPlan returns the last plan of an agent in the given runs, or in all runs if runs is
// nil. It returns an empty plan if there is none.
func lastPlan(ctx context.Context, a *archive.Archive, agentID string, runs []string) (archive.AgentPlan, error) {
	for r, err := range a.Runs(ctx) {
		if err != nil {
			return archive.AgentPlan{}, fmt.Errorf("reading the runs: %w", err)
		}
		if !slices.Contains(r.Agents, agentID) || runs != nil && !slices.Contains(runs, r.ID) {
			continue
		}
		plan, err := a.Plan(ctx, r.ID, agentID)
		if err != nil {
			continue // the run ended before it had a plan
		}
		return plan, nil
	}
	return archive.AgentPlan{}, nil
}

// pairing collects the pairs of each task.
type pairing struct {
	tasks map[string]*bench.Task
	// metric is the metric of the scores; it is nil if there is none.
	metric *metrics.Kind
	at     map[string]int
	list   []stats.Pair
	// tries counts, for each element of list, the passes of both sides on its task. As in
	// the ruling, a run without a score for one side counts as failed on that side.
	tries [2][]stats.Tries
}

func newPairing(tasks map[string]*bench.Task, metric *metrics.Kind) *pairing {
	return &pairing{tasks: tasks, metric: metric, at: map[string]int{}}
}

func (p *pairing) add(a, b *bench.Evaluation, night int) {
	if !a.Scored && !b.Scored {
		return
	}
	i, known := p.at[a.Task]
	if !known {
		i = len(p.list)
		p.at[a.Task] = i
		pair := stats.Pair{Task: a.Task, Domain: a.Domain, Cluster: a.Task, Weight: 1}
		if t := p.tasks[a.Task]; t != nil {
			pair.Cluster, pair.Weight = t.Unit(), t.Importance()
		}
		p.list = append(p.list, pair)
		p.tries[0], p.tries[1] = append(p.tries[0], stats.Tries{}), append(p.tries[1], stats.Tries{})
	}
	for side, e := range []*bench.Evaluation{a, b} {
		t := &p.tries[side][i]
		if t.Made++; e.Scored && e.Pass {
			t.Passed++
		}
	}
	pair := &p.list[i]
	switch {
	case !b.Scored:
		pair.AloneA = append(pair.AloneA, a.Score)
		return
	case !a.Scored:
		pair.AloneB = append(pair.AloneB, b.Score)
		return
	}
	pair.A, pair.B, pair.Nights = append(pair.A, a.Score), append(pair.B, b.Score), append(pair.Nights, night)
	pair.FailedA, pair.FailedB = append(pair.FailedA, !a.Outcome.Gradable()), append(pair.FailedB, !b.Outcome.Gradable())
	if p.metric != nil {
		pair.Values.A, pair.Values.B = append(pair.Values.A, p.metric.Find(a.Answer)), append(pair.Values.B, p.metric.Find(b.Answer))
		pair.Further = stats.AddFurther(pair.Further, p.metric.FindFurther(a.Answer), p.metric.FindFurther(b.Answer))
	}
	pair.CostA, pair.CostB = append(pair.CostA, a.Usage.CostUSD), append(pair.CostB, b.Usage.CostUSD)
	for _, m := range bench.Metrics()[2:] {
		if pair.Other == nil {
			pair.Other = map[string]stats.Measured{}
		}
		was := pair.Other[m.Name]
		pair.Other[m.Name] = stats.Measured{A: append(was.A, m.Of(a)), B: append(was.B, m.Of(b))}
	}
	pair.LatencyA, pair.LatencyB = append(pair.LatencyA, a.AnswerSeconds()), append(pair.LatencyB, b.AnswerSeconds())
}

// passPowers returns the values of pass^k for both sides.
func (p *pairing) passPowers() passPowers {
	return passPowers{A: stats.PassPowers(p.tries[0]), B: stats.PassPowers(p.tries[1])}
}
