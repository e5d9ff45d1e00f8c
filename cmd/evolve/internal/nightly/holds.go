package nightly

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
)

// holds is the hash of everything that the evidence of a confirmation is about
// besides the two configs: each holdout task with its fixtures, graders, weight,
// domain and cluster, the agent's identity, and the prices.
func holds(s sides, identity string, prices map[string]workspace.Price) (string, error) {
	sum := sha256.New()
	for _, t := range s.holdout {
		_, _ = fmt.Fprintf(sum, "%s\x00%s\x00%s\x00%g\n", bench.HashTask(t, bench.FixtureHash(t, s.dirs[t])), t.Domain, t.Unit(), t.Importance())
	}
	costs, err := json.Marshal(prices) // in the order of the models' names
	if err != nil {
		return "", fmt.Errorf("hashing the prices: %w", err)
	}
	_, _ = fmt.Fprintf(sum, "%q\n%s\n", identity, costs)
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}
