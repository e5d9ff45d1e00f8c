package archive

import (
	"evolve/bench/metrics"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Grounds holds the inputs, other than evaluations, of the rulings in a result. From them
// and the evaluations of the finalists' runs, each ruling can be recomputed.
type Grounds struct {
	// Against is the config with which every finalist was compared.
	Against agent.ConfigID `json:"against"`
	// Fixed reports whether repeats provided no new evidence.
	Fixed bool `json:"fixed,omitempty"`
	// Metric is the kind of the metric that the scores measure; it is nil if they measure
	// none.
	Metric *metrics.Kind `json:"metric,omitempty"`
	// Tasks are the holdout tasks, in the order of the suites.
	Tasks []GroundTask `json:"tasks"`
	// Bounds are the guards that the rulings include, in the order in which they are
	// included.
	Bounds []stats.Bound `json:"bounds,omitempty"`
	// Wording is the value of [stats.Wording] with which the sentences in the rulings and
	// the verdict were written; 0 means an older version.
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
	// Alpha is the significance level of the finalist's entry, in (0, 1). Projected is the
	// number of pairs that the finalist was projected to need; 0 means that there is no
	// cap.
	Alpha     float64 `json:"alpha"`
	Projected float64 `json:"projected,omitempty"`
	// Blocks is the number of complete blocks of the finalist's runs, counted from the
	// first block, on which the ruling is based.
	Blocks int `json:"blocks"`
}
