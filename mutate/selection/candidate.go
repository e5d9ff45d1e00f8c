package selection

// Candidate is the data of a possible parent for a selector.
type Candidate struct {
	// Number identifies the variant in the search and never changes: 0 is the champion.
	Number int
	// Mean and SD are the posterior of its score minus the champion's, in score units; SD
	// is 0 for the champion itself.
	Mean, SD float64
	// Variance is that of the differences of single scores to the champion's; 0: unknown.
	Variance float64
	// Evaluations is the number of scores, each in [0,1], and Sum their sum.
	Evaluations int
	Sum         float64
	// Pending is the number of evaluations asked for and not yet told.
	Pending int
	// Parents are the indices of the candidate's parents in the list.
	Parents []int
	// Children is the number of all its children, in the list or not.
	Children int
	// Tasks are the mean scores by task, NaN where it has none. All candidates of a list
	// have the same number, or none.
	Tasks []float64
	// Domains are the mean scores by domain, NaN where it has none.
	Domains []float64
	// Cost in USD and Latency in seconds are means over its evaluations; 0: unknown.
	Cost, Latency float64
}

// Budget is the progress of a search, in evaluations.
type Budget struct{ Spent, Total int }
