package night

import (
	"testing"

	"evolve/archive"
)

// TestExperienceIsPartOfTheCacheAlone tests that no evaluation under another experience is
// reused, that the cache key without an experience is unchanged, and that evidence for a
// candidate continues to accumulate under another experience.
func TestExperienceIsPartOfTheCacheAlone(t *testing.T) {
	plain, one, two := Opened{Identity: "x"}, Opened{Identity: "x", Experience: "1"}, Opened{Identity: "x", Experience: "2"}
	if plain.cacheIdentity() != "x" || one.cacheIdentity() == two.cacheIdentity() || one.cacheIdentity() == "x" {
		t.Errorf("%q, %q, %q", plain.cacheIdentity(), one.cacheIdentity(), two.cacheIdentity())
	}
	of := func(o Opened) string {
		n := &night{opened: o}
		n.Plan = &archive.AgentPlan{Experience: o.Experience}
		return n.conditions()
	}
	if of(plain) != of(one) || of(one) != of(two) {
		t.Error("the evidence depends on the experience")
	}
}
