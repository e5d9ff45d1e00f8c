package irt

import "slices"

// Cell sums the scores of a config on one task. Counts and sums are fractional if an
// evaluation has a weight below one. Task and Squares have small types because a long
// search stores a million cells; Squares can be imprecise, because only the dispersion
// depends on it.
type Cell struct {
	Task    int32
	Squares float32
	N, Sum  float64
}

// Add adds a score with a weight.
func (c *Cell) Add(score, weight float64) {
	c.N += weight
	c.Sum += weight * score
	c.Squares += float32(weight * score * score)
}

// Merge returns the cells of two lists added up task by task. The lists and the result are
// in task order, and neither list is changed.
func Merge(a, b []Cell) []Cell {
	out := make([]Cell, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].Task < b[0].Task:
			out, a = append(out, a[0]), a[1:]
		case a[0].Task > b[0].Task:
			out, b = append(out, b[0]), b[1:]
		default:
			x, y := a[0], b[0]
			out, a, b = append(out, Cell{x.Task, x.Squares + y.Squares, x.N + y.N, x.Sum + y.Sum}), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// AddScore adds a score with a weight to the cell of a task in a list in task order.
func AddScore(cells []Cell, task int, score, weight float64) []Cell {
	at, found := Find(cells, int32(task))
	if !found {
		cells = slices.Insert(cells, at, Cell{Task: int32(task)})
	}
	cells[at].Add(score, weight)
	return cells
}

// Find returns the position of a task in a list in task order, and reports whether the list
// contains the task.
func Find(cells []Cell, task int32) (at int, found bool) {
	return slices.BinarySearchFunc(cells, task, func(c Cell, task int32) int { return int(c.Task) - int(task) })
}
