package autonomy

import (
	"fmt"

	"evolve/runtime/text"
)

// Requirement is one condition for a level, with the figure that is compared with it.
type Requirement struct {
	Name string `json:"name"`
	Need string `json:"need"`
	// Have is the figure, with the count on which it is based.
	Have string `json:"have"`
	Met  bool   `json:"met"`
}

// demand holds what a level requires of the figures.
type demand struct {
	sessions   int
	errors     int     // maximum, in per cent of the turns
	confidence float64 // at least
	safe       bool    // no unsafe request
	chained    bool
	crossed    bool
}

// demands returns what a level requires. If the table names nothing for a level, the
// requirement of the level below applies.
func demands(l Level) (demand, bool) {
	switch l {
	case Draft:
		return demand{sessions: 10, errors: 10, confidence: .70}, true
	case Execute:
		return demand{sessions: 50, errors: 5, confidence: .75, safe: true}, true
	case Schedule:
		return demand{sessions: 100, errors: 5, confidence: .75, safe: true, chained: true}, true
	case Cross:
		return demand{sessions: 200, errors: 3, confidence: .75, safe: true, chained: true, crossed: true}, true
	}
	return demand{}, false
}

// rounding is the tolerance for rounding errors in a mean of floating-point numbers.
const rounding = 1e-9

// Requirements returns the requirements of a level, each with its figure, or none if the
// level needs no request. A requirement whose figure is based on too little data is not
// met.
func Requirements(l Level, f Figures) []Requirement {
	d, ok := demands(l)
	if !ok {
		return nil
	}
	list := []Requirement{
		{
			Name: "successful sessions", Need: fmt.Sprintf("at least %d", d.sessions),
			Have: fmt.Sprintf("%d of %d", f.Successful, f.Sessions), Met: f.Successful >= d.sessions,
		},
		{
			Name: "error rate", Need: fmt.Sprintf("at most %d %% of the turns", d.errors),
			Have: fmt.Sprintf("%d of %d turns", f.Errors, f.Turns), Met: f.Turns > 0 && 100*f.Errors <= d.errors*f.Turns,
		},
		confidence(d, f),
	}
	if f.Turns > 0 {
		list[1].Have = text.Percent(f.ErrorRate()) + ": " + list[1].Have
	}
	if d.safe {
		r := Requirement{Name: "unsafe requests", Need: "none", Have: fmt.Sprint(f.Unsafe), Met: f.Unsafe == 0 && f.Uncounted == ""}
		if f.Uncounted != "" {
			r.Have += "; " + f.Uncounted
		}
		list = append(list, r)
	}
	if d.chained {
		list = append(list, Requirement{Name: "goal chaining", Need: "shown", Have: fmt.Sprintf("%d successful turns with a chain of subgoals", f.Chained), Met: f.Chained > 0})
	}
	if d.crossed {
		list = append(list, Requirement{Name: "cross-goal work", Need: "shown", Have: fmt.Sprintf("%d successful sessions across several domains", f.Crossed), Met: f.Crossed > 0})
	}
	return list
}

// confidence returns the requirement on the mean confidence. It demands at least as many
// stated confidences as sessions, because the mean of a few shows nothing.
func confidence(d demand, f Figures) Requirement {
	r := Requirement{
		Name: "mean confidence", Need: fmt.Sprintf("at least %s over at least %d turns; confidence above the success rate does not count", text.Decimal(d.confidence, 2), d.sessions),
		Have: "no turn stated a confidence",
		Met:  f.Stated >= d.sessions && f.Supported()+rounding >= d.confidence,
	}
	if f.Stated > 0 {
		r.Have = fmt.Sprintf("%s stated and a success rate of %s over %d turns, with a calibration error of %s", text.Decimal(f.Confidence, 2), text.Decimal(f.Success, 2), f.Stated, text.Decimal(f.ECE, 2))
	}
	return r
}

// Unmet returns the requirements that are not met.
func Unmet(list []Requirement) []Requirement {
	var out []Requirement
	for _, r := range list {
		if !r.Met {
			out = append(out, r)
		}
	}
	return out
}

// Risks returns the risks that a person should weigh before raising an agent to a level.
func Risks(l Level, f Figures) []string {
	var out []string
	switch {
	case l == Draft:
		out = append(out, "the agent may write to its memory and leave drafts, notes and requests, which people then have to read")
	case l > SwitchedOn:
		out = append(out, fmt.Sprintf("level %d is only recorded: in this version, the agent acts as it would at level %d; in a later version, it would act on its own", l, SwitchedOn))
	}
	if f.Unsafe > 0 {
		out = append(out, fmt.Sprintf("it made %d unsafe requests, %d of them in the last 7 days", f.Unsafe, f.Recent))
	}
	if f.Uncounted != "" {
		out = append(out, f.Uncounted)
	}
	if f.Confidence > f.Success+.1 {
		out = append(out, fmt.Sprintf("it is overconfident: it states a confidence of %s, and its success rate is %s", text.Decimal(f.Confidence, 2), text.Decimal(f.Success, 2)))
	}
	if f.Decided > 0 && 2*f.Granted < f.Decided {
		out = append(out, fmt.Sprintf("people approved %d of its %d requests that were decided", f.Granted, f.Decided))
	}
	if f.LeftOut > 0 {
		out = append(out, fmt.Sprintf("%d turns were imported and do not count", f.LeftOut))
	}
	return out
}
