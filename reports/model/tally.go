package model

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/metrics"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// Limits on the texts in a report, in characters.
const (
	MaxReason = 300
	maxAnswer = 600
	maxGoal   = 1200
	maxCause  = 160
)

// tally is the result of one pass over an agent's evaluations in a run. It stores little
// about each evaluation in the search, and more only about the evaluations of the two
// sides that are compared on the holdout.
type tally struct {
	total    int
	paid     float64
	judged   float64
	cached   int
	retries  int
	stages   map[bench.Stage]*Stage
	outcomes map[agent.Outcome]int
	tried    *tried
	// champion and variant hold the attempts of the two sides of the headline, keyed by
	// task and repeat.
	champion, variant map[string]map[int]attempt
	domains           map[string]string
	// blocks holds the evaluations of the two sides by repeat, whether they were scored or
	// not.
	blocks map[int]map[seat]bool
	// lost is the number of evaluations without a score, keyed by cause.
	lost map[string]int
	// drawn is the number of evaluations in the random baseline.
	drawn int
	// metric is the kind of the metric that the scores measure; it is nil if they do not
	// measure a metric.
	metric *metrics.Kind
	// units holds the clusters and weights of the holdout tasks, keyed by task id. A task
	// without an entry is a separate cluster with weight 1.
	units map[string]archive.GroundTask
}

// seat identifies one evaluation in a block: a task on one side of the headline.
type seat struct {
	task    string
	variant agent.ConfigID
}

// attempt is a scored evaluation on the holdout.
type attempt struct {
	key     bench.Key
	score   float64
	value   float64 // the value of the metric; NaN if there is none
	pass    bool
	outcome agent.Outcome
	reason  string
	answer  string
	err     string
	usage   agent.Usage
	// seconds is the time that the answer took; NaN if it is unknown.
	seconds float64
}

func newTally(plan archive.AgentPlan) *tally {
	return &tally{
		stages: map[bench.Stage]*Stage{}, outcomes: map[agent.Outcome]int{},
		tried: newTried(plan.Exact()), domains: map[string]string{},
		champion: map[string]map[int]attempt{}, variant: map[string]map[int]attempt{},
		blocks: map[int]map[seat]bool{}, lost: map[string]int{}, metric: plan.Metric,
	}
}

func (b *builder) count() error {
	t := newTally(b.plan)
	b.tally = t
	for e, err := range b.src.Evaluations(b.ctx, b.run.ID, b.out.Agent) {
		if err != nil {
			return err
		}
		t.add(e)
		b.face(e)
	}
	if b.headline < 0 {
		return nil
	}
	return b.earlierFaces()
}

// face stores an evaluation on the holdout if it is an evaluation of one of the headline's
// sides.
func (b *builder) face(e bench.Evaluation) {
	if b.headline < 0 || e.Stage != bench.StageConfirm {
		return
	}
	switch e.Variant {
	case b.plan.Reference():
		b.tally.keep(b.tally.champion, e)
	case b.result.Finalist[b.headline].Variant:
		b.tally.keep(b.tally.variant, e)
	}
}

// wholeBlocks drops the evaluations in unfinished blocks of the confirmation, because the
// verdict uses only complete blocks. A complete block consists of as many evaluations as
// the parameter size gives: each side once on every holdout task. Repeats are numbered
// consecutively across nights.
func (t *tally) wholeBlocks(size int) {
	for _, side := range []map[string]map[int]attempt{t.champion, t.variant} {
		for _, repeats := range side {
			maps.DeleteFunc(repeats, func(r int, _ attempt) bool { return len(t.blocks[r]) < size })
		}
	}
}

func (t *tally) add(e bench.Evaluation) {
	t.total++
	if e.Cached {
		t.cached++
	} else {
		t.paid += e.Paid()
		t.judged += e.Judge.CostUSD
		t.retries += max(0, e.Attempts-1)
	}
	if e.Stage == bench.StageBaseline {
		t.drawn++
	}
	stage := t.stages[e.Stage]
	if stage == nil {
		stage = &Stage{Stage: string(e.Stage)}
		t.stages[e.Stage] = stage
	}
	t.outcomes[e.Outcome]++
	if !e.Scored {
		stage.Missing++
		t.lost[cmp.Or(clip(e.Error, maxCause), string(e.Outcome))]++
		return
	}
	stage.Done++
	switch e.Stage {
	case bench.StageSearch, bench.StageBaseline, bench.StageAblate, bench.StageAA:
		t.tried.enter(e)
	}
}

// valueOf returns the metric's value for an evaluation, or NaN if there is none.
func (t *tally) valueOf(e bench.Evaluation) float64 {
	if t.metric == nil || e.Outcome != agent.OK {
		return math.NaN()
	}
	return t.metric.Find(e.Answer)
}

func (t *tally) keep(side map[string]map[int]attempt, e bench.Evaluation) {
	if t.blocks[e.Repeat] == nil {
		t.blocks[e.Repeat] = map[seat]bool{}
	}
	t.blocks[e.Repeat][seat{e.Task, e.Variant}] = true
	if !e.Scored {
		return
	}
	t.domains[e.Task] = e.Domain
	if side[e.Task] == nil {
		side[e.Task] = map[int]attempt{}
	}
	if _, seen := side[e.Task][e.Repeat]; seen {
		return
	}
	side[e.Task][e.Repeat] = attempt{
		key: e.Key, score: e.Score, value: t.valueOf(e), pass: e.Pass, outcome: e.Outcome, reason: clip(reason(e), MaxReason),
		answer: clip(e.Answer, maxAnswer), err: clip(e.Error, MaxReason), usage: e.Usage, seconds: e.AnswerSeconds(),
	}
}

// reason joins the reasons that the graders gave. For a failed evaluation, it joins only
// the reasons of the graders that failed the evaluation.
func reason(e bench.Evaluation) string {
	var parts []string
	for _, g := range e.Grades {
		if g.Reason != "" && (!g.Pass || e.Pass) {
			parts = append(parts, g.Type+": "+g.Reason)
		}
	}
	return strings.Join(parts, "; ")
}

// repeats lists the repeats of a task that were scored on both sides.
func (t *tally) repeats(task string) []int {
	var list []int
	for r := range t.champion[task] {
		if _, ok := t.variant[task][r]; ok {
			list = append(list, r)
		}
	}
	slices.Sort(list)
	return list
}

// pairs returns the results on the holdout tasks, sorted by the tasks' names.
func (t *tally) pairs() []TaskPair {
	var out []TaskPair
	for task := range t.champion {
		repeats := t.repeats(task)
		if len(repeats) == 0 {
			continue
		}
		p := TaskPair{Task: task, Domain: t.domains[task], Repeats: len(repeats)}
		var values TaskValues
		for _, r := range repeats {
			a, b := t.champion[task][r], t.variant[task][r]
			values.Champion += a.value / float64(len(repeats))
			values.Variant += b.value / float64(len(repeats))
			p.Champion += a.score / float64(len(repeats))
			p.Score += b.score / float64(len(repeats))
			if a.pass {
				p.PassA++
			}
			if b.pass {
				p.PassB++
			}
		}
		if t.metric != nil && !math.IsNaN(values.Champion+values.Variant) {
			p.Values = &values
		}
		p.Steady = steadiness(p)
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b TaskPair) int { return strings.Compare(a.Task, b.Task) })
	return out
}

// tries returns, for each holdout task and each side, the number of runs that have a score
// on at least one side, and the number of these runs that passed on the side in question.
// As in the ruling, a run without a score on one side counts as failed on that side.
func (t *tally) tries() (champion, variant []stats.Tries) {
	tasks := map[string]map[int]bool{}
	for _, side := range []map[string]map[int]attempt{t.champion, t.variant} {
		for task, runs := range side {
			if tasks[task] == nil {
				tasks[task] = map[int]bool{}
			}
			for r := range runs {
				tasks[task][r] = true
			}
		}
	}
	for _, task := range slices.Sorted(maps.Keys(tasks)) {
		a, b := stats.Tries{Made: len(tasks[task])}, stats.Tries{Made: len(tasks[task])}
		for r := range tasks[task] {
			if t.champion[task][r].pass {
				a.Passed++
			}
			if t.variant[task][r].pass {
				b.Passed++
			}
		}
		champion, variant = append(champion, a), append(variant, b)
	}
	return champion, variant
}

func steadiness(p TaskPair) string {
	whole := func(n int) bool { return n == 0 || n == p.Repeats }
	switch {
	case p.Repeats == 1:
		return "once"
	case whole(p.PassA) && whole(p.PassB):
		return "consistent"
	}
	return "flaky"
}

// ref returns the reference to a variant with its display number.
func (b *builder) ref(id agent.ConfigID) Ref {
	if id == "" {
		return Ref{}
	}
	return Ref{ID: id, Number: b.variant(id).Number}
}

func (b *builder) scored(v archive.ScoredVariant) Scored {
	return Scored{Variant: b.ref(v.Variant), Score: v.Score, Lo: v.Lo, Hi: v.Hi}
}

// variant returns a variant, or only its id if the archive no longer has it. Any other
// error is recorded, and then prevents the report.
func (b *builder) variant(id agent.ConfigID) archive.Variant {
	if v, ok := b.variants[id]; ok {
		return v
	}
	v, err := b.src.Variant(b.ctx, b.out.Agent, id)
	if err != nil {
		v = archive.Variant{ID: id}
		if !errors.Is(err, archive.ErrNotFound) && b.failed == nil {
			b.failed = err
		}
	}
	b.variants[id] = v
	return v
}
