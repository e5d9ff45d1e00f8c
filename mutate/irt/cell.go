package irt

import "slices"

// Cell sums the scores of a config on one task. Counts and sums are fractional where an
// evaluation has a weight below one.
type Cell struct {
	Task            int
	N, Sum, Squares float64
}

// Add adds a score with a weight.
func (c *Cell) Add(score, weight float64) {
	c.N += weight
	c.Sum += weight * score
	c.Squares += weight * score * score
}

// Merge adds two lists in the order of their tasks. It changes neither.
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
			out, a, b = append(out, Cell{x.Task, x.N + y.N, x.Sum + y.Sum, x.Squares + y.Squares}), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// AddScore adds a score with a weight to the cell of a task in a list in order of tasks.
func AddScore(cells []Cell, task int, score, weight float64) []Cell {
	at, found := slices.BinarySearchFunc(cells, task, func(c Cell, task int) int { return c.Task - task })
	if !found {
		cells = slices.Insert(cells, at, Cell{Task: task})
	}
	cells[at].Add(score, weight)
	return cells
}
