package bench

import (
	"fmt"
	"slices"
	"strings"
)

// gather makes twins one unit and brings them to one side of the wall, in place. The
// tasks have their splits; declared are those that their author gave them. Only twins
// move, so that all other tasks stay where they were: to the side that some of them
// declare, or else to that of the one with the smallest id. Declared splits stand.
func gather(tasks []Task, declared []Split, g Twins) {
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
		side = Search // nothing more on the holdout that the search may have seen
	case sides[Search]:
		side = Search
	case sides[Holdout]:
		side = Holdout
	}
	for _, i := range g.Tasks {
		tasks[i].Twin = tasks[first].ID
		if declared[i] == "" {
			tasks[i].Split = side
		}
	}
}

// putAside takes the tasks out of the search whose exact duplicates are held out,
// whatever their author declares, because what is found on them is known there.
func putAside(tasks []Task) {
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

// JoinSuites finds the near-duplicates that lie in different suites of one agent, makes
// them one unit and brings them to one side of the wall, in place. A cluster that is
// declared in one suite is none in another, so its tasks are compared too, and keep
// together. It returns what was found over suites, for a person.
func JoinSuites(suites []*Suite) Likeness {
	var all Suite
	var declared []Split
	var of []int              // suite of each task
	known := [][]int{}        // tasks that are one unit within their suites
	units := map[string]int{} // suite and unit → place in known
	for n, s := range suites {
		for i := range s.Tasks {
			key := fmt.Sprintf("%d %s", n, s.Tasks[i].Unit())
			at, ok := units[key]
			if !ok {
				at = len(known)
				units[key], known = at, append(known, nil)
			}
			known[at] = append(known[at], len(all.Tasks))
			all.Tasks, of = append(all.Tasks, s.Tasks[i]), append(of, n)
			declared = append(declared, s.declared[i])
		}
	}
	f := newTwinFinder(all.Tasks, func(*Task) bool { return true }).find()
	for _, unit := range known {
		for _, i := range unit[1:] {
			f.join(unit[0], i, "")
		}
	}
	all.Twins = slices.DeleteFunc(f.groups(), func(g Twins) bool {
		return !slices.ContainsFunc(g.Tasks, func(i int) bool { return of[i] != of[g.Tasks[0]] })
	})
	for _, g := range all.Twins {
		gather(all.Tasks, declared, g)
	}
	putAside(all.Tasks)
	at := 0
	for _, s := range suites {
		at += copy(s.Tasks, all.Tasks[at:at+len(s.Tasks)])
	}
	return all.Likeness()
}

// DeclareTwins finds near-duplicates among tasks and writes their clusters into them,
// in place, so that a person sees and may change them.
func DeclareTwins(tasks []Task) Likeness {
	s := Suite{Tasks: tasks, Twins: FindTwins(tasks)}
	for _, g := range s.Twins {
		first := slices.MinFunc(g.Tasks, func(a, b int) int { return strings.Compare(tasks[a].ID, tasks[b].ID) })
		for _, i := range g.Tasks {
			tasks[i].Cluster = tasks[first].ID
		}
	}
	return s.Likeness()
}

// Likeness counts what was found of variations in a suite.
type Likeness struct {
	// Tasks of the suite, and the Units that they count as.
	Tasks int `json:"tasks"`
	Units int `json:"units"`
	// Twins are the tasks in the found Groups; Exact are those of groups whose closest
	// are the same but for punctuation.
	Groups int `json:"groups,omitempty"`
	Twins  int `json:"twins,omitempty"`
	Exact  int `json:"exact,omitempty"`
	// Aside are the tasks put aside, and Across the groups that the author's splits
	// leave on both sides.
	Aside  int `json:"aside,omitempty"`
	Across int `json:"across,omitempty"`
	// Named are the groups in words, at most ten.
	Named []string `json:"named,omitempty"`
}

// namedTwins bounds the groups that are named, and namedTasks the tasks of each.
const (
	namedTwins = 10
	namedTasks = 4
)

// Likeness counts the variations of a suite.
func (s *Suite) Likeness() Likeness {
	l := Likeness{Tasks: len(s.Tasks), Groups: len(s.Twins)}
	units := map[string]bool{}
	for i := range s.Tasks {
		units[s.Tasks[i].Unit()] = true
		if s.Tasks[i].Split == Aside {
			l.Aside++
		}
	}
	l.Units = len(units)
	for _, g := range s.Twins {
		l.Twins += len(g.Tasks)
		if g.Kind == Exact {
			l.Exact += len(g.Tasks)
		}
		search := slices.ContainsFunc(g.Tasks, func(i int) bool { return s.Tasks[i].Split == Search })
		if search && slices.ContainsFunc(g.Tasks, func(i int) bool { return s.Tasks[i].Split == Holdout }) {
			l.Across++
		}
		if len(l.Named) < namedTwins {
			l.Named = append(l.Named, g.named(s.Tasks))
		}
	}
	return l
}

// named is a group in words.
func (g Twins) named(tasks []Task) string {
	ids := make([]string, 0, namedTasks)
	for _, i := range g.Tasks[:min(len(g.Tasks), namedTasks)] {
		ids = append(ids, tasks[i].ID)
	}
	text := fmt.Sprintf("%s: %s", g.Kind, strings.Join(ids, ", "))
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

// String is one sentence for a person; empty where nothing was found.
func (l Likeness) String() string {
	var parts []string
	if l.Groups > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d tasks are near-duplicates in %s and count as one each (%d of them exact)", l.Twins, l.Tasks, groups(l.Groups), l.Exact))
	}
	if l.Aside > 0 {
		parts = append(parts, fmt.Sprintf("%d to be searched on are put aside, because the same task is held out", l.Aside))
	}
	if l.Across > 0 {
		parts = append(parts, groups(l.Across)+" declared on both sides of the wall")
	}
	return strings.Join(parts, "; ")
}
