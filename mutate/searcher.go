package mutate

import (
	"evolve/bench"
	"evolve/mutate/operator"
	"evolve/runtime/agent"
)

// Task is the part of a search task that the search uses.
type Task struct {
	ID      string
	Domain  string
	Cluster string
	Weight  float64
	// Request is the text of the task's request to the agent, and Answer the right answer;
	// each is "" if unknown. Only a search for demonstrations uses them. They are foreign
	// text.
	Request, Answer string
}

// Trial is one evaluation requested by a searcher.
type Trial struct {
	// N is the number of the trial, counted from 0, among those that this searcher asked
	// for.
	N          int64
	Variant    agent.ConfigID
	Config     agent.Config
	Parents    []agent.ConfigID
	Operator   string
	Generation int
	Rationale  string
	Task       string
	Repeat     int
	// Stage is StageSearch, or StageBaseline for the random baseline's share.
	Stage bench.Stage
	// Brief, if not nil, requests a change written by a language model instead of an
	// evaluation; Task and Repeat are then not set. A brief does not count as an
	// evaluation.
	Brief *Brief
}

// Brief asks a language model for one change to one component of a config.
type Brief struct {
	// Component is the parameter to change in the config of Trial.Variant, and Form is
	// the kind of change.
	Component string
	Form      Form
	// Route is the route of the model, and Wording the wording of the request; see
	// [Author].
	Route, Wording string
	// Cases are the evaluations of the variant from which the model should learn. The
	// failed ones come first or, for demonstrations, the passed ones.
	Cases []Case
	// Tried lists earlier changes to the component, latest first.
	Tried []TriedChange
	// Others are the component's texts in other variants that did well, best first; their
	// Gain is the gain over the champion. Only a search over programs provides them.
	Others []TriedChange
}

// Case identifies an evaluation of a search task.
type Case struct {
	Task   string
	Repeat int
	Score  float64
}

// TriedChange is an earlier change with its result.
type TriedChange struct {
	// Text is the component's new value if that value is a text.
	Text, Rationale string
	// Gain is the estimated gain of the changed config over its parent, in score units.
	Gain float64
	// Refused is the reason why a draft was refused; the other fields are then zero.
	Refused string
	// Variant is the variant that resulted from the change, and Unscored reports whether
	// that variant has no result yet. If the variant failed on a search case, Failed is the
	// kind of failure, with the text that was printed.
	Variant  agent.ConfigID
	Unscored bool
	Failed   string
}

// Observation is the result of a trial. Unscored observations are missing data.
type Observation struct {
	Trial Trial
	// Dropped reports whether the trial ended without an evaluation. The searcher then
	// stops waiting for the trial, and the observation has no other effect.
	Dropped bool
	Scored  bool
	Score   float64
	CostUSD float64
	// Tokens is the number of input and output tokens of the answer to a brief.
	Tokens int64
	// Seconds is the time that the answer took. NaN means that the time is unknown, and 0
	// means that the search must not depend on a clock.
	Seconds float64
	// Outcome is the kind of a failure, Reason holds the graders' reasons, and Calls
	// holds the tool calls with their failures. All of these are untrusted text and are
	// stored as data.
	Outcome agent.Outcome
	Reason  string
	Calls   []Call
	// Answer is the agent's answer if the evaluation passed and the answer may be used as a
	// demonstration; it is "" otherwise.
	Answer string
	// Draft is the answer to a trial with a Brief. If there is no draft, Reason is the
	// cause, and, if the request was not answered, Outcome is how it ended. Full reports
	// whether the request was not sent because the requests to its route had reached a
	// bound.
	Draft *Draft
	Full  bool
}

// Call is the use of one tool in an evaluation.
type Call struct {
	Tool   string
	Failed bool
}

// Draft is a changed config that a language model wrote and that is valid in the space.
type Draft struct {
	Config    agent.Config
	Rationale string
}

// Remembered is an evaluation from an earlier night.
type Remembered struct {
	Variant agent.ConfigID
	Config  agent.Config
	Task    string
	Score   float64
	// Trust, in (0,1], is the weight of the evaluation relative to one from tonight. It is
	// 1 if nothing has changed since, and less if the suite, the prices or the runtime has.
	Trust float64
	// Night is the number of the night in which the evaluation was made.
	Night int
	// Changed reports whether the agent is known to have changed since the night of the
	// evaluation.
	Changed bool
}

// Status is the result of Ask: it tells whether there is a trial, whether the caller must
// wait for one, or whether the search has ended.
type Status int

// Ready means that the trial must be run. Wait means that there is no trial until the
// searcher gets another result. Done means that the budget is spent or the space is
// exhausted.
const (
	Ready Status = iota
	Wait
	Done
)

// Asker proposes trials and receives their results. It is implemented by a search, and by
// the ablation of the search's winner.
type Asker interface {
	Ask() (Trial, Status)
	Tell(Observation)
}

// Searcher proposes trials and receives their results, in any order and with many in
// flight. Its answers depend only on its options and the sequence of calls, so the same
// sequence gives the same search. It is not safe for concurrent use; one driver owns it. It
// accepts results of trials that it did not ask for, because a resumed run and a warm start
// pass earlier results to it.
type Searcher interface {
	Asker
	// Resize changes, at any time, the total number of evaluations that the search may ask
	// for; see [Options].Budget.
	Resize(budget int)
	Recommend() Recommendation
	// Hindsight uses all data so far to evaluate the recommendations made at the given
	// earlier moments. It also compares the search with its random baseline. The results
	// are in the order of the moments.
	Hindsight([]Moment) Hindsight
}

// Estimate is the search's estimate of a config on the search tasks.
type Estimate struct {
	Variant agent.ConfigID
	Config  agent.Config
	// Score is the estimated weighted mean score over all search tasks. Lo and Hi are the
	// bounds of its 95 % interval.
	Score, Lo, Hi float64
	// Gain is the gain over the champion, and SD is its posterior standard deviation;
	// both are 0 for the champion itself.
	Gain, SD float64
	// Luck is the gain, in score units, that the luckiest of all variants tried would show
	// by chance. It is set if the search estimates the differences between cases; 0 means
	// unknown.
	Luck float64
	// CostUSD and Seconds are the expected mean cost and time of an evaluation, relative to
	// the champion's; 0 means unknown.
	CostUSD, Seconds float64
	// Breaks names the guards that the config is expected to violate.
	Breaks []string
	// Measured is the mean difference between the config's scores and the champion's on the
	// tasks that both configs ran, in score units; Common is the number of these tasks.
	// Measured is biased, because the variant was selected for having a high value.
	Measured    float64
	Common      int
	Evaluations int
	Parents     []agent.ConfigID
	Operator    string
	Generation  int
	Rationale   string
}

// Recommendation is the result of a search.
type Recommendation struct {
	Champion Estimate
	// Best is the champion if the evidence does not show a variant to be better.
	Best Estimate
	// Finalists are the most promising variants other than the champion, in descending
	// order, for confirmation. If there are two or more, the best variant of the random
	// baseline is one of them.
	Finalists []Estimate
	// Front holds the champion and the variants that are not dominated in score, cost and
	// time, in ascending order of cost.
	Front []Estimate
	// Compared holds the variants that were compared with the champion, in descending order
	// of worth. It includes the finalists.
	Compared []Estimate
	// Random is the best config of the random baseline; its Evaluations are 0 if there was
	// no baseline.
	Random Estimate
	// Told is the number of evaluations that the search has received, and RandomTold is
	// the number of those that belong to the random baseline.
	Told, RandomTold int
	// Variants is the number of configs tried.
	Variants int
	// Exhausted reports whether nothing was left to try.
	Exhausted bool
	// Reasons explain the choice, for the report.
	Reasons []string
	// Operators is the record of the operators, for the next night.
	Operators operator.State
	// Drafts are the estimates for the variants that language models wrote tonight.
	Drafts []DraftGain
	// Rival compares the variants that language models wrote with those that the operators
	// made; it is nil if there is no comparison.
	Rival *Rival
}

// Rival compares two groups of variants after equal numbers of evaluations: those that
// language models wrote, with their descendants, and those that come only from operators.
type Rival struct {
	// Evaluations is the number of evaluations in each group.
	Evaluations int
	// Models and Operators are the largest estimated gains over the champion in the two
	// groups, in score units; each is 0 if its group has no gain.
	Models, Operators float64
}
