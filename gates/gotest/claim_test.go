package gotest

import (
	"strings"
	"testing"

	"evolve/gates"
)

func TestClaimOf(t *testing.T) {
	for text, want := range map[string]Claim{
		"refactor the parser": Refactoring, "Split a function. No behaviour change.": Refactoring, "no functional changes": Refactoring,
		"move the helper; behavior is unchanged": Refactoring, "Refactoring, and a fix": Refactoring, "without behaviour change, faster": Refactoring,
		"make lookups faster": Faster, "fewer allocations in Join": Faster, "optimise the loop": Faster, "speed up Parse": Faster,
		"fail faster on bad input": "", "fix the slow path, which is faster now": "", "count rooms from one": "", "": "", "factor in the discount": "",
	} {
		if got := ClaimOf(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestBesideClaim checks patches against their claims.
func TestBesideClaim(t *testing.T) {
	for name, c := range map[string]struct {
		v       besideVerdict
		verdict gates.Verdict
		said    string
	}{
		"no claim, explained":      {besideVerdict{looked: []string{"F(1)"}}, gates.Passed, "intended changes: F(1)"},
		"a refactoring, explained": {besideVerdict{claim: Refactoring, looked: []string{"F(1)"}}, gates.Flagged, "the patch is declared a refactoring, but behaviour changed in 1 function: F(1)"},
		"a refactoring":            {besideVerdict{claim: Refactoring, different: []string{"F(1)"}}, gates.Flagged, "the patch is declared a refactoring, but behaviour changed in 1 function: F(1)"},
		"a refactoring that is":    {besideVerdict{claim: Refactoring}, gates.Passed, "no difference"},
		"faster, explained":        {besideVerdict{claim: Faster, looked: []string{"F(1)"}}, gates.Flagged, "the patch is declared a faster version, but behaviour changed in 1 function: F(1)"},
		"faster":                   {besideVerdict{claim: Faster, different: []string{"F(1)"}}, gates.Failed, "the patch is declared a faster version, but no test covers its change: behaviour changed in 1 function: F(1)"},
		"faster, tuned":            {besideVerdict{claim: Faster, explained: []string{"F(1) (a constant marked for tuning differs)"}}, gates.Passed, "intended changes"},
		"a wording":                {besideVerdict{claim: Faster, slight: []string{"F(1)"}}, gates.Passed, "slight: F(1)"},
	} {
		c.v.functions, c.v.inputs = 1, 240
		verdict, said := c.v.verdict()
		if verdict != c.verdict || !strings.Contains(said, c.said) {
			t.Errorf("%s: %s: %s", name, verdict, said)
		}
	}
}
