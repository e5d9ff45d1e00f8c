package coding

import (
	"fmt"
	"slices"

	"evolve/bench/metrics"
	"evolve/gates/versions"
	"evolve/runtime/text"
)

// Kind returns the kind of the metric that the scoring command measures; nil for an agent's
// own code, and for code that was not scored.
func (p *Prospect) Kind() *metrics.Kind {
	if p.scale == nil {
		return nil
	}
	k := p.scale.Kind()
	return &k
}

// Noise returns the differences between values of the code as it is in several starts of
// the scoring command; nil if there are none, or if it was not scored.
func (p *Prospect) Noise() *metrics.Noise {
	if !p.noise.Any() {
		return nil
	}
	return &p.noise
}

// varies describes the values of the code as it is that a night saw to differ from those
// before it; "" if there are none.
func (p *Prospect) varies(code *versions.Agent) string {
	n := p.scale.Noise(code.Differing())
	if !n.Any() {
		return ""
	}
	return text.Visible(p.scale.Kind().Name) + ": " + n.Words(p.scale.Kind().Unit)
}

// keepDiffering keeps the values of the code as it is that differ, so that the next night
// counts with them.
func (p *Prospect) keepDiffering(code *versions.Agent) error {
	seen := code.Differing()
	if len(seen) == 0 || p.kept.ReadOnly {
		return nil
	}
	base := p.scored
	base.Again = slices.Concat(base.Again, seen)
	if err := keep(p.keptFile(p.kept), base); err != nil {
		return fmt.Errorf("keeping the values of %s: %w", p.Target.Name, err)
	}
	return nil
}
