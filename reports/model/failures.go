package model

import (
	"cmp"
	"slices"
	"strings"

	"evolve/runtime/agent"
)

// Failures counts the failed runs on the holdout, separately for each side, among the runs
// that were scored on both sides.
type Failures struct {
	Runs  int           `json:"runs"`
	Kinds []FailureKind `json:"kinds"`
}

// FailureKind counts the failures of one kind. Outcome is ok if the agent answered but the
// graders failed the answer.
type FailureKind struct {
	Outcome  agent.Outcome `json:"outcome"`
	Champion int           `json:"champion"`
	Variant  int           `json:"variant"`
}

// Total returns the number of failures on each side.
func (f Failures) Total() (champion, variant int) {
	for _, k := range f.Kinds {
		champion, variant = champion+k.Champion, variant+k.Variant
	}
	return champion, variant
}

// failures returns the counts of failed runs, or nil if no run was scored on both sides.
func (t *tally) failures() *Failures {
	out := &Failures{Kinds: []FailureKind{}} // a list in JSON is never null
	kinds := map[agent.Outcome]*FailureKind{}
	kind := func(o agent.Outcome) *FailureKind {
		if kinds[o] == nil {
			kinds[o] = &FailureKind{Outcome: o}
		}
		return kinds[o]
	}
	for task := range t.champion {
		for _, r := range t.repeats(task) {
			out.Runs++
			if a := t.champion[task][r]; !a.pass {
				kind(a.outcome).Champion++
			}
			if b := t.variant[task][r]; !b.pass {
				kind(b.outcome).Variant++
			}
		}
	}
	if out.Runs == 0 {
		return nil
	}
	for _, k := range kinds {
		out.Kinds = append(out.Kinds, *k)
	}
	slices.SortFunc(out.Kinds, func(a, b FailureKind) int {
		return cmp.Or(cmp.Compare(b.Champion+b.Variant, a.Champion+a.Variant), strings.Compare(string(a.Outcome), string(b.Outcome)))
	})
	return out
}
