package operator

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"evolve/mutate/selection"
	"evolve/runtime/agent"
)

// tools changes a selection of tools by their health: it drops a tool that fails, replaces
// such a tool with one that was never called, or adds one that was never called.
type tools struct{}

func (tools) Name() string { return "tools" }

// A tool counts as failing if at least healthCalls of its calls are known and the share of
// them that failed is greater than healthLimit, with one success and one failure added as a
// prior.
const (
	healthCalls = 3
	healthLimit = 0.5
)

// swap is a change to one subset: the member to remove and the member to add, either of
// which may be empty. The probability that a swap is drawn is proportional to its weight.
type swap struct {
	param       agent.Param
	remove, add string
	weight      float64
}

func (o tools) Make(s FailureContext, rng *rand.Rand) (Child, bool) {
	known := map[string]ToolHealth{}
	for _, h := range s.Health {
		known[h.Tool] = h
	}
	var options []swap
	var weights []float64
	for _, p := range s.Space.Params {
		have, active := s.Parent[p.Name].([]string)
		// If no tool was called, the health of a subset's members is unknown.
		if !active || !slices.ContainsFunc(p.Of, func(m string) bool { return known[m].Calls > 0 }) {
			continue
		}
		for _, option := range swaps(p, have, known) {
			options, weights = append(options, option), append(weights, option.weight)
		}
	}
	if len(options) == 0 {
		return Child{}, false
	}
	pick := options[selection.Draw(weights, rng)]
	have, _ := s.Parent.List(pick.param.Name)
	c := s.Parent.Clone()
	c[pick.param.Name] = members(pick.param, func(m string) bool { return m == pick.add || m != pick.remove && slices.Contains(have, m) })
	var why []string
	if h := known[pick.remove]; pick.remove != "" {
		why = append(why, fmt.Sprintf("%s failed in %d of %d calls", h.Tool, h.Failures, h.Calls))
	}
	if pick.add != "" {
		why = append(why, pick.add+" was never called")
	}
	return Child{
		Config: complete(s.Space, c, rng), Operator: o.Name(),
		Rationale: fmt.Sprintf("%s (%s)", describeChange(pick.param.Name, have, c[pick.param.Name]), strings.Join(why, ", ")),
	}, true
}

// swaps returns the changes to a subset that the health of its members suggests.
func swaps(p agent.Param, have []string, known map[string]ToolHealth) []swap {
	var options []swap
	var untried []string
	for _, m := range without(p.Of, have) {
		if known[m].Calls == 0 {
			untried = append(untried, m)
		}
	}
	for _, m := range have {
		bad := failing(known[m])
		if bad == 0 {
			continue
		}
		if len(have) > p.MinItems {
			options = append(options, swap{p, m, "", bad})
		}
		for _, u := range untried {
			options = append(options, swap{p, m, u, bad / float64(len(untried))})
		}
	}
	if len(have) < most(p) {
		for _, u := range untried {
			options = append(options, swap{p, "", u, healthLimit / float64(len(untried))})
		}
	}
	return options
}

// failing returns the share of a tool's calls that failed, or 0 if too few calls are known
// or most succeeded.
func failing(h ToolHealth) float64 {
	share := (float64(h.Failures) + 1) / (float64(h.Calls) + 2)
	if h.Calls < healthCalls || share <= healthLimit {
		return 0
	}
	return share
}
