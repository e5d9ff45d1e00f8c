package operator

import (
	"math"
	"math/rand/v2"

	"pgregory.net/rapid"

	"evolve/mutate/internal/lab/space"
	"evolve/runtime/agent"
)

// anyContext draws a context in a space from package space. The context has random parents,
// a champion with a person's lines, an ancestor, a lineage, and failures and tool health
// that may be unrelated.
func anyContext(t *rapid.T) (FailureContext, *rand.Rand) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	space := space.Any(t)
	champion := space.Default()
	s := FailureContext{
		Space: space, Champion: champion, Parent: Random(space, champion, rng),
		Scale: rapid.SampledFrom([]float64{1, 0.5, 0.05, 0, 7, math.NaN()}).Draw(t, "scale"),
	}
	if rapid.Bool().Draw(t, "two parents") {
		s.Other = Random(space, champion, rng)
	}
	if rapid.Bool().Draw(t, "an ancestor") {
		s.Ancestor = Random(space, champion, rng)
	}
	for range rapid.IntRange(0, 3).Draw(t, "lineage") {
		s.Lineage = append(s.Lineage, Random(space, champion, rng))
	}
	for range rapid.IntRange(0, 3).Draw(t, "failures") {
		s.Failures = append(s.Failures, Failure{
			Outcome: rapid.SampledFrom(agent.Outcomes()).Draw(t, "outcome"), Domain: rapid.SampledFrom([]string{"", "ops", "x"}).Draw(t, "domain"),
			Words: rapid.SliceOfN(rapid.SampledFrom([]string{"brief", "count", "line", "ignor", "x"}), 0, 3).Draw(t, "words"),
			Count: rapid.IntRange(1, 9).Draw(t, "count"),
		})
	}
	for _, name := range []string{"x", "y", "z", "hammer"} {
		calls := rapid.IntRange(0, 9).Draw(t, "calls")
		s.Health = append(s.Health, ToolHealth{Tool: name, Calls: calls, Failures: rapid.IntRange(0, calls).Draw(t, "failures")})
	}
	return s, rng
}

// validate fails unless a config is valid and canonical in its space.
func validate(t *rapid.T, space agent.Space, c agent.Config) {
	parsed, problems := space.Parse(c)
	if len(problems) > 0 {
		t.Fatalf("%s is no config: %v", c.Canonical(), problems)
	}
	if parsed.ID() != c.ID() {
		t.Fatalf("%s is not canonical; %s is", c.Canonical(), parsed.Canonical())
	}
}
