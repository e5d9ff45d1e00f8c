package night

import (
	"strings"
	"testing"

	"evolve/mutate"
	"evolve/runtime/agent"
)

// TestQueueKeepsConfigsTogether checks the order in which two slots evaluate trials. Each
// slot continues with its config, then takes a config that the other slot does not have,
// and then helps the other slot. If few trials are waiting, the earliest is next.
func TestQueueKeepsConfigsTogether(t *testing.T) {
	for name, c := range map[string]struct {
		few          int
		trials, want string
	}{
		"two configs":       {0, "a b a b a b", "a b a b a b"},
		"in blocks":         {0, "a a a b b b", "a b a b a b"},
		"three configs":     {0, "a b c a b c a", "a b a b a c c"},
		"one is left":       {0, "a a a a", "a a a a"},
		"one waits for all": {0, "a b c a a a a b b b b", "a b a b a b a b a b c"},
		"few are left":      {8, "a b c a a a a b b b b", "a b a b c a a a b b b"},
	} {
		q := newQueue(2, c.few)
		var got []string
		under := [2]agent.ConfigID{}
		place := 0
		for n, config := range strings.Fields(c.trials) {
			q.add(waiting{trial: mutate.Trial{Variant: agent.ConfigID(config)}, n: n})
		}
		for q.len() > 0 {
			if len(got) >= 2 {
				q.vacate(under[place])
			}
			under[place] = q.next().trial.Variant
			got = append(got, string(under[place]))
			place = 1 - place
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
