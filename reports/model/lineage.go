package model

import (
	"evolve/archive"
	"evolve/runtime/agent"
)

// adapterCode is the adapter of a target whose marked blocks are searched.
const adapterCode = "code"

// mostSteps bounds the listed versions of a lineage.
const mostSteps = 12

// Ancestor is a version of searched code, with its origin.
type Ancestor struct {
	Variant  Ref    `json:"variant"`
	Operator string `json:"operator"`
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

// descend lists the lineage of the headline's version of searched code, the version first,
// and the hunks of its change.
func (b *builder) descend() error {
	if b.headline < 0 || b.plan.Adapter != adapterCode {
		return nil
	}
	id := b.result.Finalist[b.headline].Variant
	seen := map[agent.ConfigID]bool{}
	for v := b.variant(id); ; v = b.variant(v.Parents[0]) {
		if len(b.out.Lineage) == mostSteps || seen[v.ID] {
			break
		}
		seen[v.ID] = true
		b.out.Lineage = append(b.out.Lineage, Ancestor{b.ref(v.ID), clip(v.Operator, MaxValue), clip(v.Author, MaxValue), clip(v.Rationale, MaxReason), AddressedIn("the reason of "+b.ref(v.ID).Name(), v.Rationale)})
		if len(v.Parents) == 0 {
			break
		}
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
