package limits

import "math"

// Limit names what bounds the evaluations of a night.
type Limit string

// The limits. Enough is the one that the search sets itself where no number of
// evaluations is given.
const (
	Unknown     Limit = ""
	Evaluations Limit = "evaluations"
	Money       Limit = "money"
	Time        Limit = "time"
	Deadline    Limit = "deadline"
	Enough      Limit = "enough"
)

const (
	// Most is the number of evaluations of one agent that a night plans at most where no
	// number is given. The search gains little beyond (its median regret on synthetic
	// problems is .13, .05 and .02 after 500, 2,000 and 10,000), and its memory and its
	// own time would grow with a fast agent's hours.
	Most = 60_000
	// Probe is the number of evaluations that a night is planned for while neither a
	// number is given nor anything is known of speed and price. It is the smallest plan
	// whose design is worth keeping; the night is planned again after its first few.
	Probe = 240
)

// Left is what the limits leave an agent: infinite where there is no such limit.
type Left struct {
	Evaluations float64
	USD         float64
	// Seconds of work, and seconds to the deadline.
	Seconds, Deadline float64
	// Most is what is left of [Most].
	Most float64
}

// Unlimited has no limit.
func Unlimited() Left {
	return Left{Evaluations: math.Inf(1), USD: math.Inf(1), Seconds: math.Inf(1), Deadline: math.Inf(1), Most: Most}
}

// Pace is what one evaluation of an agent takes, on average over Weight evaluations; 0
// of them: nothing is known.
type Pace struct {
	// Seconds of wall time, at the concurrency reached and with the search's thinking.
	Seconds float64
	// Alone is the same without the thinking, as in the confirmation.
	Alone float64
	// USD is the mean cost.
	USD    float64
	Weight float64
}

// Forecast is how many evaluations are to come.
type Forecast struct {
	Evaluations int
	// Limit is the one that binds; Unknown while that depends on a speed or a price that
	// nothing is known of.
	Limit Limit
}

// Plan forecasts the evaluations that an agent can have. Alone is the share of them in
// [0,1] that is made without the search's thinking.
//
// A limit that has run out binds whatever is known. While speed and price are unknown and
// something depends on them, the number of evaluations holds where there is one, and [Probe]
// otherwise. A limit of money binds no agent whose evaluations cost nothing.
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

// over is how often each goes into left.
func over(left, each float64) float64 {
	switch {
	case left <= 0:
		return 0
	case math.IsInf(left, 1) || !(each > 0):
		return math.Inf(1)
	}
	return math.Floor(left/each + 1e-9)
}
