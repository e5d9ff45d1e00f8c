package mutate

import (
	"pgregory.net/rapid"

	"evolve/mutate/internal/lab/space"
	"evolve/runtime/agent"
)

// anySearch draws a search of a space from package space.
func anySearch(t *rapid.T, change func(*Options)) (*search, Options) {
	o := Options{
		Space: space.Any(t), Tasks: makeTasks(rapid.IntRange(1, 6).Draw(t, "tasks")), Budget: rapid.IntRange(1, 150).Draw(t, "budget"),
		Seed: rapid.Int64().Draw(t, "seed"), MaxRepeats: rapid.IntRange(0, 2).Draw(t, "repeats"),
		Selection: rapid.SampledFrom(append(Selections(), "")).Draw(t, "selection"),
	}
	o.Champion = o.Space.Default()
	if change != nil {
		change(&o)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s.(*search), o
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
