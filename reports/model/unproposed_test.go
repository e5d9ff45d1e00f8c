package model

import (
	"slices"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench/stats"
)

// TestUnproposed checks the commands in decision boxes without a proposal.
func TestUnproposed(t *testing.T) {
	open := func(pairs float64) []stats.Cause {
		return []stats.Cause{{Kind: stats.CauseVetoed}, {Kind: stats.CauseOpen, Figures: map[string]float64{"more_pairs": pairs}}}
	}
	const page = "evolve report 6 --open"
	for name, c := range map[string]struct {
		verdict archive.Verdict
		causes  []stats.Cause
		change  func(*builder)
		want    []string
	}{
		"kept":                 {archive.Keep, nil, nil, []string{page, "evolve variants"}},
		"kept, of several":     {archive.Keep, nil, func(b *builder) { b.run.Agents = []string{"a b", "c"} }, []string{page, "evolve variants --agent 'a b'"}},
		"more pairs":           {archive.Undecided, open(1067), nil, []string{"evolve run --budget-evals 4300", page}},
		"enough for the pairs": {archive.Undecided, open(100), nil, []string{"evolve run", page}},
		"very many pairs":      {archive.Undecided, open(1e6), nil, []string{"evolve run", page}},
		"unknown pairs":        {archive.Undecided, open(0), nil, []string{"evolve run", page}},
		"a limit of money":     {archive.Undecided, open(1067), func(b *builder) { b.run.BudgetUSD = 5 }, []string{"evolve run", page}},
		"a limit of time":      {archive.Undecided, open(1067), func(b *builder) { b.run.BudgetTime = time.Hour }, []string{"evolve run", page}},
		"shared":               {archive.Undecided, open(1067), func(b *builder) { b.run.Agents = []string{"a", "b"} }, []string{"evolve run", page}},
		"an older run":         {archive.Undecided, open(1067), func(b *builder) { b.latest = false }, []string{page}},
		"no room":              {archive.Undecided, []stats.Cause{{Kind: stats.CauseNoBudget}}, nil, []string{"evolve run --dry-run", page}},
		"too few tasks":        {archive.Undecided, []stats.Cause{{Kind: stats.CauseHereOnly}}, nil, []string{"evolve doctor", page}},
		"no confirmation left": {archive.Undecided, []stats.Cause{{Kind: stats.CauseNoEntry}}, nil, []string{"evolve status", page}},
		"a search cut short":   {archive.Undecided, []stats.Cause{{Kind: stats.CauseSearchCut}}, nil, []string{"evolve run", page}},
		"none recorded":        {"", nil, nil, []string{"evolve report 6"}},
	} {
		b := &builder{latest: true, finished: true}
		b.run.Agents, b.run.BudgetEval = []string{"a b"}, 1000
		b.out.Agent, b.out.Decision.Verdict = "a b", c.verdict
		b.plan.Search, b.plan.AA, b.plan.Ablate, b.plan.Confirm = 400, 40, 60, 500
		b.result.Causes = c.causes
		if c.change != nil {
			c.change(b)
		}
		if got := b.unproposed("6"); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
