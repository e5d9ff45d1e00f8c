package archive

import "evolve/runtime/agent"

// Ablation records how a run reduced a finalist's changes, measured on search tasks.
type Ablation struct {
	// Winner is the finalist that the search found, and Small is its reduced config. They
	// are equal if no change could be reverted.
	Winner agent.ConfigID `json:"winner"`
	Small  agent.ConfigID `json:"small"`
	// Reverted lists the parameters that were set back to the champion's values.
	Reverted []string      `json:"reverted,omitempty"`
	Effects  []ParamEffect `json:"effects,omitempty"`
	// Parts lists the hunks of Small if it is a change to source code. It is empty for
	// configs, and for a change that has a single hunk.
	Parts       []AblationPart `json:"parts,omitempty"`
	Evaluations int            `json:"evaluations"`
	// Untried is the reason why changes that were kept were not tried alone; it is empty
	// if there are no such changes, and in records from an older evolve.
	Untried Untried `json:"untried,omitempty"`
	Reason  string  `json:"reason"`
}

// Untried is a reason why changes were not tried alone.
type Untried string

// The reasons: the plan had no evaluations for the ablation, too few evaluations were
// left for the finalist to try anything, the evaluations ran out, or the search's
// evaluations were enough to decide.
const (
	UntriedUnplanned Untried = "unplanned"
	UntriedShort     Untried = "short"
	UntriedEnded     Untried = "ended"
	UntriedEnough    Untried = "enough"
)

// AblationPart is one hunk of a reduced winner's change.
type AblationPart struct {
	// Name contains the lines of the hunk, truncated. They are untrusted text.
	Name string `json:"name"`
	// Place is the file and line of the hunk in the champion's code. It is empty for a
	// parameter, and in records written by an older version of evolve, which did not store
	// it.
	Place string `json:"place,omitempty"`
	// Alone is the id of the champion with only this hunk applied, and Without is the id of
	// the reduced winner without this hunk, whether or not these configs were evaluated.
	// Either is empty if its config is invalid, is the champion, or is the reduced winner
	// itself.
	Alone   agent.ConfigID `json:"alone,omitempty"`
	Without agent.ConfigID `json:"without,omitempty"`
}

// ParamEffect is the effect of one changed parameter: the score of the reduced winner minus
// the score of the same config with this parameter set to the champion's value.
type ParamEffect struct {
	Param      string  `json:"param"`
	Difference float64 `json:"difference"`
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	// Evaluations is the number of evaluations of the reduced winner without this change.
	Evaluations int `json:"evaluations"`
	// Shown reports whether the effect counts as shown. It does if the probability that it
	// is positive is high enough or, for an agent without randomness, if the config without
	// the change lost more than the limit on the tasks on which it was tried.
	Shown bool `json:"shown,omitempty"`
	// Untried reports whether the evaluations ended before the config without the change
	// was compared with the reduced winner, so that Difference, Lo and Hi are not known.
	Untried bool `json:"untried,omitempty"`
}
