package archive

import (
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// SearchResult is the outcome of the search stage.
type SearchResult struct {
	Evaluations int            `json:"evaluations"`
	Variants    int            `json:"variants"`
	Champion    ScoredVariant  `json:"champion"`
	Recommended ScoredVariant  `json:"recommended"`
	Baseline    *ScoredVariant `json:"random_baseline,omitempty"`
	Curve       []CurvePoint   `json:"curve,omitempty"`
	// Equal compares search and random search after equal numbers of evaluations, and End
	// compares them at the end of both.
	Equal *Match `json:"equal,omitempty"`
	End   *Match `json:"end,omitempty"`
	// Front lists the champion and the variants that no other variant dominates in score,
	// cost and time, the cheapest first.
	Front []ScoredVariant `json:"front,omitempty"`
	// Compared lists the variants that the search compared with the champion at its end, the
	// best first, without their configs; it is empty in runs that ended before this was
	// recorded.
	Compared []ScoredVariant `json:"compared,omitempty"`
	// Exhausted reports whether every config of the space was evaluated on every task.
	Exhausted bool `json:"exhausted,omitempty"`
	// Drafts sums up the drafts of language models; it is nil if none was requested.
	Drafts *DraftSummary `json:"drafts,omitempty"`
	// Operators is the state of the operators' bandit at the end of the search, which the
	// next night continues; it is nil in runs that ended before this was recorded.
	Operators *Operators `json:"operators,omitempty"`
	// MetricFirst is the version that the mean of the metric ranks above Recommended; it is
	// nil if there is no such version, or no metric.
	MetricFirst *MetricFirst `json:"metric_first,omitempty"`
}

// MetricFirst is a version of searched code that the mean of the metric shows to be better
// than the version that the score ranks first. Both are compared on the search cases on
// which both were scored.
type MetricFirst struct {
	Variant agent.ConfigID `json:"variant"`
	// Over is the version that the score ranks first, and Gain is the gain of Variant over
	// it.
	Over agent.ConfigID `json:"over"`
	Gain stats.Further  `json:"gain"`
}

// Operators is the state of the bandit that divides proposals among operators.
type Operators struct {
	// Top is the gain, in score units, that counts as a full success.
	Top float64 `json:"top"`
	// Arms holds the record of each operator, by the operator's name.
	Arms map[string]OperatorArm `json:"arms"`
}

// OperatorArm is the discounted record of one operator.
type OperatorArm struct {
	Success  float64 `json:"success"`
	Children float64 `json:"children"`
	Scale    float64 `json:"scale"`
}

// DraftSummary sums up the drafts of language models in a search.
type DraftSummary struct {
	// Tallies holds the results of each option of each choice in the requests.
	Tallies []DraftTally `json:"tallies"`
	// Best are the drafts with the highest estimated gains, in descending order.
	Best []DraftedVariant `json:"best,omitempty"`
	// Untried lists the reasons why requests led to no variant, the most frequent first.
	Untried []UntriedDraft `json:"untried,omitempty"`
	// Full lists the limits that were reached, each with its figures. Because of them, no
	// further requests were sent.
	Full []string `json:"full,omitempty"`
	// Rival compares the drafts and their descendants with the variants that operators
	// made without any draft; it is nil if they were not compared.
	Rival *DraftRival `json:"rival,omitempty"`
}

// DraftRival has the largest estimated gains over the champion, in score units, after equal
// numbers of evaluations; a gain is 0 if there is none.
type DraftRival struct {
	Evaluations int     `json:"evaluations"`
	Models      float64 `json:"models"`
	Operators   float64 `json:"operators"`
}

// UntriedDraft is a reason why requests to language models led to no variant.
type UntriedDraft struct {
	Reason string `json:"reason"`
	Calls  int    `json:"calls"`
}

// DraftTally sums up the results of the requests made with one option of a choice.
type DraftTally struct {
	// Choice is the kind of choice: "route", "form", "wording" or "component". Option is
	// the name of the option, and Model is the model of a route.
	Choice string `json:"choice"`
	Option string `json:"option"`
	Model  string `json:"model,omitempty"`
	// Calls counts the requests, Drafts counts those that led to a variant, and Failed
	// counts those without an answer; the drafts in the other answers were refused.
	Calls  int `json:"calls"`
	Drafts int `json:"drafts"`
	Failed int `json:"failed,omitempty"`
	// Requests counts the requests to a route, including repeated attempts and requests
	// cut off by a kill; it is 0 for other choices. Unanswered counts the requests
	// without an answer. UnansweredUSD is the highest possible cost of the unanswered
	// requests, in USD, which the budget counts; Usage does not include it.
	Requests      int     `json:"requests,omitempty"`
	Unanswered    int     `json:"unanswered,omitempty"`
	UnansweredUSD float64 `json:"unanswered_usd,omitempty"`
	// Gain is the sum of the estimated gains of the option's drafts over their parents,
	// with losses counted as 0, and Best is the highest gain.
	Gain  float64     `json:"gain"`
	Best  float64     `json:"best"`
	Usage agent.Usage `json:"usage"`
	// Measured counts the option's drafts that were evaluated, and Evaluations counts their
	// evaluations. Mean is the mean gain of these drafts, losses included, with its
	// interval; it is nil if there are too few of them.
	Measured    int            `json:"measured,omitempty"`
	Evaluations int            `json:"evaluations,omitempty"`
	Mean        *stats.Measure `json:"mean,omitempty"`
}

// DraftedVariant is a variant that a language model wrote.
type DraftedVariant struct {
	Variant   agent.ConfigID `json:"variant"`
	Route     string         `json:"route"`
	Model     string         `json:"model,omitempty"`
	Component string         `json:"component"`
	Form      string         `json:"form,omitempty"`
	Wording   string         `json:"wording,omitempty"`
	// Gain is the estimated gain of the variant over its parent.
	Gain        float64 `json:"gain"`
	Evaluations int     `json:"evaluations"`
	// InUse describes the part of live turns that the model was shown; it is empty if the
	// model was shown none.
	InUse string `json:"in_use,omitempty"`
}

// ScoredVariant is a variant with its estimated score on search tasks.
type ScoredVariant struct {
	Variant agent.ConfigID `json:"variant"`
	Config  agent.Config   `json:"config"`
	// Score is the weighted mean over the search tasks seen.
	Score       float64 `json:"score"`
	Lo          float64 `json:"lo"`
	Hi          float64 `json:"hi"`
	Evaluations int     `json:"evaluations"`
	// CostUSD and Seconds are the expected cost and time of an evaluation; 0 means unknown.
	CostUSD float64 `json:"cost_usd,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	// Breaks names the guards that the variant is expected to break.
	Breaks []string `json:"breaks,omitempty"`
}

// CurvePoint holds the recommendations of the search and of its random baseline after a
// number of evaluations, scored with all data at the end of the search.
type CurvePoint struct {
	Evaluations int `json:"evaluations"`
	// Variant is the config recommended at that point, and Best is its expected score on
	// all search tasks. In runs from before Variant was recorded, Best is the estimate at
	// that moment, which is biased upwards because the variant was selected for its high
	// estimate.
	Variant agent.ConfigID `json:"variant,omitempty"`
	Best    float64        `json:"best"`
	// Random is the expected score of RandomVariant, the baseline's best config after
	// RandomEvals evaluations of its own; it is 0 if the baseline had none yet.
	RandomVariant agent.ConfigID `json:"random_variant,omitempty"`
	Random        float64        `json:"random"`
	RandomEvals   int            `json:"random_evals"`
}

// Match compares the recommendation of the search with that of random search by their
// expected scores on all search tasks, which one model computes from all evaluations at the
// end.
type Match struct {
	Search ScoredVariant `json:"search"`
	Random ScoredVariant `json:"random"`
	// SearchSpent and RandomSpent are the numbers of evaluations that the search and random
	// search used.
	SearchSpent int `json:"search_spent"`
	RandomSpent int `json:"random_spent"`
	// Difference is the difference in score units, with its 95 % interval.
	Difference float64 `json:"difference"`
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	// Common counts the search tasks on which both configs were evaluated.
	Common int `json:"common"`
}

// Tally returns the tally of an option, which it adds if necessary.
func (s *DraftSummary) Tally(choice, option string) *DraftTally {
	for i := range s.Tallies {
		if t := &s.Tallies[i]; t.Choice == choice && t.Option == option {
			return t
		}
	}
	s.Tallies = append(s.Tallies, DraftTally{Choice: choice, Option: option})
	return &s.Tallies[len(s.Tallies)-1]
}
