package mutate

import (
	"math"
	"slices"

	"evolve/bench"
)

// Tell receives a result. If this searcher did not ask for the result, as in a resumed run,
// Tell adds the result's variant, and counts the evaluation as spent if it belongs to a
// search stage.
func (s *search) Tell(o Observation) {
	if o.Trial.Brief != nil {
		s.answer(o)
		return
	}
	task, ok := s.taskIndex[o.Trial.Task]
	if !ok {
		return // the task was removed from the suite
	}
	a, ok := s.byID[o.Trial.Variant]
	if !ok {
		if a = s.adopt(o.Trial); a == nil {
			return
		}
	}
	a.unpack()
	k := trialKey{a.index, task, o.Trial.Repeat}
	if o.Trial.Repeat < 0 || o.Trial.Repeat > math.MaxUint16 || !s.first(a, k) {
		return // invalid, or received before: nothing counts twice
	}
	if s.pending[k] {
		delete(s.pending, k)
	} else {
		s.countUnasked(a, task, o.Trial)
	}
	a.results++
	if !o.Dropped {
		s.results++
		if a.baseline {
			s.baseline.results++
		}
	}
	if o.Scored && o.Score >= 0 && o.Score <= 1 && !a.demonstrates(task) {
		a.observe(task, o.Score)
		s.solve(task, o.Answer)
	}
	s.recordDetails(a, task, o)
	s.finalFit()
}

// first marks a trial's result as received, and reports whether it was new. The results of
// a task mostly arrive in the order of their repeats, so told only counts the repeats
// before the first gap, and ahead holds the results after it.
func (s *search) first(a *variantStats, k trialKey) bool {
	if k.repeat < int(a.told[k.task]) || s.ahead[k] {
		return false
	}
	s.ahead[k] = true
	for next := (trialKey{k.variant, k.task, int(a.told[k.task])}); next.repeat < math.MaxUint16 && s.ahead[next]; next.repeat++ {
		delete(s.ahead, next)
		a.told[k.task]++
	}
	return true
}

// finalFit refits the model once no evaluation is left to ask for and none is pending.
func (s *search) finalFit() {
	if (s.spent >= s.budget || s.exhausted) && len(s.pending) == 0 && len(s.codec.dims) > 0 && s.results > 0 {
		s.fit(4)
	}
}

// adopt adds a variant that the searcher did not ask for; it returns nil if the variant's
// config is invalid in the space.
func (s *search) adopt(t Trial) *variantStats {
	config, problems := s.space.Parse(t.Config)
	if len(problems) > 0 {
		return nil // the space has changed since the config was made
	}
	known := len(s.variants)
	a := s.add(proposal{config: config, operator: t.Operator, rationale: t.Rationale}, t.Stage == bench.StageBaseline)
	if len(s.variants) == known {
		return a
	}
	a.parents, a.generation = slices.Clone(t.Parents), t.Generation
	if a.baseline {
		s.baseline.variants = append(s.baseline.variants, a)
	} else {
		s.made++
		a.target = s.plan.first
		s.queue = append(s.queue, a)
	}
	return a
}

// countUnasked counts an evaluation that this searcher did not ask for.
func (s *search) countUnasked(a *variantStats, task int, t Trial) {
	a.advance(task, t.Repeat+1)
	a.asked++
	if t.Stage == bench.StageSearch || t.Stage == bench.StageBaseline {
		s.spent++
		if a.baseline {
			s.baseline.asked++
		}
	}
}
