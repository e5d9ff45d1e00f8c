package batch

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
)

// sides holds everything that an agent is measured on.
type sides struct {
	suites          []*bench.Suite
	search, holdout []*bench.Task
	dirs            map[*bench.Task]string
	hash, splitHash string
	// alike describes near-duplicates in the suites.
	alike []string
}

// suitesOf gathers the tasks of an agent's suites. Their ids are unique: the loader
// refuses suites that share one.
func suitesOf(w *workspace.Workspace, a *workspace.Agent) sides {
	s := sides{dirs: map[*bench.Task]string{}}
	all, split := sha256.New(), sha256.New()
	for _, name := range a.Suites {
		suite := w.Suites[name]
		if suite == nil {
			continue // the loader has refused such a workspace
		}
		s.suites = append(s.suites, suite)
		_, _ = fmt.Fprintf(all, "%s\x00%s\x00", name, suite.Hash)
		if text := suite.Likeness().String(); text != "" {
			s.alike = append(s.alike, "suite "+name+": "+text)
		}
		s.search = append(s.search, suite.Side(bench.Search)...)
		s.holdout = append(s.holdout, suite.Side(bench.Holdout)...)
		for i := range suite.Tasks {
			t := &suite.Tasks[i]
			s.dirs[t] = suite.Dir
			_, _ = fmt.Fprintf(split, "%s\x00%s\x00", t.ID, t.Split)
		}
	}
	if a.Alike.Groups > 0 {
		s.alike = append(s.alike, "over its suites: "+a.Alike.String())
	}
	s.hash, s.splitHash = hex.EncodeToString(all.Sum(nil)[:16]), hex.EncodeToString(split.Sum(nil)[:16])
	return s
}

// pricesHash hashes the prices of models; empty if there are none.
func pricesHash(prices map[string]workspace.Price) string {
	if len(prices) == 0 {
		return ""
	}
	raw, err := json.Marshal(prices) // in the order of the models' names
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

func spaceHash(s agent.Space) string {
	raw, err := json.Marshal(s)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}
