package operator

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"evolve/runtime/agent"
)

// tools changes a selection of tools by their health: it drops one that fails, replaces
// it by one that was never called, or adds such a one.
type tools struct{}

func (tools) Name() string { return "tools" }

// A tool fails when at least healthCalls calls are known and more than healthLimit of
// them failed, with one success and one failure added as a prior.
const (
	healthCalls = 3
	healthLimit = 0.5
)

func (o tools) Make(s FailureContext, rng *rand.Rand) (Child, bool) {
	known := map[string]ToolHealth{}
	for _, h := range s.Health {
		known[h.Tool] = h
	}
	type swap struct {
		p          agent.Param
		gone, come string
	}
	var options []swap
	var weights []float64
	offer := func(p agent.Param, gone, come string, weight float64) {
		options, weights = append(options, swap{p, gone, come}), append(weights, weight)
	}
	for _, p := range s.Space.Params {
		have, active := s.Parent[p.Name].([]string)
		// A subset without called tools has no health.
		if !active || !slices.ContainsFunc(p.Of, func(m string) bool { return known[m].Calls > 0 }) {
			continue
		}
		var untried []string
		for _, m := range without(p.Of, have) {
			if known[m].Calls == 0 {
				untried = append(untried, m)
			}
		}
		for _, m := range have {
			h := known[m]
			bad := failing(h)
			if bad == 0 {
				continue
			}
			if len(have) > p.MinItems {
				offer(p, m, "", bad)
			}
			for _, u := range untried {
				offer(p, m, u, bad/float64(len(untried)))
			}
		}
		if len(have) < most(p) {
			for _, u := range untried {
				offer(p, "", u, healthLimit/float64(len(untried)))
			}
		}
	}
	if len(options) == 0 {
		return Child{}, false
	}
	pick := options[drawIndex(weights, rng)]
	have, _ := s.Parent.List(pick.p.Name)
	c := s.Parent.Clone()
	c[pick.p.Name] = members(pick.p, func(m string) bool { return m == pick.come || m != pick.gone && slices.Contains(have, m) })
	why := ""
	if h := known[pick.gone]; pick.gone != "" {
		why = fmt.Sprintf("%s failed %d of %d calls", h.Tool, h.Failures, h.Calls)
	}
	if pick.come != "" {
		if why != "" {
			why += ", "
		}
		why += pick.come + " was never called"
	}
	return Child{
		Config: complete(s.Space, c, rng), Operator: o.Name(),
		Rationale: fmt.Sprintf("%s (%s)", describeChange(pick.p.Name, have, c[pick.p.Name]), why),
	}, true
}

// failing returns the share of a tool's calls that failed, 0 when too few are known or
// most succeeded.
func failing(h ToolHealth) float64 {
	share := (float64(h.Failures) + 1) / (float64(h.Calls) + 2)
	if h.Calls < healthCalls || share <= healthLimit {
		return 0
	}
	return share
}
