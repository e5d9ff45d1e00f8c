package mutate

import "evolve/runtime/agent"

// Form is the kind of change that a brief requests.
type Form string

// The forms. Rewrite and Demonstrate are for texts: a new instruction as a whole (Zhou et
// al., "Large language models are human-level prompt engineers", 2022), and worked
// examples from cases that passed (Opsahl-Ong et al., "Optimizing instructions and
// demonstrations", 2024).
const (
	Change      Form = "change"
	Rewrite     Form = "rewrite"
	Demonstrate Form = "demonstrate"
)

// Author describes the language models that answer the briefs of a search.
type Author struct {
	// Rate bounds the briefs of all routes together. Every 0 stands for
	// [DefaultBriefEvery].
	Rate
	// Routes are the models to choose from, one or more.
	Routes []AuthorRoute
	// Wordings name the wordings of the request to choose from; none: one without a name.
	Wordings []string
	// Past are earlier drafts, the oldest first: those of earlier nights, and those of
	// this run from before it was resumed without a replay.
	Past []PastDraft
}

// AuthorRoute is one model that answers briefs.
type AuthorRoute struct {
	Name string
	Rate
}

// Rate bounds requests; zero values are no bounds.
type Rate struct {
	// Every is the minimum number of evaluations for each request.
	Every int
	// MaxCalls, MaxUSD and MaxTokens are the maximum number, cost, and tokens of input and
	// output of the requests of a night.
	MaxCalls  int
	MaxUSD    float64
	MaxTokens int64
}

// DefaultBriefEvery is the number of evaluations for each brief.
const DefaultBriefEvery = 12

// PastDraft is the result of an earlier brief.
type PastDraft struct {
	Component, Route, Wording string
	Form                      Form
	// Parent is the variant of the brief, and Draft the resulting config. Without a
	// draft, Reason is the cause, and Outcome is the outcome of a request without an
	// answer.
	Parent, Draft     agent.ConfigID
	Config            agent.Config
	Rationale, Reason string
	Outcome           agent.Outcome
	CostUSD           float64
	Tokens            int64
	// Full reports whether the request was not sent; see [Observation].
	Full bool
	// Tonight reports whether the draft belongs to this run.
	Tonight bool
}

// DraftGain is the search's estimate of a draft of this night.
type DraftGain struct {
	Variant agent.ConfigID
	// Gain is the estimated gain over its parent, in score units, and SE its standard error.
	Gain, SE    float64
	Evaluations int
}
