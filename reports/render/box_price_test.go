package render

import (
	"slices"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/reports/model"
)

// TestPriceRows checks what the box shows about the price of a gain.
func TestPriceRows(t *testing.T) {
	t.Parallel()
	tokens := func(ratio, lo, hi float64) model.Usage {
		return model.Usage{Name: "input tokens", Unit: "tokens", Champion: 1000, Variant: 1000 * ratio, Ratio: &model.Ratio{Ratio: ratio, Lo: lo, Hi: hi}}
	}
	calls := model.Usage{Name: "tool calls", Champion: 2, Variant: 3, Ratio: &model.Ratio{Ratio: 1.5, Lo: 1.4, Hi: 1.6}}
	iterations := model.Usage{Name: "iterations", Champion: 2, Variant: 3, Ratio: &model.Ratio{Ratio: 1.5, Lo: 1.4, Hi: 1.6}}
	fast, slow := &model.Latency{P50: .002, P95: .004}, &model.Latency{P50: .003, P95: .009}
	for _, c := range []struct {
		name     string
		verdict  archive.Verdict
		usage    []model.Usage
		guards   []model.Guard
		volatile model.VolatileAgent
		want     string
		unjudged []model.Unjudged
	}{
		{
			name: "a written guard that is not judged", verdict: archive.Adopt, usage: []model.Usage{tokens(1.84, 1.7, 2)}, volatile: model.VolatileAgent{Champion: fast, Variant: slow},
			unjudged: []model.Unjudged{{Name: "latency", Reason: "the agent is deterministic"}},
			want:     "input tokens 1,000 → 1,840 +84 % [+70, +100] | latency (p95) 4 ms → 9 ms (no interval) | bounds the guard on latency is not judged, because the agent is deterministic; these prices played no part in the verdict",
		},
		{
			name: "a written guard on what was not counted", verdict: archive.Adopt, guards: []model.Guard{{Name: "cost"}},
			unjudged: []model.Unjudged{{Name: "tool_calls", Reason: "neither side reported any"}},
			want:     "bounds the guard on tool calls is not judged, because neither side reported any",
		},
		{
			"a price without a bound", archive.Adopt,
			[]model.Usage{tokens(1.84, 1.7, 2)},
			nil,
			model.VolatileAgent{Champion: fast, Variant: slow, P95Ratio: &model.Ratio{Ratio: 2.25, Lo: 1.5, Hi: 3}},
			"input tokens 1,000 → 1,840 +84 % [+70, +100] | latency (p95) 4 ms → 9 ms +125 % [+50, +200] | bounds none on these prices, so they do not affect the verdict",
			nil,
		},
		{"few tasks", archive.Adopt, nil, nil, model.VolatileAgent{Champion: fast, Variant: slow}, "latency (p95) 4 ms → 9 ms (no interval) | bounds none on this price, so it does not affect the verdict", nil},
		{"chance", archive.Adopt, []model.Usage{tokens(1.84, .9, 2)}, nil, model.VolatileAgent{}, "consumed about the same; no bound is set, so consumption does not affect the verdict", nil},
		{"a small change", archive.Adopt, []model.Usage{tokens(1.01, 1.005, 1.02)}, nil, model.VolatileAgent{}, "consumed about the same; no bound is set, so consumption does not affect the verdict", nil},
		{
			"two are enough", archive.Adopt,
			[]model.Usage{tokens(1.84, 1.7, 2), calls, iterations},
			nil,
			model.VolatileAgent{},
			"input tokens 1,000 → 1,840 +84 % [+70, +100] | tool calls 2.0 → 3.0 +50 % [+40, +60] | bounds none on these prices, so they do not affect the verdict",
			nil,
		},
		{"a guard has its own row", archive.Adopt, []model.Usage{tokens(1.84, 1.7, 2)}, []model.Guard{{Name: "input tokens"}}, model.VolatileAgent{}, "", nil},
		{"no proposal", archive.Keep, []model.Usage{tokens(1.84, 1.7, 2)}, nil, model.VolatileAgent{}, "", nil},
		{"nothing was counted", archive.Adopt, nil, nil, model.VolatileAgent{}, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := subject{agent: model.Agent{Decision: model.Decision{Verdict: c.verdict}, Usage: c.usage, Guards: c.guards, Unjudged: c.unjudged}, volatile: c.volatile}
			var rows []string
			for _, r := range consumedRows(s) {
				parts := []string{r.Label}
				for _, f := range append(r.Figures, r.Note) {
					if words := f.raw(); words != "" {
						parts = append(parts, words)
					}
				}
				rows = append(rows, strings.Join(parts, " "))
			}
			if got := strings.Join(rows, " | "); got != c.want {
				t.Errorf("the price is %q, want %q", got, c.want)
			}
		})
	}
}

// TestPrice checks that the price names what gets worse or more expensive, in the words
// of the decision box.
func TestPrice(t *testing.T) {
	t.Parallel()
	usage := func(name string, ratio, lo, hi float64) model.Usage {
		return model.Usage{Name: name, Unit: "tokens", Champion: 1000, Variant: 1000 * ratio, Ratio: &model.Ratio{Ratio: ratio, Lo: lo, Hi: hi}}
	}
	fast, slow, noisy := &model.Latency{P95: .004}, &model.Latency{P95: .09}, &model.Latency{P95: .05}
	guard := model.Guard{Name: "iterations", Champion: 2, Candidate: 4, Ratio: 2, Lo: 1.9, Hi: 2.1, Most: 1.1, Verdict: "failed", Broken: true}
	for _, c := range []struct {
		name     string
		agent    model.Agent
		volatile model.VolatileAgent
		want     []string
	}{
		{
			"dearer and cheaper",
			model.Agent{Usage: []model.Usage{usage("input tokens", 1.84, 1.7, 2), usage("output tokens", .5, .4, .6)}},
			model.VolatileAgent{Champion: fast, Variant: slow},
			[]string{"price: input tokens 1,000 → 1,840 +84 % [+70, +100]", "price: latency (p95) 4 ms → 90 ms (no interval)"},
		},
		{"slower by less than the floor", model.Agent{}, model.VolatileAgent{Champion: fast, Variant: noisy}, nil},
		{"faster", model.Agent{}, model.VolatileAgent{Champion: slow, Variant: fast}, nil},
		{"a guard", model.Agent{Guards: []model.Guard{guard}}, model.VolatileAgent{}, []string{"the variant breaks a guard: iterations 2.0 → 4.0 +100 % [+90, +110], ✗ at most +10 %"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.agent.Decision.Verdict = archive.Adopt
			if got := Price(c.agent, c.volatile); !slices.Equal(got, c.want) {
				t.Errorf("the price is %q, want %q", got, c.want)
			}
		})
	}
}

// TestUnmeasuredGuard checks that a guard without any pair counts as neither kept nor
// broken.
func TestUnmeasuredGuard(t *testing.T) {
	t.Parallel()
	g := model.Guard{Name: "latency", Of: "p95", Ratio: 1, Hi: 1000, Most: 1.1, Verdict: "open"}
	s := subject{volatile: model.VolatileAgent{Guard: &g}}
	rows := guardRows(s)
	if len(rows) != 1 || len(rows[0].Figures) > 0 || rows[0].Price != "" || rows[0].Note.raw() != "no pair was measured; allowed: at most +10 %" {
		t.Errorf("the rows are %+v", rows)
	}
	if list := conditions(s); len(list) > 0 {
		t.Errorf("the conditions are %+v", list)
	}
}
