package operator

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

// lexicon is only a cache, so sharing it does not affect results.
var lexicon = memory.NewLexicon()

func TestEveryChildIsValidNewAndLeavesItsSceneAlone(t *testing.T) {
	made := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		for range 10 { // to make few checks suffice
			aContext(t, made)
		}
	})
	for _, op := range Standard(lexicon) {
		if made[op.Name()] == 0 {
			t.Errorf("%s never made a child", op.Name())
		}
	}
}

// aContext makes children of a context with every operator, checks them and counts them.
func aContext(t *rapid.T, made map[string]int) {
	s, rng := anyContext(t)
	before := string(s.Parent.Canonical()) + string(s.Other.Canonical()) + string(s.Ancestor.Canonical()) + string(s.Champion.Canonical())
	for _, op := range Standard(lexicon) {
		for range 3 {
			c, ok := op.Make(s, rng)
			if !ok {
				continue
			}
			made[op.Name()]++
			validate(t, s.Space, c.Config)
			if c.Config.ID() == s.Parent.ID() {
				t.Fatalf("%s made its parent", op.Name())
			}
			if c.Operator != op.Name() || c.Rationale == "" {
				t.Fatalf("a child without a story: %+v", c)
			}
			if c.Both && s.Other == nil {
				t.Fatalf("%s has two parents, but was given one", op.Name())
			}
			spoil(c.Config)
		}
	}
	spoil(Random(s.Space, s.Champion, rng))
	if after := string(s.Parent.Canonical()) + string(s.Other.Canonical()) + string(s.Ancestor.Canonical()) + string(s.Champion.Canonical()); after != before {
		t.Fatalf("the context was changed: %s was %s", after, before)
	}
	if problems := s.Space.Check(); len(problems) > 0 {
		t.Fatalf("the space was changed: %v", problems)
	}
}

// spoil overwrites lists in place to reveal shared lists.
func spoil(c agent.Config) {
	for _, v := range c {
		if list, ok := v.([]string); ok {
			for i := range list {
				list[i] = "spoilt"
			}
		}
	}
}

func TestRandomConfigsAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, rng := anyContext(t)
		validate(t, s.Space, Random(s.Space, s.Champion, rng))
	})
}

func TestSameSceneAndSeedSameChild(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, _ := anyContext(t)
		for _, op := range Standard(lexicon) {
			one, _ := op.Make(s, rand.New(rand.NewPCG(1, 2)))
			two, _ := op.Make(s, rand.New(rand.NewPCG(1, 2)))
			if one.Rationale != two.Rationale || !one.Config.Equal(two.Config) {
				t.Fatalf("%s made %q, then %q", op.Name(), one.Rationale, two.Rationale)
			}
		}
	})
}

func TestOperatorsReachEveryValue(t *testing.T) {
	for _, c := range []struct {
		name string
		p    agent.Param
		want int
	}{
		{"whole numbers", agent.Param{Kind: agent.Int, Min: -2, Max: 3, Default: int64(0)}, 6},
		{"choice", agent.Param{Kind: agent.Choice, Values: []any{"a", 1.5, int64(2), true}, Default: "a"}, 4},
		{"switch", agent.Param{Kind: agent.Bool, Default: false}, 2},
		{"subset", agent.Param{Kind: agent.Subset, Of: []string{"a", "b", "c", "d"}, MinItems: 1, MaxItems: 2, Default: []string{"a"}}, 10},
		{"subset of fixed size", agent.Param{Kind: agent.Subset, Of: []string{"a", "b", "c", "d"}, MinItems: 2, MaxItems: 2, Default: []string{"a", "b"}}, 6},
		{"subset that may be empty", agent.Param{Kind: agent.Subset, Of: []string{"a", "b"}, Default: []string{}}, 4},
		// Two lines in either order, one of them, or none.
		{"text", agent.Param{Kind: agent.Text, MaxChars: 40, Lines: []string{"one", "two"}, Default: "mine"}, 5},
		{"text with room for one line", agent.Param{Kind: agent.Text, MaxChars: 9, Lines: []string{"one", "two"}, Default: "mine"}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.p.Name = "p"
			space := agent.Space{Params: []agent.Param{c.p}}
			rng := rand.New(rand.NewPCG(3, 4))
			for _, scale := range []float64{1, 0.05} {
				seen := map[agent.ConfigID]bool{}
				at := space.Default()
				for range 3000 {
					seen[at.ID()] = true
					op := Standard(lexicon)[rng.IntN(len(Standard(lexicon)))]
					if m, ok := op.Make(FailureContext{Space: space, Champion: space.Default(), Parent: at, Scale: scale}, rng); ok {
						at = m.Config
					}
				}
				if len(seen) != c.want {
					t.Errorf("at scale %v a walk reaches %d values, want %d", scale, len(seen), c.want)
				}
			}
		})
	}
}
