package stats

import (
	"math"

	"evolve/bench/metrics"
)

// Claim is the kind of tasks for which a candidate is shown to be better.
type Claim string

// NoClaim means that nothing is shown. TheseTasks means that the candidate is better on the
// holdout tasks themselves, a claim that is exact for any number of tasks. NewTasks means
// that it is better on new tasks like these, a claim that takes the variance between tasks
// into account. Only NewTasks leads to a recommendation.
const (
	NoClaim    Claim = ""
	TheseTasks Claim = "these_tasks"
	NewTasks   Claim = "new_tasks"
)

// State is the state of a candidate after its complete blocks.
type State string

// The states:
//
//   - Open: more blocks may decide.
//   - Proven: better on new tasks, and no guard is broken.
//   - HereOnly: better on these tasks, and more blocks could not show more.
//   - Harmful: proven worse or, for a fixed agent, known not to be better.
//   - Vetoed: a domain is proven worse.
//   - Trade: better on new tasks, but a guard is broken, and a person decides whether the gain
//     is worth the price.
//   - Parked: the candidate has used twice its projected pairs; it keeps its evidence and may
//     continue on another night.
const (
	Open     State = "open"
	Proven   State = "proven"
	HereOnly State = "here_only"
	Harmful  State = "harmful"
	Vetoed   State = "vetoed"
	Parked   State = "parked"
	Trade    State = "trade"
)

// Ended reports whether a candidate in this state has left the confirmation for good.
func (s State) Ended() bool {
	return s == Proven || s == HereOnly || s == Harmful || s == Vetoed || s == Trade
}

// Interval is a closed interval.
type Interval struct {
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
}

// Rule holds the criteria for a candidate.
type Rule struct {
	// Alpha is the level of this candidate's entry into the confirmation, α_c, in (0, 1).
	Alpha float64
	// Level is the level of the intervals shown; 0 means .95.
	Level float64
	// Fixed reports whether a repeat provides no new evidence: the agent is deterministic
	// and ignores the seed, so one block is enough.
	Fixed bool
	// Cap is the number of pairs that the candidate was projected to need when it was
	// promoted; the candidate is parked after twice as many pairs. 0 means no cap.
	Cap float64
	// Guards are the further conditions on a winner, in display order.
	Guards []Bound
	// Metric is the kind of the metric that the scores measure; it is nil if they measure
	// none.
	Metric *metrics.Kind
	// Even reports whether scores are relative to those of A; see [CompareEven].
	Even bool
	// Reference is side A of the pairs; nil means the champion.
	Reference *Reference
	// Proof is the earlier look of the same confirmation that proved the claim; it is nil
	// if none did.
	Proof *Proof
}

// The statistics that a [Bound] can limit.
const (
	// Mean is the candidate's weighted mean over the tasks as a ratio to the champion's.
	Mean = "mean"
	// P95 is the 95th percentile over the evaluations.
	P95 = "p95"
)

// Bound is an upper limit on a winner's consumption of a resource.
type Bound struct {
	// Name is the name of the metric: cost (USD per evaluation), latency (seconds), or
	// another that [Pair] measures.
	Name string `json:"name"`
	// Of is the statistic of the metric that is compared: [Mean] or [P95].
	Of string `json:"of"`
	// AtMost is the highest ratio of candidate to champion that a winner may have; it is
	// above 0.
	AtMost float64 `json:"at_most"`
	// Floor is a difference in the unit of the metric. A candidate that exceeds the
	// champion by no more than Floor is within the bound at any ratio. 0 means no floor.
	Floor float64 `json:"floor,omitempty"`
	// PerPoint is the amount by which AtMost is raised for each point (a hundredth of the
	// score) of gain that is shown on new tasks, as given by the lower end of [Ruling.New];
	// 0 means that AtMost is not raised.
	PerPoint float64 `json:"per_point,omitempty"`
}

// For returns the bound for a candidate. lower is the lower limit of the candidate's gain
// on new tasks, in score units.
func (b Bound) For(lower float64) Bound {
	b.AtMost += b.PerPoint * 100 * math.Max(0, lower)
	return b
}

// Guard is the result of a [Bound] for a candidate.
type Guard struct {
	Name string `json:"name"`         // cost, latency, …
	Of   string `json:"of,omitempty"` // mean, p95; empty in records from before bounds were configurable
	// Champion and Candidate are the compared values, in the unit of the metric.
	Champion  float64 `json:"champion"`
	Candidate float64 `json:"candidate"`
	// Ratio is the ratio of candidate to champion, with its interval; it is at most
	// [RatioMost].
	Ratio float64 `json:"ratio"`
	Interval
	// Level is the level of the interval, with half of the error at either end; 0, as in
	// older records, means .90.
	Level float64 `json:"level,omitempty"`
	// Most and Floor have the same meaning as in the bound. PerPoint is the part of Most
	// granted for each point gained (see [Bound]).
	Most     float64 `json:"most"`
	PerPoint float64 `json:"per_point,omitempty"`
	Floor    float64 `json:"floor,omitempty"`
	// Unseen is the share of new tasks that may be of kinds that do not occur among these
	// tasks, at an error of .05. Such tasks could consume any amount, and no interval
	// covers them.
	Unseen float64 `json:"unseen,omitempty"`
	// Verdict is "passed", "open" or "failed" (shown to be above the bound).
	Verdict string `json:"verdict"`
}

// DomainRuling is the ruling on a candidate in one domain.
type DomainRuling struct {
	Domain     string  `json:"domain"`
	Tasks      int     `json:"tasks"`
	MeanA      float64 `json:"mean_a"`
	MeanB      float64 `json:"mean_b"`
	Difference float64 `json:"difference"`
	// Interval bounds the difference on new tasks like those of the domain, at Level:
	// either end has the error .05 divided by the number of domains.
	Interval
	Level float64 `json:"level,omitempty"`
	// Verdict is "better" if the difference is shown to be above 0, "fine" if it is shown
	// to be above −10 points (at an error of .10 divided by the number of domains), "veto"
	// if it is shown to be below 0, and otherwise "open". Only a veto blocks the candidate.
	Verdict string `json:"verdict"`
	// Hopeless reports whether no number of further blocks would settle an open verdict,
	// judged by the variance of the tasks so far.
	Hopeless bool `json:"hopeless,omitempty"`
}

// Ruling is the result for one candidate after complete blocks. Its claims about these
// tasks are exact at any stopping time and across nights; for new tasks see
// [NewTaskLower].
type Ruling struct {
	Variant string `json:"variant"`
	// Reference is side A of the comparison; nil means the champion.
	Reference *Reference `json:"reference,omitempty"`
	// Comparison holds means, difference, counts, and the descriptive clustered standard
	// error. Its Lo and Hi are the interval at Level that is valid at any stopping time.
	Comparison
	// Metric is the difference in the metric that the scores measure, if there is one; the
	// claims rest on the scores.
	Metric *Gain `json:"metric,omitempty"`
	// Further are the differences in the other metrics that the command prints; no decision
	// depends on them.
	Further []Further `json:"further,omitempty"`
	// Fixed reports whether a repeat provided no new evidence; all intervals, and LogE, are
	// then about new tasks.
	Fixed  bool  `json:"fixed,omitempty"`
	Blocks int   `json:"blocks"`
	Pairs  int   `json:"pairs"`
	State  State `json:"state"`
	Claim  Claim `json:"claim"`
	// LogE is the log of the evidence that the candidate is better on these tasks, and
	// LogHarm is the log of the evidence that it is worse; Threshold is ln(1/α_c).
	LogE      float64 `json:"log_e"`
	LogHarm   float64 `json:"log_harm"`
	Threshold float64 `json:"threshold"`
	// Month is the interval whose ends are each at level α_c; it is valid over all
	// confirmations in the window of the ledger.
	Month Interval `json:"month"`
	// New is the interval at Level for new tasks like these.
	New Interval `json:"new"`
	// NewLower is the bound at α_c/2 that must be above 0 for the claim about new tasks;
	// Limit is the value that it approaches as the number of blocks grows.
	NewLower float64 `json:"new_lower"`
	Limit    float64 `json:"limit"`
	// Between is τ̂², the variance between tasks of the true difference; Within is σ̂², the
	// variance of one pair's difference around its task's mean.
	Between float64 `json:"between"`
	Within  float64 `json:"within"`
	// Nights is the number of runs that the pairs come from, and Night is the standard
	// deviation, in score units, of the shift that all differences of a night share:
	// [AssumedNight], or more if several nights show more. Both are 0 for a fixed agent.
	Nights int     `json:"nights,omitempty"`
	Night  float64 `json:"night,omitempty"`
	// Tail describes the risks that the mean does not show; it is nil if there are no
	// pairs.
	Tail *Tail `json:"tail,omitempty"`
	// Failures counts evaluations that failed through the agent's fault; it is nil if there
	// were none.
	Failures *Failures `json:"failures,omitempty"`
	// MissingA and MissingB are the numbers of repeats that only the champion or only the
	// variant lacks. MissingCounted reports whether this ruling scored them; such a
	// ruling claims less than one that leaves them out.
	MissingA       int  `json:"missing_champion,omitempty"`
	MissingB       int  `json:"missing_variant,omitempty"`
	MissingCounted bool `json:"missing_counted,omitempty"`
	// Independent is the effective number of independent tasks ([Independent]), and Least
	// is the minimum for a claim about new tasks.
	Independent float64        `json:"independent,omitempty"`
	Least       int            `json:"least,omitempty"`
	Guards      []Guard        `json:"guards,omitempty"`
	Parts       []DomainRuling `json:"parts,omitempty"`
	// Proof is the look at which a claim about new tasks was first made; it is nil if there
	// was none.
	Proof  *Proof `json:"proof,omitempty"`
	Reason string `json:"reason"`
}
