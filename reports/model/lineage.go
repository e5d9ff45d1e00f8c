package model

import (
	"evolve/archive"
	"evolve/runtime/agent"
)

// adapterCode is the adapter of a target whose marked blocks are searched.
const adapterCode = "code"

// mostSteps bounds the listed variants of a lineage, and mostChanged the named parameters of each.
const (
	mostSteps   = 12
	mostChanged = 6
)

// Ancestor is the variant of the headline or one that it descends from, with its origin.
type Ancestor struct {
	Variant Ref `json:"variant"`
	// Parents are those among the listed; the first is the one that Changed compares with.
	Parents []Ref `json:"parents,omitempty"`
	// Changed names the parameters that differ from the first parent, at most
	// [mostChanged]; Unnamed counts the others.
	Changed []string `json:"changed,omitempty"`
	Unnamed int      `json:"unnamed,omitempty"`
	// Difference is the mean difference to the champion on search tasks, over the Shared
	// evaluations that have a counterpart; 0 of 0 for none. It is not corrected for chance.
	Difference float64 `json:"difference"`
	Shared     int     `json:"shared"`
	Operator   string  `json:"operator"`
	// Author is the language model that wrote it and its route; empty: none.
	Author    string `json:"author,omitempty"`
	Rationale string `json:"rationale,omitempty"`
	// Addressed lists the places of Rationale that address a reviewer: see [Addressed].
	Addressed []string `json:"addressed_to_reviewers,omitempty"`
}

// Hunk is a hunk of a change of code, with its own effect.
type Hunk struct {
	// Text has its lines, clipped; it is foreign text.
	Text string `json:"text"`
	// Place is the file and the line of the hunk in the code as it was; empty for a
	// parameter, and in records of an older evolve.
	Place string `json:"place,omitempty"`
	// Alone is the effect of the hunk alone on the code as it is, and Without the effect of
	// removing it from the version; each is nil if it was not evaluated.
	Alone   *HunkEffect `json:"alone,omitempty"`
	Without *HunkEffect `json:"without,omitempty"`
}

// HunkEffect is the mean change of the score on the search tasks that both versions were
// scored on, in score units.
type HunkEffect struct {
	Difference float64 `json:"difference"`
	// Tasks is 0 if no task was scored on both.
	Tasks int `json:"tasks"`
}

// descend lists the lineage of the headline's variant, the variant first, then its parents and
// theirs; and the hunks of a change of searched code.
func (b *builder) descend() error {
	if b.headline < 0 {
		return nil
	}
	id := b.result.Finalist[b.headline].Variant
	tried := b.tally.tried
	champion := tried.variants[b.plan.Champion].search()
	place := map[agent.ConfigID]int{id: 0}
	for queue := []agent.ConfigID{id}; len(queue) > 0 && len(b.out.Lineage) < mostSteps; queue = queue[1:] {
		v := b.variant(queue[0])
		step := Ancestor{
			Variant: b.ref(v.ID), Operator: clip(v.Operator, MaxValue), Author: clip(v.Author, MaxValue), Rationale: clip(v.Rationale, MaxReason),
			Addressed: AddressedIn("the reason of "+b.ref(v.ID).Name(), v.Rationale),
		}
		if v.ID != b.plan.Champion {
			step.Shared, step.Difference = tried.compared(champion, tried.variants[v.ID].ablated())
		}
		if len(v.Parents) > 0 && b.plan.Adapter != adapterCode {
			var names []string
			for _, c := range changes(b.variant(v.Parents[0]).Config, v.Config, b.plan.Params) {
				names = append(names, clip(c.Param, MaxValue))
			}
			step.Changed = First(names, mostChanged)
			step.Unnamed = len(names) - len(step.Changed)
		}
		for _, parent := range v.Parents {
			if _, known := place[parent]; !known && len(place) < mostSteps {
				place[parent] = len(place)
				queue = append(queue, parent)
			}
			if _, listed := place[parent]; listed {
				step.Parents = append(step.Parents, b.ref(parent))
			}
		}
		b.out.Lineage = append(b.out.Lineage, step)
	}
	if b.plan.Adapter != adapterCode {
		return nil
	}
	for _, a := range b.result.Minimised() {
		if a.Small == id { // all finalists that were reduced to it have the same parts
			b.hunks(a)
			break
		}
	}
	return nil
}

// hunks lists the parts of a change, unless none was evaluated by itself.
func (b *builder) hunks(a archive.Ablation) {
	var out []Hunk
	tried := false
	for _, p := range a.Parts {
		h := Hunk{clip(p.Name, MaxReason), clip(p.Place, MaxReason), b.hunkEffect(b.plan.Champion, p.Alone), b.hunkEffect(a.Small, p.Without)}
		out, tried = append(out, h), tried || h.Alone != nil || h.Without != nil
	}
	if tried {
		b.out.Hunks = out
	}
}

func (b *builder) hunkEffect(from, to agent.ConfigID) *HunkEffect {
	tried := b.tally.tried
	if tried.variants[to] == nil {
		return nil
	}
	n, d := tried.compared(tried.variants[from].ablated(), tried.variants[to].ablated())
	return &HunkEffect{d, n}
}
