package stats

// Claim is what may be said of a candidate, and of what.
type Claim string

// NoClaim: nothing is shown. TheseTasks: better on the confirm tasks themselves, which
// is exact for any number of them. NewTasks: better on new tasks like these, which
// needs the variance between tasks; only this is recommended for adoption.
const (
	NoClaim    Claim = ""
	TheseTasks Claim = "these_tasks"
	NewTasks   Claim = "new_tasks"
)

// State is where a candidate stands after its complete blocks.
type State string

// The states. Open: more blocks may decide. Proven: better on new tasks, and no guard
// stands against it. HereOnly: better on these tasks, and more blocks could not show
// more. Harmful: proven worse; of a fixed agent, known not to be better. Vetoed: a guard or
// a domain is proven worse than it may be. Parked: it has had twice the pairs it was
// projected to need; it keeps its evidence and may go on another night.
const (
	Open     State = "open"
	Proven   State = "proven"
	HereOnly State = "here_only"
	Harmful  State = "harmful"
	Vetoed   State = "vetoed"
	Parked   State = "parked"
)

// Ended reports whether a candidate in this state frees its place for good.
func (s State) Ended() bool { return s == Proven || s == HereOnly || s == Harmful || s == Vetoed }

// Interval is a closed interval.
type Interval struct {
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
}

// Rule is by what a candidate is judged.
type Rule struct {
	// Alpha is the level of this candidate's entry into the confirmation, α_c, in (0, 1).
	Alpha float64
	// Level of the intervals that are shown; 0: .95.
	Level float64
	// Fixed says that a repeat is no new evidence: the agent is deterministic and
	// ignores the seed, so one block is all there is to learn.
	Fixed bool
	// Cap is the number of pairs that the candidate was projected to need when it was
	// promoted; above twice as many it is parked. 0: none.
	Cap float64
	// Cost and Latency say which guards hold.
	Cost, Latency bool
}

// Guard is a further condition on a winner: the candidate's cost or latency as a
// ratio of the champion's must be proven to be at most Most.
type Guard struct {
	Name string `json:"name"` // cost, latency
	// Ratio is the geometric mean of candidate over champion, pair by pair, each
	// ratio clipped to [¼, 4]; Interval bounds it at any stopping time, either end at .05.
	Ratio float64 `json:"ratio"`
	Interval
	Most float64 `json:"most"` // 1.1
	// LogE is the evidence for "at most Most", Threshold what it must reach; both are 0 for
	// a fixed agent, whose ratio is known.
	LogE      float64 `json:"log_e"`
	Threshold float64 `json:"threshold"`
	// Verdict is "passed", "open" or "failed" (proven to be above).
	Verdict string `json:"verdict"`
}

// DomainRuling is a domain's part in a candidate's difference.
type DomainRuling struct {
	Domain     string  `json:"domain"`
	Tasks      int     `json:"tasks"`
	MeanA      float64 `json:"mean_a"`
	MeanB      float64 `json:"mean_b"`
	Difference float64 `json:"difference"`
	// Interval bounds the difference at any stopping time, either end at .05.
	Interval
	// Verdict is "better" (above 0 at .05), "fine" (above −10 points at .10), "veto"
	// (below 0 at .05), or "open". Only a veto blocks.
	Verdict string `json:"verdict"`
}

// Ruling is what the evidence says of one candidate after complete blocks. What it says of
// these tasks holds at any stopping time and across nights, exactly; for new tasks see [NewTaskLower].
type Ruling struct {
	Variant string `json:"variant"`
	// Comparison holds means, difference, counts, and the descriptive clustered standard
	// error; its Lo and Hi are the interval at Level that is valid at any stop.
	Comparison
	// Fixed says that a repeat was no new evidence; all intervals, and LogE, are then about new tasks.
	Fixed  bool  `json:"fixed,omitempty"`
	Blocks int   `json:"blocks"`
	Pairs  int   `json:"pairs"`
	State  State `json:"state"`
	Claim  Claim `json:"claim"`
	// LogE is the log of the evidence that the candidate is better on these tasks, LogHarm that
	// it is worse; Threshold is ln(1/α_c).
	LogE      float64 `json:"log_e"`
	LogHarm   float64 `json:"log_harm"`
	Threshold float64 `json:"threshold"`
	// Month is the interval at α_c, either end by itself: valid over everything that was
	// confirmed in the window of the ledger.
	Month Interval `json:"month"`
	// New is the interval at Level for new tasks like these.
	New Interval `json:"new"`
	// NewLower is the bound at α_c/2 that must be above 0 for the claim about new tasks;
	// Limit is where it goes with ever more blocks.
	NewLower float64 `json:"new_lower"`
	Limit    float64 `json:"limit"`
	// Between is τ̂², the variance between tasks of the true difference; Within σ̂², that
	// of one pair around its task.
	Between float64 `json:"between"`
	Within  float64 `json:"within"`
	// Shrunken is the [Headline], the difference pulled towards 0; possibly still optimistic.
	Shrunken float64        `json:"shrunken"`
	Guards   []Guard        `json:"guards,omitempty"`
	Parts    []DomainRuling `json:"parts,omitempty"`
	Reason   string         `json:"reason"`
}
