package contest

import (
	"context"
	_ "embed" // for embedding the script
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"evolve/runtime/agent"
)

//go:embed testdata/irace.R
var iraceScript string

// iraceVersion returns the version of the R package irace.
func iraceVersion(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "Rscript", "-e", `suppressMessages({library(irace); library(jsonlite)}); cat(as.character(packageVersion("irace")))`).Output()
	if err != nil {
		return "", fmt.Errorf("irace %w (the distribution's packages are r-cran-irace and r-cran-jsonlite)", ErrMissing)
	}
	return string(out), nil
}

// iraceJob is the first message sent to the script.
type iraceJob struct {
	Dimensions []dimension `json:"dimensions"`
	Default    []*float64  `json:"default"`
	Instances  int         `json:"instances"`
	Budget     int         `json:"budget"`
	// Money reports whether the budget is an amount of cost, which irace calls time,
	// instead of a number of evaluations.
	Money         bool   `json:"money"`
	Seed          int64  `json:"seed"`
	Deterministic int    `json:"deterministic"`
	Test          string `json:"test"`
	First         int    `json:"first"`
}

// irace runs irace with the positions in the deck as instances.
func irace(d *Desk) (Outcome, error) {
	dir, err := os.MkdirTemp("", "irace")
	if err != nil {
		return Outcome{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system removes whatever remains
	s, err := start(context.Background(), dir, "Rscript", "-e", iraceScript)
	if err != nil {
		return Outcome{}, err
	}
	c := newChart(d.Problem.Space)
	job := iraceJob{
		Dimensions: c.dimensions, Default: c.activeOnly(c.encode(d.Problem.Default())), Instances: len(d.deck),
		Budget: d.Budget, Money: d.unit > 0, Seed: d.Seed + 1, Test: "t-test", First: 5,
	}
	if d.Problem.Fixed || d.Problem.Measured != nil {
		job.Deterministic = 1
	}
	first, err := json.Marshal(job)
	if err != nil {
		return Outcome{}, err
	}
	if err := s.say(string(first)); err != nil {
		return Outcome{}, err
	}
	till := till{d, map[agent.ConfigID]*contender{}}
	best, err := races(till, s, c)
	seconds, ended := s.end()
	if err := errors.Join(err, ended); err != nil {
		return Outcome{}, err
	}
	out := Outcome{Config: c.decode(best), Seconds: seconds}
	if mean := till.means[out.Config.ID()]; mean != nil {
		out.Claimed = mean.mean()
	}
	return out, nil
}

// races evaluates the configs that the script requests, until the script returns its best
// config.
func races(till till, s *script, c chart) (genome, error) {
	for {
		line, ok := s.hear()
		if !ok {
			return nil, errors.New("the script ended early")
		}
		words := strings.Fields(line)
		values := words[max(0, len(words)-len(c.dimensions)):]
		g := make(genome, len(c.dimensions))
		for k, v := range values {
			x, err := strconv.ParseFloat(v, 64)
			switch {
			case v == "-" && c.dimensions[k].Type != "list":
				x = c.dimensions[k].Low
			case v != "-" && err != nil:
				return nil, fmt.Errorf("the script said %.200q", line)
			}
			g[k] = x
		}
		if words[0] == "best" {
			return g, nil
		}
		place, err := strconv.Atoi(words[1])
		if err != nil {
			return nil, fmt.Errorf("the script said %.200q", line)
		}
		answer, err := till.sell(c.decode(g), till.desk.dealt(place-1))
		if err != nil {
			return nil, err
		}
		if err := s.say(answer); err != nil {
			return nil, err
		}
	}
}

// till represents the seller of evaluations to irace. For each evaluation it reports the
// score, and the cost as a number of evaluations.
type till struct {
	desk *Desk
	// means contains the scores of configs so far.
	means map[agent.ConfigID]*contender
}

// sell evaluates a config. Because irace only estimates how many evaluations the money
// buys, it may request a few more than that. For these, sell returns the mean of the
// config's scores so far.
func (t till) sell(c agent.Config, task int) (string, error) {
	mean := t.means[c.ID()]
	if mean == nil {
		mean = &contender{}
		t.means[c.ID()] = mean
	}
	before := t.desk.usd
	r, ok := t.desk.buy(c, task, -1)
	switch {
	case ok:
		mean.sum, mean.n = mean.sum+r.Score, mean.n+1
		cost := 1.0
		if t.desk.unit > 0 {
			cost = (t.desk.usd - before) / t.desk.unit
		}
		return fmt.Sprint(r.Score, " ", cost), nil
	case t.desk.unit > 0:
		return fmt.Sprint(mean.mean(), " ", 1), nil
	}
	return "", errors.New("irace wants more than its budget")
}

// activeOnly returns the values of a genome, with nil for inactive dimensions.
func (c chart) activeOnly(g genome) []*float64 {
	values := make([]*float64, len(g))
	for k, d := range c.dimensions {
		active := true
		for _, n := range d.Needs {
			met := false
			for _, v := range n.Values {
				met = met || values[n.Dimension] != nil && *values[n.Dimension] == v
			}
			active = active && met
		}
		if active {
			values[k] = &g[k]
		}
	}
	return values
}
