package batch

import (
	"context"
	"slices"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/mutate/night"
	"evolve/runtime/experience"
	"evolve/runtime/model"
	"evolve/runtime/policy"
)

// The stages of a run.
const (
	SearchStage  = "search"
	ConfirmStage = "confirm"
)

// Options of a run. Workspace and Open are required.
type Options struct {
	night.Env
	Workspace *workspace.Workspace
	// Agents are the agents to work on; empty means all.
	Agents []string
	// Stages are the stages to run; nil means search and confirm.
	Stages []string
	Budget workspace.Budget
	// Until is the time by which the run must be done, including the report; zero: no
	// deadline.
	Until       time.Time
	Concurrency int
	Lookahead   int
	// Seed is the seed of the run; nil means the run's number.
	Seed      *int64
	Selection string
	// Resume selects whether the latest run is resumed if it did not end.
	Resume Resume
	// Given are the options that were typed.
	Given Given

	// Turns returns the stored turns of an agent for which wanted reports true, with their
	// calls; nil: no lessons are made of them.
	Turns func(ctx context.Context, store *archive.Archive, a *workspace.Agent, wanted func(archive.TurnRecord) bool) ([]experience.Turn, error)
	// Open prepares an agent to run.
	Open func(ctx context.Context, a *workspace.Agent, scratch string) (night.Opened, error)
	// Began is called with the id of the run before its agents are opened; nil: nothing needs
	// it.
	Began func(run string)
	// OpenCode prepares the program of an agent alone to run from the folder of a version of
	// its code.
	OpenCode func(a *workspace.Agent, folder, scratch string) (night.Opened, error)
	// Guards returns the statistics of the policies' limiters and breakers; nil leaves
	// them out of the run's record.
	Guards func() []policy.Stat
	// Live returns the effect of limits and breakers on recent live turns; nil leaves it
	// out.
	Live func() ([]policy.Saturation, error)
	// Propose makes a proposal of a confirmed variant.
	Propose func(ctx context.Context, a *workspace.Agent, d review.Draft) (archive.ProposalRecord, error)

	// History opens the version control of the workspace; nil, and an error, mean none.
	History func() (History, error)

	// Skill drafts a skill from the transcripts of a run and proposes it, if there is one
	// to propose; nil disables drafts.
	Skill func(ctx context.Context, a *workspace.Agent, run string) (*archive.ProposalRecord, error)
	// Tools proposes the tools that evaluations of a run wrote and solved tasks with; nil
	// proposes none.
	Tools func(ctx context.Context, a *workspace.Agent, run string) ([]archive.ProposalRecord, error)
	// Memories proposes what the agent's live turns have learnt and returns the proposal that
	// awaits a decision, if it was made now; nil proposes none.
	Memories func(ctx context.Context, a *workspace.Agent, run string) (*archive.ProposalRecord, error)
	// Missed describes the retracted memories that later failures of the agent asked for; nil
	// looks for none.
	Missed func(ctx context.Context, a *workspace.Agent) ([]string, error)

	// Author opens the routes of search.reflect in an agent's name, for the models that write
	// tools and code; nil: there are none.
	Author func(a *workspace.Agent) (m model.Model, done func() error, err error)
	// Forge has tools rewritten by a language model; nil disables it.
	Forge *Forge

	// Patches receives the night's patches of code; nil disables them. The night sets its
	// run and its budget.
	Patches *review.Reviewer
	// Code are the targets whose blocks are searched; see [Options.AddCode].
	Code Code
	// Looked is the time that AddCode took, which is part of the night's time.
	Looked time.Duration
	// Asked lists submitting the patches that agents requested in a run; nil means none.
	Asked func(ctx context.Context, run string) ([]review.Submission, error)
	// Writer opens the language model that writes patches from an agent's failures; nil
	// disables it.
	Writer func(ctx context.Context, a *workspace.Agent) (m model.Model, done func() error, err error)

	// Binary and Host are recorded in the provenance.
	Binary, Host string
}

// Resume selects what to do about a run that did not end.
type Resume int

// ResumeCrashed resumes a run whose process died, if the plan is the same. ResumeAny also
// resumes one that a person interrupted or an outage ended, with that run's own options,
// and fails with a *ResumeError if it cannot. ResumeNever starts a new run.
const (
	ResumeCrashed Resume = iota
	ResumeAny
	ResumeNever
)

// Plan describes the work of a run before money is spent.
type Plan struct {
	Run    archive.Run
	Agents []archive.AgentPlan
	// Limits are the limits that will bind each of them. If one is not known yet, the
	// plan has no numbers of evaluations.
	Limits []Expectation
	// Outlooks are those of the same agents; empty if nothing is to be confirmed.
	Outlooks []night.Outlook
	// Tunings are the targets whose marked constants are searched after the agents.
	Tunings []Tuning
	// Unsearched are the targets with a scoring command whose blocks cannot be searched.
	Unsearched []Unsearched
	// Reflections forecast the calls of search.reflect for each of them; empty if it names
	// no route.
	Reflections []Reflection
	// Forgings forecast the calls that would rewrite tools, one for each tool.
	Forgings []Forging
}

// Summary is the result of a run.
type Summary struct {
	Run     archive.Run
	Plans   []archive.AgentPlan
	Results []archive.AgentResult
	// Skills are the proposals of skills, tools and memories. They are not part of the results, which the
	// same seed reproduces: a draft waits until an hour has passed since the last.
	Skills []archive.ProposalRecord
}

// limited reports whether money, time or a deadline limits the run.
func (o Options) limited() bool { return o.Budget.USD > 0 || o.Budget.Time > 0 || !o.Until.IsZero() }

// SearchOnly reports whether the confirmation was left out.
func (o Options) SearchOnly() bool {
	return len(o.Stages) > 0 && !slices.Contains(o.Stages, ConfirmStage)
}
