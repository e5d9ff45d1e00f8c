package contest

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"evolve/runtime/agent"
)

// Contestant is a search with its settings.
type Contestant struct {
	// Name is unique and includes settings, as in "tpe:5".
	Name string
	// About is a one-line description for the legend.
	About string
	// Play spends the budget of the desk and recommends a config.
	Play func(*Desk) (Outcome, error)
	// Peer reports whether the contestant is a search other than the project's own.
	Peer bool
	// External contestants run in a separate process and take longer.
	External bool
}

// Outcome is the result that a contestant returns.
type Outcome struct {
	Config agent.Config
	// Claimed is the contestant's own estimate of the score of Config.
	Claimed float64
	// Finalists are the configs that the contestant would confirm on other tasks. Baseline
	// is the best config of the contestant's own random search; nil if it has none.
	Finalists []agent.Config
	Baseline  agent.Config
	// Seconds is the CPU time that was spent in separate processes.
	Seconds float64
}

// Ours is the name of the project's searcher with its default settings.
const Ours = "ours"

// Field returns the contestants for a budget: ours, and each peer with the best settings
// found. For the peers written in Go, the setting is the number of tasks on which a
// config is first tried. The best of 1, 3, 5, 10, 20 and all tasks (for the peer named
// genetic, the best of 1, 2, 4 and 8) was determined on ten problems of each family at
// that budget, or on three at 10,000. Optuna's setting is the best of 1, 2, 3 and 5 tasks
// per trial, either the same or rotating, as determined on ten problems at 500. With
// larger budgets, Optuna's trials get more tasks, because the time of its samplers grows
// faster than the number of trials.
func Field(budget int) []string {
	field := []string{Ours, "random:1", "halving:1", "genetic:1", "tpe:3r", "nsga2:3r", "irace"}
	if budget > 1000 {
		field[1], field[4] = "random:3", "tpe:5r"
	}
	if budget > 5000 {
		field[1], field[4], field[5] = "random:5", "tpe:20r", "nsga2:5r"
	}
	return field
}

// Lookup returns a contestant by name. For random search, successive halving, the genetic
// search, TPE and NSGA-II, the setting after the colon is the number of tasks on which a
// config is first tried. "all" stands for all tasks, and an "r" after the number means that
// trials rotate through the tasks. "ours" may be followed by the number of evaluations in
// flight ("ours:64") or by a parent selection ("ours:dgm"); it gets the results of the
// problem's earlier night if there is one. "history" is followed by what the search gets
// from earlier nights ("history:none").
//
// The error is ErrMissing for a peer that is not installed.
func Lookup(ctx context.Context, name string) (Contestant, error) {
	kind, setting, _ := strings.Cut(name, ":")
	c := Contestant{Name: name, Peer: kind != Ours}
	if kind == Ours {
		inFlight, selection := 1, setting
		if n, err := strconv.Atoi(setting); err == nil {
			inFlight, selection = n, ""
		}
		if inFlight < 1 {
			return c, fmt.Errorf("contestant %q: at least one evaluation is in flight", name)
		}
		c.About = fmt.Sprintf("the searcher of package mutate, %d in flight, parents by %s", inFlight, cmp.Or(selection, "its default"))
		c.Play = func(d *Desk) (Outcome, error) { return ours(d, inFlight, selection, changed) }
		return c, nil
	}
	if kind == "history" {
		return withHistory(c, setting)
	}
	if kind == "irace" && setting == "" {
		c.External = true
		c.About, c.Play = "irace, tasks as instances, its own racing, the default among the initial configurations", irace
		_, err := iraceVersion(ctx)
		return c, err
	}
	number, rotates := strings.CutSuffix(setting, "r")
	few, err := strconv.Atoi(number)
	if setting == "all" {
		few, err = 0, nil
	}
	if err != nil || few < 0 {
		return c, fmt.Errorf("contestant %q: a number of tasks or \"all\" is to follow the colon", name)
	}
	switch kind {
	case "random":
		c.About = "uniform configs on few tasks with half the budget, the best raced with the rest"
		c.Play = func(d *Desk) (Outcome, error) { return randomSearch(d, few), nil }
	case "halving":
		c.About = "successive halving by three over growing sets of common tasks"
		c.Play = func(d *Desk) (Outcome, error) { return halving(d, few), nil }
	case "genetic":
		c.About = "NSGA-II-like: tournaments, uniform crossover, polynomial mutation, elitism on re-evaluated means, final race"
		c.Play = func(d *Desk) (Outcome, error) { return genetic(d, few), nil }
	case "tpe", "nsga2":
		c.About = "Optuna's " + kind + ", several tasks a trial, the default as first trial, final race of the best trials"
		program, _, err := python(ctx)
		c.External = true
		c.Play = func(d *Desk) (Outcome, error) { return optuna(d, program, kind, few, rotates) }
		return c, err
	default:
		return c, fmt.Errorf("there is no contestant %q", kind)
	}
	return c, nil
}
