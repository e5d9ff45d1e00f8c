package reports

import (
	"slices"

	"evolve/archive"
)

// Ablation is how a finalist of the search was made small, on search tasks: changes
// without a shown effect went back to the champion's values.
type Ablation struct {
	Winner Ref `json:"winner"`
	Small  Ref `json:"small"`
	// Reverted are the parameters that went back.
	Reverted []string `json:"reverted,omitempty"`
	// Effects of the parameters that are left.
	Effects     []ParamEffect `json:"effects,omitempty"`
	Evaluations int           `json:"evaluations"`
	Reason      string        `json:"reason,omitempty"`
}

// ParamEffect is the own effect of a parameter.
type ParamEffect struct {
	Param string `json:"param"`
	OwnEffect
}

// OwnEffect is what one change does by itself, on search tasks: the score of the small
// config less that of the same config without the change, where both were evaluated on the
// same tasks, with its 95 % interval.
type OwnEffect struct {
	Difference float64 `json:"difference"`
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	// Evaluations of the config without it.
	Evaluations int `json:"evaluations"`
	// Untried says that the evaluations ended before the config without it was compared:
	// there is no difference.
	Untried bool `json:"untried,omitempty"`
}

// ablate tells how each finalist that was confirmed was made small, the headline's first, and of each
// change's own effect where the changes shown are those of the config that it was
// measured in.
func (b *builder) ablate() error {
	list := b.result.Minimised()
	head := -1
	for i, a := range list {
		if b.headline >= 0 && b.result.Finalist[b.headline].Variant == a.Small {
			head = i
			break
		}
	}
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
	out := Ablation{Winner: b.ref(a.Winner), Small: b.ref(a.Small), Evaluations: a.Evaluations, Reason: clip(a.Reason, reasonKept)}
	for _, name := range a.Reverted {
		out.Reverted = append(out.Reverted, clip(name, valueKept))
	}
	for _, e := range a.Effects {
		out.Effects = append(out.Effects, ParamEffect{clip(e.Param, valueKept), ownEffectOf(e)})
	}
	return out
}

func ownEffectOf(e archive.ParamEffect) OwnEffect {
	return OwnEffect{Difference: e.Difference, Lo: e.Lo, Hi: e.Hi, Evaluations: e.Evaluations, Untried: e.Untried}
}

func (b *builder) ownEffects(a archive.Ablation) {
	effects := map[string]archive.ParamEffect{}
	for _, e := range a.Effects {
		effects[e.Param] = e
	}
	for i := range b.out.Changes {
		if e, known := effects[b.out.Changes[i].Param]; known {
			own := ownEffectOf(e)
			b.out.Changes[i].Own = &own
		}
	}
}
