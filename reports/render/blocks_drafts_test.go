package render

import (
	"bytes"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/reports/model"
	"evolve/runtime/agent"
)

// TestRivalCost checks that the comparison of models with operators gives the cost of the
// models' requests.
func TestRivalCost(t *testing.T) {
	for _, c := range []struct {
		usd  float64
		want string
	}{{.25, "$0.25 more than using only the operators"}, {0, ""}} {
		r := adoptWorld(t, 0).report()
		r.Agents[0].Drafts = &model.Drafts{
			Tallies: []archive.DraftTally{
				{Choice: "route", Option: "large", Calls: 3, Drafts: 2, Usage: agent.Usage{CostUSD: c.usd}},
				{Choice: "form", Option: "whole", Calls: 3, Drafts: 2, Usage: agent.Usage{CostUSD: c.usd}},
			},
			Rival: &archive.DraftRival{Evaluations: 72, Models: .203, Operators: .231},
		}
		var b bytes.Buffer
		if err := Terminal(&b, r, TerminalOptions{Width: 200}); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(b.String()), " ")
		if !strings.Contains(text, "After 72 evaluations each") || strings.Contains(text, "more than using only the operators") != (c.want != "") || !strings.Contains(text, c.want) {
			t.Errorf("%+v: %s", c, text)
		}
	}
}
