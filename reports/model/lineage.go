package model

import (
	"evolve/archive"
	"evolve/runtime/agent"
)

// adapterCode is the adapter of a target whose marked blocks are searched.
const adapterCode = "code"

// mostSteps is the maximum number of variants listed in a lineage, and mostChanged is the
// maximum number of changed parameters named for each variant.
const (
	mostSteps   = 12
	mostChanged = 6
)

// Ancestor is the headline's variant, or a variant from which it descends, with its origin.
type Ancestor struct {
	Variant Ref `json:"variant"`
	// Parents are the variant's parents, as far as they are listed. Changed compares the
	// variant with the first of them.
	Parents []Ref `json:"parents,omitempty"`
	// Changed names parameters that differ from the first parent, at most [mostChanged];
	// Unnamed is the number of further ones.
	Changed []string `json:"changed,omitempty"`
	Unnamed int      `json:"unnamed,omitempty"`
	// Difference is the mean difference from the champion on search tasks, over the
	// evaluations that have a corresponding evaluation of the champion. Shared is the
	// number of these evaluations; if there are none, both fields are 0. Difference is
	// not corrected for chance.
	Difference float64 `json:"difference"`
	Shared     int     `json:"shared"`
	Operator   string  `json:"operator"`
	// Author is the language model that wrote the variant, and its route; it is empty if no
	// model did.
	Author    string `json:"author,omitempty"`
	Rationale string `json:"rationale,omitempty"`
	// Addressed lists the places in Rationale where the text addresses a reviewer; see
	// [Addressed].
	Addressed []string `json:"addressed_to_reviewers,omitempty"`
}

// Hunk is a hunk of a code change, with its own effect.
type Hunk struct {
	// Text contains the lines of the hunk, clipped; it is untrusted text.
	Text string `json:"text"`
	// Place is the file and the line of the hunk in the original code; it is empty for a
	// parameter, and in records that an older version of evolve made.
	Place string `json:"place,omitempty"`
	// Alone is the effect of applying only this hunk to the original code, and Without is
	// the effect of removing the hunk from the version. Each is nil if it was not
	// evaluated.
	Alone   *HunkEffect `json:"alone,omitempty"`
	Without *HunkEffect `json:"without,omitempty"`
}

// HunkEffect is the mean change in the score, in score units, on the search tasks on which
// both versions were scored.
type HunkEffect struct {
	Difference float64 `json:"difference"`
	// Tasks is 0 if no task was scored for both versions.
	Tasks int `json:"tasks"`
}

// descend lists the lineage of the headline's variant: first the variant, then its parents
// and their ancestors. It also lists the hunks of a change to searched code.
func (b *builder) descend() error {
	if b.headline < 0 {
		return nil
	}
	id := b.result.Finalist[b.headline].Variant
	tried := b.tally.tried
	champion := tried.variants[b.plan.Champion].ablated()
	place := map[agent.ConfigID]int{id: 0}
	for queue := []agent.ConfigID{id}; len(queue) > 0 && len(b.out.Lineage) < mostSteps; queue = queue[1:] {
		v := b.variant(queue[0])
		step := Ancestor{
			Variant: b.ref(v.ID), Operator: clip(v.Operator, MaxValue), Author: clip(v.Author, MaxValue), Rationale: clip(v.Rationale, MaxReason),
			Addressed: AddressedIn("the reason for "+b.ref(v.ID).Name(), v.Rationale),
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

// hunks lists the parts of a change, unless none of them was evaluated by itself.
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
