package model

import (
	"cmp"
	"slices"
	"strings"

	"evolve/bench"
	"evolve/runtime/agent"
)

// tried holds the scored evaluations on search tasks, keyed by variant. A night has up to
// a million of these evaluations, so each takes only 32 bytes.
type tried struct {
	// fixed reports whether all evaluations of a variant on a task give the same score, so
	// that any two evaluations of a task correspond, whatever their repeats and stages.
	fixed    bool
	tasks    []string
	indices  map[string]uint32
	variants map[agent.ConfigID]*trials
}

func newTried(fixed bool) *tried {
	return &tried{fixed: fixed, indices: map[string]uint32{}, variants: map[agent.ConfigID]*trials{}}
}

// trials holds the scored evaluations of one variant on search tasks, in the search, in the
// ablation and in the reruns.
type trials struct {
	of *tried
	// searched is the number of evaluations in the search, including the random baseline,
	// and made is the number of these evaluations and those in the ablation.
	searched, made int
	scores         []trial
	// ordered reports whether the scores are sorted by task and repeat, with one score for
	// each repeat of a task.
	ordered bool
}

// trial is one evaluation.
type trial struct {
	task   uint32 // its index
	repeat uint32 // twice the repeat, plus 1 in the reruns
	score  float64
	cost   float64 // in USD
	// seconds is the time of the answer; NaN if it is unknown.
	seconds float32
	// tokens is the number of tokens read and written.
	tokens uint32
}

func (t trial) rerun() bool { return t.repeat&1 == 1 }

func compareTrials(a, b trial) int {
	return cmp.Or(cmp.Compare(a.task, b.task), cmp.Compare(a.repeat>>1, b.repeat>>1))
}

// enter adds a scored evaluation to the evaluations of its variant.
func (t *tried) enter(e bench.Evaluation) {
	v := t.variants[e.Variant]
	if v == nil {
		v = &trials{of: t}
		t.variants[e.Variant] = v
	}
	task, known := t.indices[e.Task]
	if !known {
		task = uint32(len(t.tasks))
		t.indices[e.Task], t.tasks = task, append(t.tasks, e.Task)
	}
	one := trial{
		task: task, repeat: uint32(e.Repeat) << 1, score: e.Score, cost: e.Usage.CostUSD,
		seconds: float32(e.AnswerSeconds()), tokens: uint32(max(0, e.Usage.InputTokens+e.Usage.OutputTokens)),
	}
	switch e.Stage {
	case bench.StageSearch, bench.StageBaseline:
		v.searched++
	case bench.StageAA:
		one.repeat |= 1
	}
	if t.fixed {
		one.repeat = 0
	}
	if !one.rerun() {
		v.made++
	}
	v.scores, v.ordered = append(v.scores, one), false
}

// all returns the variant's evaluations in order of task and repeat. For a nil variant,
// it returns nil.
func (v *trials) all() []trial {
	if v == nil {
		return nil
	}
	if !v.ordered {
		slices.SortStableFunc(v.scores, compareTrials)
		v.ordered = true
	}
	return v.scores
}

// ablated lists the evaluations in the search and in the ablation, in order of task and
// repeat. It lists only the first evaluation of each repeat of a task. If the scores are
// fixed, it lists the first evaluation of each task in any stage.
func (v *trials) ablated() []trial {
	var out []trial
	for _, t := range v.all() {
		if n := len(out); !t.rerun() && (n == 0 || compareTrials(out[n-1], t) != 0) {
			out = append(out, t)
		}
	}
	return out
}

// compared returns the number of repeats that both lists contain, and the mean difference
// between their scores (others minus these). If the scores are fixed, each task has one
// repeat.
func (t *tried) compared(these, others []trial) (shared int, difference float64) {
	type pair struct {
		trial
		difference float64
	}
	var both []pair
	for _, o := range others {
		if i, ok := slices.BinarySearchFunc(these, o, compareTrials); ok {
			both = append(both, pair{o, o.score - these[i].score})
		}
	}
	// Summing in the order of names gives exactly the same result whatever the order in
	// which the evaluations arrived.
	slices.SortFunc(both, func(a, b pair) int {
		return cmp.Or(strings.Compare(t.tasks[a.task], t.tasks[b.task]), compareTrials(a.trial, b.trial))
	})
	for _, p := range both {
		difference += p.difference / float64(len(both))
	}
	return len(both), difference
}
