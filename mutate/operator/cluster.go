package operator

import (
	"cmp"
	"maps"
	"slices"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

// Incident is a failed evaluation with the data needed for clustering.
type Incident struct {
	Outcome agent.Outcome
	Domain  string
	// Text is the task's goal, the graders' reasons, or both. It is untrusted text.
	Text string
}

// clusterWords is the maximum number of words in a cluster, and incidentText is the maximum
// number of bytes that are used of each incident's text.
const (
	clusterWords = 8
	incidentText = 4000
)

// Cluster groups incidents by outcome and domain and returns the largest cluster first. A
// cluster's words are the stems that occur in the most incidents of the cluster; ties are
// broken alphabetically.
func Cluster(lex *memory.Lexicon, incidents []Incident) []Failure {
	type kind struct {
		outcome agent.Outcome
		domain  string
	}
	counts := map[kind]int{}
	words := map[kind]map[string]int{}
	for _, in := range incidents {
		k := kind{in.Outcome, in.Domain}
		counts[k]++
		if words[k] == nil {
			words[k] = map[string]int{}
		}
		terms := lex.Terms(nil, in.Text[:min(len(in.Text), incidentText)])
		slices.Sort(terms)
		for _, w := range slices.Compact(terms) {
			words[k][w]++
		}
	}
	var out []Failure
	for k, n := range counts {
		f := Failure{Outcome: k.outcome, Domain: k.domain, Count: n}
		ranked := slices.SortedFunc(maps.Keys(words[k]), func(a, b string) int {
			return cmp.Or(words[k][b]-words[k][a], cmp.Compare(a, b))
		})
		f.Words = ranked[:min(len(ranked), clusterWords)]
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b Failure) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(a.Domain, b.Domain))
	})
	return out
}
