package view

import (
	"context"
	"errors"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/reports/model"
	"evolve/runtime/agent"
)

// ErrNotFound reports that there is no such night, agent, variant, evaluation or proposal.
var ErrNotFound = errors.New("not found")

// The maximum numbers of rows and columns in a [Window], even if more are requested.
const (
	MaxRows    = 200
	MaxColumns = 200
)

// Source provides what the pages show. All methods may be called concurrently. For a name
// that does not exist, they return an [ErrNotFound].
type Source interface {
	// Nights lists the runs, the latest first.
	Nights(ctx context.Context) ([]Night, error)
	// Report returns the report of a run, given by its id or number; "" stands for the
	// latest run.
	Report(ctx context.Context, run string) (model.Report, error)
	// Progress returns the progress of the run that is under way; its Run is empty if there
	// is no such run.
	Progress(ctx context.Context) (Progress, error)
	// Agents lists the names of the agents that have evaluations or plans, in order.
	Agents(ctx context.Context) ([]string, error)
	// Window returns a part of the matrix that contains the results of an agent's
	// variants on the tasks.
	Window(ctx context.Context, agent string, q Query) (Window, error)
	// Variant returns one variant by a name that a person types.
	Variant(ctx context.Context, agent, name string) (Variant, error)
	// Comparison compares two variants, as b minus a, over the tasks on which both have
	// results.
	Comparison(ctx context.Context, agent, a, b string) (Comparison, error)
	// Evaluations lists the latest evaluations of a variant on a task, at most MaxRows.
	Evaluations(ctx context.Context, agent, name, task string) ([]Evaluation, error)
	// Evaluation returns one evaluation with its transcript.
	Evaluation(ctx context.Context, agent, run string, seq int64) (Evaluation, error)
	// Proposals lists the proposals, those that await a decision first.
	Proposals(ctx context.Context) ([]Proposal, error)
	// Proposal returns one proposal with its description.
	Proposal(ctx context.Context, id string) (Proposal, error)
}

// Night is one run in the list of nights.
type Night struct {
	model.Summary
	// Evaluations is the number of evaluations that the run made or found in the archive,
	// and USD is the cost of those that it made.
	Evaluations int
	USD         float64
	Ended       time.Time
}

// Progress is the progress of a run.
type Progress struct {
	Run     string    `json:"run"`
	Number  int       `json:"number"`
	Started time.Time `json:"started,omitzero"`
	// Limits describes the limits of the run, and how much of each is spent.
	Limits string          `json:"limits,omitempty"`
	Agents []AgentProgress `json:"agents"`
}

// AgentProgress is the progress of one agent.
type AgentProgress struct {
	Agent string `json:"agent"`
	// Done is the number of evaluations so far. Planned is the number in the agent's plan,
	// or 0 if there is no plan.
	Done    int       `json:"done"`
	Planned int       `json:"planned"`
	USD     float64   `json:"usd"`
	Last    time.Time `json:"last,omitzero"`
	// Verdict is empty until the work on the agent is completed.
	Verdict archive.Verdict `json:"verdict,omitempty"`
}

// The keys by which rows are sorted, in addition to "task:" followed by the id of a task.
// Rows without a value come last.
const (
	SortNumber      = "number"
	SortSearch      = "search"
	SortHoldout     = "holdout"
	SortEvaluations = "evaluations"
	SortTask        = "task:"
)

// Query selects a part of the matrix.
type Query struct {
	// Offset and Limit select rows; Column and Columns select tasks. Limit is at most
	// MaxRows, and Columns is at most MaxColumns.
	Offset, Limit, Column, Columns int
	// Sort is a key; if it is empty, rows are sorted by number. Descending reverses the
	// order.
	Sort       string
	Descending bool
	// Text selects the variants that have each of its words in their name, id, operator or
	// rationale. Tasks selects the tasks that have each of its words in their id or domain.
	// Split selects the tasks of one split.
	Text, Tasks, Split string
}

// Window is a part of the matrix. Rows and Columns count all rows and columns that the
// query selects, not only those in the window.
type Window struct {
	Rows     int    `json:"rows"`
	Columns  int    `json:"columns"`
	Offset   int    `json:"offset"`
	Column   int    `json:"column"`
	Variants []Row  `json:"variants"`
	Tasks    []Task `json:"tasks"`
	// Read is the number of evaluations that the figures include, and Total is the number
	// of all evaluations. The others are still being read.
	Read  int `json:"read"`
	Total int `json:"total"`
	// Unweighted reports whether the weights of tasks are not known, so that each task has
	// weight 1 in a mean.
	Unweighted bool `json:"unweighted,omitempty"`
}

// Task is a column.
type Task struct {
	ID     string `json:"id"`
	Domain string `json:"domain,omitempty"`
	Split  string `json:"split"`
}

// Row is a variant with its scores on the tasks of the window.
type Row struct {
	Number   int    `json:"n"`
	ID       string `json:"id"`
	Operator string `json:"operator"`
	// Search and Holdout are the mean scores over the tasks for which the variant has
	// scores, weighted by the tasks' weights; each is nil if there are none.
	Search      *float64 `json:"search"`
	Holdout     *float64 `json:"holdout"`
	Evaluations int      `json:"evaluations"`
	Cells       []Cell   `json:"cells"`
}

// Cell is a variant's result on a task. Score is the mean over Runs scored runs, of which
// Passed passed. Missing is the number of runs without a score. The zero Cell means that
// there is no result.
type Cell struct {
	Score   float64 `json:"s"`
	Runs    int     `json:"r"`
	Passed  int     `json:"p"`
	Missing int     `json:"m,omitempty"`
}

// Variant is one variant with its scores.
type Variant struct {
	archive.Variant
	// Origins holds the names of the variant's parents, if they are recorded.
	Origins []string
	Row     Row
	// SearchTasks is the number of search tasks for which the variant has scores, and
	// HoldoutTasks is the number of such holdout tasks.
	SearchTasks, HoldoutTasks int
	// Unweighted is as in a [Window].
	Unweighted bool
	// Estimates holds the estimates that nights made for the variant.
	Estimates []Estimate
	// Champion is the name of the champion in the agent's latest night; it is empty if none
	// is known.
	Champion string
}

// Estimate is the expected score of a variant on all search tasks at the end of a night.
type Estimate struct {
	Run           string
	Number        int
	Score, Lo, Hi float64
	Evaluations   int
}

// Comparison is two variants side by side.
type Comparison struct {
	A, B archive.Variant
	// Statement holds the statements that `evolve compare` makes.
	Statement []Section
	// Tasks holds the tasks on which both variants have results, the largest loss first.
	Tasks []Pair
}

// Pair is one task with the cells of both variants.
type Pair struct {
	Task
	A, B Cell
}

// Difference returns B − A.
func (p Pair) Difference() float64 { return p.B.Score - p.A.Score }

// Evaluation is one evaluation with the number of its run and the name of its variant.
type Evaluation struct {
	Number  int // of the run
	Variant string
	Record  bench.Evaluation
	// Question holds the question and the expected answer of the task; it is nil in a list,
	// or if the question is not known. Changed reports whether the question is not known
	// because the suites have changed since the evaluation.
	Question *archive.Question
	Changed  bool
	// Transcript is nil in a list, or if no transcript was stored.
	Transcript *agent.Transcript
}

// Proposal is one proposal.
type Proposal struct {
	archive.ProposalRecord
	// Undecided reports whether a person may decide on the proposal.
	Undecided bool
	// Reversible reports whether a person may roll back the proposal's adoption.
	Reversible bool
	// Stale lists what changed since the proposal's config was measured. A stale proposal
	// cannot be approved.
	Stale []string
	// Facts holds the known facts about the proposal: the gain, and what gets worse or more
	// expensive. It is empty in a list.
	Facts []Fact
	// Sections holds what `evolve show` and `evolve diff` print about the proposal; it is
	// empty in a list.
	Sections []Section
}
