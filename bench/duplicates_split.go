package bench

import (
	"fmt"
	"slices"
	"strings"
)

// assignGroup gives duplicates one unit and one split, in place. The tasks already have
// splits; declared holds the splits that their authors declared, which do not change. All
// other tasks keep their splits. If some of the duplicates declare a split, the others
// move to that split, or to the search if both splits are declared. If no duplicate
// declares a split, all move to the split of the task with the smallest id.
func assignGroup(tasks []Task, declared []Split, g Duplicates) {
	first := slices.MinFunc(g.Tasks, func(a, b int) int { return strings.Compare(tasks[a].ID, tasks[b].ID) })
	side := tasks[first].Split
	sides := map[Split]bool{}
	for _, i := range g.Tasks {
		if declared[i] != "" {
			sides[declared[i]] = true
		}
	}
	switch {
	case len(sides) == 2:
		side = Search // the search may have seen some of these tasks, so none of them may be in the holdout
	case sides[Search]:
		side = Search
	case sides[Holdout]:
		side = Holdout
	}
	for _, i := range g.Tasks {
		tasks[i].DuplicateOf = tasks[first].ID
		if declared[i] == "" {
			tasks[i].Split = side
		}
	}
}

// setAside removes from the search the tasks with an exact duplicate in the holdout, even
// if their split is declared, because the search would learn the holdout task.
func setAside(tasks []Task) {
	held := map[string]bool{}
	same := make([]string, len(tasks))
	for i := range tasks {
		same[i] = tasks[i].sameness(wordsOf(tasks[i].text()))
		held[same[i]] = held[same[i]] || tasks[i].Split == Holdout
	}
	for i := range tasks {
		if tasks[i].Split == Search && held[same[i]] {
			tasks[i].Split = Aside
		}
	}
}

// JoinSuites finds near-duplicates in different suites of one agent and gives them one
// unit and one split, in place. A cluster declared in one suite does not extend to
// another, so the tasks of a cluster are compared with those of other suites too, and
// stay together. Tasks that one suite declares to belong to different clusters stay
// apart: if a task in another suite is a duplicate of several of them, it is joined to
// the most similar one. JoinSuites returns the duplicates across suites.
func JoinSuites(suites []*Suite) Likeness {
	var all Suite
	var declared []Split
	var of []int              // suite of each task
	known := [][]int{}        // tasks by unit within their suites
	in := []int{}             // unit of each task
	units := map[string]int{} // suite and unit → index in known
	for n, s := range suites {
		for i := range s.Tasks {
			key := fmt.Sprintf("%d %s", n, s.Tasks[i].Unit())
			at, ok := units[key]
			if !ok {
				at = len(known)
				units[key], known = at, append(known, nil)
			}
			known[at] = append(known[at], len(all.Tasks))
			all.Tasks, of, in = append(all.Tasks, s.Tasks[i]), append(of, n), append(in, at)
			declared = append(declared, s.declared[i])
		}
	}
	alike := newDuplicateFinder(all.Tasks, func(*Task) bool { return true }).find()
	joined := newDuplicateFinder(all.Tasks, func(*Task) bool { return true })
	for _, unit := range known {
		for _, i := range unit[1:] {
			joined.join(unit[0], i, "")
		}
	}
	for _, g := range alike.groups() {
		joined.across(g, of, in)
	}
	all.Duplicates = slices.DeleteFunc(joined.groups(), func(g Duplicates) bool {
		return !slices.ContainsFunc(g.Tasks, func(i int) bool { return of[i] != of[g.Tasks[0]] })
	})
	for _, g := range all.Duplicates {
		assignGroup(all.Tasks, declared, g)
	}
	setAside(all.Tasks)
	at := 0
	for _, s := range suites {
		at += copy(s.Tasks, all.Tasks[at:at+len(s.Tasks)])
	}
	return all.Likeness()
}

// across joins the tasks of a group that are in different suites. The suite with the most
// units in the group keeps these units apart. Every unit of another suite is joined to
// the tasks of that first suite that equal one of the unit's tasks. If there are none, it
// is joined to the task with the largest share of words in common with the unit's first
// task, or to the first of several equally similar tasks. The suite of task i is of[i],
// and its unit is in[i].
func (f *duplicateFinder) across(g Duplicates, of, in []int) {
	units := map[int]map[int]bool{}
	for _, i := range g.Tasks {
		if units[of[i]] == nil {
			units[of[i]] = map[int]bool{}
		}
		units[of[i]][in[i]] = true
	}
	most := of[g.Tasks[0]]
	for suite, list := range units {
		if len(list) > len(units[most]) || len(list) == len(units[most]) && suite < most {
			most = suite
		}
	}
	var anchors []int
	for _, i := range g.Tasks {
		if of[i] == most {
			anchors = append(anchors, i)
		}
	}
	same := map[string]int{} // the first of the anchors with equal content, keyed by content
	for _, j := range slices.Backward(anchors) {
		same[f.exact(f.list[j])] = j
	}
	anchors = anchors[:min(len(anchors), mostAnchors)]
	words := make([]map[string]bool, len(anchors))
	for n, j := range anchors {
		words[n] = wordSet(f.list[j].words)
	}
	placed := map[int]bool{} // units that have been joined to an anchor
	for _, i := range g.Tasks {
		if j, ok := same[f.exact(f.list[i])]; ok && of[i] != most {
			f.join(j, i, Exact)
			placed[in[i]] = true
		}
	}
	kind := g.Kind
	if kind == Exact {
		kind = Near
	}
	for _, i := range g.Tasks {
		if of[i] == most || placed[in[i]] {
			continue
		}
		placed[in[i]] = true
		nearest, likest, own := anchors[0], -1., wordSet(f.list[i].words)
		for n, j := range anchors {
			if share := inCommon(own, words[n]); share > likest {
				nearest, likest = j, share
			}
		}
		f.join(nearest, i, kind)
	}
}

// mostAnchors limits the number of tasks with which a task of another suite is compared.
const mostAnchors = 500

func wordSet(words []string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		set[w] = true
	}
	return set
}

// inCommon returns the Jaccard index of two sets of words: the share of all their words
// that occur in both.
func inCommon(a, b map[string]bool) float64 {
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}

// DeclareDuplicates finds near-duplicates among tasks and sets their clusters, in place, so
// that they can be reviewed and changed.
func DeclareDuplicates(tasks []Task) Likeness {
	s := Suite{Tasks: tasks, Duplicates: FindDuplicates(tasks)}
	for _, g := range s.Duplicates {
		first := slices.MinFunc(g.Tasks, func(a, b int) int { return strings.Compare(tasks[a].ID, tasks[b].ID) })
		for _, i := range g.Tasks {
			tasks[i].Cluster = tasks[first].ID
		}
	}
	return s.Likeness()
}

// Likeness counts the near-duplicates in a suite.
type Likeness struct {
	// Tasks is the number of tasks in the suite, and Units is the number of units that
	// statistics count.
	Tasks int `json:"tasks"`
	Units int `json:"units"`
	// Groups is the number of groups that were found, Duplicates is the number of tasks in
	// them, and Exact is the number of tasks in groups whose closest tasks are the same
	// except for punctuation.
	Groups     int `json:"groups,omitempty"`
	Duplicates int `json:"duplicates,omitempty"`
	Exact      int `json:"exact,omitempty"`
	// Aside is the number of tasks that were set aside, and Across is the number of groups
	// that have tasks in both splits.
	Aside  int `json:"aside,omitempty"`
	Across int `json:"across,omitempty"`
	// Named describes at most ten of the groups.
	Named []string `json:"named,omitempty"`
}

// namedGroups limits the number of groups that are named, and namedTasks the number of
// tasks named in each.
const (
	namedGroups = 10
	namedTasks  = 4
)

// Likeness counts the near-duplicates of a suite.
func (s *Suite) Likeness() Likeness {
	l := Likeness{Tasks: len(s.Tasks), Groups: len(s.Duplicates)}
	units := map[string]bool{}
	for i := range s.Tasks {
		units[s.Tasks[i].Unit()] = true
		if s.Tasks[i].Split == Aside {
			l.Aside++
		}
	}
	l.Units = len(units)
	for _, g := range s.Duplicates {
		l.Duplicates += len(g.Tasks)
		if g.Kind == Exact {
			l.Exact += len(g.Tasks)
		}
		search := slices.ContainsFunc(g.Tasks, func(i int) bool { return s.Tasks[i].Split == Search })
		if search && slices.ContainsFunc(g.Tasks, func(i int) bool { return s.Tasks[i].Split == Holdout }) {
			l.Across++
		}
		if len(l.Named) < namedGroups {
			l.Named = append(l.Named, g.named(s.Tasks))
		}
	}
	return l
}

// named describes a group.
func (g Duplicates) named(tasks []Task) string {
	ids := make([]string, 0, namedTasks)
	for _, i := range g.Tasks[:min(len(g.Tasks), namedTasks)] {
		ids = append(ids, tasks[i].ID)
	}
	text := fmt.Sprintf("%s: %s", g.Kind.words(), strings.Join(ids, ", "))
	if more := len(g.Tasks) - len(ids); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func groups(n int) string {
	if n == 1 {
		return "1 group"
	}
	return fmt.Sprintf("%d groups", n)
}

// String returns a summary of the duplicates for reports, or "" if none were found.
func (l Likeness) String() string {
	var parts []string
	if l.Groups > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d tasks are near-duplicates in %s; each group counts as one task (%d of the tasks are exact duplicates)", l.Duplicates, l.Tasks, groups(l.Groups), l.Exact))
	}
	if l.Aside > 0 {
		parts = append(parts, fmt.Sprintf("%d of the search tasks are left out, because they are the same as held-out tasks", l.Aside))
	}
	if l.Across > 0 {
		parts = append(parts, groups(l.Across)+" with tasks declared in both splits")
	}
	return strings.Join(parts, "; ")
}
