package cli

import (
	"testing"

	"evolve/archive"
)

// TestNamed checks that in a recorded sentence the ids of variants that exist are replaced
// by their numbers.
func TestNamed(t *testing.T) {
	a, one, two := twoVariants(t, archive.AgentPlan{})
	for sentence, want := range map[string]string{
		"variant " + two.ID.Short() + " is better":                             "v2 is better",
		"the candidate " + two.ID.Short() + " and candidate " + one.ID.Short(): "v2 and v1",
		"variant 00000000 is better":                                           "variant 00000000 is better",
		"the best, variant of " + one.ID.Short():                               "the best, variant of " + one.ID.Short(),
	} {
		if got := named(t.Context(), a, "aide", sentence); got != want {
			t.Errorf("%q became %q, want %q", sentence, got, want)
		}
	}
}
