package coding

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"evolve/bench"
)

// Spends identifies what entries into the confirmation spend, whatever the target's name: the root
// of its repository and the names of the held-out cases. It is empty for an agent's own code, whose
// tasks the workspace has.
func (p *Prospect) Spends() string {
	if p.Suite == nil {
		return ""
	}
	var cases []string
	for _, t := range p.Suite.Side(bench.Holdout) {
		cases = append(cases, t.ID)
	}
	slices.Sort(cases)
	root := filepath.ToSlash(p.Target.Repo)
	if p.ground.Start != "" && p.ground.Start != "." {
		root = strings.TrimSuffix(root, "/"+p.ground.Start)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q", root, cases))
	return hex.EncodeToString(sum[:16])
}
