package night

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/mutate"
	"evolve/mutate/evidence"
	"evolve/runtime/agent"
)

// months simulates many nights of one agent whose answers are random, with a clock that
// only the test advances.
type months struct {
	*nights
	t   *testing.T
	now time.Time
}

// newMonths returns months with the given number of tasks, half of them in the holdout, and
// with nights whose confirmations can pay for the given number of blocks.
func newMonths(t *testing.T, tasks, blocks int) *months {
	t.Helper()
	m := &months{nights: newNights(t, tasks), t: t, now: time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)}
	a := &m.Agent
	a.UsesSeed = true
	a.Space = agent.Space{Params: []agent.Param{
		{Name: "chance", Kind: agent.Float, Min: 0, Max: 1, Default: .5},
		{Name: "price", Kind: agent.Float, Min: 0, Max: 10, Default: 0.},
		{Name: "n", Kind: agent.Int, Min: 0, Max: 100, Default: int64(0)},
	}}
	a.Known, a.Champion = a.Space, a.Space.Default()
	m.Answer, m.Now = coin, func() time.Time { return m.now }
	m.Evaluations = int(float64(blocks*tasks)/m.Settings.Confirm.Share) + 1 // a block is 2 × half of the tasks
	return m
}

// coin succeeds with the chance in its config, independently in every evaluation.
func coin(_ context.Context, req agent.Request) agent.Result {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, req.Seed, "t"+string(req.Task.Input), req.Config.ID())
	x := h.Sum64() // mix, so that the last bytes change the first bits
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	answer := "no"
	if float64(x>>11)/(1<<53) < req.Config.Float("chance", 0) {
		answer = "yes"
	}
	return agent.Result{Answer: &answer, Outcome: agent.OK, Usage: agent.Usage{CostUSD: req.Config.Float("price", 0)}}
}

// variant returns the champion with some values replaced.
func (m *months) variant(values agent.Config) agent.Config {
	c := agent.Config{}
	for k, v := range m.Agent.Champion {
		c[k] = v
	}
	for k, v := range values {
		c[k] = v
	}
	return c
}

// found returns the recommendation of a search that found these variants with the given
// gain.
func (m *months) found(gain float64, variants ...agent.Config) *mutate.Recommendation {
	champion := m.Agent.Champion
	rec := &mutate.Recommendation{Champion: mutate.Estimate{Variant: champion.ID(), Config: champion, Score: champion.Float("chance", 0)}}
	for _, v := range variants {
		rec.Finalists = append(rec.Finalists, mutate.Estimate{
			Variant: v.ID(), Config: v, Score: rec.Champion.Score + gain, Gain: gain, SD: gain / 4, Parents: []agent.ConfigID{champion.ID()},
		})
	}
	return rec
}

// confirm runs a night without its search, as if the search had recommended rec.
func (m *months) confirm(ctx context.Context, rec *mutate.Recommendation) (archive.AgentResult, error) {
	m.t.Helper()
	n := m.start(m.t)
	n.result.SearchDone = true
	for _, e := range append([]mutate.Estimate{rec.Champion}, rec.Finalists...) {
		if err := n.putVariant(ctx, archive.Variant{ID: e.Variant, Config: e.Config, Operator: "test"}, nil); err != nil {
			m.t.Fatal(err)
		}
	}
	if err := m.Archive.Flush(ctx); err != nil {
		m.t.Fatal(err)
	}
	n.limitStage(1)
	ended := n.confirm(ctx, rec)
	ctx = context.WithoutCancel(ctx)
	if err := m.Archive.PutResult(ctx, n.result); err != nil {
		m.t.Fatal(err)
	}
	m.finish(m.t, *n.Run, ended)
	// In every case the night's rulings must follow from the stored evaluations.
	if c, err := evidence.Check(ctx, m.Archive, n.result); err != nil || c.Recomputed < len(n.result.Finalist) {
		m.t.Errorf("run %s computed again: %+v, %v", n.Run.ID, c, err)
	}
	return n.result, ended
}

// night runs a complete night and moves the clock to the next day.
func (m *months) night(rec *mutate.Recommendation) archive.AgentResult {
	m.t.Helper()
	result, err := m.confirm(m.t.Context(), rec)
	if err != nil {
		m.t.Fatal(err)
	}
	m.now = m.now.AddDate(0, 0, 1)
	return result
}

func (m *months) entries() []archive.Candidate {
	m.t.Helper()
	return listed(m.t, m.Archive.Candidates(m.t.Context(), "toy"))
}

func listed[T any](t *testing.T, seq func(func(T, error) bool)) []T {
	t.Helper()
	var out []T
	for v, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// kinds returns the kinds of the ledger entries about candidates.
func (m *months) kinds() []string {
	m.t.Helper()
	var out []string
	for _, e := range listed(m.t, m.Archive.Ledger(m.t.Context(), 0)) {
		if strings.HasPrefix(e.Kind, "confirm.") {
			out = append(out, e.Kind)
		}
	}
	return out
}
