package coding

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"evolve/bench"
)

// Spends returns an identifier of the data that entries into the confirmation use up,
// regardless of the target's name and the location of its repository. It is composed of the
// first commit of the repository, the metric, and the names of the held-out cases. It is
// empty for an agent's own code, whose tasks belong to the workspace.
func (p *Prospect) Spends() string {
	if p.Suite == nil {
		return ""
	}
	var cases []string
	for _, t := range p.Suite.Side(bench.Holdout) {
		cases = append(cases, t.ID)
	}
	slices.Sort(cases)
	metric, unit, better := p.Metric()
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %q %q %q %q", p.root, metric, unit, better, cases))
	return hex.EncodeToString(sum[:16])
}
