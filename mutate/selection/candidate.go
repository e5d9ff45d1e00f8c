package selection

// Candidate is what a selector knows of a variant that may become a parent.
type Candidate struct {
	// Number tells the variants of one search apart and never changes: 0 is the champion.
	Number int
	// Mean and SD are the posterior of its score less the champion's, in score units; SD
	// is 0 for the champion itself.
	Mean, SD float64
	// Evaluations with a score, and the sum of those scores, each in [0,1].
	Evaluations int
	Sum         float64
	// Pending counts evaluations asked for and not told.
	Pending int
	// Parents are indices into the list, of those that are in it.
	Parents []int
	// Children counts all that were made of it, in the list or not.
	Children int
	// Tasks are the mean scores by task, NaN where it has none. All of a list have equally many, or none.
	Tasks []float64
	// Domains are the mean scores by domain, NaN where it has none.
	Domains []float64
	// Cost in USD and Latency in seconds are means over its evaluations; 0: unknown.
	Cost, Latency float64
}

// Budget says how far a search is, in evaluations.
type Budget struct{ Spent, Total int }
