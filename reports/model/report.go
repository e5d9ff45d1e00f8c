package model

import (
	"evolve/archive"
	"evolve/bench/stats"
	"evolve/mutate/evidence"
	"evolve/reports/number"
	"evolve/runtime/agent"
)

// Schema is the version of the JSON rendering (schema.md). Fields may be added under the
// same version; a change in meaning needs a new version.
const Schema = "evolve.report/2"

// Report is the view model of one run. Scores and differences are in score units (a point
// is .01). Text in it is foreign and raw; renderings escape it. Everything except Volatile
// is determined by the plan, the seed and the answers.
type Report struct {
	Schema   string   `json:"schema"`
	Run      Run      `json:"run"`
	Agents   []Agent  `json:"agents"`
	Volatile Volatile `json:"volatile"`
}

// Run holds the settings of the run and how it ended.
type Run struct {
	ID        string           `json:"id"`
	Number    int              `json:"number"`
	State     archive.RunState `json:"state"`
	Reason    string           `json:"reason,omitempty"`
	Exit      int              `json:"exit"`
	Stages    []string         `json:"stages"`
	Selection string           `json:"selection"`
	// Policy is the version of the policies that applied to the calls.
	Policy        string  `json:"policy,omitempty"`
	Seed          int64   `json:"seed"`
	Lookahead     int     `json:"lookahead"`
	BudgetEvals   int     `json:"budget_evals,omitempty"`
	BudgetUSD     float64 `json:"budget_usd,omitempty"`
	BudgetSeconds float64 `json:"budget_seconds,omitempty"`
	Evaluations   int     `json:"evaluations"`
}

// Agent is the part of the run that concerns one agent.
type Agent struct {
	Agent     string     `json:"agent"`
	Decision  Decision   `json:"decision"`
	Headline  *Headline  `json:"headline,omitempty"`
	Finalists []Finalist `json:"finalists,omitempty"`
	Honesty   Honesty    `json:"honesty"`
	Curve     []Point    `json:"curve,omitempty"`
	// Front is the Pareto front of score, cost and time.
	Front []FrontPoint `json:"front,omitempty"`
	// Tried are the variants with the most evaluations, starting with the champion and the
	// headline's variant.
	Tried []TriedPoint `json:"tried,omitempty"`
	// Drafts summarises the changes that language models proposed; it is nil if there are
	// none.
	Drafts *Drafts `json:"drafts,omitempty"`
	// Guards are the conditions, in addition to the score, that the headline's variant must
	// satisfy; the guard on latency is volatile.
	Guards  []Guard    `json:"guards,omitempty"`
	Usage   []Usage    `json:"usage,omitempty"`
	Domains []Domain   `json:"domains,omitempty"`
	Tasks   []TaskPair `json:"tasks,omitempty"`
	// Failures counts the failed runs of champion and variant; it is nil if there is no
	// comparison.
	Failures *Failures `json:"failures,omitempty"`
	// PassPowers are pass^k of the champion and of the variant on these tasks; it is nil if
	// a task has only one repeat.
	PassPowers *PassPowers `json:"pass_powers,omitempty"`
	Details    []Detail    `json:"details,omitempty"`
	Changes    []Change    `json:"changes,omitempty"`
	// Lineage describes the origin of the headline's variant, and Hunks the change in its
	// version of searched code; see [Ancestor] and [Hunk].
	Lineage []Ancestor `json:"lineage,omitempty"`
	Hunks   []Hunk     `json:"hunks,omitempty"`
	// Influence estimates which parameters affect the score; it is nil for searched code.
	Influence *Influence `json:"influence,omitempty"`
	// Ablations describe how the finalists were reduced, starting with the headline's
	// variant.
	Ablations []Ablation `json:"ablations,omitempty"`
	// Candidates are the entries into the confirmation to which this run added, and those
	// of earlier nights that are still open.
	Candidates []Candidate `json:"candidates,omitempty"`
	Rejected   []Rejection `json:"rejected,omitempty"`
	// Heat holds the scores of the named variants by search task; it is nil if there are
	// fewer than two variants.
	Heat *Heat `json:"heat,omitempty"`
	// LeftOut are the variants that a proposal excluded from the confirmation, either
	// because the proposal waits or because a person rejected it.
	LeftOut []LeftOut `json:"left_out,omitempty"`
	// Unlisted is the number of rejected variants that are not listed.
	Unlisted int `json:"unlisted,omitempty"`
	// Contradiction describes a contradiction between the stored evaluations and the stored
	// result, which is then left out of the report. It is empty if there is none, or if the
	// two were not compared.
	Contradiction string     `json:"contradiction,omitempty"`
	Health        Health     `json:"health"`
	Provenance    Provenance `json:"provenance"`
}

// Ref names a variant: a number for people (v37), an id for machines.
type Ref struct {
	ID     agent.ConfigID `json:"id"`
	Number int            `json:"number,omitempty"`
}

// Decision is the decision that is to be made for one agent.
type Decision struct {
	// Verdict is empty until the run has a verdict for this agent.
	Verdict archive.Verdict `json:"verdict,omitempty"`
	// Sentence is the verdict in words, and Reason is the reason for the verdict that the
	// run itself recorded.
	Sentence string `json:"sentence"`
	Reason   string `json:"reason,omitempty"`
	// Unconfirmed is the reason why nothing is confirmed although the interval of the
	// headline shows its variant to be better than the champion; it is empty if the
	// interval does not show that.
	Unconfirmed string `json:"unconfirmed,omitempty"`
	// Causes are the reasons for the verdict, the decisive one first; the list is empty for
	// runs from before causes were recorded.
	Causes []Cause `json:"causes,omitempty"`
	// Claim is the claim that the evidence supports for the headline's variant; it is empty
	// if the evidence supports none, or if rulings were not sequential.
	Claim    stats.Claim `json:"claim,omitempty"`
	Champion Ref         `json:"champion"`
	// Against is the variant against which candidates were measured. It is nil if that was
	// the champion; otherwise it is the variant of a waiting proposal.
	Against *Ref `json:"against,omitempty"`
	// Reference identifies the waiting proposal and its measured difference from the
	// champion. It is nil if Against is nil, and in runs from before it was recorded.
	Reference *stats.Reference `json:"reference,omitempty"`
	// Variant is the variant that would be adopted; it is nil if there is none.
	Variant    *Ref        `json:"variant,omitempty"`
	Thresholds []Threshold `json:"thresholds,omitempty"`
	Proposals  []Proposal  `json:"proposals,omitempty"`
	// Early is the state of a run that failed or was interrupted before its work on the
	// agent was completed; it is empty for any other run.
	Early archive.RunState `json:"early,omitempty"`
	// Commands are the commands that a person can type next, most likely first.
	Commands []string `json:"commands"`
}

// Cause is one of the reasons for the verdict; see [stats.Cause].
type Cause struct {
	Kind stats.CauseKind `json:"kind"`
	// Variant is the subject of the cause; it is nil if the cause has none.
	Variant *Ref `json:"variant,omitempty"`
	// Figures maps names to figures: differences, gains and intervals in score units, and
	// counts.
	Figures  map[string]float64 `json:"figures,omitempty"`
	Sentence string             `json:"sentence"`
}

// Threshold is one condition of the verdict.
type Threshold struct {
	Name string `json:"name"`
	// Unit is the unit of the figures: "log_e" (the natural logarithm of evidence),
	// "points" (in score units), "p", "ratio", or the items that are counted: "tasks",
	// "domains".
	Unit     string  `json:"unit"`
	Observed float64 `json:"observed"`
	// Sign is the relation that Observed must have to Required: "≤", "≥" or ">".
	Sign     string  `json:"sign"`
	Required float64 `json:"required"`
	// Margin is the distance of Observed from Required; it is negative if the condition is
	// not met.
	Margin float64 `json:"margin"`
	Met    bool    `json:"met"`
	// Open reports whether the condition is neither met nor violated; it then prevents
	// nothing.
	Open bool `json:"open,omitempty"`
}

// Proposal is a proposal that this run made for the agent.
type Proposal struct {
	ID    string                `json:"id"`
	Kind  archive.ProposalKind  `json:"kind"`
	State archive.ProposalState `json:"state"`
	Title string                `json:"title"`
	Gates []archive.GateVerdict `json:"gates,omitempty"`
	// Branch is the branch on a remote as which the proposal awaits a person; if it is
	// empty, the proposal awaits a person here.
	Branch string `json:"branch,omitempty"`
	// Stale has the same meaning as in [Waiting].
	Stale []string `json:"stale,omitempty"`
}

// Awaits reports whether a person may decide on the proposal.
func (p Proposal) Awaits() bool {
	return p.State == archive.Awaiting || p.State == archive.HumanLane || p.State == archive.Approved
}

// Headline is the comparison on the holdout on which the verdict rests. If there is
// Evidence, its interval is valid at any stopping time; otherwise it is valid for a single
// look.
type Headline struct {
	Variant Ref `json:"variant"`
	// Metric is the difference in the metric that the scores measure, if a command scores
	// searched code; it is nil in all other cases. Discord describes a contradiction
	// between the metric and the scores on which the verdict rests; it is empty if there is
	// none.
	Metric  *stats.Gain `json:"metric,omitempty"`
	Discord string      `json:"discord,omitempty"`
	// Further are the differences in the command's other metrics, with the findings on
	// these metrics.
	Further []stats.Further `json:"further,omitempty"`
	Effect
	Evidence *Evidence `json:"evidence,omitempty"`
	// Tasks, Repeats, Wins, Losses and Ties are counted over the evaluations from all
	// nights that contributed to the evidence; Repeats is the minimum over the tasks.
	Tasks   int `json:"tasks"`
	Repeats int `json:"repeats"`
	Wins    int `json:"wins"`
	Losses  int `json:"losses"`
	Ties    int `json:"ties"`
	// Planned and Detectable are the smallest differences detectable at 80 % power,
	// according to the plan and according to the measurement; 0 and 1 mean that none was
	// detectable.
	Planned    float64 `json:"planned_detectable"`
	Detectable float64 `json:"detectable"`
	// Search is the gain that the search estimated, and Curse the part of that gain that
	// the holdout did not show.
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
	// Level is the confidence level of the interval, such as .95.
	Level float64 `json:"level"`
	// Of names the tasks to which the interval applies: new tasks like these, or only these
	// tasks; it is empty if there is no ruling.
	Of stats.Claim `json:"of,omitempty"`
}

// About returns a description of the interval's level and of the tasks to which it applies.
func (e Effect) About() string {
	if e.exact() {
		return "exact for these tasks, because a repeat would give the same score"
	}
	words := number.Percent(e.Level) + " interval"
	if e.Of != stats.NoClaim {
		words += " for " + e.Of.Words()
	}
	return words
}

// exact reports whether the difference is known without error, such as the difference of a
// fixed agent on these tasks.
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
	// Metric has the same meaning as in [Headline].
	Metric *stats.Gain `json:"metric,omitempty"`
	Effect
	Evidence *Evidence `json:"evidence,omitempty"`
	// Adjusted is the Holm-adjusted p-value of a finalist that has no Evidence.
	Adjusted float64 `json:"adjusted_p,omitempty"`
	Accepted bool    `json:"accepted"`
	// Finding is a summary of the judgement, and Reason is the reason that the run itself
	// recorded.
	Finding string `json:"finding"`
	Reason  string `json:"reason"`
}

// Honesty reports the effort that was spent to find the claimed variant.
type Honesty struct {
	// Variants and Evaluations are the numbers of variants and evaluations in the search,
	// including the random baseline.
	Variants    int `json:"variants"`
	Evaluations int `json:"evaluations"`
	// Confirmations is the number of finalists in the confirmation of this run.
	Confirmations int `json:"confirmations"`
	// Rulings lists the confirmation's rulings that could be computed again; it is nil if
	// this was not tried.
	Rulings *evidence.Checked `json:"rulings,omitempty"`
	Method  string            `json:"method,omitempty"`
	// ErrorRate is the error level of this verdict, which is α_c of the headline's entry.
	ErrorRate float64 `json:"error_rate,omitempty"`
	// Entries is the error control across nights after this run; it is nil if there was
	// none.
	Entries *Entries `json:"entries,omitempty"`
	// Opened is the number of runs that opened this holdout, including this run; Confirmed
	// is the number of variants tried on it in all of these runs.
	Opened    int `json:"holdout_opened"`
	Confirmed int `json:"holdout_variants"`
	// Adopted is the number of adoptions that this holdout has decided; Advice recommends
	// when to rotate the holdout.
	Adopted   int       `json:"holdout_adoptions"`
	Advice    string    `json:"holdout_advice,omitempty"`
	Baseline  *Baseline `json:"baseline,omitempty"`
	Exhausted bool      `json:"exhausted,omitempty"`
	// Champion is the search's estimate of the champion's score on search tasks.
	Champion float64 `json:"champion"`
}

// Entries is the error control across nights. It allows at most Most entries into the
// confirmation in any Days days, each at level Alpha, so that at most Level false adoptions
// are expected among these entries.
type Entries struct {
	Days  int     `json:"days"`
	Most  int     `json:"most"`
	Used  int     `json:"used"`
	Left  int     `json:"left"`
	Level float64 `json:"level"`
	Alpha float64 `json:"alpha"`
}

// Baseline compares the best variant of plain random search with the search's
// recommendation: after equal numbers of evaluations, and when both have ended. All scores
// are expected scores on all search tasks, from one model fitted to all evaluations.
type Baseline struct {
	Scored
	// Evaluations is the number of evaluations in the whole baseline.
	Evaluations int    `json:"evaluations"`
	Equal       *Match `json:"equal,omitempty"`
	End         *Match `json:"end,omitempty"`
}

// Match compares the search's recommendation with that of random search.
type Match struct {
	Search Side `json:"search"`
	Random Side `json:"random"`
	// Difference is the difference between the scores of the two sides; Lo and Hi are the
	// bounds of its 95 % interval.
	Difference float64 `json:"difference"`
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	// Common is the number of tasks on which both sides were evaluated.
	Common int `json:"common"`
	// Paired is the mean difference between the two sides' scores on the same tasks;
	// PairedTasks is the number of tasks for which both sides have stored evaluations.
	// Paired is nil if there are too few such tasks.
	Paired      *Estimated `json:"paired,omitempty"`
	PairedTasks int        `json:"paired_tasks"`
}

// Side is one side of a [Match], after Spent evaluations of its own.
type Side struct {
	Scored
	Spent int `json:"spent"`
}

// Scored is a variant with the search's estimate of its score and the interval of that
// estimate.
type Scored struct {
	Variant Ref     `json:"variant"`
	Score   float64 `json:"score"`
	Lo      float64 `json:"lo"`
	Hi      float64 `json:"hi"`
}

// Point holds the recommendations of the search and of the random baseline at one moment,
// each after the given number of evaluations of its own. The scores are estimates made at
// the end of the search.
type Point struct {
	Evaluations int     `json:"evaluations"`
	Variant     Ref     `json:"variant"`
	Best        float64 `json:"best"`
	// Random is the baseline's score; it is 0 while RandomEvals is 0.
	Random      float64 `json:"random"`
	RandomEvals int     `json:"random_evals"`
}

// Domain is the difference in one domain.
type Domain struct {
	Domain string `json:"domain"`
	Tasks  int    `json:"tasks"`
	Effect
	// Flag is "better", "worse", or "" if the difference is not significant.
	Flag string `json:"flag,omitempty"`
	// Verdict is the ruling's verdict on the domain: "better", "fine" (a loss of 10 points
	// is ruled out), "open" or "veto"; it is empty if there is no ruling.
	Verdict string `json:"verdict,omitempty"`
}

// TaskPair is the result on one holdout task for champion and variant, over the repeats
// that were scored on both sides.
type TaskPair struct {
	Task     string  `json:"task"`
	Domain   string  `json:"domain,omitempty"`
	Repeats  int     `json:"repeats"`
	PassA    int     `json:"champion_passes"`
	PassB    int     `json:"variant_passes"`
	Champion float64 `json:"champion"`
	Score    float64 `json:"score"`
	// Values are the means of the metric that the scores measure; it is nil if there is no
	// metric or if a side has no value.
	Values *TaskValues `json:"values,omitempty"`
	// Steady is "consistent" if on each side all repeats passed or all failed, "flaky" if
	// on at least one side they differed, and "once" if there was only one repeat.
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
	// Goal is the request of the task, with credentials removed; Expected is its reference
	// and its graders. Both are empty in runs from before they were recorded.
	Goal     string  `json:"goal,omitempty"`
	Expected string  `json:"expected,omitempty"`
	Repeat   int     `json:"repeat"`
	Before   Attempt `json:"before"`
	After    Attempt `json:"after"`
	Steps    []Step  `json:"steps,omitempty"`
	Diverge  int     `json:"diverge"`
	// Transcript aligns the events of both attempts. Differs is the index of the first step
	// at which the attempts differ, or −1 if they do not.
	Transcript []EventPair `json:"transcript,omitempty"`
	Differs    int         `json:"differs"`
}

// Attempt is one evaluation in a detail, with texts of bounded length.
type Attempt struct {
	Score   float64       `json:"score"`
	Pass    bool          `json:"pass"`
	Outcome agent.Outcome `json:"outcome"`
	Reason  string        `json:"reason,omitempty"`
	Answer  string        `json:"answer,omitempty"`
	Error   string        `json:"error,omitempty"`
	// Events is the transcript; Omitted is the number of its events that are left out.
	Events  []agent.Event `json:"events,omitempty"`
	Omitted int           `json:"omitted,omitempty"`
}

// Step is one position in the aligned sequences of tool calls; a side is "" if it has no
// call there.
type Step struct {
	Before string `json:"before"`
	After  string `json:"after"`
}

// Change is the old and the new value of one parameter as text; a value is "" if the
// parameter is inactive.
type Change struct {
	Param string `json:"param"`
	Old   string `json:"old"`
	New   string `json:"new"`
	// Added and Removed are set for lists, Lines for longer texts.
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
	Lines   []Line   `json:"lines,omitempty"`
	// Own is the effect of the change by itself; it is nil if it was not measured.
	Own *OwnEffect `json:"own_effect,omitempty"`
}

// Line is one line in a text diff. Op is "+", "-" or " ", or "…" in place of omitted lines.
type Line struct {
	Op   string `json:"op"`
	Text string `json:"text"`
}

// Rejection is a variant that was tried and is not recommended.
type Rejection struct {
	Variant  Ref    `json:"variant"`
	Operator string `json:"operator,omitempty"`
	// Author is the language model that wrote the variant, and its route; it is empty if no
	// model did.
	Author string `json:"author,omitempty"`
	// Evaluations is the number of the variant's evaluations on search tasks. For Shared of
	// them, the champion has a corresponding evaluation; Difference is the mean difference
	// over these.
	Evaluations int     `json:"evaluations"`
	Shared      int     `json:"shared"`
	Difference  float64 `json:"difference"`
	// Holdout is the effect on the holdout; it is set if the variant was a finalist.
	Holdout *Effect `json:"holdout,omitempty"`
	// State is the state after the last ruling; it is empty if the variant never entered
	// the confirmation.
	State  stats.State `json:"state,omitempty"`
	Reason string      `json:"reason"`
}
