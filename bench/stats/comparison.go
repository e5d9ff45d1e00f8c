package stats

// Pair holds the scores of one task under two configs: the champion's (A) and
// the variant's (B), one per repeat, on the same seeds. Missing evaluations are
// left out on both sides before a Pair is made.
type Pair struct {
	Task    string
	Domain  string
	Cluster string
	Weight  float64
	A, B    []float64
	// The money in USD and the time in seconds of the same evaluations, in the same order;
	// nil when nobody measured them.
	CostA, CostB       []float64
	LatencyA, LatencyB []float64
}

// Comparison is the paired difference B − A over tasks, clusters as units.
// Scores and differences are in score units, [-1,1].
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
	// Repeats is the smallest number of repeats over the tasks.
	Repeats int `json:"repeats"`
	Wins    int `json:"wins"`
	Losses  int `json:"losses"`
	Ties    int `json:"ties"`
	// Detectable is the smallest true difference that a comparison of this size
	// and spread finds with 80 % power at its level: t_{(1+Level)/2} + t_{.8}
	// standard errors ([CompareSequential] has its own). 1 when nothing below the whole scale would be found.
	Detectable float64 `json:"detectable"`
	// Domains holds the same for each domain with at least two tasks; empty inside a domain.
	Domains []DomainComparison `json:"domains,omitempty"`
}

// DomainComparison is the part of a comparison that one domain makes.
type DomainComparison struct {
	Domain string `json:"domain"`
	Comparison
}
