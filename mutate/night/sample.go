package night

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"evolve/bench"
	"evolve/runtime/agent"
)

// Sample holds everything that an agent is measured on.
type Sample struct {
	Search, Holdout []*bench.Task
	// Hash covers the tasks of the suites, and SplitHash covers their division into
	// search and holdout tasks.
	Hash, SplitHash string
	// Alike describes near-duplicates in the suites.
	Alike []string
	dirs  map[*bench.Task]string
	// judges maps each task to the models that the judges of its suite use.
	judges map[*bench.Task]string
}

// Sample gathers the tasks of an agent's suites, except holdout tasks that were used in a
// search. The ids of the tasks are unique, because the loader refuses suites that have an
// id in common.
func (a *Agent) Sample() Sample {
	s := Sample{dirs: map[*bench.Task]string{}, judges: map[*bench.Task]string{}}
	all, split := sha256.New(), sha256.New()
	for _, suite := range a.Suites {
		_, _ = fmt.Fprintf(all, "%s\x00%s\x00", suite.Name, suite.Hash)
		if text := suite.Likeness().String(); text != "" {
			s.Alike = append(s.Alike, "suite "+suite.Name+": "+text)
		}
		s.Search = append(s.Search, suite.Side(bench.Search)...)
		for _, t := range suite.Side(bench.Holdout) {
			if !a.Searched[t.ID] {
				s.Holdout = append(s.Holdout, t)
			}
		}
		for i := range suite.Tasks {
			t := &suite.Tasks[i]
			s.dirs[t], s.judges[t] = suite.Dir, suite.Judges
			_, _ = fmt.Fprintf(split, "%s\x00%s\x00", t.ID, t.Split)
		}
	}
	if a.Alike.Groups > 0 {
		s.Alike = append(s.Alike, "across the agent's suites: "+a.Alike.String())
	}
	s.Hash, s.SplitHash = hex.EncodeToString(all.Sum(nil)[:16]), hex.EncodeToString(split.Sum(nil)[:16])
	return s
}

// Digests returns, by task id, a hash of the request and the grading of each search task.
// Equal digests mean that the scores of two nights are comparable. The hash does not
// depend on weights, clusters or splits, or on other tasks of the suite.
func (s Sample) Digests() map[string]string {
	out := make(map[string]string, len(s.Search))
	for _, t := range s.Search {
		sum := sha256.Sum256([]byte(bench.HashTask(t, bench.FilesHash(t, s.dirs[t])) + "\x00" + s.judges[t]))
		out[t.ID] = hex.EncodeToString(sum[:8])
	}
	return out
}

// spaceHash hashes a space.
func spaceHash(s agent.Space) string {
	raw, err := json.Marshal(s)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}
