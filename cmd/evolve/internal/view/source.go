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

// ErrNotFound means that there is no such night, agent, variant, evaluation or proposal.
var ErrNotFound = errors.New("not found")

// The most rows and columns of a [Window], whatever is asked for.
const (
	MaxRows    = 200
	MaxColumns = 200
)

// Source is what the pages show. All methods may be called concurrently. A name that is not there
// is an [ErrNotFound].
type Source interface {
	// Nights lists the runs, the latest first.
	Nights(ctx context.Context) ([]Night, error)
	// Report returns the report of a run by its id or number; "" is the latest.
	Report(ctx context.Context, run string) (model.Report, error)
	// Progress returns the progress of the run that is under way; its Run is empty if none is.
	Progress(ctx context.Context) (Progress, error)
	// Agents lists the names of the agents that have evaluations or plans, in order.
	Agents(ctx context.Context) ([]string, error)
	// Window returns a part of the matrix of an agent's variants by tasks.
	Window(ctx context.Context, agent string, q Query) (Window, error)
	// Variant returns one variant by a name that a person types.
	Variant(ctx context.Context, agent, name string) (Variant, error)
	// Comparison compares two variants, b minus a, by the tasks that both have.
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

// Night is one run in the list.
type Night struct {
	model.Summary
	// Evaluations is the number of evaluations that it made or found, USD the cost of those it
	// made.
	Evaluations int
	USD         float64
	Ended       time.Time
}

// Progress is the progress of a run.
type Progress struct {
	Run     string    `json:"run"`
	Number  int       `json:"number"`
	Started time.Time `json:"started,omitzero"`
	// Limits describes the limits of the run, and what is spent of each.
	Limits string          `json:"limits,omitempty"`
	Agents []AgentProgress `json:"agents"`
}

// AgentProgress is the part of one agent.
type AgentProgress struct {
	Agent string `json:"agent"`
	// Done is the number of evaluations so far, Planned the number in its plan, 0 without a plan.
	Done    int       `json:"done"`
	Planned int       `json:"planned"`
	USD     float64   `json:"usd"`
	Last    time.Time `json:"last,omitzero"`
	// Verdict is empty until the work on the agent is completed.
	Verdict archive.Verdict `json:"verdict,omitempty"`
}

// The keys that rows are sorted by, beside "task:" and the id of a task. Rows without a value come
// last.
const (
	SortNumber      = "number"
	SortSearch      = "search"
	SortHoldout     = "holdout"
	SortEvaluations = "evaluations"
	SortTask        = "task:"
)

// Query selects a part of the matrix.
type Query struct {
	// Offset and Limit select rows, Column and Columns tasks. Both lengths are at most MaxRows and
	// MaxColumns.
	Offset, Limit, Column, Columns int
	// Sort is a key; empty: by number. Descending turns it around.
	Sort       string
	Descending bool
	// Text keeps the variants that have each of its words in name, id, operator or rationale; Tasks
	// keeps the tasks that have each of its words in id or domain. Split keeps those of a split.
	Text, Tasks, Split string
}

// Window is a part of the matrix. Rows and Columns count all that the query selects.
type Window struct {
	Rows     int    `json:"rows"`
	Columns  int    `json:"columns"`
	Offset   int    `json:"offset"`
	Column   int    `json:"column"`
	Variants []Row  `json:"variants"`
	Tasks    []Task `json:"tasks"`
	// Read of Total evaluations are in the figures: the rest is being read.
	Read  int `json:"read"`
	Total int `json:"total"`
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
	// Search and Holdout are the means over the tasks that it has; nil for none.
	Search      *float64 `json:"search"`
	Holdout     *float64 `json:"holdout"`
	Evaluations int      `json:"evaluations"`
	Cells       []Cell   `json:"cells"`
}

// Cell is what a variant scored on a task: the mean over Runs scored runs, of which Passed passed.
// Missing counts those without a score. The zero Cell is none.
type Cell struct {
	Score   float64 `json:"s"`
	Runs    int     `json:"r"`
	Passed  int     `json:"p"`
	Missing int     `json:"m,omitempty"`
}

// Variant is one variant with its scores.
type Variant struct {
	archive.Variant
	// Origins are its parents by name, where they are recorded.
	Origins []string
	Row     Row
	// SearchTasks and HoldoutTasks count the tasks that it has scores on.
	SearchTasks, HoldoutTasks int
	// Estimates are what nights have estimated for it.
	Estimates []Estimate
	// Champion is the name of the champion in the latest night of the agent; empty if none is known.
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
	// Statement is what `evolve compare` states.
	Statement []Section
	// Tasks are those that both have, the largest loss first.
	Tasks []Pair
}

// Pair is one task with the cells of both variants.
type Pair struct {
	Task
	A, B Cell
}

// Difference returns B − A.
func (p Pair) Difference() float64 { return p.B.Score - p.A.Score }

// Evaluation is one evaluation with its number within run and agent.
type Evaluation struct {
	Number  int // of the run
	Variant string
	Record  bench.Evaluation
	// Question is what the task asks and expects; nil in a list, and where it is not known. Changed
	// reports that it is not known because the suites have changed since.
	Question *archive.Question
	Changed  bool
	// Transcript is nil in a list, and where none was kept.
	Transcript *agent.Transcript
}

// Proposal is one proposal.
type Proposal struct {
	archive.ProposalRecord
	// Undecided reports that a person may decide on it.
	Undecided bool
	// Reversible reports that a person may roll its adoption back.
	Reversible bool
	// Stale lists what changed since its config was measured; such a proposal cannot be approved.
	Stale []string
	// Facts are what is known of it: the gain, and what gets worse or dearer; empty in a list.
	Facts []Fact
	// Sections are what `evolve show` and `evolve diff` print of it; empty in a list.
	Sections []Section
}
