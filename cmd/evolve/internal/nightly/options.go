package nightly

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/decide"
	"evolve/cmd/evolve/internal/patching"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate"
	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/policy"
)

// Stages a run may be asked for.
const (
	SearchStage  = "search"
	ConfirmStage = "confirm"
)

// Options of a run. Workspace, Archive, Open, Now and Sleep are required.
type Options struct {
	Workspace *workspace.Workspace
	Archive   *archive.Archive
	// Agents to work on; empty: all.
	Agents []string
	// Stages: nil is search and confirm.
	Stages []string
	Budget workspace.Budget
	// Until is when the run must be done, report included; zero: open.
	Until       time.Time
	Concurrency int
	Lookahead   int
	// Seed of the run; nil: the run's number.
	Seed      *int64
	Selection string
	// Resume reports whether the latest run, if it did not end, is taken up.
	Resume Resume
	// Given are the options that were typed.
	Given Given

	// Open makes an agent ready to run.
	Open func(ctx context.Context, a *workspace.Agent, scratch string) (Opened, error)
	// Guards tells how the policies' limiters and breakers fared; nil leaves it out of
	// the run's record.
	Guards func() []policy.Stat
	// Grading compiles the graders of the given tasks.
	Grading func(suites []*bench.Suite) (bench.GradeFunc, error)
	// Propose makes a proposal of a confirmed variant; see package decide.
	Propose func(ctx context.Context, a *workspace.Agent, d decide.Draft) (archive.ProposalRecord, error)

	// Skill drafts a skill from the transcripts of a run and proposes it, when there is
	// one to propose; nil drafts none.
	Skill func(ctx context.Context, a *workspace.Agent, run string) (*archive.ProposalRecord, error)

	// Patches is where the night hands in patches of code; nil: it makes none. Its run and
	// its budget are set by the night.
	Patches *patching.Desk
	// Asked lists the patches that agents asked for in a run; nil: none do.
	Asked func(ctx context.Context, run string) ([]patching.Submission, error)
	// Writer opens the language model that writes patches from an agent's failures; nil:
	// none writes.
	Writer func(ctx context.Context, a *workspace.Agent) (m model.Model, done func() error, err error)

	// Scrub removes credentials from what is kept of answers.
	Scrub    func(string) string
	Now      func() time.Time
	Sleep    func(context.Context, time.Duration) error
	Patience bench.Patience
	Progress func(Progress)
	Log      *slog.Logger
	// Lost is the time that this process has stood still so far; nil: it never did.
	Lost func() time.Duration
	// Drain, when done, stops new evaluations and lets those under way finish;
	// the context of Run stops them as well.
	Drain context.Context
	// Binary and Host are for the provenance.
	Binary, Host string

	// most replaces [limits.Most]; 0: as it is. A test has no time for so many.
	most int
	// newSearch makes a search; nil: mutate.New. A benchmark puts one in its place that
	// takes no time, to see what everything else takes.
	newSearch func(mutate.Options) (mutate.Searcher, error)
}

// Resume says what to do about a run that did not end.
type Resume int

// ResumeCrashed takes up a run whose process died, if the plan is the same. ResumeAny
// takes up one that a person interrupted or an outage ended as well, with that run's
// own options, and fails with a *ResumeError where it cannot. ResumeNever starts afresh.
const (
	ResumeCrashed Resume = iota
	ResumeAny
	ResumeNever
)

// Opened is an agent ready to run.
type Opened struct {
	Agent agent.Agent
	// Identity is everything beside the config that could change an answer.
	Identity string
	// Sandbox names its walls, for the report.
	Sandbox string
	// Parallel bounds the evaluations at once; 0: no bound of its own.
	Parallel int
	// Workdir reports whether every evaluation needs one, files or not.
	Workdir bool
	// Reflect answers the briefs of the search by the route that search.reflect names;
	// nil where it names none.
	Reflect model.Model
	// Renew makes the agent forget: its programs are started anew, and what they wrote
	// is gone. It is called between stages; nil where there is nothing to renew.
	Renew func() error
	Close func() error
}

// Progress is a look at a stage under way.
type Progress struct {
	Run, Agent, Stage string
	Done, Planned     int
	// Best estimate so far with its interval; Known false before there is one.
	Known        bool
	Best, Lo, Hi float64
	SpentUSD     float64
}

// Plan is what a run is about to do, before money is spent.
type Plan struct {
	Run    archive.Run
	Agents []archive.AgentPlan
	// Limits say what will bind each of them. Where that is not known yet, the plan has no
	// numbers of evaluations.
	Limits []Expectation
	// Outlooks are those of the same agents; empty when nothing is to be confirmed.
	Outlooks []Outlook
	// Tunings are the targets whose marked constants are searched after the agents.
	Tunings []Tuning
}

// Summary is how a run ended.
type Summary struct {
	Run     archive.Run
	Plans   []archive.AgentPlan
	Results []archive.AgentResult
	// Skills are the proposals of skills. They are no part of the results, which the
	// same seed gives again: a draft waits for an hour to have passed since the last.
	Skills []archive.ProposalRecord
}

// limited reports whether money, time or a deadline limits the run.
func (o Options) limited() bool { return o.Budget.USD > 0 || o.Budget.Time > 0 || !o.Until.IsZero() }

// SearchOnly reports whether the confirmation was left out.
func (o Options) SearchOnly() bool {
	return len(o.Stages) > 0 && !slices.Contains(o.Stages, ConfirmStage)
}
