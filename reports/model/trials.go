package model

import (
	"cmp"
	"slices"
	"strings"

	"evolve/bench"
	"evolve/runtime/agent"
)

// tried holds the scored evaluations on search tasks, by variant. A night has up to a
// million of these evaluations, so each takes only 16 bytes.
type tried struct {
	tasks    []string
	indices  map[string]uint32
	variants map[agent.ConfigID]*trials
}

func newTried() *tried {
	return &tried{indices: map[string]uint32{}, variants: map[agent.ConfigID]*trials{}}
}

// trials holds the scored evaluations of one variant on search tasks, in the search and in
// the ablation.
type trials struct {
	of *tried
	// searched is the number of evaluations in the search, including the random baseline.
	searched int
	// used is the total usage of all evaluations of the variant, and made is the number of
	// these evaluations.
	used   agent.Usage
	made   int
	scores []trial
	// ordered reports whether the scores are sorted by task and repeat, with one score for
	// each repeat of a task.
	ordered bool
}

// trial is one evaluation.
type trial struct {
	task   uint32 // its index
	repeat uint32 // twice the repeat, plus 1 in the ablation
	score  float64
}

func (t trial) ablation() bool { return t.repeat&1 == 1 }

func compareTrials(a, b trial) int {
	return cmp.Or(cmp.Compare(a.task, b.task), cmp.Compare(a.repeat>>1, b.repeat>>1))
}

// enter adds a scored evaluation to those of its variant.
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
	one := trial{task, uint32(e.Repeat) << 1, e.Score}
	if e.Stage == bench.StageAblate {
		one.repeat |= 1
	} else {
		v.searched++
	}
	v.used, v.made = v.used.Plus(e.Usage), v.made+1
	v.scores, v.ordered = append(v.scores, one), false
}

// search lists the evaluations of the search, and ablated lists these together with the
// evaluations of the ablation. Both list the first evaluation of each repeat of a task, in
// order of task and repeat. For a nil variant, both return nil.
func (v *trials) search() []trial {
	return v.places(func(t trial) bool { return !t.ablation() })
}

func (v *trials) ablated() []trial {
	return v.places(func(trial) bool { return true })
}

func (v *trials) places(counts func(trial) bool) []trial {
	if v == nil {
		return nil
	}
	if !v.ordered {
		slices.SortStableFunc(v.scores, compareTrials)
		v.ordered = true
	}
	var out []trial
	for _, t := range v.scores {
		if n := len(out); counts(t) && (n == 0 || compareTrials(out[n-1], t) != 0) {
			out = append(out, t)
		}
	}
	return out
}

// compared returns the mean difference, the other scores minus these, over the repeats of
// tasks that are in both lists, and the number of these repeats.
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
