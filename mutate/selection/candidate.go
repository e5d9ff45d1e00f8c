package selection

// Candidate holds the data about a possible parent that a selector uses.
type Candidate struct {
	// Number identifies the variant in the search and never changes: 0 is the champion.
	Number int
	// Mean and SD are the posterior mean and standard deviation of the difference between
	// the variant's score and the champion's, in score units; SD is 0 for the champion
	// itself.
	Mean, SD float64
	// Variance is the variance of the differences between single scores and the champion's;
	// 0 means unknown.
	Variance float64
	// Evaluations is the number of the candidate's scores, each in [0,1], and Sum is the
	// sum of these scores.
	Evaluations int
	Sum         float64
	// Pending is the number of evaluations that were asked for and have no result yet.
	Pending int
	// Parents are the indices of the candidate's parents in the list of candidates.
	Parents []int
	// Children is the number of all children of the candidate, whether or not they are in
	// the list.
	Children int
	// Tasks are the mean scores by task; a score is NaN if the candidate has none on the
	// task. All candidates in a list have the same number of tasks, or none has any.
	Tasks []float64
	// Domains are the mean scores by domain; a score is NaN if the candidate has none in
	// the domain.
	Domains []float64
	// Cost in USD and Latency in seconds are means over the candidate's evaluations; 0
	// means unknown.
	Cost, Latency float64
}

// Budget holds the number of evaluations that a search has spent and the total number that
// it may spend.
type Budget struct{ Spent, Total int }
