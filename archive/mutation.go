package archive

import "evolve/runtime/agent"

// Mutation records that a change was tried, so that it is not proposed again.
type Mutation struct {
	Agent    string         `json:"agent"`
	Parent   agent.ConfigID `json:"parent"`
	Child    agent.ConfigID `json:"child"`
	Operator string         `json:"operator"`
	Run      string         `json:"run"`
	// Gain is the child's estimated score on search tasks minus its parent's, if both had a
	// score.
	Gain  float64 `json:"gain"`
	Known bool    `json:"known"`
}
