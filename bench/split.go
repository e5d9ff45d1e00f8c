package bench

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"strings"
)

// splitSalt keeps the order of clusters apart from any other use of their
// hashes. Changing it would move tasks across the wall of every existing suite.
const splitSalt = "evolve split 1\x00"

// SplitConflict is a cluster whose tasks ask for both splits. Search and Holdout
// are the indexes of its first task of either kind.
type SplitConflict struct {
	Cluster         string
	Search, Holdout int
}

// AssignSplits gives every task without a split one (spec 9.2), in place. A
// cluster is never divided: a task that names its split pulls the rest of its
// cluster along, and a cluster whose tasks name both is returned as a conflict,
// its other tasks left without one.
//
// All other clusters are ordered by a salted hash of their names within their
// domain, and go alternately to search and holdout. Domains with a single such
// cluster share one alternation, since each by itself would always be searched
// and never confirmed. A cluster with tasks of several domains counts in the
// alphabetically first. The order of the tasks is of no account, and a further
// task of a cluster and domain that are there moves nothing. A new cluster moves
// about half of those it alternates with, so a suite that grows should write its
// splits down.
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
	search, holdout int // first task that names the split, -1: none
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
