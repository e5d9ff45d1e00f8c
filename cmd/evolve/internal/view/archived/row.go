package archived

import (
	"cmp"
	"slices"

	"evolve/bench"
	"evolve/cmd/evolve/internal/view"
)

// cell sums up the scores of a variant on a task in one run.
type cell struct {
	task                  int32
	runs, passed, missing uint16
	sum                   float32
	// first and last are the lowest and the highest sequence number of the cell's
	// evaluations.
	first, last int64
}

func cellOf(task int32, e *bench.Evaluation) cell {
	c := cell{task: task, first: e.Seq, last: e.Seq}
	switch {
	case !e.Scored:
		c.missing = 1
	case e.Pass:
		c.passed = 1
		fallthrough
	default:
		c.runs, c.sum = 1, float32(e.Score)
	}
	return c
}

func (c *cell) merge(d cell) {
	c.runs, c.passed, c.missing = plus(c.runs, d.runs), plus(c.passed, d.passed), plus(c.missing, d.missing)
	c.sum += d.sum
	c.first, c.last = min(c.first, d.first), max(c.last, d.last)
}

// plus adds two counts without overflow: the sum is at most the maximum count.
func plus(a, b uint16) uint16 { return uint16(min(uint32(a)+uint32(b), 1<<16-1)) }

func (c cell) mean() float64 { return float64(c.sum) / float64(c.runs) }

func (c cell) shown() view.Cell {
	out := view.Cell{Runs: int(c.runs), Passed: int(c.passed), Missing: int(c.missing)}
	if c.runs > 0 {
		out.Score = c.mean()
	}
	return out
}

// row holds the cells of a variant. tidy is the number of cells at the beginning that are
// sorted by task; the other cells are in the order of arrival.
type row struct {
	cells []cell
	tidy  int
}

// add adds a cell. Whenever the row's length has about doubled, its cells are sorted and
// merged by task, so that its length is bounded by the number of its tasks.
func (r *row) add(c cell) {
	r.cells = append(r.cells, c)
	if len(r.cells) > 2*r.tidy+32 {
		r.sorted()
	}
}

// sorted returns one cell for each task, sorted by task.
func (r *row) sorted() []cell {
	if r.tidy < len(r.cells) {
		r.cells = joined(r.cells)
		r.tidy = len(r.cells)
	}
	return r.cells
}

// joined sorts cells by task and merges those of the same task, in place.
func joined(cells []cell) []cell {
	slices.SortStableFunc(cells, func(a, b cell) int { return cmp.Compare(a.task, b.task) })
	out := cells[:0]
	for _, c := range cells {
		if n := len(out); n > 0 && out[n-1].task == c.task {
			out[n-1].merge(c)
			continue
		}
		out = append(out, c)
	}
	return out
}

// at returns the cell of a task in sorted cells, or the zero cell if there is none.
func at(cells []cell, task int32) cell {
	if i, ok := slices.BinarySearchFunc(cells, task, func(c cell, task int32) int { return cmp.Compare(c.task, task) }); ok {
		return cells[i]
	}
	return cell{}
}
