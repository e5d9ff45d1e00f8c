package experience

import (
	"fmt"
	"slices"
)

// Effect is one reason to change the score of a tool.
type Effect struct {
	// Feedback is the id of the feedback entry; empty for an effect that was learned.
	Feedback string `json:"feedback,omitempty"`
	Action   Action `json:"action,omitempty"`
	// Factor is the number by which the score is multiplied; 0 forbids the tool.
	Factor float64 `json:"factor"`
	// With is the tool to use instead of a forbidden one.
	With string `json:"with,omitempty"`
	// Overruled reports whether the effect did not change the score, either because other
	// feedback takes precedence, or because the effect was learned and some feedback
	// applies.
	Overruled bool `json:"overruled,omitempty"`
}

// String describes an effect for use in a transcript.
func (x Effect) String() string {
	what := fmt.Sprintf("×%g", x.Factor)
	if x.Feedback == "" {
		what = "avoided " + what
	} else {
		what = fmt.Sprintf("feedback %s %s %s", x.Feedback, x.Action, what)
	}
	if x.With != "" {
		what += " with " + x.With
	}
	if x.Overruled {
		what += " (overruled)"
	}
	return what
}

// factor returns the number by which an action multiplies a score.
func (a Action) factor() float64 {
	switch a {
	case Penalise:
		return .3
	case Boost:
		return 1.2
	}
	return 0
}

// Weigh returns the score of a tool after applying the feedback that takes effect on a use
// (see [Experience.standing]). The given score must not include learned avoidance.
// Prohibitions take precedence over other feedback, and of several entries of the same kind
// the newest counts. Without such feedback, Weigh applies the avoidance that results from
// the tool's usefulness. The result is in [0,1].
//
// The first effect is the one that changed the score; the others are overruled. If the
// score does not change, there are no effects. An effect with a factor of 0 forbids the
// tool, so the caller must drop the tool, whatever the scores of the others are.
func (e *Experience) Weigh(use Use, score, usefulness float64) (float64, []Effect) {
	effects := e.effects(use, usefulness)
	return min(1, max(0, score*factorOf(effects))), effects
}

// effects returns the effects that apply to a use: first the one that changes the score,
// then the effects of the other feedback, the newest first, and finally the learned effect.
func (e *Experience) effects(use Use, usefulness float64) []Effect {
	var first, others []Effect
	for _, s := range e.standing(use) {
		if s.Tool != "" && s.Tool != use.Tool {
			continue
		}
		x := Effect{s.ID, s.Action, s.Action.factor(), s.With, true}
		switch {
		case !s.stands:
			others = append(others, x)
		case len(first) == 0:
			first = []Effect{x}
		case x.Factor == 0 && first[0].Factor != 0:
			first, others = []Effect{x}, append(first, others...)
		default:
			others = append(others, x)
		}
	}
	if a := Avoidance(usefulness); a != 1 {
		if x := (Effect{Factor: a, Overruled: true}); len(first) == 0 {
			first = []Effect{x}
		} else {
			others = append(others, x)
		}
	}
	if len(first) == 0 {
		return nil
	}
	first[0].Overruled = false
	return append(first, others...)
}

// factorOf returns the number by which effects multiply a score.
func factorOf(effects []Effect) float64 {
	if len(effects) == 0 {
		return 1
	}
	return effects[0].Factor
}

// The amounts by which a verdict changes a competence or a confidence.
const (
	negativeLoss = .2
	positiveGain = .15
)

// Confidence returns a confidence or a competence after a verdict, limited to [0,1]: a
// positive verdict adds .15, and any other subtracts .2.
func Confidence(base float64, v Verdict) float64 {
	if v == Positive {
		base += positiveGain
	} else {
		base -= negativeLoss
	}
	return min(1, max(0, base))
}

// regarded returns the competence in a domain after applying the newest permanent
// feedback that names the domain but no goal. With such feedback, the result is in [.1,
// 1].
func (e *Experience) regarded(domain string, score float64) float64 {
	for _, f := range slices.Backward(e.Feedback) {
		if f.Domain != "" && domainName(f.Domain) == domainName(domain) && f.Goal == "" && f.Lasts() {
			return max(leastCompetence, Confidence(score, f.Verdict))
		}
	}
	return score
}

// Choice is a tool that a turn called, with the factors by which its score is multiplied
// with and without a feedback entry; a factor of 0 means that the tool is forbidden.
type Choice struct {
	Turn   string `json:"turn"`
	Tool   string `json:"tool"`
	Method string `json:"method,omitempty"`
	Domain string `json:"domain"`
	// Calls is the number of calls in the turn.
	Calls   int     `json:"calls"`
	With    float64 `json:"with"`
	Without float64 `json:"without"`
}

// WhatIf returns the tools that the turns called and whose score factors would change if
// a feedback entry were removed. The tools are in the order of the calls. It returns
// false if the entry does not exist. Feedback is also applied to turns from before it was
// given.
func (e *Experience) WhatIf(id string, turns []Turn) ([]Choice, bool) {
	i := e.findFeedback(id)
	if i < 0 {
		return nil, false
	}
	rest := e.without(i)
	var out []Choice
	for _, t := range turns {
		var of []Choice
		for _, c := range t.Calls {
			if j := slices.IndexFunc(of, func(o Choice) bool { return o.Tool == c.Tool && o.Method == c.Method }); j >= 0 {
				of[j].Calls++
				continue
			}
			use, useful := t.use(c), e.Usefulness(c.Tool, c.Method, t.Domain)
			of = append(of, Choice{
				Turn: t.ID, Tool: c.Tool, Method: c.Method, Domain: domainName(t.Domain), Calls: 1,
				With: factorOf(e.effects(use, useful)), Without: factorOf(rest.effects(use, useful)),
			})
		}
		out = append(out, slices.DeleteFunc(of, func(c Choice) bool { return c.With == c.Without })...)
	}
	return out, true
}

// use returns the tool use that corresponds to a call in a turn.
func (t Turn) use(c Call) Use {
	return Use{Tool: c.Tool, Domain: t.Domain, Goal: t.Message, Session: t.Session, Now: t.Time}
}

// Touched returns the number of turns with a call within the scope of the feedback, and the
// number of these calls. Turns from before the feedback also count.
func (f Feedback) Touched(turns []Turn) (inTurns, calls int) {
	return touched([]Feedback{f}, turns)
}

// Touched returns the number of turns with a call within the scope of any feedback, and the
// number of these calls.
func (e *Experience) Touched(turns []Turn) (inTurns, calls int) { return touched(e.Feedback, turns) }

func touched(list []Feedback, turns []Turn) (inTurns, calls int) {
	for _, t := range turns {
		n := 0
		for _, c := range t.Calls {
			if use := t.use(c); slices.ContainsFunc(list, func(f Feedback) bool { return f.applies(use) }) {
				n++
			}
		}
		if n > 0 {
			inTurns++
		}
		calls += n
	}
	return inTurns, calls
}
