package archive

import (
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Grounds are what the rulings of a result were computed from besides evaluations. With
// them and the evaluations of the finalists' runs each ruling can be computed again.
type Grounds struct {
	// Against is the config on the champion's side of all pairs.
	Against agent.ConfigID `json:"against"`
	// Fixed says that a repeat was no new evidence.
	Fixed bool `json:"fixed,omitempty"`
	// Tasks are those of the holdout, in the order of the suites.
	Tasks []GroundTask `json:"tasks"`
	// Bounds are the guards that the rulings include, in their order.
	Bounds []stats.Bound `json:"bounds,omitempty"`
}

// GroundTask is what a ruling takes from a task of the holdout.
type GroundTask struct {
	ID     string `json:"id"`
	Domain string `json:"domain,omitempty"`
	// Cluster names the tasks that are one unit with it; Weight is above 0.
	Cluster string  `json:"cluster"`
	Weight  float64 `json:"weight"`
}

// Judged is by what one finalist was judged.
type Judged struct {
	// Alpha is the level of its entry, in (0, 1), and Projected the pairs that it was
	// projected to need; 0: no cap.
	Alpha     float64 `json:"alpha"`
	Projected float64 `json:"projected,omitempty"`
	// Blocks counts the complete blocks of its runs, from the first on, that were judged.
	Blocks int `json:"blocks"`
}
