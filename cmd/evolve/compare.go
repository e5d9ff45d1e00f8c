package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/decide"
	"evolve/reports"
	"evolve/runtime/agent"
)

// compareView is `evolve compare --json`.
type compareView struct {
	Agent   string            `json:"agent"`
	A       agent.ConfigID    `json:"a"`
	B       agent.ConfigID    `json:"b"`
	Changes []archive.Change  `json:"changes"`
	Search  *stats.Comparison `json:"search"`
	Holdout *stats.Comparison `json:"holdout"`
}

func (sh *shell) compareCommand() *cli.Command {
	return &cli.Command{
		Name: "compare", Usage: "two variants on the evaluations they share, paired by task", ArgsUsage: "A B",
		Description: "The difference is B − A. Search tasks flatter what was tuned on them; the holdout does not.",
		Flags:       []cli.Flag{agentFlag()},
		Action: func(c *cli.Context) error {
			return sh.reading(c, func(a *archive.Archive) error {
				id, err := agentOf(c, a)
				if err != nil {
					return err
				}
				one, err := findVariant(c, a, id, c.Args().Get(0))
				if err != nil {
					return err
				}
				two, err := findVariant(c, a, id, c.Args().Get(1))
				if err != nil {
					return err
				}
				if one.ID == two.ID {
					return usage(fmt.Errorf("%s and %s are the same variant", c.Args().Get(0), c.Args().Get(1)))
				}
				view, err := compareVariants(c, a, one, two)
				if err != nil {
					return err
				}
				if c.Bool("json") {
					return sh.printJSON(view)
				}
				sh.printComparison(view, one, two)
				return nil
			})
		},
	}
}

// compareVariants pairs what both variants have in common: same task, repeat and
// seed, over all runs.
func compareVariants(c *cli.Context, a *archive.Archive, one, two archive.Variant) (compareView, error) {
	view := compareView{Agent: one.Agent, A: one.ID, B: two.ID}
	names := maps.Clone(one.Config)
	maps.Copy(names, two.Config)
	view.Changes = decide.Changes(slices.Sorted(maps.Keys(names)), one.Config, two.Config)
	type cell struct {
		task   string
		repeat int
		seed   int64
		stage  bool // of the confirmation
	}
	cells := map[cell][2]*bench.Evaluation{}
	var order []cell
	for r, err := range a.Runs(c.Context) {
		if err != nil {
			return view, fmt.Errorf("reading the runs: %w", err)
		}
		for e, err := range a.Evaluations(c.Context, r.ID, one.Agent) {
			if err != nil {
				return view, fmt.Errorf("reading the evaluations: %w", err)
			}
			if !e.Scored || (e.Variant != one.ID && e.Variant != two.ID) || e.Stage == bench.StageAA {
				continue
			}
			k := cell{e.Task, e.Repeat, e.Seed, e.Split == bench.Holdout}
			pair, known := cells[k]
			if !known {
				order = append(order, k)
			}
			if side := sideOf(e.Variant == two.ID); pair[side] == nil {
				pair[side] = &e
			}
			cells[k] = pair
		}
	}
	for _, holdout := range []bool{false, true} {
		by := map[string]int{}
		var list []stats.Pair
		for _, k := range order {
			pair := cells[k]
			if k.stage != holdout || pair[0] == nil || pair[1] == nil {
				continue
			}
			at, ok := by[k.task]
			if !ok {
				at = len(list)
				by[k.task] = at
				list = append(list, stats.Pair{Task: k.task, Domain: pair[0].Domain, Cluster: k.task, Weight: 1})
			}
			list[at].A = append(list[at].A, pair[0].Score)
			list[at].B = append(list[at].B, pair[1].Score)
		}
		if len(list) == 0 {
			continue
		}
		comparison := stats.Compare(list, 0.95)
		if holdout {
			view.Holdout = &comparison
		} else {
			view.Search = &comparison
		}
	}
	return view, nil
}

func sideOf(second bool) int {
	if second {
		return 1
	}
	return 0
}

func (sh *shell) printComparison(v compareView, one, two archive.Variant) {
	out := func(format string, args ...any) { _, _ = fmt.Fprintf(sh.stdout, format, args...) }
	out("v%d → v%d of %s\n\n", one.Number, two.Number, reports.Visible(v.Agent))
	printChanges(sh.stdout, v.Changes, 26)
	out("\n")
	for _, side := range []struct {
		name string
		c    *stats.Comparison
	}{{"search", v.Search}, {"holdout", v.Holdout}} {
		if side.c == nil {
			out("  %-8s no task has evaluations of both\n", side.name)
			continue
		}
		out("  %-8s %.3f → %.3f   %s points  [%s, %s]   %s × %d   %d better, %d worse, %d equal",
			side.name, side.c.MeanA, side.c.MeanB, points(side.c.Difference), points(side.c.Lo), points(side.c.Hi),
			count(side.c.Tasks, "task"), side.c.Repeats, side.c.Wins, side.c.Losses, side.c.Ties)
		if side.c.Lo <= 0 && side.c.Hi >= 0 {
			out("   ~ no significant difference")
		}
		out("\n")
	}
}
