//go:build unix

package e2e

import (
	"path/filepath"
	"strconv"
	"strings"

	"evolve/archive"
	"evolve/bench"
	"evolve/runtime/agent"
)

// made is an evaluation together with its config.
type made struct {
	bench.Evaluation
	config agent.Config
}

// evaluations returns the evaluations of the latest run, keyed by agent and index in the
// run.
func (p place) evaluations() map[string]made {
	p.t.Helper()
	return p.configured(p.mustLook())
}

// configured adds the configs to the evaluations of a view.
func (p place) configured(seen view) map[string]made {
	p.t.Helper()
	if len(seen.evaluations) == 0 {
		return nil
	}
	ctx := p.t.Context()
	a, err := archive.OpenRead(filepath.Join(p.root, ".evolve", "archive"))
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			p.t.Error(err)
		}
	}()
	out := map[string]made{}
	for id, e := range seen.evaluations {
		v, err := a.Variant(ctx, e.Agent, e.Variant)
		if err != nil {
			p.t.Fatal(err)
		}
		out[id] = made{e, v.Config}
	}
	return out
}

// truth returns the score that the program's answer to a task deserves.
func truth(e made) float64 {
	task, err := strconv.Atoi(strings.TrimPrefix(e.Task, "t"))
	if err != nil {
		panic(err)
	}
	reach := e.config.Int("effort", 0)*10 + int(e.Seed%21)
	if e.config.String("manner") == "careful" {
		reach += 15
	}
	if task*37%100 < reach {
		return 1
	}
	return 0
}
