package sessions

import (
	"strconv"

	"evolve/bench"
)

// Existing holds the tasks of a suite that another one replaces. Tasks that a search has
// seen must not become holdout tasks, so all tasks stay in their splits, and new tasks get
// the split of the tasks that they resemble.
type Existing []bench.Task

// sides assigns a side to the candidates that are in the suite, or that share a cluster
// with its tasks. It leaves out candidates that are not in the suite but resemble tasks
// on both sides of it, and returns their number.
func (e Existing) sides(list []candidate) (kept []candidate, crossing int) {
	if len(e) == 0 {
		return list, 0
	}
	known := make(map[string]bench.Split, len(e)) // by id
	for _, t := range e {
		known[t.ID] = side(t.Split)
	}
	u, tasks := newUnion(len(list)+len(e)), make([]bench.Task, 0, len(list)+len(e))
	first := map[string]int{}
	join := func(i int, keys ...string) {
		for _, key := range keys {
			if j, ok := first[key]; ok {
				u.join(j, i)
			} else {
				first[key] = i
			}
		}
	}
	for i, c := range list {
		join(i, "conversation "+strconv.Itoa(c.conversation), "id "+c.task.ID, "digest "+c.task.Source.Digest)
		tasks = append(tasks, c.task)
	}
	for i, t := range e {
		join(len(list)+i, "id "+t.ID, "cluster "+t.Unit())
		if t.Source != nil && t.Source.Digest != "" {
			join(len(list)+i, "digest "+t.Source.Digest)
		}
		tasks = append(tasks, t)
	}
	for i := range tasks {
		tasks[i].Cluster = ""
	}
	for _, g := range bench.FindDuplicates(tasks) {
		for _, i := range g.Tasks[1:] {
			u.join(g.Tasks[0], i)
		}
	}
	sides := map[int]map[bench.Split]bool{} // by group
	for i, t := range e {
		group := u.root(len(list) + i)
		if sides[group] == nil {
			sides[group] = map[bench.Split]bool{}
		}
		sides[group][side(t.Split)] = true
	}
	for i, c := range list {
		of, own := sides[u.root(i)], known[c.task.ID]
		switch {
		case own != "":
			c.task.Split = own
		case len(of) > 1:
			crossing++
			continue
		case of[bench.Search]:
			c.task.Split = bench.Search
		case of[bench.Holdout]:
			c.task.Split = bench.Holdout
		}
		kept = append(kept, c)
	}
	return kept, crossing
}

// side returns the side of a split: a task that is set aside belongs to the search.
func side(s bench.Split) bench.Split {
	if s == bench.Aside {
		return bench.Search
	}
	return s
}

// part divides each cluster that has tasks on both sides into one cluster for each side, in
// place; its tasks without a side join the search. Other clusters stay as they are.
func part(list []candidate) {
	sides := map[string]map[bench.Split]string{} // keyed by cluster: the smallest id of each side
	for _, c := range list {
		if c.task.Split == "" {
			continue
		}
		if sides[c.cluster] == nil {
			sides[c.cluster] = map[bench.Split]string{}
		}
		if id, ok := sides[c.cluster][c.task.Split]; !ok || c.task.ID < id {
			sides[c.cluster][c.task.Split] = c.task.ID
		}
	}
	for i := range list {
		c := &list[i]
		of := sides[c.cluster]
		if len(of) < 2 {
			continue
		}
		if c.task.Split == "" {
			c.task.Split = bench.Search
			of[bench.Search] = min(of[bench.Search], c.task.ID)
		}
	}
	for i := range list {
		if of := sides[list[i].cluster]; len(of) > 1 {
			list[i].cluster = of[list[i].task.Split]
		}
	}
}

// known counts the tasks that are in the suite already.
func (e Existing) known(tasks []bench.Task) int {
	ids := make(map[string]bool, len(e))
	for _, t := range e {
		ids[t.ID] = true
	}
	n := 0
	for _, t := range tasks {
		if ids[t.ID] {
			n++
		}
	}
	return n
}
