package night

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"evolve/archive"
	"evolve/bench"
	"evolve/mutate"
)

// componentText is a component's name with one text of the component.
type componentText struct{ component, text string }

// refusedTexts returns the texts of variants whose proposals were refused by gates or by
// a person, or were rolled back by a person. Models do not get these texts as examples,
// because their gain is not what it appears to be.
func (n *night) refusedTexts(ctx context.Context) (map[componentText]bool, error) {
	out := map[componentText]bool{}
	for p, err := range n.Archive.Proposals(ctx) {
		if err != nil {
			return nil, fmt.Errorf("%w: reading the proposals: %w", bench.ErrRecorder, err)
		}
		id, ok := p.VariantOf(n.Agent.ID)
		if !ok || p.Run == n.Run.ID || !slices.Contains([]archive.ProposalState{archive.GateFailed, archive.Rejected, archive.RolledBack}, p.State) {
			continue
		}
		v, err := n.Archive.Variant(ctx, n.Agent.ID, id)
		if errors.Is(err, archive.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%w: reading a refused variant: %w", bench.ErrRecorder, err)
		}
		for name, value := range v.Config {
			if text, ok := value.(string); ok && text != n.Agent.Champion.String(name) {
				out[componentText{name, text}] = true
			}
		}
	}
	return out, nil
}

// others returns the texts in a brief that come from other variants, except the refused
// texts.
func (a *author) others(b *mutate.Brief) []mutate.TriedChange {
	return slices.DeleteFunc(slices.Clone(b.Others), func(o mutate.TriedChange) bool { return a.refusedText(b, o) })
}

// tried returns the earlier changes in a brief. A refused change carries its refusal
// instead of its gain.
func (a *author) tried(b *mutate.Brief) []mutate.TriedChange {
	out := slices.Clone(b.Tried)
	for i, t := range out {
		if a.refusedText(b, t) {
			out[i] = mutate.TriedChange{Refused: "its proposal was refused after it was measured: " + t.Rationale}
		}
	}
	return out
}

func (a *author) refusedText(b *mutate.Brief, t mutate.TriedChange) bool {
	if _, out := a.leftOut[t.Variant]; out {
		return true
	}
	return a.unfit[componentText{b.Component, t.Text}]
}
