package autonomy

import "slices"

// Level is a step on the ladder. Every agent begins at [Lowest].
type Level int

// The levels.
const (
	Suggest  Level = 1
	Draft    Level = 2
	Execute  Level = 3
	Schedule Level = 4
	Cross    Level = 5

	Lowest  = Suggest
	Highest = Cross
	// SwitchedOn is the highest level whose behaviour is implemented. Higher levels are
	// recorded but act like this one.
	SwitchedOn = Draft
)

// Parameter is the name under which an agent requests a level with pipeline_config, and
// RequestType is the type of the resulting change request.
const (
	Parameter   = "autonomy.level"
	RequestType = "autonomy"
)

// Valid reports whether the level exists.
func (l Level) Valid() bool { return l >= Lowest && l <= Highest }

// InForce returns the level on which the limits are based: at most [SwitchedOn], and
// [Lowest] if the level does not exist.
func (l Level) InForce() Level {
	if !l.Valid() {
		return Lowest
	}
	return min(l, SwitchedOn)
}

// String returns the name of the level.
func (l Level) String() string {
	if !l.Valid() {
		return "unknown"
	}
	return ladder()[l-1].Name
}

// Step is a level together with what it allows beyond the level below it.
type Step struct {
	Level Level  `json:"level"`
	Name  string `json:"name"`
	// Effects are the tool effects that the level allows. Calls are single tools, or
	// single methods of a tool ("tool method"), that the level allows regardless of their
	// effect.
	Effects []string `json:"effects,omitempty"`
	Calls   []string `json:"calls,omitempty"`
	// On reports whether the level's behaviour is implemented.
	On bool `json:"switched_on"`
}

// ladder returns the levels, lowest first. A named call belongs to the level that names it,
// even if a lower level allows its effect.
func ladder() []Step {
	return []Step{
		{Level: Suggest, Name: "suggest", Effects: []string{"read"}, On: true},
		{
			Level: Draft, Name: "draft and queue", Effects: []string{"remember", "share", "draft"},
			Calls: []string{"note", "pipeline_config set", "propose_patch"}, On: true,
		},
		{Level: Execute, Name: "execute safe tools", Effects: []string{"idempotent_write"}},
		{Level: Schedule, Name: "scheduled tasks"},
		{Level: Cross, Name: "cross-goal"},
	}
}

// Ladder returns the levels, lowest first.
func Ladder() []Step { return ladder() }

// Needs returns the lowest level that allows a call, given the tool's name, the method if
// the tool has several, and the effect. It returns 0 for a call that no level allows,
// such as a write that is not idempotent; at every level, such a call only leaves a
// change request.
func Needs(tool, method, effect string) Level {
	steps := ladder()
	for _, s := range steps {
		if slices.Contains(s.Calls, tool) || method != "" && slices.Contains(s.Calls, tool+" "+method) {
			return s.Level
		}
	}
	for _, s := range steps {
		if slices.Contains(s.Effects, effect) {
			return s.Level
		}
	}
	return 0
}

// Allows reports whether a call is within a level, and returns the level that the call
// needs; see [Needs].
func (l Level) Allows(tool, method, effect string) (needs Level, ok bool) {
	needs = Needs(tool, method, effect)
	return needs, needs != 0 && needs <= l.InForce()
}
