package archive

import (
	"evolve/bench/metrics"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Grounds are the inputs of the rulings of a result besides evaluations. With them and the
// evaluations of the finalists' runs each ruling can be recomputed.
type Grounds struct {
	// Against is the reference config of all pairs.
	Against agent.ConfigID `json:"against"`
	// Fixed reports whether repeats were no new evidence.
	Fixed bool `json:"fixed,omitempty"`
	// Metric is the kind of the metric that the scores measure; nil if they measure none.
	Metric *metrics.Kind `json:"metric,omitempty"`
	// Tasks are those of the holdout, in the order of the suites.
	Tasks []GroundTask `json:"tasks"`
	// Bounds are the guards that the rulings include, in their order.
	Bounds []stats.Bound `json:"bounds,omitempty"`
	// Wording is the [stats.Wording] of the sentences of rulings and verdict; 0: an older one.
	Wording int `json:"wording,omitempty"`
}

// GroundTask holds the properties of a holdout task that a ruling uses.
type GroundTask struct {
	ID     string `json:"id"`
	Domain string `json:"domain,omitempty"`
	// Cluster is the same for all tasks that form one unit; Weight is above 0.
	Cluster string  `json:"cluster"`
	Weight  float64 `json:"weight"`
}

// Judged holds the parameters by which one finalist was judged.
type Judged struct {
	// Alpha is the level of its entry, in (0, 1), and Projected the number of pairs that it
	// was projected to need; 0 means no cap.
	Alpha     float64 `json:"alpha"`
	Projected float64 `json:"projected,omitempty"`
	// Blocks counts the complete blocks of its runs, from the first, that were judged.
	Blocks int `json:"blocks"`
}
