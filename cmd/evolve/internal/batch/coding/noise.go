package coding

import (
	"fmt"
	"slices"

	"evolve/bench/metrics"
	"evolve/gates/versions"
	"evolve/runtime/text"
)

// Kind returns the kind of the metric that the scoring command measures. It returns nil for
// an agent's own code, and for code that was not scored.
func (p *Prospect) Kind() *metrics.Kind {
	if p.scale == nil {
		return nil
	}
	k := p.scale.Kind()
	return &k
}

// Noise returns the differences between the values of the unchanged code in several starts
// of the scoring command. It returns nil if there are none, or if the code was not scored.
func (p *Prospect) Noise() *metrics.Noise {
	if !p.noise.Any() {
		return nil
	}
	return &p.noise
}

// varies describes the values of the unchanged code that a night found to differ from
// earlier values; it returns "" if there are none.
func (p *Prospect) varies(code *versions.Agent) string {
	n := p.scale.Noise(code.Differing())
	if !n.Any() {
		return ""
	}
	return text.Visible(p.scale.Kind().Name) + ": " + n.Words(p.scale.Kind().Unit)
}

// keepDiffering stores the values of the unchanged code that differ, so that the next night
// takes them into account.
func (p *Prospect) keepDiffering(code *versions.Agent) error {
	seen := code.Differing()
	if len(seen) == 0 || p.kept.ReadOnly {
		return nil
	}
	base := p.scored
	base.Again = slices.Concat(base.Again, seen)
	if err := keep(p.keptFile(p.kept), base); err != nil {
		return fmt.Errorf("storing the values of %s: %w", p.Target.Name, err)
	}
	return nil
}
