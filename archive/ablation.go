package archive

import "evolve/runtime/agent"

// Ablation is how a run made a finalist small, on search tasks.
type Ablation struct {
	// Winner is the finalist that the search found, Small what was left of it; equal
	// when nothing could go.
	Winner agent.ConfigID `json:"winner"`
	Small  agent.ConfigID `json:"small"`
	// Reverted are parameters that went back to the champion's value.
	Reverted    []string      `json:"reverted,omitempty"`
	Effects     []ParamEffect `json:"effects,omitempty"`
	Evaluations int           `json:"evaluations"`
	Reason      string        `json:"reason"`
}

// ParamEffect is what one changed parameter does by itself: the score of the small winner
// less that of the same config with this parameter as the champion has it.
type ParamEffect struct {
	Param      string  `json:"param"`
	Difference float64 `json:"difference"`
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	// Evaluations of the config without it.
	Evaluations int `json:"evaluations"`
	// Shown says that the effect counts as shown: by the probability that it is positive, or,
	// of an agent without chance, as the tasks that were tried without the change lost more
	// than may be lost.
	Shown bool `json:"shown,omitempty"`
	// Untried says that the evaluations ended before the config without it was compared with the
	// small winner: there is no difference to show.
	Untried bool `json:"untried,omitempty"`
}
