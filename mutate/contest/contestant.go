package contest

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"evolve/runtime/agent"
)

// Contestant is a search in a set-up.
type Contestant struct {
	// Name is unique, set-up included, such as "tpe:5".
	Name string
	// About says what it is in one line, for the legend.
	About string
	// Play spends the desk's budget and recommends a config.
	Play func(*Desk) (Outcome, error)
	// Peer is false for the project's own searcher.
	Peer bool
	// External ones run in a process of their own and take their time.
	External bool
}

// Outcome is what a contestant comes back with.
type Outcome struct {
	Config agent.Config
	// Seconds of processor time in processes of its own.
	Seconds float64
}

// Ours is the name of the project's searcher as it is by default.
const Ours = "ours"

// Field is who competes at a budget: ours, and each peer in the best set-up found. Those
// of the peers in Go are the best of 1, 3, 5, 10, 20 and all tasks for a config at first
// (genetic: 1, 2, 4 and 8) on ten variants of each family at that budget, three at
// 10,000. Optuna's are the best of 1, 2, 3 and 5 tasks a trial, the same ones or rotating,
// on ten problems at 500; beyond, trials get more tasks, because the time that its
// samplers take grows faster than the number of trials.
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

// Lookup makes a contestant by name. What stands behind the colon is how many tasks a
// config is tried on at first: of random search, successive halving, the genetic search,
// TPE and NSGA-II; "all" is all of them, and "r" behind the number says that trials rotate
// through the tasks. Behind "ours": nothing, or a number in flight
// ("ours:64"), or a parent selection ("ours:dgm").
//
// A peer that is not installed is ErrMissing.
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
		c.Play = func(d *Desk) (Outcome, error) { return ours(d, inFlight, selection) }
		return c, nil
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
