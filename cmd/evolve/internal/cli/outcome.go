package cli

import (
	"evolve/archive"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/batch"
	"evolve/reports/model"
	"evolve/runtime/agent"
)

// runOutcome is the JSON object that `evolve run --json` prints at the end.
type runOutcome struct {
	Run    string         `json:"run"`
	Exit   int            `json:"exit"`
	Agents []agentOutcome `json:"agents"`
	// Patches holds the run's notes on code patches.
	Patches []archive.PatchNote `json:"patches,omitempty"`
}

type agentOutcome struct {
	Agent     string          `json:"agent"`
	Verdict   archive.Verdict `json:"verdict"`
	Reason    string          `json:"reason"`
	Causes    []stats.Cause   `json:"causes,omitempty"`
	Proposals []string        `json:"proposals"`
	Search    searchOutcome   `json:"search"`
	Holdout   *holdoutResult  `json:"holdout"`
}

type searchOutcome struct {
	Evaluations    int            `json:"evaluations"`
	Recommended    scoredOutcome  `json:"recommended"`
	RandomBaseline *scoredOutcome `json:"random_baseline"`
}

type scoredOutcome struct {
	Variant     agent.ConfigID `json:"variant"`
	Config      agent.Config   `json:"config"`
	Score       float64        `json:"score"`
	Evaluations int            `json:"evaluations"`
}

// holdoutResult is the winner's confirmation or, if there is no winner, the best
// finalist's.
type holdoutResult struct {
	Champion agent.ConfigID `json:"champion"`
	Variant  agent.ConfigID `json:"variant"`
	// Metric is the difference in the metric if code was searched.
	Metric     *stats.Gain `json:"metric,omitempty"`
	Difference float64     `json:"difference"`
	// Interval is the interval of the claim, and Of is its subject: new_tasks or
	// these_tasks.
	Interval [2]float64  `json:"interval"`
	Of       stats.Claim `json:"of,omitempty"`
	Tasks    int         `json:"tasks"`
	Repeats  int         `json:"repeats"`
	// Claim is "new_tasks", "these_tasks" or empty. Tail describes what remains unknown.
	Claim stats.Claim `json:"claim"`
	Tail  *stats.Tail `json:"tail,omitempty"`
}

func outcomeOf(s batch.Summary) runOutcome {
	out := runOutcome{Run: s.Run.ID, Exit: s.Run.Exit, Agents: []agentOutcome{}, Patches: s.Run.Patches}
	for i, r := range s.Results {
		a := agentOutcome{
			Agent: r.Agent, Verdict: r.Verdict, Reason: r.Reason, Causes: r.Causes, Proposals: r.Proposals,
			Search: searchOutcome{Evaluations: r.Search.Evaluations, Recommended: scoredOf(r.Search.Recommended)},
		}
		if a.Proposals == nil {
			a.Proposals = []string{}
		}
		if r.Search.Baseline != nil {
			b := scoredOf(*r.Search.Baseline)
			a.Search.RandomBaseline = &b
		}
		if leads := model.Leading(r); leads >= 0 {
			f := r.Finalist[leads]
			c := f.Comparison
			a.Holdout = &holdoutResult{
				Champion: s.Plans[i].Champion, Variant: f.Variant, Difference: c.Difference,
				Interval: [2]float64{c.Lo, c.Hi}, Tasks: c.Tasks, Repeats: c.Repeats,
			}
			if f.Ruling != nil {
				i, of := f.Ruling.Shown()
				a.Holdout.Tail, a.Holdout.Metric = f.Ruling.Tail, f.Ruling.Metric
				a.Holdout.Claim, a.Holdout.Of, a.Holdout.Interval = f.Ruling.Claim, of, [2]float64{i.Lo, i.Hi}
			}
		}
		out.Agents = append(out.Agents, a)
	}
	return out
}

func scoredOf(v archive.ScoredVariant) scoredOutcome {
	return scoredOutcome{Variant: v.Variant, Config: v.Config, Score: v.Score, Evaluations: v.Evaluations}
}
