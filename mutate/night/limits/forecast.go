package limits

import "math"

// Limit names a limit on the evaluations of a nightly run.
type Limit string

// The limits. Enough is the limit that applies when no number of evaluations is given: the
// search then sets its own.
const (
	Unknown     Limit = ""
	Evaluations Limit = "evaluations"
	Money       Limit = "money"
	Time        Limit = "time"
	Deadline    Limit = "deadline"
	Enough      Limit = "enough"
)

// Noun returns the name of the limit for use within a sentence.
func (l Limit) Noun() string {
	switch l {
	case Evaluations:
		return "the limit on evaluations"
	case Money:
		return "the limit on money"
	case Time:
		return "the limit on time"
	case Deadline:
		return "the deadline"
	case Enough, Unknown:
	}
	return "the budget or the deadline"
}

const (
	// Most is the maximum number of evaluations that a nightly run plans for one agent when
	// no number is given. The search gains little beyond this number (its median regret on
	// synthetic problems is .13, .05 and .02 after 500, 2,000 and 10,000), while its memory
	// and its own computing time would grow with the hours that a fast agent runs.
	Most = 60_000
	// Probe is the number of evaluations planned while no number is given and speed and
	// price are unknown. It is the smallest plan whose design is worth keeping; the run
	// is planned again after its first few evaluations.
	Probe = 240
)

// Left is what remains of the limits for an agent; fields without a limit are infinite.
type Left struct {
	Evaluations float64
	USD         float64
	// Seconds is the remaining working time, and Deadline the time until the deadline, both
	// in seconds.
	Seconds, Deadline float64
	// Most is what remains of the limit [Most].
	Most float64
}

// Unlimited returns a Left without limits.
func Unlimited() Left {
	return Left{Evaluations: math.Inf(1), USD: math.Inf(1), Seconds: math.Inf(1), Deadline: math.Inf(1), Most: Most}
}

// Pace is the time and cost of one evaluation of an agent, averaged over Weight
// evaluations; with Weight 0 it is unknown.
type Pace struct {
	// Seconds is the wall time at the achieved concurrency, including the search's own
	// computation.
	Seconds float64
	// Alone is the wall time without the search's computing, which the confirmation does
	// not need.
	Alone float64
	// USD is the mean cost.
	USD    float64
	Weight float64
}

// Forecast is a planned number of evaluations, with the limit that binds it.
type Forecast struct {
	Evaluations int
	// Limit is the limit that binds; it is Unknown while that depends on an unknown speed
	// or price.
	Limit Limit
}

// Plan forecasts the evaluations that an agent can have. alone is the share of these
// evaluations, in [0,1], during which the search does not compute.
//
// A limit that is used up always binds. While speed and price are unknown and a limit
// depends on them, Plan returns the number of evaluations that are left or, if their
// number is not limited, [Probe]. A limit on money does not bind an agent whose
// evaluations are free.
func Plan(left Left, pace Pace, alone float64) Forecast {
	for _, l := range []struct {
		limit Limit
		left  float64
	}{{Money, left.USD}, {Time, left.Seconds}, {Deadline, left.Deadline}, {Evaluations, left.Evaluations}} {
		if l.left <= 0 {
			return Forecast{Limit: l.limit}
		}
	}
	blind := pace.Weight <= 0 && !(math.IsInf(left.USD, 1) && math.IsInf(left.Seconds, 1) && math.IsInf(left.Deadline, 1))
	if blind {
		n := left.Evaluations
		if math.IsInf(n, 1) {
			n = min(Probe, left.Most)
		}
		return Forecast{Evaluations: int(max(0, n))}
	}
	seconds := (1-alone)*pace.Seconds + alone*pace.Alone
	out, n := Forecast{Limit: Evaluations}, left.Evaluations
	take := func(l Limit, most float64) {
		if most < n {
			out.Limit, n = l, most
		}
	}
	take(Money, over(left.USD, pace.USD))
	take(Time, over(left.Seconds, seconds))
	take(Deadline, over(left.Deadline, seconds))
	if math.IsInf(left.Evaluations, 1) {
		take(Enough, left.Most)
	}
	out.Evaluations = int(max(0, n))
	return out
}

// over returns the number of units that fit into an amount (left), given the size of a
// unit (each).
func over(left, each float64) float64 {
	switch {
	case left <= 0:
		return 0
	case math.IsInf(left, 1) || !(each > 0):
		return math.Inf(1)
	}
	return math.Floor(left/each + 1e-9)
}
