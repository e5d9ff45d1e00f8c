package night

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"evolve/bench"
)

// conditions returns a hash of everything on which the evidence of a confirmation
// depends, apart from the two configs: each holdout task with its fixtures, graders,
// weight, domain and cluster, the agent's identity, and the hash of the prices.
func conditions(s Sample, identity, prices string) string {
	sum := sha256.New()
	for _, t := range s.Holdout {
		_, _ = fmt.Fprintf(sum, "%s\x00%s\x00%s\x00%g\n", bench.HashTask(t, bench.FilesHash(t, s.dirs[t])), t.Domain, t.Unit(), t.Importance())
	}
	_, _ = fmt.Fprintf(sum, "%q\n%s\n", identity, prices)
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
