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
	// Request is the text that the task asks the agent for, and Answer the right answer;
	// "" where unknown. Only a search of demonstrations uses them. They are foreign text.
	Request, Answer string
}

// Trial is one evaluation requested by a searcher.
type Trial struct {
	// N counts the asks of this searcher from 0.
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
	// Brief, when not nil, requests a change written by a language model instead of an
	// evaluation; Task and Repeat are not set then. It costs no evaluation.
	Brief *Brief
}

// Brief requests one change of one component of a config from a language model.
type Brief struct {
	// Component is the parameter to change in the config of Trial.Variant, Form the kind
	// of change.
	Component string
	Form      Form
	// Route is the model's, and Wording that of the request; see [Author].
	Route, Wording string
	// Cases are evaluations of the variant to learn from, failed ones first, or for
	// demonstrations passed ones first.
	Cases []Case
	// Tried lists earlier changes of the component, the latest first.
	Tried []TriedChange
	// Others are the component's texts in other variants that did well, the best first;
	// Gain is over the champion. Only a search over programs has them.
	Others []TriedChange
}

// Case names an evaluation of a search task.
type Case struct {
	Task   string
	Repeat int
	Score  float64
}

// TriedChange is an earlier change with its result.
type TriedChange struct {
	// Text is the component's new value if that is a text.
	Text, Rationale string
	// Gain is its estimated gain over its parent, in score units.
	Gain float64
	// Refused is the reason why a draft was refused; the other fields are zero then.
	Refused string
	// Variant is its variant, and Unscored reports whether it has no result yet. Failed is
	// the kind of its failure on a search case, with the printed text, if it failed on one.
	Variant  agent.ConfigID
	Unscored bool
	Failed   string
}

// Observation is the result of a trial. Unscored ones are missing data.
type Observation struct {
	Trial Trial
	// Dropped reports whether the trial ended without an evaluation, so that the searcher does not
	// wait for it. It counts for nothing else.
	Dropped bool
	Scored  bool
	Score   float64
	CostUSD float64
	// Tokens are those of input and output of the answer to a brief.
	Tokens int64
	// Seconds is the time that the answer took; NaN: unknown, 0: no search may use a clock.
	Seconds float64
	// The kind of a failure, the graders' reasons, and the calls of tools with their
	// failures. Foreign text, kept as data.
	Outcome agent.Outcome
	Reason  string
	Calls   []Call
	// Answer is the agent's answer if it passed and may be demonstrated; "" otherwise.
	Answer string
	// Draft is the answer to a trial with a Brief. Without one, Reason is the cause, and
	// Outcome the outcome of a request without an answer. Full reports whether the request was
	// not sent, because a bound on requests ended those to its route.
	Draft *Draft
	Full  bool
}

// Call is the use of one tool in an evaluation.
type Call struct {
	Tool   string
	Failed bool
}

// Draft is a changed config that a language model wrote, valid in the space.
type Draft struct {
	Config    agent.Config
	Rationale string
}

// Remembered is an evaluation of an earlier night.
type Remembered struct {
	Variant agent.ConfigID
	Config  agent.Config
	Task    string
	Score   float64
	// Trust in (0,1] is its weight relative to an evaluation of tonight: 1 when nothing
	// changed since, less when suite, prices or runtime did.
	Trust float64
	// Night is the number of its night: the same one for evaluations of the same night.
	Night int
	// Changed reports whether the agent is known to have changed since that night.
	Changed bool
}

// Status is the result of Ask.
type Status int

// Ready: the trial is to be run. Wait: there is no trial until a result is told. Done:
// the budget is spent or the space is exhausted.
const (
	Ready Status = iota
	Wait
	Done
)

// Asker proposes trials and receives their results. It is a search, or the ablation of
// its winner.
type Asker interface {
	Ask() (Trial, Status)
	Tell(Observation)
}

// Searcher proposes trials and receives their results, in any order and with many in
// flight. Its answers depend only on its options and the sequence of calls, so that the
// same sequence gives the same search. It is not safe for concurrent use; one driver owns
// it. It accepts results of trials that it did not ask for: a resumed run and a warm
// start pass earlier results to it.
type Searcher interface {
	Asker
	// Resize changes the total number of evaluations that the search may ask for, at any
	// time; see [Options].Budget.
	Resize(budget int)
	Recommend() Recommendation
	// Hindsight values the recommendations of earlier moments, in their order, by all
	// data so far, and compares the search with its random baseline.
	Hindsight([]Moment) Hindsight
}

// Estimate is the search's estimate of a config on the search tasks.
type Estimate struct {
	Variant agent.ConfigID
	Config  agent.Config
	// Score is the estimated weighted mean over all search tasks, with its 95 % interval.
	Score, Lo, Hi float64
	// Gain is the gain over the champion, and SD its posterior standard deviation; both 0
	// for the champion itself.
	Gain, SD float64
	// Luck is the gain that the luckiest of all variants tried would show by chance, in score
	// units, if the search estimates the differences between cases; 0: unknown.
	Luck float64
	// CostUSD and Seconds are the expected mean cost and time of an evaluation, relative
	// to the champion's; 0: unknown.
	CostUSD, Seconds float64
	// Breaks names the guards that the config is expected to break.
	Breaks []string
	// Measured is the mean difference of its scores to the champion's on the Common tasks
	// that both ran, in score units. It is biased, since the variant was selected for it.
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
	// Best is the champion if no variant is better by the evidence.
	Best Estimate
	// Finalists are the most promising variants other than the champion, in descending
	// order, for confirmation. If there are two or more, the best variant of the random
	// baseline is one of them.
	Finalists []Estimate
	// Front holds the champion and the variants that are not dominated in score, cost and
	// time, in ascending order of cost.
	Front []Estimate
	// Random is the best config of the random baseline; Evaluations 0 when there was none.
	Random Estimate
	// Told is the number of evaluations told to the search, RandomTold that of the random
	// baseline among them.
	Told, RandomTold int
	// Variants is the number of configs tried.
	Variants int
	// Exhausted reports whether nothing was left to try.
	Exhausted bool
	// Reasons explains the choice, for the report.
	Reasons []string
	// Operators is the record of the operators, for the next night.
	Operators operator.State
	// Drafts are the estimates of the variants that language models wrote tonight.
	Drafts []DraftGain
	// Rival compares these variants with the variants of the operators; nil for no
	// comparison.
	Rival *Rival
}

// Rival compares the variants that language models wrote, with those that descend from
// them, and the variants of the operators alone, after equal numbers of evaluations.
type Rival struct {
	// Evaluations is the number of evaluations of each side.
	Evaluations int
	// Models and Operators are the largest estimated gains over the champion, in score
	// units; 0 where there is none.
	Models, Operators float64
}
