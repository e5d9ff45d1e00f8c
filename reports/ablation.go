package reports

import "evolve/archive"

// Ablation is how the winner of the search was made small, on search tasks: changes
// that did nothing for it went back to the champion's values.
type Ablation struct {
	Winner Ref `json:"winner"`
	Small  Ref `json:"small"`
	// Reverted are the parameters that went back.
	Reverted    []string `json:"reverted,omitempty"`
	Evaluations int      `json:"evaluations"`
	Reason      string   `json:"reason,omitempty"`
}

// OwnEffect is what one change does by itself, on search tasks: the score of the small
// winner less that of the same config without the change.
type OwnEffect struct {
	Difference  float64 `json:"difference"`
	Lo          float64 `json:"lo"`
	Hi          float64 `json:"hi"`
	Evaluations int     `json:"evaluations"`
}

// ablate tells of the ablation, and of each change's own effect where the changes
// shown are those of the config that it measured.
func (b *builder) ablate() error {
	a := b.result.Ablation
	if a == nil {
		return nil
	}
	b.out.Ablation = &Ablation{
		Winner: b.ref(a.Winner), Small: b.ref(a.Small), Evaluations: a.Evaluations, Reason: clip(a.Reason, reasonKept),
	}
	for _, name := range a.Reverted {
		b.out.Ablation.Reverted = append(b.out.Ablation.Reverted, clip(name, valueKept))
	}
	if b.headline < 0 || b.result.Finalist[b.headline].Variant != a.Small {
		return nil
	}
	effects := map[string]archive.ParamEffect{}
	for _, e := range a.Effects {
		effects[e.Param] = e
	}
	for i := range b.out.Changes {
		if e, known := effects[b.out.Changes[i].Param]; known {
			b.out.Changes[i].Own = &OwnEffect{Difference: e.Difference, Lo: e.Lo, Hi: e.Hi, Evaluations: e.Evaluations}
		}
	}
	return nil
}
