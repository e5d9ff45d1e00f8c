package mutate

import (
	"math/rand/v2"
	"testing"

	"evolve/runtime/agent"
)

// TestBestRivalAndChampionDuel: while the best rival's lead is not clear, the leaders' share
// goes to it and to the champion in equal parts, and to no variant of the baseline.
func TestBestRivalAndChampionDuel(t *testing.T) {
	duels, clear := 0, 0
	for seed := range uint64(8) {
		w := newFewShotWorld(7000 + seed)
		s := newSearch(t, Options{Space: w.space, Champion: w.space.Default(), Tasks: w.search, Seed: int64(seed), Budget: 120})
		rng := rand.New(rand.NewPCG(seed, 0xd0e1))
		for {
			raced := s.raced
			tr, status := s.Ask()
			if status != Ready {
				break
			}
			if c := s.posterior.contender; s.raced > raced {
				switch a := s.byID[tr.Variant]; {
				case c == nil:
					clear++
				case c.baseline:
					t.Fatalf("a variant of the baseline is the contender")
				case min(c.asked, s.champion.asked) <= duelLength && s.open(c):
					duels++
					if a != c && a != s.champion {
						t.Fatalf("the evaluation goes to neither the contender nor the champion")
					}
					if a == c && a.asked > s.champion.asked+1 || a != c && a.asked > c.asked {
						t.Fatalf("%d evaluations of the contender, %d of the champion", c.asked, s.champion.asked)
					}
				}
			}
			o := Observation{Trial: tr, Scored: true, Outcome: agent.OK}
			if rng.Float64() < w.chance(tr.Config, s.taskIndex[tr.Task]) {
				o.Score = 1
			}
			s.Tell(o)
		}
	}
	if duels == 0 || clear == 0 {
		t.Errorf("%d evaluations in duels, %d with a clear lead", duels, clear)
	}
}
