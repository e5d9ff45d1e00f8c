package archive

import "evolve/runtime/agent"

// Ablation records how a run reduced a finalist's changes, measured on search tasks.
type Ablation struct {
	// Winner is the finalist that the search found and Small its reduced config; they are
	// equal when no change could be reverted.
	Winner agent.ConfigID `json:"winner"`
	Small  agent.ConfigID `json:"small"`
	// Reverted lists the parameters that have the champion's value again.
	Reverted []string      `json:"reverted,omitempty"`
	Effects  []ParamEffect `json:"effects,omitempty"`
	// Parts are the hunks of the change of source code that Small is; empty for configs, and
	// for a change of one hunk.
	Parts       []AblationPart `json:"parts,omitempty"`
	Evaluations int            `json:"evaluations"`
	Reason      string         `json:"reason"`
}

// AblationPart is a hunk of a small winner's change.
type AblationPart struct {
	// Name has the hunk's lines, clipped; they are foreign text.
	Name string `json:"name"`
	// Place is the file and the line of the hunk in the champion's code; empty for a
	// parameter, and in records of an older evolve.
	Place string `json:"place,omitempty"`
	// Alone is the champion with this hunk alone, and Without the small winner without it,
	// whether they were evaluated or not; each is empty if it is not a config of its own.
	Alone   agent.ConfigID `json:"alone,omitempty"`
	Without agent.ConfigID `json:"without,omitempty"`
}

// ParamEffect is the effect of one changed parameter: the score of the small winner less
// that of the same config with this parameter at the champion's value.
type ParamEffect struct {
	Param      string  `json:"param"`
	Difference float64 `json:"difference"`
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	// Evaluations is the number of evaluations of the config without the change.
	Evaluations int `json:"evaluations"`
	// Shown reports whether the effect counts as shown: by the probability that it is
	// positive or, for an agent without randomness, because the tasks tried without the
	// change lost more than the limit.
	Shown bool `json:"shown,omitempty"`
	// Untried reports whether the evaluations ended before the config without the change
	// was compared with the small winner, so there is no difference.
	Untried bool `json:"untried,omitempty"`
}
