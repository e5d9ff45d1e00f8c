package mutate

import (
	"math"
	"slices"

	"evolve/bench"
)

// Tell receives a result. One that was not asked for here (of a resumed run) adds its
// variant; if it is of a search stage it counts as spent.
func (s *search) Tell(o Observation) {
	if o.Trial.Brief != nil {
		s.answer(o)
		return
	}
	task, ok := s.taskIndex[o.Trial.Task]
	if !ok {
		return // a task removed from the suite
	}
	a, ok := s.byID[o.Trial.Variant]
	if !ok {
		if a = s.adopt(o.Trial); a == nil {
			return
		}
	}
	k := trialKey{a.index, task, o.Trial.Repeat}
	if o.Trial.Repeat < 0 || o.Trial.Repeat > math.MaxUint16 || s.heard[k.packed()] {
		return // invalid, or told before: nothing counts twice
	}
	s.heard[k.packed()] = true
	if s.pending[k] {
		delete(s.pending, k)
	} else {
		s.foreign(a, task, o.Trial)
	}
	a.told++
	s.told++
	if a.baseline {
		s.baseline.told++
	}
	if o.Scored && o.Score >= 0 && o.Score <= 1 {
		a.observe(task, o.Score)
	}
	s.note(a, task, o)
	s.lastWord()
}

// lastWord refits the model when no evaluation is left to ask or pending.
func (s *search) lastWord() {
	if (s.spent >= s.budget || s.exhausted) && len(s.pending) == 0 && len(s.codec.dims) > 0 && s.told > 0 {
		s.fit(4)
	}
}

// adopt adds an arm for a variant that the searcher did not ask for; nil when its config
// is invalid in the space.
func (s *search) adopt(t Trial) *arm {
	config, problems := s.space.Parse(t.Config)
	if len(problems) > 0 {
		return nil // the space has changed since
	}
	known := len(s.arms)
	a := s.add(proposal{config: config, operator: t.Operator, rationale: t.Rationale}, t.Stage == bench.StageBaseline)
	if len(s.arms) == known {
		return a
	}
	a.parents, a.generation = slices.Clone(t.Parents), t.Generation
	if a.baseline {
		s.baseline.arms = append(s.baseline.arms, a)
	} else {
		s.made++
		a.target = s.plan.first
		s.queue = append(s.queue, a)
	}
	return a
}

// foreign counts an evaluation that was not asked for here.
func (s *search) foreign(a *arm, task int, t Trial) {
	a.advance(task, t.Repeat+1)
	a.asked++
	if t.Stage == bench.StageSearch || t.Stage == bench.StageBaseline {
		s.spent++
		if a.baseline {
			s.baseline.asked++
		}
	}
}
