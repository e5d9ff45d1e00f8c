package stats

// Pair holds the scores of one task under two configs: the champion's (A) and the variant's
// (B), one per repeat, on the same seeds. Repeats that lack an evaluation on either side
// are left out of A and B.
type Pair struct {
	Task    string
	Domain  string
	Cluster string
	Weight  float64
	A, B    []float64
	// Nights holds, for each repeat of A and B, the number of the run in which it was made;
	// nil means that all were made in one run.
	Nights []int
	// AloneA holds the champion's scores for which the variant's evaluation is missing, and
	// AloneB holds the reverse; see [Judge].
	AloneA, AloneB []float64
	// FailedA and FailedB report for each repeat whether the agent failed to give a
	// gradable result; nil means that it never did. See [Failures].
	FailedA, FailedB []bool
	// CostA and CostB are the costs in USD, and LatencyA and LatencyB the latencies in
	// seconds, of the same evaluations, in the same order. They are nil if they were not
	// measured, and NaN stands for an unknown value. A pair of values counts only if both
	// are known.
	CostA, CostB       []float64
	LatencyA, LatencyB []float64
	// Other holds further metrics of the same evaluations, keyed by name; it is nil if
	// there are none.
	Other map[string]Measured

	// Values holds the values of the metric that the scores measure, repeat by repeat. A
	// value is NaN if it is missing, and Values is nil if there is no metric.
	Values Measured
	// Further holds the values of the further metrics, in the order of [metrics.Kind]; it
	// is nil if there are none.
	Further []Measured

	// runs is the number of complete repeats, and failedA and failedB are the numbers of
	// those that failed on side A and on side B. normalizePairs sets these fields.
	runs, failedA, failedB int
}

// Measured holds the values of a metric on both sides, pair by pair.
type Measured struct{ A, B []float64 }

// The metrics of a Pair that have fields of their own.
const (
	Cost    = "cost"
	Latency = "latency"
)

// measured returns the values of a metric on both sides.
func (p Pair) measured(metric string) (a, b []float64) {
	switch metric {
	case Cost:
		return p.CostA, p.CostB
	case Latency:
		return p.LatencyA, p.LatencyB
	}
	return p.Other[metric].A, p.Other[metric].B
}

// Comparison is the paired difference B − A over tasks, with clusters as units. Scores
// and differences are in score units, [-1,1].
type Comparison struct {
	MeanA      float64 `json:"mean_a"`
	MeanB      float64 `json:"mean_b"`
	Difference float64 `json:"difference"`
	// SE is the standard error of the difference, clustered by task cluster.
	SE float64 `json:"se"`
	// Lo and Hi bound the difference at Level (two-sided).
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
	Level float64 `json:"level"`
	// P is the one-sided p-value of "B is not better than A".
	P        float64 `json:"p"`
	Tasks    int     `json:"tasks"`
	Clusters int     `json:"clusters"`
	// Repeats is the smallest number of repeats of any task.
	Repeats int `json:"repeats"`
	Wins    int `json:"wins"`
	Losses  int `json:"losses"`
	Ties    int `json:"ties"`
	// Detectable is the smallest true difference that a comparison of this size and spread
	// finds with 80 % power at its level: t_{(1+Level)/2} + t_{.8} standard errors (a
	// comparison that is valid at any stopping time has its own formula). It is 1 if no
	// difference on the scale would be found.
	Detectable float64 `json:"detectable"`
	// Domains has a comparison for each domain with at least two tasks; it is empty inside
	// a domain.
	Domains []DomainComparison `json:"domains,omitempty"`
}

// DomainComparison is the comparison within one domain.
type DomainComparison struct {
	Domain string `json:"domain"`
	Comparison
}
