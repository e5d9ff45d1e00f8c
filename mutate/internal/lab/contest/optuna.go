package contest

import (
	"context"
	_ "embed" // for embedding the script
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"strings"
)

//go:embed testdata/optuna.py
var optunaScript string

// ErrMissing means that a peer is not installed.
var ErrMissing = errors.New("is not installed")

// interpreters are the interpreters that may have a distribution's Optuna package.
var interpreters = []string{"python3", "/usr/bin/python3"}

// python returns the path of a Python interpreter that has Optuna, and Optuna's version.
func python(ctx context.Context) (path, version string, err error) {
	for _, path := range interpreters {
		out, err := exec.CommandContext(ctx, path, "-c", "import optuna; print(optuna.__version__)").Output()
		if err == nil {
			return path, strings.TrimSpace(string(out)), nil
		}
	}
	return "", "", fmt.Errorf("optuna %w (the distribution's package is python3-optuna)", ErrMissing)
}

// optunaJob is the first message sent to the script.
type optunaJob struct {
	Sampler      string      `json:"sampler"`
	Multivariate bool        `json:"multivariate"`
	Population   int         `json:"population"`
	Seed         int64       `json:"seed"`
	Dimensions   []dimension `json:"dimensions"`
	Default      genome      `json:"default"`
}

// optuna runs an Optuna sampler with few tasks per trial, and races the best trials with
// the last third of the budget. All trials use the same tasks or, if rotates is set, each
// group of trials uses the next tasks in the deck.
func optuna(d *Desk, program, sampler string, few int, rotates bool) (Outcome, error) {
	s, err := start(context.Background(), "", program, "-c", optunaScript)
	if err != nil {
		return Outcome{}, err
	}
	few = d.few(few)
	c := newChart(d.Problem.Space)
	job := optunaJob{
		Sampler: sampler, Multivariate: true, Population: max(10, int(math.Sqrt(float64(d.Budget))/2)),
		Seed: d.Seed, Dimensions: c.dimensions, Default: c.encode(d.Problem.Default()),
	}
	first, err := json.Marshal(job)
	if err != nil {
		return Outcome{}, err
	}
	if err := s.say(string(first)); err != nil {
		return Outcome{}, err
	}
	group := 0
	if rotates {
		group = 1
		if sampler == "nsga2" {
			group = job.Population
		}
	}
	list, err := trials(d, s, c, few, group)
	seconds, ended := s.end()
	if err := errors.Join(err, ended); err != nil {
		return Outcome{}, err
	}
	out := d.race(list).outcome()
	out.Seconds = seconds
	return out, nil
}

// trials evaluates the configs that the script requests, until two thirds of the budget is
// spent.
func trials(d *Desk, s *script, c chart, few, group int) ([]*contender, error) {
	var list []*contender
	for {
		line, ok := s.hear()
		if !ok {
			return list, errors.New("the script ended early")
		}
		if d.spent+few > d.Budget*2/3 && len(list) > 0 {
			return list, s.say("stop")
		}
		var values []*float64
		if err := json.Unmarshal([]byte(line), &values); err != nil {
			return list, fmt.Errorf("the script said %.100q: %w", line, err)
		}
		g := make(genome, len(c.dimensions))
		for k := range g {
			if k < len(values) && values[k] != nil {
				g[k] = *values[k]
			} else if c.dimensions[k].Type != "list" {
				g[k] = c.dimensions[k].Low
			}
		}
		e := &contender{config: c.decode(g)}
		if group > 0 {
			e.from = len(list) / group * few
		}
		d.advance(e, few)
		list = append(list, e)
		if err := s.say(fmt.Sprint(e.mean())); err != nil {
			return list, err
		}
	}
}
