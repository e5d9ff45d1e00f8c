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

// Options are the options of a run. Workspace and Open are required.
type Options struct {
	night.Env
	Workspace *workspace.Workspace
	// Agents lists the agents to work on; an empty list means all.
	Agents []string
	// Stages lists the stages to run; nil means search and confirm.
	Stages []string
	Budget workspace.Budget
	// Until is the time by which the run must be done, including the report; the zero time
	// means no deadline.
	Until       time.Time
	Concurrency int
	Lookahead   int
	// Seed is the seed of the run; nil means the run's number.
	Seed      *int64
	Selection string
	// Resume selects whether the latest run is resumed if it did not end.
	Resume Resume
	// Given holds the options that a person typed.
	Given Given

	// Turns returns the stored turns of an agent for which wanted reports true, with their
	// calls. If Turns is nil, no lessons are drawn from turns.
	Turns func(ctx context.Context, store *archive.Archive, a *workspace.Agent, wanted func(archive.TurnRecord) bool) ([]experience.Turn, error)
	// Open prepares an agent to run.
	Open func(ctx context.Context, a *workspace.Agent, scratch string) (night.Opened, error)
	// Began is called with the id of the run before its agents are opened; it may be nil.
	Began func(run string)
	// Left is called after a new run has started, if the previous run was cut short and
	// could have been resumed. It gets the previous run. Left may be nil.
	Left func(run archive.Run)
	// OpenCode prepares an agent's program, and nothing else, to run from the folder of a
	// version of its code.
	OpenCode func(a *workspace.Agent, folder, scratch string) (night.Opened, error)
	// Guards returns the statistics of the policies' limiters and breakers; nil leaves
	// them out of the run's record.
	Guards func() []policy.Stat
	// Live returns the effect of limits and breakers on recent live turns; nil leaves it
	// out of the run's record.
	Live func() ([]policy.Saturation, error)
	// Propose makes a proposal from a confirmed variant.
	Propose func(ctx context.Context, a *workspace.Agent, d review.Draft) (archive.ProposalRecord, error)

	// History opens the version control of the workspace. If History is nil or returns an
	// error, the workspace is treated as having no version control.
	History func() (History, error)

	// Skill drafts a skill from the transcripts of a run and proposes it, if there is one
	// to propose. If Skill is nil, no skills are drafted.
	Skill func(ctx context.Context, a *workspace.Agent, run string) (*archive.ProposalRecord, error)
	// Tools proposes the tools that a run's evaluations wrote and used to solve tasks. If
	// Tools is nil, none are proposed.
	Tools func(ctx context.Context, a *workspace.Agent, run string) ([]archive.ProposalRecord, error)
	// Memories proposes the learnings from the agent's live turns. It returns the proposal
	// that awaits a decision, provided that this call made it. If Memories is nil, none are
	// proposed.
	Memories func(ctx context.Context, a *workspace.Agent, run string) (*archive.ProposalRecord, error)
	// Missed describes the retracted memories that the agent asked for in later failures.
	// If Missed is nil, they are not looked for.
	Missed func(ctx context.Context, a *workspace.Agent) ([]string, error)

	// Author opens the routes of search.reflect on behalf of an agent, for the models that
	// write tools and code. If Author is nil, there are no such models.
	Author func(a *workspace.Agent) (m model.Model, done func() error, err error)
	// Forge rewrites tools with a language model; if it is nil, no tools are rewritten.
	Forge *Forge

	// Patches receives the night's code patches; nil disables them. The night sets the run
	// and the budget of Patches.
	Patches *review.Reviewer
	// Code holds the targets whose blocks are searched; see [Options.AddCode].
	Code Code
	// Looked is the time that AddCode took, which is part of the night's time.
	Looked time.Duration
	// Asked returns the patches that agents requested in a run, as submissions; if Asked is
	// nil, there are none.
	Asked func(ctx context.Context, run string) ([]review.Submission, error)
	// Writer opens the language model that writes patches based on an agent's failures. If
	// Writer is nil, no such patches are written.
	Writer func(ctx context.Context, a *workspace.Agent) (m model.Model, done func() error, err error)

	// Binary and Host are recorded in the run as its provenance.
	Binary, Host string
}

// Resume selects what to do about a run that did not end.
type Resume int

// ResumeCrashed resumes a run whose process died, if the plan is the same. ResumeAny also
// resumes a run that a person interrupted or an outage ended, with that run's own options,
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
	// Limits describes, for each of the agents, which limit will bind. If a limit is not
	// known yet, the plan has no numbers of evaluations.
	Limits []Expectation
	// Outlooks holds the outlooks of the same agents; it is empty if nothing is to be
	// confirmed.
	Outlooks []night.Outlook
	// Tunings are the targets whose marked constants are searched after the agents.
	Tunings []Tuning
	// Unsearched are the targets with a scoring command whose blocks cannot be searched.
	Unsearched []Unsearched
	// Reflections holds the forecasts of the calls of search.reflect, one for each agent;
	// it is empty if search.reflect names no route.
	Reflections []Reflection
	// Forgings holds the forecasts of the calls for rewriting tools, one for each tool.
	Forgings []Forging
}

// Summary is the result of a run.
type Summary struct {
	Run     archive.Run
	Plans   []archive.AgentPlan
	Results []archive.AgentResult
	// Skills are the proposals of skills, tools and memories. They are not part of the
	// results, because the same seed must reproduce the results, and a draft waits until
	// an hour has passed since the last draft.
	Skills []archive.ProposalRecord
}

// limited reports whether money, time or a deadline limits the run.
func (o Options) limited() bool { return o.Budget.USD > 0 || o.Budget.Time > 0 || !o.Until.IsZero() }

// SearchOnly reports whether the stages to run exclude the confirmation.
func (o Options) SearchOnly() bool {
	return len(o.Stages) > 0 && !slices.Contains(o.Stages, ConfirmStage)
}
