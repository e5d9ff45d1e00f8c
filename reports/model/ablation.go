package model

import (
	"slices"

	"evolve/archive"
)

// Ablation reports how a finalist of the search was reduced on search tasks: changes
// without a shown effect were undone, so their parameters have the champion's values again.
type Ablation struct {
	Winner Ref `json:"winner"`
	Small  Ref `json:"small"`
	// Reverted lists the parameters whose changes were undone.
	Reverted []string `json:"reverted,omitempty"`
	// Effects lists the effects of the parameters whose changes were kept.
	Effects     []ParamEffect `json:"effects,omitempty"`
	Evaluations int           `json:"evaluations"`
	Reason      string        `json:"reason,omitempty"`
}

// ParamEffect is the effect of changing one parameter by itself.
type ParamEffect struct {
	Param string `json:"param"`
	OwnEffect
}

// OwnEffect is the effect of one change by itself on search tasks: the score of the reduced
// config minus the score of the same config without the change. Both scores are over the
// tasks on which both configs were evaluated. The effect has a 95 % interval.
type OwnEffect struct {
	Difference float64 `json:"difference"`
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	// Evaluations counts the evaluations of the config without the change.
	Evaluations int `json:"evaluations"`
	// Untried reports whether the config without the change was not compared. If so, no
	// difference was measured, and UntriedBy is the reason, if known.
	Untried   bool            `json:"untried,omitempty"`
	UntriedBy archive.Untried `json:"untried_by,omitempty"`
}

// ablate fills in the ablations of the finalists, starting with the headline's. It adds
// the effect that each change has by itself, if the effects were measured in the config
// whose changes are shown.
func (b *builder) ablate() error {
	list := b.result.Minimised()
	head := slices.IndexFunc(list, func(a archive.Ablation) bool {
		return b.headline >= 0 && b.result.Finalist[b.headline].Variant == a.Small
	})
	if head >= 0 {
		b.ownEffects(list[head])
		b.out.Ablations = append(b.out.Ablations, b.ablation(list[head]))
	}
	for i, a := range list {
		if i != head && slices.ContainsFunc(b.result.Finalist, func(f archive.Finalist) bool { return f.Variant == a.Small }) {
			b.out.Ablations = append(b.out.Ablations, b.ablation(a))
		}
	}
	return nil
}

func (b *builder) ablation(a archive.Ablation) Ablation {
	out := Ablation{Winner: b.ref(a.Winner), Small: b.ref(a.Small), Evaluations: a.Evaluations, Reason: clip(b.inCases(a.Reason), MaxReason)}
	for _, name := range a.Reverted {
		out.Reverted = append(out.Reverted, clip(name, MaxValue))
	}
	for _, e := range a.Effects {
		out.Effects = append(out.Effects, ParamEffect{clip(e.Param, MaxValue), ownEffectOf(e, a.Untried)})
	}
	return out
}

// UntriedWords returns the words that replace an effect that was not measured.
func (o OwnEffect) UntriedWords() string {
	const what = "not tried alone"
	switch o.UntriedBy {
	case archive.UntriedUnplanned:
		return what + ": no evaluations were planned for it"
	case archive.UntriedShort:
		return what + ": too few evaluations were left for it"
	case archive.UntriedEnded:
		return what + ": the evaluations ended before it was tried"
	case archive.UntriedEnough:
		return what + ": the evaluations of the search were enough to decide"
	}
	return what
}

func ownEffectOf(e archive.ParamEffect, by archive.Untried) OwnEffect {
	out := OwnEffect{Difference: e.Difference, Lo: e.Lo, Hi: e.Hi, Evaluations: e.Evaluations, Untried: e.Untried}
	if e.Untried {
		out.UntriedBy = by
	}
	return out
}

func (b *builder) ownEffects(a archive.Ablation) {
	effects := map[string]archive.ParamEffect{}
	for _, e := range a.Effects {
		effects[e.Param] = e
	}
	for i := range b.out.Changes {
		if e, known := effects[b.out.Changes[i].Param]; known {
			own := ownEffectOf(e, a.Untried)
			b.out.Changes[i].Own = &own
		}
	}
}
