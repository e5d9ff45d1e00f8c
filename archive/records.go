package archive

import (
	"encoding/json"
	"time"

	"evolve/bench/stats"
	"evolve/runtime/agent"
	"evolve/runtime/policy"
)

// Variant is a config with where it came from.
type Variant struct {
	ID    agent.ConfigID `json:"id"`
	Agent string         `json:"agent"`
	// Number counts an agent's variants from 1 in the order they were made; people see "v37".
	Number     int              `json:"number"`
	Config     agent.Config     `json:"config"`
	Parents    []agent.ConfigID `json:"parents,omitempty"`
	Operator   string           `json:"operator"`
	Generation int              `json:"generation"`
	Rationale  string           `json:"rationale,omitempty"`
	Run        string           `json:"run,omitempty"`
	Time       time.Time        `json:"time,omitzero"`
}

// RunState is how far a run got.
type RunState string

// The states of a run.
const (
	RunRunning     RunState = "running"
	RunDone        RunState = "done"
	RunInterrupted RunState = "interrupted"
	RunFailed      RunState = "failed"
)

// Run is one batch: what was asked of it and how it ended.
type Run struct {
	// ID is "<number>-<hash of the plan>": the same plan in the same place in the
	// history has the same id.
	ID      string    `json:"id"`
	Number  int       `json:"number"`
	State   RunState  `json:"state"`
	Started time.Time `json:"started,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	Exit    int       `json:"exit"`
	// Reason says in words why the run ended as it did.
	Reason      string   `json:"reason,omitempty"`
	Agents      []string `json:"agents"`
	Stages      []string `json:"stages"`
	Selection   string   `json:"selection"`
	Seed        int64    `json:"seed"`
	Lookahead   int      `json:"lookahead"`
	Concurrency int      `json:"concurrency"`
	// Reached is the highest number of evaluations that were under way at once.
	Reached int `json:"reached"`
	// Resumed counts the times the run was taken up again.
	Resumed    int                      `json:"resumed"`
	BudgetEval int                      `json:"budget_evals,omitempty"`
	BudgetUSD  float64                  `json:"budget_usd,omitempty"`
	BudgetTime time.Duration            `json:"budget_time,omitempty"`
	Until      time.Time                `json:"until,omitzero"`
	Phases     map[string]time.Duration `json:"phases,omitempty"`
	// Policy is the version of the policies.
	Policy string `json:"policy,omitempty"`
	// Guards says how the limiters, breakers and budgets of tools and providers fared.
	Guards []policy.Stat `json:"guards,omitempty"`
	// Patches says what the night did about patches of code, in its order.
	Patches []PatchNote `json:"patches,omitempty"`
	// PatchUSD is what the night has paid to try patches as agents and to have them
	// reviewed, in USD; what was paid to have them written stands in Patches.
	PatchUSD float64 `json:"patch_usd,omitempty"`
	Binary   string  `json:"binary,omitempty"`
	Host     string  `json:"host,omitempty"`
}

// AgentPlan is what a run set out to do for one agent, written before money is spent.
type AgentPlan struct {
	Run       string   `json:"run"`
	Agent     string   `json:"agent"`
	Suites    []string `json:"suites"`
	SuiteHash string   `json:"suite_hash"`
	SplitHash string   `json:"split_hash"`
	AgentHash string   `json:"agent_hash"`
	SpaceHash string   `json:"space_hash"`
	// PricesHash names what models cost; empty when nothing does.
	PricesHash string `json:"prices_hash,omitempty"`
	// Params are the names of the space in its order.
	Params   []string       `json:"params,omitempty"`
	Adapter  string         `json:"adapter"`
	Champion agent.ConfigID `json:"champion"`
	// Default is the space's own default, which may differ from the champion.
	Default       agent.ConfigID `json:"default"`
	Deterministic bool           `json:"deterministic"`
	UsesSeed      bool           `json:"uses_seed"`
	// Sandbox names the walls the agent ran in: "namespaces", "bubblewrap", "none: why" or "in process".
	Sandbox string `json:"sandbox"`
	// The evaluations planned for each stage.
	Search   int `json:"search"`
	Baseline int `json:"baseline"`
	AA       int `json:"aa"`
	Ablate   int `json:"ablate,omitempty"`
	Confirm  int `json:"confirm"`
	// Finalists bounds the variants that enter the confirmation, Repeats the blocks that
	// it can pay for one of them.
	Finalists    int `json:"finalists"`
	Repeats      int `json:"repeats"`
	SearchTasks  int `json:"search_tasks"`
	HoldoutTasks int `json:"holdout_tasks"`
	// Detectable is the smallest improvement the plan can see at 80 % power, in score units; 0 when none can be.
	Detectable float64 `json:"detectable"`
	// Month is the same for a month of such nights.
	Month float64 `json:"detectable_month,omitempty"`
	// Power says both in words, with how many tasks would show more; empty without a confirmation.
	Power    string   `json:"power,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// Verdict of a run for an agent.
type Verdict = stats.Verdict

// The verdicts.
const (
	Adopt     = stats.Adopt
	Keep      = stats.Keep
	Undecided = stats.Undecided
)

// AgentResult is what a run found for one agent.
type AgentResult struct {
	Run     string  `json:"run"`
	Agent   string  `json:"agent"`
	Verdict Verdict `json:"verdict"`
	// Reason is one plain sentence.
	Reason string `json:"reason"`
	// Detectable is the smallest improvement that the confirmation could have found
	// at 80 % power, in score units; 0 when nothing was confirmed, 1 for none.
	Detectable float64      `json:"detectable"`
	Search     SearchResult `json:"search"`
	Finalist   []Finalist   `json:"finalists,omitempty"`
	// Ablation is how the winner of the search was made small; nil when it was not.
	Ablation *Ablation `json:"ablation,omitempty"`
	// Entries is the error control of the month after this run; nil without a confirmation.
	Entries *EntryLedger `json:"entries,omitempty"`
	// Winner is the finalist that is recommended; empty for none.
	Winner agent.ConfigID `json:"winner,omitempty"`
	// AA is the champion against a fresh rerun of itself; nil when it was not run.
	AA        *stats.Noise `json:"aa,omitempty"`
	Proposals []string     `json:"proposals,omitempty"`
	// Incomplete says what the run planned and did not finish.
	Incomplete string `json:"incomplete,omitempty"`
	// SearchDone says that the search stage came to its planned end.
	SearchDone bool `json:"search_done"`
	// Blocks counts the complete blocks of the confirmation: champion and every
	// finalist once on every holdout task.
	Blocks int `json:"blocks"`
	// Infrastructure counts evaluations left missing.
	Infrastructure int `json:"infrastructure"`
}

// EntryLedger says what the error control across nights allows and has used: at
// most Most entries in any Days days, each at Alpha.
type EntryLedger struct {
	Days  int     `json:"days"`
	Most  int     `json:"most"`
	Used  int     `json:"used"`
	Level float64 `json:"level"`
	Alpha float64 `json:"alpha"`
}

// SearchResult is the outcome of the search stage.
type SearchResult struct {
	Evaluations int            `json:"evaluations"`
	Variants    int            `json:"variants"`
	Champion    ScoredVariant  `json:"champion"`
	Recommended ScoredVariant  `json:"recommended"`
	Baseline    *ScoredVariant `json:"random_baseline,omitempty"`
	Curve       []CurvePoint   `json:"curve,omitempty"`
	// Exhausted says that every config of the space had seen every task.
	Exhausted bool `json:"exhausted,omitempty"`
}

// ScoredVariant is a variant with its estimated score on search tasks.
type ScoredVariant struct {
	Variant agent.ConfigID `json:"variant"`
	Config  agent.Config   `json:"config"`
	// Score is the weighted mean over the search tasks seen.
	Score       float64 `json:"score"`
	Lo          float64 `json:"lo"`
	Hi          float64 `json:"hi"`
	Evaluations int     `json:"evaluations"`
}

// CurvePoint is the best estimate after so many search evaluations.
type CurvePoint struct {
	Evaluations int     `json:"evaluations"`
	Best        float64 `json:"best"`
	// Random is the best of the random baseline at the same number of its own
	// evaluations; NaN-free: 0 with RandomEvals 0 when it had none yet.
	Random      float64 `json:"random"`
	RandomEvals int     `json:"random_evals"`
}

// Finalist is a variant that was confirmed on the holdout.
type Finalist struct {
	Variant    agent.ConfigID   `json:"variant"`
	Comparison stats.Comparison `json:"comparison"`
	// SearchDifference is its estimated gain over the champion on the search tasks.
	SearchDifference float64 `json:"search_difference"`
	// Adjusted is the p-value after Holm's correction over the finalists of a run from
	// before there were rulings.
	Adjusted float64 `json:"adjusted,omitempty"`
	// Accepted says that it is recommended for adoption: proven on new tasks.
	Accepted bool   `json:"accepted"`
	Reason   string `json:"reason"`
	// Ruling is what all its evidence says, earlier nights' included.
	Ruling *stats.Ruling `json:"ruling,omitempty"`
	// Runs whose confirmations the ruling rests on, in order.
	Runs []string `json:"runs,omitempty"`
}

// Candidate is one entry of a variant into the confirmation on the holdout. Entries
// are what the error control across nights counts; evidence of later nights is
// added to the entry that is still open.
type Candidate struct {
	Agent string `json:"agent"`
	// Number counts an agent's entries from 1 in the order in which they were made.
	Number   int            `json:"number"`
	Variant  agent.ConfigID `json:"variant"`
	Champion agent.ConfigID `json:"champion"`
	// Run and Time are those of the entry.
	Run  string    `json:"run"`
	Time time.Time `json:"time,omitzero"`
	// Ledger is the number of the ledger entry that tells of it; EnterCandidate sets it.
	Ledger int64 `json:"ledger"`
	// Holds is a hash of everything the evidence is about besides the two configs:
	// holdout tasks and graders, the agent's folder, identity and prices. Evidence of
	// another hash, or against another champion, is void.
	Holds string `json:"holds"`
	// Alpha is the level of the entry, Projected the pairs it was projected to need.
	Alpha     float64 `json:"alpha"`
	Projected float64 `json:"projected"`
	// Gain is its gain over the champion, with its standard deviation, as the search
	// last estimated it; score units.
	Gain float64 `json:"gain"`
	SD   float64 `json:"sd"`
	// Runs are those that added blocks, in order.
	Runs  []string    `json:"runs"`
	State stats.State `json:"state"`
	// Void says that a change of champion, suite or agent ended it, and which.
	Void   string  `json:"void,omitempty"`
	Blocks int     `json:"blocks"`
	LogE   float64 `json:"log_e"`
	Reason string  `json:"reason"`
}

// Ablation is how a run made its winner small, on search tasks.
type Ablation struct {
	// Winner is the variant that the search found, Small what was left of it; equal
	// when nothing could go.
	Winner agent.ConfigID `json:"winner"`
	Small  agent.ConfigID `json:"small"`
	// Reverted are parameters that went back to the champion's value.
	Reverted    []string      `json:"reverted,omitempty"`
	Effects     []ParamEffect `json:"effects,omitempty"`
	Evaluations int           `json:"evaluations"`
	Reason      string        `json:"reason"`
}

// ParamEffect is what one changed parameter does by itself: the score of the small winner
// less that of the same config with this parameter as the champion has it.
type ParamEffect struct {
	Param       string  `json:"param"`
	Difference  float64 `json:"difference"`
	Lo          float64 `json:"lo"`
	Hi          float64 `json:"hi"`
	Evaluations int     `json:"evaluations"`
}

// ProposalKind is what a proposal changes.
type ProposalKind string

// The kinds of proposal.
const (
	KindConfig ProposalKind = "config"
	KindPatch  ProposalKind = "patch"
	// KindTool is a tool or a skill that an agent wrote.
	KindTool ProposalKind = "tool"
)

// ProposalState is where a proposal stands (spec 1).
type ProposalState string

// The states of a proposal.
const (
	Drafted    ProposalState = "drafted"
	Gated      ProposalState = "gated"
	Awaiting   ProposalState = "awaiting"
	HumanLane  ProposalState = "human_lane"
	GateFailed ProposalState = "failed"
	Approved   ProposalState = "approved"
	Adopted    ProposalState = "adopted"
	RolledBack ProposalState = "rolled_back"
	Rejected   ProposalState = "rejected"
	Expired    ProposalState = "expired"
	Superseded ProposalState = "superseded"
)

// ProposalRecord is a change awaiting a person, or what became of it.
type ProposalRecord struct {
	// ID is "P<number>".
	ID       string         `json:"id"`
	Kind     ProposalKind   `json:"kind"`
	State    ProposalState  `json:"state"`
	Agent    string         `json:"agent"`
	Run      string         `json:"run,omitempty"`
	Variant  agent.ConfigID `json:"variant,omitempty"`
	Champion agent.ConfigID `json:"champion,omitempty"`
	Title    string         `json:"title"`
	// Rationale is foreign text when a model wrote it.
	Rationale string `json:"rationale,omitempty"`
	// Base is the hash of the paths and inputs it depends on, by name.
	Base map[string]string `json:"base"`
	// Files maps workspace paths to what they become; a nil content removes.
	Files []FileChange `json:"files"`
	// Changes is the per-parameter difference.
	Changes []Change `json:"changes"`
	// Commit and Ref are empty while the workspace is no git repository.
	Commit string `json:"commit,omitempty"`
	Ref    string `json:"ref,omitempty"`
	// Evidence is the digest of the comparison that speaks for it.
	Evidence string         `json:"evidence,omitempty"`
	Gates    []GateVerdict  `json:"gates,omitempty"`
	Created  time.Time      `json:"created,omitzero"`
	Decision *DecisionBrief `json:"decision,omitempty"`
	// AdoptedCommit is the commit that an approval made.
	AdoptedCommit string `json:"adopted_commit,omitempty"`
	// Patch is what only proposals of kind patch have.
	Patch *PatchBrief `json:"patch,omitempty"`
}

// PatchBrief is what a code patch has beyond other proposals. Its files' paths are
// relative to the root of the target's repository.
type PatchBrief struct {
	// Target names the repository; Repository is its folder. Named says that the
	// settings name it; otherwise a person did, for this proposal alone.
	Target     string `json:"target"`
	Repository string `json:"repository"`
	Named      bool   `json:"named,omitempty"`
	// Author is the agent or person it comes from, Origin how: "agent", "person",
	// "model" or "constants".
	Author string `json:"author"`
	Origin string `json:"origin"`
	// Submitted is the SHA-256, in hexadecimal, of the text that was handed in.
	Submitted string `json:"submitted,omitempty"`
	// BaseCommit is what it was gated on, Tree the tree that it leads to, Policy the
	// digest of Terms, the target's scope and gate settings.
	BaseCommit string          `json:"base_commit"`
	Tree       string          `json:"tree"`
	Policy     string          `json:"policy"`
	Terms      json.RawMessage `json:"terms,omitempty"`
	// Digest is over base commit, tree, policy and the gates' evidence: it is what
	// a review is of and what a person approves.
	Digest string `json:"digest"`
	// NewTests are test files that it brings.
	NewTests []string `json:"new_tests,omitempty"`
	// Gain is the measured effect of a patch that a benchmark speaks for.
	Gain string `json:"gain,omitempty"`
	// Sandbox names the walls that its tests ran behind.
	Sandbox string  `json:"sandbox,omitempty"`
	Review  *Review `json:"review,omitempty"`
	// Unreviewed says why no agent has reviewed it as it is; nil when one has, or when
	// none was looked for yet.
	Unreviewed *Unreviewed `json:"unreviewed,omitempty"`
	// Attempt is the number of the ledger's entry with which it began.
	Attempt int64 `json:"attempt,omitempty"`
	// Interrupted counts how often its gates were stopped, or their process ended, and
	// they began anew.
	Interrupted int `json:"interrupted,omitempty"`
	// CostUSD is what trying it as an agent and having it reviewed has cost, in USD.
	CostUSD float64 `json:"cost_usd,omitempty"`
}

// Unreviewed is why there is no review of a patch.
type Unreviewed struct {
	// Reviewer is who was asked in vain; empty when there was nobody to ask.
	Reviewer string `json:"reviewer,omitempty"`
	// Why is foreign text where a provider or a model said it.
	Why string `json:"why"`
}

// String says it in words.
func (u Unreviewed) String() string {
	if u.Reviewer == "" {
		return u.Why
	}
	return u.Reviewer + " was asked and gave no verdict: " + u.Why
}

// Review is another agent's word on a patch: advice and a veto, never an approval.
type Review struct {
	Reviewer string `json:"reviewer"`
	Approve  bool   `json:"approve"`
	// Reasons are foreign text.
	Reasons string `json:"reasons"`
	// Digest is that of the patch it looked at; of any other it says nothing.
	Digest string    `json:"digest"`
	Time   time.Time `json:"time,omitzero"`
}

// DecisionBrief is the latest decision on a proposal.
type DecisionBrief struct {
	Action string    `json:"action"`
	By     string    `json:"by"`
	Reason string    `json:"reason,omitempty"`
	Time   time.Time `json:"time,omitzero"`
	Commit string    `json:"commit,omitempty"`
}

// FileChange is one file of a proposal, whole before and after.
type FileChange struct {
	Path string `json:"path"`
	Old  []byte `json:"old"` // nil: the file did not exist
	New  []byte `json:"new"` // nil: the file is removed
}

// Change is one parameter's old and new value; a nil value stands for "inactive".
type Change struct {
	Param string `json:"param"`
	Old   any    `json:"old"`
	New   any    `json:"new"`
}

// GateVerdict is one gate's word on a proposal.
type GateVerdict struct {
	Gate     string `json:"gate"`
	Verdict  string `json:"verdict"` // passed, failed, flagged, not_run
	Evidence string `json:"evidence"`
}

// DecisionRecord is a person's approve, reject or rollback.
type DecisionRecord struct {
	Proposal string    `json:"proposal"`
	Action   string    `json:"action"`
	By       string    `json:"by"`
	Reason   string    `json:"reason,omitempty"`
	Time     time.Time `json:"time"`
	Commit   string    `json:"commit,omitempty"`
	Evidence string    `json:"evidence,omitempty"`
}

// LedgerEntry is one link of the hash-chained ledger of everything decided or attempted.
type LedgerEntry struct {
	Seq     int64           `json:"seq"`
	Time    time.Time       `json:"time"`
	Kind    string          `json:"kind"` // run.start, run.end, proposal.create, proposal.approve, …
	Actor   string          `json:"actor"`
	Subject string          `json:"subject"`
	Data    json.RawMessage `json:"data,omitempty"`
	// Prev is the hash of the entry before, "" for the first; Hash is the SHA-256
	// over this entry's canonical form with Prev, in hexadecimal.
	Prev string `json:"prev"`
	Hash string `json:"hash"`
}

// Exposure records one opening of a holdout.
type Exposure struct {
	Agent string `json:"agent"`
	Run   string `json:"run"`
	// SuiteHash names the tasks that were exposed.
	SuiteHash string           `json:"suite_hash"`
	Variants  []agent.ConfigID `json:"variants"`
	Tasks     int              `json:"tasks"`
	// FirstRepeat and Repeats are the repeat numbers used up by it.
	FirstRepeat int       `json:"first_repeat"`
	Repeats     int       `json:"repeats"`
	Time        time.Time `json:"time,omitzero"`
}

// Mutation records that a change was tried, so that it is not proposed again.
type Mutation struct {
	Agent    string         `json:"agent"`
	Parent   agent.ConfigID `json:"parent"`
	Child    agent.ConfigID `json:"child"`
	Operator string         `json:"operator"`
	Run      string         `json:"run"`
	// Gain is the child's estimated score minus its parent's on search tasks, when both had one.
	Gain  float64 `json:"gain"`
	Known bool    `json:"known"`
}
