package bench

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strings"
)

// splitSalt makes the hashes that order clusters independent of other hashes of their
// names. Changing it would move tasks between the splits of every existing suite.
const splitSalt = "evolve split 1\x00"

// SplitConflict is a cluster with tasks declared for both splits. Search and Holdout are
// the indexes of its first task in each split.
type SplitConflict struct {
	Cluster         string
	Search, Holdout int
}

// AssignSplits assigns a split to every task without one, in place. All tasks of a
// cluster get the same split: a declared split extends to the rest of the cluster. A
// cluster with both splits declared is returned as a conflict, and its tasks without a
// declared split get none.
//
// The other clusters of each domain are sorted by a salted hash of their names and
// assigned alternately to search and holdout. Domains with a single such cluster are
// sorted together, because each of them by itself would always be assigned to search. A
// cluster with tasks of several domains belongs to the alphabetically first domain. The
// order of the tasks does not matter, and a new task in an existing cluster and domain
// moves nothing. A new cluster moves about half of the clusters with which it alternates,
// so a growing suite should declare its splits.
func AssignSplits(tasks []Task) []SplitConflict {
	clusters := map[string]*cluster{}
	for i := range tasks {
		t := &tasks[i]
		c, ok := clusters[t.Unit()]
		if !ok {
			c = &cluster{name: t.Unit(), domain: t.Domain, search: -1, holdout: -1}
			c.hash = sha256.Sum256([]byte(splitSalt + c.name))
			clusters[c.name] = c
		}
		c.domain = min(c.domain, t.Domain)
		switch {
		case t.Split == Search && c.search < 0:
			c.search = i
		case t.Split == Holdout && c.holdout < 0:
			c.holdout = i
		}
	}
	var conflicts []SplitConflict
	free := map[string][]*cluster{} // by domain
	for _, c := range clusters {
		switch {
		case c.search >= 0 && c.holdout >= 0:
			conflicts = append(conflicts, SplitConflict{c.name, c.search, c.holdout})
		case c.search >= 0:
			c.split = Search
		case c.holdout >= 0:
			c.split = Holdout
		default:
			free[c.domain] = append(free[c.domain], c)
		}
	}
	var single []*cluster
	for _, group := range free {
		if len(group) == 1 {
			single = append(single, group[0])
			continue
		}
		alternate(group)
	}
	alternate(single)
	for i := range tasks {
		if tasks[i].Split == "" {
			tasks[i].Split = clusters[tasks[i].Unit()].split
		}
	}
	slices.SortFunc(conflicts, func(a, b SplitConflict) int { return strings.Compare(a.Cluster, b.Cluster) })
	return conflicts
}

type cluster struct {
	name, domain    string
	hash            [sha256.Size]byte
	search, holdout int // first task that declares the split; -1 if none does
	split           Split
}

func alternate(group []*cluster) {
	slices.SortFunc(group, func(a, b *cluster) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	for i, c := range group {
		c.split = Search
		if i%2 == 1 {
			c.split = Holdout
		}
	}
}
