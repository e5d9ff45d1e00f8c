package experience

import (
	"fmt"
	"strings"
)

// Limit is a floor, a ceiling or a daily cap that would limit the next change of a
// learned value, or the fact that a tool is avoided.
type Limit struct {
	// What names the learned value: "competence" or "usefulness". Kind is "floor",
	// "ceiling", "daily cap" or "avoided".
	What   string  `json:"what"`
	Kind   string  `json:"kind"`
	Tool   string  `json:"tool,omitempty"`
	Method string  `json:"method,omitempty"`
	Domain string  `json:"domain"`
	Value  float64 `json:"value"`
	// Day is the day to which a daily cap applies.
	Day string `json:"day,omitempty"`
}

// Limits returns the limits on learnings. First come the competences for which one more
// correction or success would not count in full, and then the tools that are avoided.
func (e *Experience) Limits() []Limit {
	var out []Limit
	for _, c := range e.Domains {
		l := Limit{What: "competence", Domain: c.Domain, Value: c.Score}
		switch {
		case c.Score-correctionLoss < leastCompetence-rounding:
			l.Kind = "floor"
		case c.Score+successGain > topCompetence+rounding:
			l.Kind = "ceiling"
		case c.capped():
			l.Kind, l.Day = "daily cap", c.Day
		default:
			continue
		}
		out = append(out, l)
	}
	for _, c := range e.Capsules {
		l := Limit{What: "usefulness", Tool: c.Tool, Method: c.Method, Domain: c.Domain, Value: e.Usefulness(c.Tool, c.Method, c.Domain), Kind: "avoided"}
		if Avoidance(l.Value) != 1 {
			out = append(out, l)
		}
	}
	return out
}

// rounding is the tolerance for rounding errors in a sum of competence changes.
const rounding = 1e-9

// capped reports whether, on the competence's day, the daily cap would reduce the effect
// of one more correction or of one more success.
func (c Competence) capped() bool {
	return c.Score-correctionLoss < c.DayStart-changePerDay-rounding || c.Score+successGain > c.DayStart+changePerDay+rounding
}

// String describes a limit in one sentence, without a final period.
func (l Limit) String() string {
	who := "competence in " + named(l.Domain)
	if l.Tool != "" {
		who = strings.TrimSpace(named(l.Tool)+" "+named(l.Method)) + " in " + named(l.Domain)
	}
	switch l.Kind {
	case "floor":
		return fmt.Sprintf("%s is %.2f: it cannot fall below %.2f", who, l.Value, leastCompetence)
	case "ceiling":
		return fmt.Sprintf("%s is %.2f: it cannot rise above %.2f", who, l.Value, topCompetence)
	case "avoided":
		return fmt.Sprintf("%s is avoided (usefulness %.2f): its score is multiplied by %g, and it remains available as a last resort", who, l.Value, avoided)
	case "daily cap":
		return fmt.Sprintf("%s is %.2f: on %s it can change by at most %.2f", who, l.Value, l.Day, changePerDay)
	}
	return who
}
