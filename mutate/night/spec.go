package night

import (
	"context"
	"errors"
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

// ErrInterrupted means that a person stopped the run.
var ErrInterrupted = errors.New("interrupted")

// Spec describes one agent's night. [Spec.NewPlan], [Spec.Allocate], [KnownPace] and
// [Spec.Outlook] need only the fields up to Env, and of that the archive and the clock.
type Spec struct {
	Agent    Agent
	Settings Settings
	// Variances are the agent's variances as estimated from earlier runs.
	Variances stats.Variances
	// Cautions are warnings of the settings, which every plan has after its own.
	Cautions []string
	// Watch names the search tasks on which an agent without randomness is measured again
	// because it was changed.
	Watch []string
	// Panel counts the earlier nights that measured the champion on a search task as it is
	// now. Tonight's reruns of an agent with randomness take those tasks first.
	Panel map[string]int
	// Replaced is the config that the latest adoption replaced. An agent with randomness
	// is also measured with it, beside the reruns of the champion; nil for none.
	Replaced agent.Config
	Env

	// Run is the record of the run that the night belongs to. It gives the seed, the
	// selection, the lookahead and the concurrency; the night adds to its limits and
	// phases, and stores it. It does so while it holds Running, which is nil if no other
	// night uses the record.
	Run     *archive.Run
	Running sync.Locker
	// Plan is the agent's plan, which the night changes as it learns the pace.
	Plan  *archive.AgentPlan
	Share Share
	// Budget is the budget of the night. The night sets its limits for each stage.
	Budget *bench.Budget
	// Slots bounds the evaluations of all nights of the run that are under way; nil: the run's
	// concurrency bounds them. Beside is the number of nights that run side by side; 0: this one
	// alone.
	Slots  *Slots
	Beside int
	// Scratch is the folder of the working directories. The night clears it.
	Scratch string

	// Open prepares the agent to run.
	Open func(ctx context.Context, scratch string) (Opened, error)
	// Propose makes a proposal of a confirmed variant.
	Propose func(ctx context.Context, d Draft) (Proposed, error)
}

// Env is what the nights of a run share. Archive, Grading, Now, Sleep, Log and Drain are
// required.
type Env struct {
	Archive *archive.Archive
	// Grading compiles the graders of the given suites, whose judges ask the model; it may
	// be nil where there are none. The verdicts in the judged evaluations hold for equal
	// answers.
	Grading func(suites []*bench.Suite, judge model.Model, judged []bench.Evaluation) (bench.GradeFunc, error)
	// Scrub removes credentials from stored answers; nil: none.
	Scrub    func(string) string
	Now      func() time.Time
	Sleep    func(context.Context, time.Duration) error
	Patience bench.Patience
	// Progress is called after each evaluation; nil: no progress is reported.
	Progress func(Progress)
	Log      *slog.Logger
	// Lost is the time for which this process has been suspended so far; nil: none.
	Lost func() time.Duration
	// Drain, when done, stops new evaluations and lets those under way finish; the
	// context of Run stops them as well.
	Drain context.Context
	// Most replaces [limits.Most] unless 0.
	Most int
	// NewSearch makes the search; nil: [mutate.New].
	NewSearch func(mutate.Options) (mutate.Searcher, error)
}

// Agent is the agent that a night improves.
type Agent struct {
	ID string
	// Adapter is the kind of its adapter, for the record.
	Adapter string
	// Hash covers everything except the config that could change an answer.
	Hash string
	// Deterministic reports whether the agent gives the same answer under the same seed;
	// UsesSeed reports whether another seed changes an answer.
	Deterministic, UsesSeed bool
	// Relative reports whether scores are relative to values in the suites, so that
	// evaluations on other suites are no evidence.
	Relative bool
	// Metric is the kind of the metric if a command measures versions; nil for other agents.
	// Noise is the variation of its values for the same version.
	Metric *metrics.Kind
	Noise  *metrics.Noise
	// Hunks reports whether texts of its space are source code, whose changes are reverted
	// by hunks.
	Hunks    bool
	Champion agent.Config
	// Space is the searched space; Known is the space that archived configs are in.
	Space, Known agent.Space
	// Read converts an archived config to one of Space; nil: Space.Parse.
	Read func(agent.Config) (agent.Config, []agent.Problem)
	// Suites are the agent's, in its order; Alike counts the near-duplicates across them.
	Suites []*bench.Suite
	Alike  bench.Likeness
	// Searched are the ids of holdout tasks that the search of an earlier night had.
	Searched map[string]bool
	// Spends identifies the data that entries into the confirmation spend, if that is not the
	// agent's name, because a renamed target has the same cases.
	Spends string
	// Routes identifies the routes of an agent with a language model and their models; empty
	// for another agent. Refused names the parameters that Space leaves out because the
	// model does not take them, with the reason.
	Routes, Refused string
	// Source is the source around components that are code, by their names, for the language
	// model that writes drafts.
	Source map[string]string
	// Problem returns why the text of a component that is code cannot run, in words that follow
	// "it"; empty where it may, and nil where nothing is known. Imports lists, by the names of
	// the components, the imports that each must keep in use.
	Problem func(component, text string) string
	Imports map[string]string
	// Smaller returns attempts to take back parts of the change of a component that is code; see
	// [ablation.Options.Smaller]. It may be nil.
	Smaller func(component, base, text string) []tokens.Attempt
	// Place returns the file and the line of the code of a config at which a line of a component,
	// counted from 1, stands; empty for a component that is not code. It may be nil.
	Place func(base agent.Config, component string, line int) string
	// Profile is what a profile command printed about the program whose texts are searched,
	// on search cases alone, for the same model; it may be empty.
	Profile string
	// Feedback describes the experience of its live turns, and Corrections are the
	// patterns of people's corrections in them, for the language model that writes drafts.
	// Neither contains anything of the holdout.
	Feedback    string
	Corrections []string
	// InUse names the basis of both, such as "3 corrections"; empty if there is none.
	InUse string
	// Guards are the bounds that a winner must not break.
	Guards []stats.Bound
}

// Fixed reports whether a repeat of an evaluation is no new evidence.
func (a *Agent) Fixed() bool { return a.Deterministic && !a.UsesSeed }

// reduces reports whether finalists are reduced. Source code of an agent with randomness
// is not, because the model of the ablation has no information on texts, and would revert
// changes whose effect few evaluations do not show.
func (a *Agent) reduces() bool { return !a.Hunks || a.Fixed() }

// read converts an archived config to one of the searched space, or returns nil.
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
	// Baseline is the share of the search that random search gets as a comparison.
	Baseline float64
	// Reflect configures the models that write drafts; without routes there are none.
	Reflect Reflect
	// Prices is a hash of the prices of models.
	Prices string
	// SearchOnly leaves out the confirmation.
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
	// Model is the name of its model, and Room the number of tokens that it can read; 0:
	// unknown.
	Model string
	Room  int
}

// Share is an agent's part of the limits of a run.
type Share struct {
	// Evaluations is the agent's part of the run's; 0: not limited.
	Evaluations int
	// USD is the agent's part of the money, and Till the end of its part of the time;
	// zero: not limited. Due reports whether Till follows from a deadline.
	USD  float64
	Till time.Time
	Due  bool
}

// adaptive reports whether money or time limits the agent: its plan then depends on the
// time and cost of its evaluations.
func (s Share) adaptive() bool { return s.USD > 0 || !s.Till.IsZero() }

// cacheIdentity returns the part of the evaluations' cache key that is not of a config or
// a task.
func (o *Opened) cacheIdentity() string {
	if o.Experience == "" {
		return o.Identity
	}
	return o.Identity + "\x00experience " + o.Experience
}

// Opened is an agent that is ready to run.
type Opened struct {
	Agent agent.Agent
	// Identity is everything besides the config and Experience that could change an answer.
	Identity string
	// Experience identifies the experience of its live turns when the run began; "" for
	// none. An answer depends on it, so evaluations under another experience are not
	// reused. The evidence of a candidate does not name it and continues when it changes,
	// because both arms of each pair had the same.
	Experience string
	// Sandbox names its sandbox, for the report.
	Sandbox string
	// Parallel is the agent's own maximum of evaluations at once; 0: none.
	Parallel int
	// Workdir reports whether every evaluation needs a working directory, even without
	// files.
	Workdir bool
	// Reflect answers the briefs of the search by the routes that search.reflect names;
	// nil if it names none.
	Reflect model.Model
	// Judge is the model of the judges of the agent's suites; nil where there are none.
	Judge model.Model
	// Varies describes a difference between repeats of the champion although the agent is
	// fixed; "" if there was none. nil: repeats are not compared.
	Varies func() string
	// Recorded is called when the archive has the evaluation with a sequence number; nil:
	// no call is needed.
	Recorded func(seq int64)
	// Elsewhere reports whether tasks run on other machines, so that a suspension of this
	// process makes none of them invalid.
	Elsewhere bool
	// Renew resets the agent: its programs are restarted, and the files that they wrote
	// are removed. It is called between stages; nil if there is nothing to reset.
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
	// Rests names the evaluations that the ruling rests on.
	Rests *archive.Rests
}

// Proposed is the result of submitting a draft.
type Proposed struct {
	// ID is that of the proposal; empty if none was made, for example because of the limit on
	// patches, and the run has a note of the reason.
	ID string
	// Refused describes the refusal by the gates; nil if they did not refuse it.
	Refused *stats.Refusal
}

// Progress is the progress of a running stage.
type Progress struct {
	Run, Agent, Stage string
	Done, Planned     int
	// Best is the best estimate so far, with its interval; Known is false before there is
	// one.
	Known        bool
	Best, Lo, Hi float64
	SpentUSD     float64
}

// Outcome describes the end of a night.
type Outcome struct {
	// Result is the stored result. Its Agent is empty if the night ended before there was
	// one.
	Result archive.AgentResult
	// Blocking names the limit under policies that evaluations waited for when the
	// agent's time was over.
	Blocking string
}
