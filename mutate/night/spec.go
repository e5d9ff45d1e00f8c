package night

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/confirm"
	"evolve/bench/metrics"
	"evolve/bench/stats"
	"evolve/mutate"
	"evolve/mutate/tokens"
	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// ErrInterrupted means that a person or another program stopped the run.
var ErrInterrupted = errors.New("interrupted")

// ErrTerminated is the kind of [ErrInterrupted] that is caused by a signal from another
// program, such as the system at shutdown, and not by a person's Ctrl-C.
var ErrTerminated = fmt.Errorf("%w by SIGTERM", ErrInterrupted)

// Spec describes one agent's night. [Spec.NewPlan], [Spec.Allocate], [KnownPace] and
// [Spec.Outlook] need only the fields up to Env, and from Env only the archive and the
// clock.
type Spec struct {
	Agent    Agent
	Settings Settings
	// Variances are the agent's variances, estimated from earlier runs.
	Variances stats.Variances
	// Cautions are warnings about the settings; every plan lists them after its own
	// cautions.
	Cautions []string
	// Watch names the search tasks on which an agent without randomness is measured again
	// because the agent was changed.
	Watch []string
	// Panel contains, for each search task in its present form, the number of earlier
	// nights that measured the champion on the task. Tonight's reruns of an agent with
	// randomness use the tasks with the highest numbers first.
	Panel map[string]int
	// Replaced is the config that the latest adoption replaced; nil means that there is
	// none. An agent with randomness is also measured with this config, alongside the
	// reruns of the champion.
	Replaced agent.Config
	Env

	// Run is the record of the run to which the night belongs. It provides the seed, the
	// selection, the lookahead and the concurrency. The night adds to the record's limits
	// and phases, and stores the record. It locks Running while it does so; Running is
	// nil if no other night uses the record.
	Run     *archive.Run
	Running sync.Locker
	// Plan is the agent's plan. The night changes it as it learns the pace.
	Plan  *archive.AgentPlan
	Share Share
	// Budget is the night's budget. The night sets its limits for each stage.
	Budget *bench.Budget
	// Slots limits the evaluations under way in all nights of the run; if nil, the run's
	// concurrency limits them. Beside is the number of nights that run side by side; 0
	// means that this night runs alone.
	Slots  *Slots
	Beside int
	// Scratch is the folder for the working directories. The night clears it.
	Scratch string

	// Open prepares the agent for its evaluations.
	Open func(ctx context.Context, scratch string) (Opened, error)
	// Propose makes a proposal from a confirmed variant.
	Propose func(ctx context.Context, d Draft) (Proposed, error)
}

// Env holds what the nights of a run share. Archive, Grading, Now, Sleep, Log and Drain are
// required.
type Env struct {
	Archive *archive.Archive
	// Grading compiles the graders of the given suites, whose judges use the given model;
	// the model may be nil if there are no judges. The verdicts in the judged evaluations
	// are reused for equal answers.
	Grading func(suites []*bench.Suite, judge model.Model, judged []bench.Evaluation) (bench.GradeFunc, error)
	// Scrub removes credentials from stored answers; if nil, nothing is removed.
	Scrub    func(string) string
	Now      func() time.Time
	Sleep    func(context.Context, time.Duration) error
	Patience bench.Patience
	// Progress is called after each evaluation; if nil, no progress is reported.
	Progress func(Progress)
	Log      *slog.Logger
	// Lost returns for how long this process has been suspended so far; if nil, no time
	// counts as lost.
	Lost func() time.Duration
	// Drain, when done, stops new evaluations but lets those under way finish. The context
	// passed to Run, when done, stops both.
	Drain context.Context
	// Most replaces [limits.Most] unless it is 0.
	Most int
	// NewSearch makes the search; if nil, [mutate.New] is used.
	NewSearch func(mutate.Options) (mutate.Searcher, error)
}

// Agent is the agent that a night improves.
type Agent struct {
	ID string
	// Adapter is the kind of the agent's adapter; it is only recorded.
	Adapter string
	// Hash covers everything that could change an answer, except the config.
	Hash string
	// Deterministic reports whether the agent gives the same answer for the same seed;
	// UsesSeed reports whether a different seed can change an answer.
	Deterministic, UsesSeed bool
	// Relative reports whether scores are relative to values that the suites contain. If
	// they are, evaluations on other suites do not count as evidence.
	Relative bool
	// Metric is the kind of the metric if a command measures versions; it is nil for other
	// agents. Noise is the variation of the metric's values for the same version.
	Metric *metrics.Kind
	Noise  *metrics.Noise
	// Hunks reports whether texts in the agent's space are source code, whose changes are
	// reverted hunk by hunk.
	Hunks    bool
	Champion agent.Config
	// Space is the searched space; Known is the space of archived configs.
	Space, Known agent.Space
	// Read converts an archived config to a config in Space; if Read is nil, Space.Parse is
	// used.
	Read func(agent.Config) (agent.Config, []agent.Problem)
	// Suites are the agent's suites, in the agent's order; Alike counts the near-duplicates
	// across these suites.
	Suites []*bench.Suite
	Alike  bench.Likeness
	// Searched holds the ids of holdout tasks that were used in the search of an earlier
	// night.
	Searched map[string]bool
	// Spends identifies the data that entries into the confirmation use up, for agents
	// whose name does not identify that data. For example, a target that was renamed still
	// has the same cases.
	Spends string
	// Routes identifies the routes of an agent with a language model and the models of
	// these routes; it is empty for any other agent. Refused names the parameters that
	// Space leaves out because the model does not accept them, with the reason.
	Routes, Refused string
	// Source maps the name of each component that is code to the source code around it,
	// for the language model that writes drafts.
	Source map[string]string
	// Problem returns the reason why the text of a component that is code cannot run,
	// worded to follow "it", or "" if it finds no reason. Problem is nil if texts are not
	// checked. Imports maps the name of each component to the imports that the component
	// must continue to use.
	Problem func(component, text string) string
	Imports map[string]string
	// Smaller returns attempts to revert parts of the change to a component that is code;
	// see [ablation.Options.Smaller]. It may be nil.
	Smaller func(component, base, text string) []tokens.Attempt
	// Place returns the file and the line in a config's code that correspond to the given
	// line of a component, where lines are counted from 1. It returns "" if the component
	// is not code. Place may be nil.
	Place func(base agent.Config, component string, line int) string
	// Profile is the output of the profile command of the program whose texts are searched.
	// The command is run only on search cases. The model that writes drafts is shown the
	// output, which may be empty.
	Profile string
	// Feedback describes the experience from the agent's live turns, and Corrections are
	// the patterns in people's corrections during these turns. Both are for the language
	// model that writes drafts. Neither contains anything from the holdout.
	Feedback    string
	Corrections []string
	// InUse names the basis of Feedback and Corrections, such as "3 corrections"; it is
	// empty if there is none.
	InUse string
	// Guards are the bounds that a winner must not violate.
	Guards []stats.Bound
	// Guarded names the metrics for which the settings contain guards, including guards
	// that cannot be judged.
	Guarded []string
}

// Fixed reports whether repeating an evaluation yields no new evidence.
func (a *Agent) Fixed() bool { return a.Deterministic && !a.UsesSeed }

// reduces reports whether finalists are reduced. The source code of an agent with
// randomness is not reduced, because the ablation's model has no information about texts
// and would revert changes whose effect does not show in a few evaluations.
func (a *Agent) reduces() bool { return !a.Hunks || a.Fixed() }

// read converts an archived config to a config in the searched space, or returns nil.
func (a *Agent) read(c agent.Config) agent.Config {
	read := a.Read
	if read == nil {
		read = func(c agent.Config) (agent.Config, []agent.Problem) { return a.Space.Parse(c) }
	}
	if out, problems := read(c); len(problems) == 0 {
		return out
	}
	return nil
}

// Settings are the operator's settings of a night.
type Settings struct {
	// Limits bound each evaluation.
	Limits  agent.Limits
	Confirm confirm.Settings
	// Baseline is the share of the search's evaluations that go to a random search, for
	// comparison.
	Baseline float64
	// Reflect configures the models that write drafts; without routes there are no such
	// models.
	Reflect Reflect
	// Prices is a hash of the models' prices.
	Prices string
	// SearchOnly reports whether the night has no confirmation.
	SearchOnly bool
}

// Reflect configures the language models that write drafts.
type Reflect struct {
	mutate.Rate
	Routes []ReflectRoute
}

// ReflectRoute is one of the routes of search.reflect.
type ReflectRoute struct {
	mutate.AuthorRoute
	// Model is the name of the route's model, and Room the number of tokens that the model
	// can read; 0 means unknown.
	Model string
	Room  int
}

// Share is an agent's part of the limits of a run.
type Share struct {
	// Evaluations is the agent's part of the run's evaluations; 0 means that there is no
	// limit.
	Evaluations int
	// USD is the agent's part of the run's money, and Till is the time at which the agent's
	// part of the run's time ends; a zero value means that there is no limit. Due reports
	// whether Till follows from a deadline.
	USD  float64
	Till time.Time
	Due  bool
}

// adaptive reports whether money or time limits the agent. If it does, the agent's plan
// depends on the time and cost of its evaluations.
func (s Share) adaptive() bool { return s.USD > 0 || !s.Till.IsZero() }

// cacheIdentity returns the part of the evaluations' cache key that does not come from a
// config or a task.
func (o *Opened) cacheIdentity() string {
	if o.Experience == "" {
		return o.Identity
	}
	return o.Identity + "\x00experience " + o.Experience
}

// Opened is an agent that is ready to run.
type Opened struct {
	Agent agent.Agent
	// Identity identifies everything besides the config and Experience that could change an
	// answer.
	Identity string
	// Experience identifies the experience from the agent's live turns when the run began;
	// "" means none. An answer depends on it, so evaluations made with different experience
	// are not reused. The evidence for a candidate does not include Experience and
	// continues when Experience changes, because both arms of each pair had the same
	// experience.
	Experience string
	// Sandbox names the agent's sandbox, for the report.
	Sandbox string
	// Parallel is the agent's own maximum number of concurrent evaluations; 0 means no
	// maximum.
	Parallel int
	// Workdir reports whether every evaluation needs a working directory, even if there are
	// no files.
	Workdir bool
	// Reflect answers the briefs of the search on the routes that search.reflect names; it
	// is nil if search.reflect names none.
	Reflect model.Model
	// Judge is the model for the judges of the agent's suites; it is nil if there are no
	// judges.
	Judge model.Model
	// Varies describes how repeats of the champion differed although the agent is fixed; it
	// returns "" if they did not differ. It is nil if repeats are not compared.
	Varies func() string
	// Recorded is called with the sequence number of an evaluation once the archive holds
	// that evaluation; if nil, it is not called.
	Recorded func(seq int64)
	// Elsewhere reports whether tasks run on other machines. If so, suspending this process
	// does not invalidate any evaluation.
	Elsewhere bool
	// Renew resets the agent: its programs are restarted, and the files that they wrote are
	// removed. It is called between stages. It is nil if there is nothing to reset.
	Renew func() error
	Close func() error
}

// Draft is a confirmed variant that a night proposes.
type Draft struct {
	Variant archive.Variant
	// Evidence is the digest of the ruling on the variant.
	Evidence  string
	Rationale string
	// Ruling is the ruling on the variant.
	Ruling *stats.Ruling
	// Rests identifies the evaluations on which the ruling rests.
	Rests *archive.Rests
}

// Proposed is the result of submitting a draft.
type Proposed struct {
	// ID is the id of the proposal. It is empty if no proposal was made, for example
	// because of the limit on patches; the run then has a note with the reason.
	ID string
	// Refused describes the refusal by the gates; it is nil if they did not refuse the
	// proposal.
	Refused *stats.Refusal
}

// Progress is the progress of a running stage.
type Progress struct {
	Run, Agent, Stage string
	Done, Planned     int
	// Best is the best estimate so far, with its interval; Known is false until there is an
	// estimate.
	Known        bool
	Best, Lo, Hi float64
	SpentUSD     float64
}

// Outcome describes the end of a night.
type Outcome struct {
	// Result is the stored result. Its Agent is empty if the night ended before there was a
	// result.
	Result archive.AgentResult
	// Blocking names the policy limit for which evaluations were waiting when the agent's
	// time was up.
	Blocking string
}
