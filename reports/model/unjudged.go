package model

import (
	"slices"
	"strings"

	"evolve/archive"
	"evolve/runtime/text"
)

// Unjudged is a guard that is written in the settings and was not judged.
type Unjudged struct {
	Name string `json:"name"`
	// Reason is a clause that follows "because".
	Reason string `json:"reason"`
}

// Sentence states that the guard is not judged, and the reason.
func (u Unjudged) Sentence() string {
	return "the guard on " + text.Visible(strings.ReplaceAll(u.Name, "_", " ")) + " is not judged, because " + text.Visible(u.Reason)
}

// unjudgedOf returns the guards of a plan that were not judged. judged holds the metrics of
// the guards on which there is a ruling; ruled reports whether there is any ruling.
func unjudgedOf(p archive.AgentPlan, judged []string, ruled bool) []Unjudged {
	var out []Unjudged
	for _, name := range p.Guarded {
		switch {
		case slices.Contains(judged, name):
		case name == latencyGuard && p.Deterministic && p.Metric != nil:
			out = append(out, Unjudged{name, "the target is deterministic"})
		case name == latencyGuard && p.Deterministic:
			out = append(out, Unjudged{name, "the agent is deterministic"})
		case ruled:
			out = append(out, Unjudged{name, "neither side reported any"})
		}
	}
	return out
}

// unjudged adds the guards that were not judged.
func (b *builder) unjudged() {
	var judged []string
	for _, g := range b.out.Guards {
		judged = append(judged, g.Name)
	}
	if b.volatile.Guard != nil {
		judged = append(judged, b.volatile.Guard.Name)
	}
	ruled := b.headline >= 0 && b.result.Finalist[b.headline].Ruling != nil
	b.out.Unjudged = unjudgedOf(b.plan, judged, ruled)
}
