package autonomy

import "slices"

// Level is a step of the ladder. Every agent begins at [Lowest].
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
	// SwitchedOn is the highest level whose behaviour exists. Higher ones are recorded, and
	// act as this one.
	SwitchedOn = Draft
)

// Parameter is the name under which an agent asks for a level with pipeline_config, and
// RequestType is the type of the change request that this leaves.
const (
	Parameter   = "autonomy.level"
	RequestType = "autonomy"
)

// Valid reports whether the level exists.
func (l Level) Valid() bool { return l >= Lowest && l <= Highest }

// InForce returns the level that limits act on: at most [SwitchedOn], and [Lowest] for one
// that does not exist.
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

// Step is a level with what it allows beyond the one below it.
type Step struct {
	Level Level  `json:"level"`
	Name  string `json:"name"`
	// Effects are the effects of tools that it allows, and Calls single tools, or methods of
	// one ("tool method"), whatever their effect.
	Effects []string `json:"effects,omitempty"`
	Calls   []string `json:"calls,omitempty"`
	// On reports whether its behaviour exists.
	On bool `json:"switched_on"`
}

// ladder returns the levels from the lowest. A call that is named belongs to the level that
// names it, even if a lower one allows its effect.
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

// Ladder returns the levels from the lowest.
func Ladder() []Step { return ladder() }

// Needs returns the lowest level that allows a call, by the tool's name, the method of one
// that has several, and its effect. It is 0 for a call that no level allows, such as any
// other write: such a call leaves a change request at every level.
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

// Allows reports whether a call is within a level, and the level that it needs; see [Needs].
func (l Level) Allows(tool, method, effect string) (needs Level, ok bool) {
	needs = Needs(tool, method, effect)
	return needs, needs != 0 && needs <= l.InForce()
}
