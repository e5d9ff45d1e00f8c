package model

import (
	"errors"
	"math"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/mutate/evidence"
	"evolve/runtime/agent"
)

// Honesty reports the effort that was spent to find the claimed variant.
type Honesty struct {
	// Variants and Evaluations are the numbers of variants and evaluations in the search,
	// including the random baseline.
	Variants    int `json:"variants"`
	Evaluations int `json:"evaluations"`
	// Confirmations is the number of finalists in the confirmation of this run.
	Confirmations int `json:"confirmations"`
	// Rulings reports which of the confirmation's rulings could be computed again; it is
	// nil if this was not tried.
	Rulings *evidence.Checked `json:"rulings,omitempty"`
	Method  string            `json:"method,omitempty"`
	// ErrorRate is the error level of this verdict, which is α_c of the headline's entry.
	ErrorRate float64 `json:"error_rate,omitempty"`
	// Entries describes the error control across nights, as it stands after this run; it is
	// nil if there was no such control.
	Entries *Entries `json:"entries,omitempty"`
	// Opened is the number of runs that opened this holdout, including this run; Confirmed
	// is the number of variants tried on it in all of these runs.
	Opened    int `json:"holdout_opened"`
	Confirmed int `json:"holdout_variants"`
	// Adopted is the number of adoptions that this holdout has decided; Advice recommends
	// when to rotate the holdout.
	Adopted   int       `json:"holdout_adoptions"`
	Advice    string    `json:"holdout_advice,omitempty"`
	Baseline  *Baseline `json:"baseline,omitempty"`
	Exhausted bool      `json:"exhausted,omitempty"`
	// Champion is the search's estimate of the champion's score on search tasks.
	Champion float64 `json:"champion"`
}

// Entries describes the error control across nights. It allows at most Most entries into
// the confirmation in any period of Days days, each at level Alpha, so that at most Level
// false adoptions are expected among these entries.
type Entries struct {
	Days  int     `json:"days"`
	Most  int     `json:"most"`
	Used  int     `json:"used"`
	Left  int     `json:"left"`
	Level float64 `json:"level"`
	Alpha float64 `json:"alpha"`
}

// Baseline compares the best variant of plain random search with the search's
// recommendation, once after equal numbers of evaluations and once after both have ended.
// All scores are expected scores on all search tasks, from one model fitted to all
// evaluations.
type Baseline struct {
	Scored
	// Evaluations is the number of evaluations in the whole baseline.
	Evaluations int    `json:"evaluations"`
	Equal       *Match `json:"equal,omitempty"`
	End         *Match `json:"end,omitempty"`
}

// Match compares the search's recommendation with that of random search.
type Match struct {
	Search Side `json:"search"`
	Random Side `json:"random"`
	// Difference is the difference between the scores of the two sides; Lo and Hi are the
	// bounds of its 95 % interval.
	Difference float64 `json:"difference"`
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	// Common is the number of tasks on which both sides were evaluated.
	Common int `json:"common"`
	// Paired is the mean difference between the two sides' scores on the same tasks;
	// PairedTasks is the number of tasks for which both sides have stored evaluations.
	// Paired is nil if there are too few such tasks.
	Paired      *Estimated `json:"paired,omitempty"`
	PairedTasks int        `json:"paired_tasks"`
}

// Side is one side of a [Match]: what that side recommended after Spent evaluations of its
// own.
type Side struct {
	Scored
	Spent int `json:"spent"`
}

// Scored is a variant with the search's estimate of its score and the interval of that
// estimate.
type Scored struct {
	Variant Ref     `json:"variant"`
	Score   float64 `json:"score"`
	Lo      float64 `json:"lo"`
	Hi      float64 `json:"hi"`
}

// Point holds the recommendations of the search and of the random baseline at one moment,
// each after the given number of evaluations of its own. The scores are estimates made at
// the end of the search.
type Point struct {
	Evaluations int     `json:"evaluations"`
	Variant     Ref     `json:"variant"`
	Best        float64 `json:"best"`
	// Random is the baseline's score; it is 0 while RandomEvals is 0.
	Random      float64 `json:"random"`
	RandomEvals int     `json:"random_evals"`
}

func (b *builder) honesty() error {
	h := &b.out.Honesty
	for _, v := range b.tally.tried.variants {
		if v.searched > 0 {
			h.Variants++
			h.Evaluations += v.searched
		}
	}
	h.Exhausted = b.result.Search.Exhausted
	h.Champion = b.result.Search.Champion.Score
	h.Confirmations = len(b.result.Finalist)
	b.control()
	runs, variants := map[string]bool{}, map[agent.ConfigID]bool{}
	for e, err := range b.src.Exposures(b.ctx, b.out.Agent) {
		if err != nil {
			return err
		}
		if e.SuiteHash != b.plan.SuiteHash || !b.earlier[e.Run] {
			continue
		}
		runs[e.Run] = true
		champion, err := b.championOf(e.Run)
		if err != nil {
			return err
		}
		for _, id := range e.Variants {
			if id != champion {
				variants[id] = true
			}
		}
	}
	h.Opened, h.Confirmed = len(runs), len(variants)
	if err := b.worn(); err != nil {
		return err
	}
	b.curve()
	b.front()
	if r := b.result.Search.Baseline; r != nil && r.Evaluations > 0 {
		h.Baseline = &Baseline{
			Scored: b.scored(*r), Evaluations: b.tally.drawn,
			Equal: b.match(b.result.Search.Equal), End: b.match(b.result.Search.End),
		}
	}
	return nil
}

// championOf returns the champion of the given run. It may differ from this run's champion,
// which may be a variant that the earlier run confirmed.
func (b *builder) championOf(run string) (agent.ConfigID, error) {
	plan, err := b.src.Plan(b.ctx, run, b.out.Agent)
	if errors.Is(err, archive.ErrNotFound) {
		return b.plan.Champion, nil
	}
	return plan.Champion, err
}

// curve fills in the variants that were recommended in the course of the search. It leaves
// out points without a recorded variant, because their estimates suffer from selection
// bias.
func (b *builder) curve() {
	for _, p := range b.result.Search.Curve {
		if p.Variant == "" {
			continue
		}
		q := Point{Evaluations: p.Evaluations - p.RandomEvals, Variant: b.ref(p.Variant), Best: p.Best, RandomEvals: p.RandomEvals}
		if p.RandomVariant != "" {
			q.Random = p.Random
		}
		b.out.Curve = append(b.out.Curve, q)
	}
}

func (b *builder) match(m *archive.Match) *Match {
	if m == nil {
		return nil
	}
	paired, tasks := b.tally.tried.paired(m.Random.Variant, m.Search.Variant)
	return &Match{
		Paired: paired, PairedTasks: tasks,
		Search: Side{b.scored(m.Search), m.SearchSpent}, Random: Side{b.scored(m.Random), m.RandomSpent},
		Difference: m.Difference, Lo: m.Lo, Hi: m.Hi, Common: m.Common,
	}
}

// control fills in the error control across nights, and what remains of its budget.
func (b *builder) control() {
	h := &b.out.Honesty
	if b.headline >= 0 {
		f := b.result.Finalist[b.headline]
		h.Method = "paired by task, standard errors by cluster, Holm correction over the finalists, one-sided"
		h.ErrorRate = (1 - f.Comparison.Level) / 2
		if f.Ruling != nil {
			h.Method = "both sides run in turn on every held-out task, with evidence that is valid at any stopping time and a separate error level for each confirmation"
			if f.Ruling.Fixed {
				h.Method = "each held-out task runs once with each of the two variants, because a repeat would give the same score; Student's t over independent tasks, with a separate error level for each confirmation"
			}
			h.ErrorRate = math.Exp(-f.Ruling.Threshold)
		}
	}
	if e := b.result.Entries; e != nil {
		h.Entries = &Entries{Days: e.Days, Most: e.Most, Used: e.Used, Left: max(0, e.Most-e.Used), Level: e.Level, Alpha: e.Alpha}
	}
}

// worn counts the adoptions that this holdout has decided, up to and including this run.
func (b *builder) worn() error {
	h := &b.out.Honesty
	for p, err := range b.src.Proposals(b.ctx) {
		if err != nil {
			return err
		}
		made := p.State == archive.Adopted || p.State == archive.RolledBack
		if !made || p.Kind != archive.KindConfig || p.Agent != b.out.Agent || !b.earlier[p.Run] {
			continue
		}
		plan, err := b.src.Plan(b.ctx, p.Run, p.Agent)
		if err != nil && !errors.Is(err, archive.ErrNotFound) {
			return err
		}
		if err == nil && plan.SuiteHash == b.plan.SuiteHash {
			h.Adopted++
		}
	}
	h.Advice = stats.Worn(h.Confirmed, h.Adopted)
	return nil
}
