package mutate

import "evolve/runtime/agent"

// Form is the kind of change that a brief asks for.
type Form string

// The forms of changes. Rewrite and Demonstrate apply to texts: Rewrite requests a whole
// new instruction (Zhou et al., "Large language models are human-level prompt engineers",
// 2022), and Demonstrate requests worked examples from cases that passed (Opsahl-Ong et
// al., "Optimizing instructions and demonstrations", 2024).
const (
	Change      Form = "change"
	Rewrite     Form = "rewrite"
	Demonstrate Form = "demonstrate"
)

// Author describes the language models that answer briefs in a search.
type Author struct {
	// Rate limits the briefs of all routes together. An Every of 0 stands for
	// [DefaultBriefEvery].
	Rate
	// Routes are the models to choose from; there must be at least one.
	Routes []AuthorRoute
	// Wordings lists the names of the wordings that the request can have. If there are
	// none, a single wording without a name is used.
	Wordings []string
	// Past holds earlier drafts, oldest first: drafts from earlier nights, and drafts from
	// this run before it was resumed without a replay.
	Past []PastDraft
}

// AuthorRoute is one model that answers briefs.
type AuthorRoute struct {
	Name string
	Rate
}

// Rate limits requests; zero values mean no limits.
type Rate struct {
	// Every is the minimum number of evaluations per request.
	Every int
	// MaxCalls, MaxUSD and MaxTokens limit the number of requests in one night, their total
	// cost, and their total input and output tokens.
	MaxCalls  int
	MaxUSD    float64
	MaxTokens int64
}

// DefaultBriefEvery is the default for the minimum number of evaluations per brief.
const DefaultBriefEvery = 12

// PastDraft is the result of an earlier brief.
type PastDraft struct {
	Component, Route, Wording string
	Form                      Form
	// Parent is the variant that the brief was about, and Draft is the resulting config. If
	// there is no draft, Reason states the cause. If a request was not answered, Outcome
	// describes the failure.
	Parent, Draft     agent.ConfigID
	Config            agent.Config
	Rationale, Reason string
	Outcome           agent.Outcome
	CostUSD           float64
	Tokens            int64
	// Full reports whether the request was not sent; see [Observation].
	Full bool
	// Tonight reports whether the draft is from this run.
	Tonight bool
}

// DraftGain is the search's estimate of the gain of a draft from this night.
type DraftGain struct {
	Variant agent.ConfigID
	// Gain is the draft's estimated gain over its parent, in score units, and SE is the
	// standard error of the gain.
	Gain, SE    float64
	Evaluations int
}
