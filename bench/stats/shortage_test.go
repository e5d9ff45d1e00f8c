package stats

import (
	"strings"
	"testing"
)

// TestShortage checks that a shortage of holdout tasks is reported with the number that a
// claim needs, which depends only on the level.
func TestShortage(t *testing.T) {
	for name, c := range map[string]struct {
		design Design
		cases  bool
		want   string
	}{
		"enough":                     {Design{Tasks: 8, Units: 8, Alpha: .05 / 12, Fixed: true}, false, ""},
		"enough cases":               {Design{Tasks: 8, Units: 8, Alpha: .05 / 12, Fixed: true}, true, ""},
		"variations":                 {Design{Tasks: 30, Units: 7, Alpha: .05 / 12}, false, "7 independent holdout tasks are too few for a claim about new tasks, which needs at least 8: "},
		"one task":                   {Design{Tasks: 1, Units: 1, Alpha: .05 / 12}, false, "1 independent holdout task is too few"},
		"clusters of unequal weight": {Design{Tasks: 30, Units: 7, Clusters: 14, Alpha: .05 / 12}, false, "7 independent holdout tasks, counted by weight, in 14 clusters are too few for a claim about new tasks"},
		"a stricter level":           {Design{Tasks: 10, Units: 10, Alpha: .001 / 12}, false, "which needs at least 14: "},
		"with what it takes":         {Design{Tasks: 1, Units: 1, Alpha: .05 / 12, Fixed: true}, false, "to show a gain of 5.0 points on new tasks, about "},
		"no task":                    {Design{Alpha: .05 / 12}, false, "has no holdout tasks: the run can search, but its verdict stays undecided; a claim about new tasks needs at least 8"},
		"no case":                    {Design{Alpha: .05 / 12, Fixed: true}, true, "anything; to confirm, it needs at least 8 held-out cases, so the scoring command must print at least 16, half of which are held out"},
		"one case":                   {Design{Tasks: 1, Units: 1, Alpha: .05 / 12, Fixed: true}, true, "1 independent held-out case cannot confirm a version, so none is proposed; confirming one takes at least 8, so the scoring command must print at least 16, half of which are held out"},
		"cases of a known kind":      {Design{Tasks: 4, Units: 4, Alpha: .05 / 12, Fixed: true, Within: 1e-6, Between: .01}, true, "the scoring command must print at least 16, half of which are held out; to show a gain of 5.0 points on new tasks, about "},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.design.Shortage(c.cases)
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	if got := (Design{Tasks: 4, Units: 4, Alpha: .05 / 12, Fixed: true}).Shortage(true); strings.Contains(got, "points") {
		t.Errorf("before the first night, the assumed chance makes it: %s", got)
	}
}
