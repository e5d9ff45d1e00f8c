package model

import (
	"evolve/archive"
	"evolve/bench/stats"
	"evolve/mutate/evidence"
	"evolve/reports/number"
	"evolve/runtime/agent"
)

// Schema is the version of the JSON rendering (schema.md). Fields may be added under the
// same version; a change of meaning needs a new one.
const Schema = "evolve.report/2"

// Report is the view model of one run. Scores and differences are in score units (a point
// is .01). Text in it is foreign and raw; renderings escape it. Everything except
// Volatile is determined by plan, seed and answers.
type Report struct {
	Schema   string   `json:"schema"`
	Run      Run      `json:"run"`
	Agents   []Agent  `json:"agents"`
	Volatile Volatile `json:"volatile"`
}

// Run holds the settings of the run and its end.
type Run struct {
	ID        string           `json:"id"`
	Number    int              `json:"number"`
	State     archive.RunState `json:"state"`
	Reason    string           `json:"reason,omitempty"`
	Exit      int              `json:"exit"`
	Stages    []string         `json:"stages"`
	Selection string           `json:"selection"`
	// Policy is the version of the policies under which calls were made.
	Policy        string  `json:"policy,omitempty"`
	Seed          int64   `json:"seed"`
	Lookahead     int     `json:"lookahead"`
	BudgetEvals   int     `json:"budget_evals,omitempty"`
	BudgetUSD     float64 `json:"budget_usd,omitempty"`
	BudgetSeconds float64 `json:"budget_seconds,omitempty"`
	Evaluations   int     `json:"evaluations"`
}

// Agent is the run's part for one agent.
type Agent struct {
	Agent     string     `json:"agent"`
	Decision  Decision   `json:"decision"`
	Headline  *Headline  `json:"headline,omitempty"`
	Finalists []Finalist `json:"finalists,omitempty"`
	Honesty   Honesty    `json:"honesty"`
	Curve     []Point    `json:"curve,omitempty"`
	// Front is the Pareto front of score, cost and time.
	Front []FrontPoint `json:"front,omitempty"`
	// Tried are the variants with the most evaluations, the champion and the headline's first.
	Tried []TriedPoint `json:"tried,omitempty"`
	// Drafts sums up the changes that language models proposed; nil without any.
	Drafts *Drafts `json:"drafts,omitempty"`
	// Guards are the conditions on the headline's variant besides its score; that on
	// latency is volatile.
	Guards  []Guard    `json:"guards,omitempty"`
	Usage   []Usage    `json:"usage,omitempty"`
	Domains []Domain   `json:"domains,omitempty"`
	Tasks   []TaskPair `json:"tasks,omitempty"`
	// Failures counts the failed runs of champion and variant; nil without a comparison.
	Failures *Failures `json:"failures,omitempty"`
	// PassPowers are pass^k of the champion and of the variant on these tasks; nil where a
	// task has a single repeat.
	PassPowers *PassPowers `json:"pass_powers,omitempty"`
	Details    []Detail    `json:"details,omitempty"`
	Changes    []Change    `json:"changes,omitempty"`
	// Lineage describes the origin of the headline's variant, and Hunks the change of its
	// version of searched code; see [Ancestor] and [Hunk].
	Lineage []Ancestor `json:"lineage,omitempty"`
	Hunks   []Hunk     `json:"hunks,omitempty"`
	// Influence estimates which parameters move the score; nil for searched code.
	Influence *Influence `json:"influence,omitempty"`
	// Ablations describe how the finalists were reduced, the headline's variant first.
	Ablations []Ablation `json:"ablations,omitempty"`
	// Candidates are the entries into the confirmation that this run added to, and
	// those of earlier nights that are still open.
	Candidates []Candidate `json:"candidates,omitempty"`
	Rejected   []Rejection `json:"rejected,omitempty"`
	// Heat has the scores of the named variants by search task; nil for fewer than two.
	Heat *Heat `json:"heat,omitempty"`
	// LeftOut are variants that a proposal excluded from the confirmation: a waiting
	// proposal, or one that a person rejected.
	LeftOut []LeftOut `json:"left_out,omitempty"`
	// Unlisted counts the rejected variants that are not listed.
	Unlisted int `json:"unlisted,omitempty"`
	// Contradiction describes a contradiction between the stored evaluations and the stored
	// result, which is then left out. It is empty if there is none, or if they were not
	// compared.
	Contradiction string     `json:"contradiction,omitempty"`
	Health        Health     `json:"health"`
	Provenance    Provenance `json:"provenance"`
}

// Ref names a variant: a number for people (v37), an id for machines.
type Ref struct {
	ID     agent.ConfigID `json:"id"`
	Number int            `json:"number,omitempty"`
}

// Decision is the decision to be made for one agent.
type Decision struct {
	// Verdict is empty until the run has one for this agent.
	Verdict archive.Verdict `json:"verdict,omitempty"`
	// Sentence is the verdict in words, and Reason is the run's own record of the reason.
	Sentence string `json:"sentence"`
	Reason   string `json:"reason,omitempty"`
	// Unconfirmed explains why nothing is confirmed although the interval of the headline
	// excludes that its variant is no better; empty if it does not.
	Unconfirmed string `json:"unconfirmed,omitempty"`
	// Causes are the reasons of the verdict, the decisive one first; empty for runs from
	// before they were recorded.
	Causes []Cause `json:"causes,omitempty"`
	// Claim is the claim that the evidence supports for the headline's variant; empty if
	// there is none or if rulings were not sequential.
	Claim    stats.Claim `json:"claim,omitempty"`
	Champion Ref         `json:"champion"`
	// Against is the variant against which candidates were measured if that is not the
	// champion: the variant of a proposal that waits.
	Against *Ref `json:"against,omitempty"`
	// Reference identifies that proposal and its measured difference to the champion; nil
	// if Against is nil and in runs from before it was recorded.
	Reference *stats.Reference `json:"reference,omitempty"`
	// Variant is the variant that would be adopted; nil if there is none.
	Variant    *Ref        `json:"variant,omitempty"`
	Thresholds []Threshold `json:"thresholds,omitempty"`
	Proposals  []Proposal  `json:"proposals,omitempty"`
	// Early is the state of a run that failed or was interrupted before its work on the agent
	// was completed; empty for any other run.
	Early archive.RunState `json:"early,omitempty"`
	// Commands are the commands that a person can type next, the most likely first.
	Commands []string `json:"commands"`
}

// Cause is one reason of the verdict; see [stats.Cause].
type Cause struct {
	Kind stats.CauseKind `json:"kind"`
	// Variant is the subject of the cause; nil if it has none.
	Variant *Ref `json:"variant,omitempty"`
	// Figures by name: differences, gains and intervals in score units; counts.
	Figures  map[string]float64 `json:"figures,omitempty"`
	Sentence string             `json:"sentence"`
}

// Threshold is one condition of the verdict.
type Threshold struct {
	Name string `json:"name"`
	// Unit is the unit of the figures: "log_e" (the natural log of evidence), "points"
	// (in score units), "p", "ratio", or the counted items: "tasks", "domains".
	Unit     string  `json:"unit"`
	Observed float64 `json:"observed"`
	// Sign is the required relation of Observed to Required: "≤", "≥" or ">".
	Sign     string  `json:"sign"`
	Required float64 `json:"required"`
	// Margin is the distance of Observed from Required; negative if the condition is not
	// met.
	Margin float64 `json:"margin"`
	Met    bool    `json:"met"`
	// Open reports whether the condition is neither met nor missed, and blocks nothing.
	Open bool `json:"open,omitempty"`
}

// Proposal is a proposal that this run made for the agent.
type Proposal struct {
	ID    string                `json:"id"`
	Kind  archive.ProposalKind  `json:"kind"`
	State archive.ProposalState `json:"state"`
	Title string                `json:"title"`
	Gates []archive.GateVerdict `json:"gates,omitempty"`
	// Branch is the branch of a remote as which it awaits a person; empty: it awaits one here.
	Branch string `json:"branch,omitempty"`
	// Stale is as in [Waiting].
	Stale []string `json:"stale,omitempty"`
}

// Awaits reports whether a person may decide on the proposal.
func (p Proposal) Awaits() bool {
	return p.State == archive.Awaiting || p.State == archive.HumanLane || p.State == archive.Approved
}

// Headline is the comparison on the holdout that the verdict rests on. With Evidence its
// interval is valid at any stop; without, it is valid for a single look.
type Headline struct {
	Variant Ref `json:"variant"`
	// Metric is the difference in the metric that the scores measure, for searched code
	// that a command scores; nil for others. Discord describes a contradiction between the
	// metric and the scores, on which the verdict rests; empty if there is none.
	Metric  *stats.Gain `json:"metric,omitempty"`
	Discord string      `json:"discord,omitempty"`
	// Further are the differences in the other metrics of the command, with the findings on
	// them.
	Further []stats.Further `json:"further,omitempty"`
	Effect
	Evidence *Evidence `json:"evidence,omitempty"`
	// Tasks, Repeats, Wins, Losses and Ties are counted from the evaluations of all
	// nights of the evidence; Repeats is the minimum over the tasks.
	Tasks   int `json:"tasks"`
	Repeats int `json:"repeats"`
	Wins    int `json:"wins"`
	Losses  int `json:"losses"`
	Ties    int `json:"ties"`
	// Planned and Detectable are the smallest difference detectable at 80 % power, as
	// planned and as measured; 0 and 1 mean that none was detectable.
	Planned    float64 `json:"planned_detectable"`
	Detectable float64 `json:"detectable"`
	// Search is the gain that the search claimed, Curse the part of it that the holdout
	// did not show.
	Search float64 `json:"search_difference"`
	Curse  float64 `json:"curse"`
}

// Effect is a paired difference with its interval.
type Effect struct {
	Champion   float64 `json:"champion"`
	Score      float64 `json:"score"`
	Difference float64 `json:"difference"`
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	// Level is the confidence of the interval, such as .95.
	Level float64 `json:"level"`
	// Of is the claim of the interval: new tasks like these, or these tasks alone; empty
	// without a ruling.
	Of stats.Claim `json:"of,omitempty"`
}

// About describes the level of the interval and its claim.
func (e Effect) About() string {
	if e.exact() {
		return "exact for these tasks, as a repeat would give the same"
	}
	words := number.Percent(e.Level) + " interval"
	if e.Of != stats.NoClaim {
		words += " for " + e.Of.Words()
	}
	return words
}

// exact reports whether the difference is known without error, like that of a fixed agent
// on these tasks.
func (e Effect) exact() bool { return e.Of == stats.TheseTasks && e.Lo == e.Hi }

// Bounds formats the interval.
func (e Effect) Bounds() string {
	if e.exact() {
		return "exact"
	}
	return number.Interval(e.Lo, e.Hi)
}

// Finalist is one variant that entered the confirmation on the holdout.
type Finalist struct {
	Variant Ref `json:"variant"`
	// Metric is as in [Headline].
	Metric *stats.Gain `json:"metric,omitempty"`
	Effect
	Evidence *Evidence `json:"evidence,omitempty"`
	// Adjusted is the Holm-adjusted p-value of a finalist without Evidence.
	Adjusted float64 `json:"adjusted_p,omitempty"`
	Accepted bool    `json:"accepted"`
	// Finding is a summary of the judgement, and Reason is the run's own record of it.
	Finding string `json:"finding"`
	Reason  string `json:"reason"`
}

// Honesty reports the effort that was spent to find the claimed variant.
type Honesty struct {
	// Variants and Evaluations count those of the search, including the random baseline.
	Variants    int `json:"variants"`
	Evaluations int `json:"evaluations"`
	// Confirmations is the number of finalists in the confirmation of this run.
	Confirmations int `json:"confirmations"`
	// Rulings lists their rulings that could be computed again; nil if no computation was
	// tried.
	Rulings *evidence.Checked `json:"rulings,omitempty"`
	Method  string            `json:"method,omitempty"`
	// ErrorRate is the level of this verdict: α_c of the headline's entry.
	ErrorRate float64 `json:"error_rate,omitempty"`
	// Entries is the error control across nights after this run; nil if there was none.
	Entries *Entries `json:"entries,omitempty"`
	// Opened counts the runs that opened this holdout, including this one; Confirmed
	// counts the variants tried on it over all of them.
	Opened    int `json:"holdout_opened"`
	Confirmed int `json:"holdout_variants"`
	// Adopted counts the adoptions that this holdout has decided; Advice recommends when
	// to rotate it.
	Adopted   int       `json:"holdout_adoptions"`
	Advice    string    `json:"holdout_advice,omitempty"`
	Baseline  *Baseline `json:"baseline,omitempty"`
	Exhausted bool      `json:"exhausted,omitempty"`
	// Champion is the search's estimate of the champion's score on search tasks.
	Champion float64 `json:"champion"`
}

// Entries is the error control across nights: at most Most entries into the confirmation
// in any Days days, each at level Alpha, so that at most Level false adoptions are
// expected among them.
type Entries struct {
	Days  int     `json:"days"`
	Most  int     `json:"most"`
	Used  int     `json:"used"`
	Left  int     `json:"left"`
	Level float64 `json:"level"`
	Alpha float64 `json:"alpha"`
}

// Baseline compares the best variant of plain random search with the search's
// recommendation: after equal numbers of evaluations, and at the end of both. All scores
// are expected scores on all search tasks, from one model of all evaluations.
type Baseline struct {
	Scored
	// Evaluations counts those of the whole baseline.
	Evaluations int    `json:"evaluations"`
	Equal       *Match `json:"equal,omitempty"`
	End         *Match `json:"end,omitempty"`
}

// Match compares the search's recommendation with that of random search.
type Match struct {
	Search Side `json:"search"`
	Random Side `json:"random"`
	// Difference is that of the two scores, with its 95 % interval.
	Difference float64 `json:"difference"`
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	// Common counts the tasks that both were evaluated on.
	Common int `json:"common"`
	// Paired is the mean difference of the scores on equal tasks: those among the stored
	// evaluations that both have, PairedTasks of them; nil for too few.
	Paired      *Estimated `json:"paired,omitempty"`
	PairedTasks int        `json:"paired_tasks"`
}

// Side is one side of a [Match] after Spent evaluations of its own.
type Side struct {
	Scored
	Spent int `json:"spent"`
}

// Scored is a variant with the search's estimate of its score and its interval.
type Scored struct {
	Variant Ref     `json:"variant"`
	Score   float64 `json:"score"`
	Lo      float64 `json:"lo"`
	Hi      float64 `json:"hi"`
}

// Point holds the recommendations of search and random baseline at one moment, each after
// the given number of its own evaluations. Scores are estimates from the end of the
// search.
type Point struct {
	Evaluations int     `json:"evaluations"`
	Variant     Ref     `json:"variant"`
	Best        float64 `json:"best"`
	// Random is 0 while RandomEvals is 0.
	Random      float64 `json:"random"`
	RandomEvals int     `json:"random_evals"`
}

// Domain is the difference in one subject area.
type Domain struct {
	Domain string `json:"domain"`
	Tasks  int    `json:"tasks"`
	Effect
	// Flag is "better", "worse", or "" if the difference is not significant.
	Flag string `json:"flag,omitempty"`
	// Verdict is the verdict of the ruling: "better", "fine" (a loss of 10 points is
	// ruled out), "open" or "veto"; empty without a ruling.
	Verdict string `json:"verdict,omitempty"`
}

// TaskPair is one holdout task under champion and variant, over the repeats that
// were scored on both sides.
type TaskPair struct {
	Task     string  `json:"task"`
	Domain   string  `json:"domain,omitempty"`
	Repeats  int     `json:"repeats"`
	PassA    int     `json:"champion_passes"`
	PassB    int     `json:"variant_passes"`
	Champion float64 `json:"champion"`
	Score    float64 `json:"score"`
	// Values are the means of the metric that the scores measure; nil without one, and if a
	// side has no value.
	Values *TaskValues `json:"values,omitempty"`
	// Steady is "consistent" if neither side's passes differed between repeats, "flaky"
	// if one side's did, "once" if there was only one repeat.
	Steady string `json:"steady"`
}

// TaskValues are the values of a metric on one case.
type TaskValues struct {
	Champion float64 `json:"champion"`
	Variant  float64 `json:"variant"`
}

// Difference is the variant's mean score minus the champion's.
func (t TaskPair) Difference() float64 { return t.Score - t.Champion }

// Detail shows one regression or gain in detail: one repeat of one task.
type Detail struct {
	TaskPair
	// Goal is the request of the task, without credentials; Expected is its reference and
	// its graders. Both are empty in runs from before they were recorded.
	Goal     string  `json:"goal,omitempty"`
	Expected string  `json:"expected,omitempty"`
	Repeat   int     `json:"repeat"`
	Before   Attempt `json:"before"`
	After    Attempt `json:"after"`
	Steps    []Step  `json:"steps,omitempty"`
	Diverge  int     `json:"diverge"`
	// Transcript aligns the events of both attempts, and Differs is the index of the first
	// step at which they part; −1 if they do not.
	Transcript []EventPair `json:"transcript,omitempty"`
	Differs    int         `json:"differs"`
}

// Attempt is one evaluation of a detail, with bounded texts.
type Attempt struct {
	Score   float64       `json:"score"`
	Pass    bool          `json:"pass"`
	Outcome agent.Outcome `json:"outcome"`
	Reason  string        `json:"reason,omitempty"`
	Answer  string        `json:"answer,omitempty"`
	Error   string        `json:"error,omitempty"`
	// Events is the transcript; Omitted counts its events that are left out.
	Events  []agent.Event `json:"events,omitempty"`
	Omitted int           `json:"omitted,omitempty"`
}

// Step is one position of the aligned sequences of tool calls; "" means that a side has
// none.
type Step struct {
	Before string `json:"before"`
	After  string `json:"after"`
}

// Change is one parameter's old and new value as text; inactive ones are "".
type Change struct {
	Param string `json:"param"`
	Old   string `json:"old"`
	New   string `json:"new"`
	// Added and Removed are set for lists, Lines for longer texts.
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
	Lines   []Line   `json:"lines,omitempty"`
	// Own is the effect of the change by itself; nil if it was not measured.
	Own *OwnEffect `json:"own_effect,omitempty"`
}

// Line is one line of a text diff; Op is "+", "-", " " or "…" for lines left out.
type Line struct {
	Op   string `json:"op"`
	Text string `json:"text"`
}

// Rejection is a variant that was tried and is not recommended.
type Rejection struct {
	Variant  Ref    `json:"variant"`
	Operator string `json:"operator,omitempty"`
	// Author is the language model that wrote it and its route; empty: none.
	Author string `json:"author,omitempty"`
	// Evaluations counts those on search tasks; Shared of them have a counterpart of the
	// champion, and Difference is the mean over these.
	Evaluations int     `json:"evaluations"`
	Shared      int     `json:"shared"`
	Difference  float64 `json:"difference"`
	// Holdout is set if the variant was a finalist.
	Holdout *Effect `json:"holdout,omitempty"`
	// State is the state after the last ruling; empty if the variant never entered the confirmation.
	State  stats.State `json:"state,omitempty"`
	Reason string      `json:"reason"`
}
