package archived

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"evolve/cmd/evolve/internal/view"
)

// Window is [view.Source.Window].
func (s *Source) Window(ctx context.Context, agentID string, q view.Query) (view.Window, error) {
	x, err := s.indexOf(ctx, agentID)
	if err != nil {
		return view.Window{}, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	columns, rows := x.columns(q), x.rows(q)
	w := view.Window{Rows: len(rows), Columns: len(columns), Variants: []view.Row{}, Tasks: []view.Task{}, Total: x.total, Unweighted: x.unweighted}
	for _, p := range x.parts {
		w.Read += p.read
	}
	rows, w.Offset = span(rows, q.Offset, q.Limit, view.MaxRows)
	columns, w.Column = span(columns, q.Column, q.Columns, view.MaxColumns)
	for _, i := range columns {
		w.Tasks = append(w.Tasks, x.tasks[i])
	}
	sums := x.summary()
	for _, i := range rows {
		w.Variants = append(w.Variants, x.rowOf(i, sums[i], columns))
	}
	return w, nil
}

// span returns the entries of a list that start at an offset: at most n entries, and never
// more than the given maximum (most). It also returns the offset, adjusted to lie within
// the list.
func span(list []int32, offset, n, most int) ([]int32, int) {
	offset = max(0, min(offset, len(list)))
	n = max(0, min(n, most, len(list)-offset))
	return list[offset : offset+n], offset
}

func (x *index) rowOf(i int32, s sum, columns []int32) view.Row {
	v := x.variants[i]
	r := view.Row{Number: v.number, ID: string(v.id), Operator: v.operator, Evaluations: s.evaluations, Cells: make([]view.Cell, 0, len(columns))}
	if s.searchTasks > 0 {
		r.Search = &s.search
	}
	if s.holdoutTasks > 0 {
		r.Holdout = &s.holdout
	}
	cells := x.cells(i)
	for _, task := range columns {
		r.Cells = append(r.Cells, at(cells, task).shown())
	}
	return r
}

// columns returns the tasks that a query selects: search tasks before holdout tasks, each
// sorted by id.
func (x *index) columns(q view.Query) []int32 {
	words := strings.Fields(strings.ToLower(q.Tasks))
	var out []int32
	for i, t := range x.tasks {
		if (q.Split == "" || q.Split == t.Split) && hasAll(strings.ToLower(t.ID+" "+t.Domain), words) {
			out = append(out, int32(i))
		}
	}
	slices.SortFunc(out, func(a, b int32) int {
		one, two := x.tasks[a], x.tasks[b]
		return cmp.Or(-cmp.Compare(one.Split, two.Split), cmp.Compare(one.ID, two.ID)) // search, holdout
	})
	return out
}

// rows returns the variants that a query selects, in the query's order.
func (x *index) rows(q view.Query) []int32 {
	words := strings.Fields(strings.ToLower(q.Text))
	var out []int32
	for i := range x.variants {
		if hasAll(x.variants[i].words, words) {
			out = append(out, int32(i))
		}
	}
	value := x.valueOf(q.Sort)
	keys := make([]float64, len(x.variants))
	for _, i := range out {
		keys[i] = value(i)
	}
	slices.SortFunc(out, func(a, b int32) int {
		one, two := keys[a], keys[b]
		order := cmp.Compare(one, two)
		switch {
		case math.IsNaN(one) && math.IsNaN(two):
			order = 0
		case math.IsNaN(one):
			return 1
		case math.IsNaN(two):
			return -1
		case q.Descending:
			order = -order
		}
		return cmp.Or(order, cmp.Compare(x.variants[a].number, x.variants[b].number))
	})
	return out
}

// valueOf returns a function that returns the value by which a key sorts a variant, or NaN
// for a variant without a value.
func (x *index) valueOf(key string) func(int32) float64 {
	if id, ok := strings.CutPrefix(key, view.SortTask); ok {
		task, known := x.taskAt[id]
		return func(i int32) float64 {
			if c := at(x.cells(i), task); known && c.runs > 0 {
				return c.mean()
			}
			return math.NaN()
		}
	}
	sums := x.summary()
	switch key {
	case view.SortSearch:
		return func(i int32) float64 { return meanOf(sums[i].search, sums[i].searchTasks) }
	case view.SortHoldout:
		return func(i int32) float64 { return meanOf(sums[i].holdout, sums[i].holdoutTasks) }
	case view.SortEvaluations:
		return func(i int32) float64 { return float64(sums[i].evaluations) }
	}
	return func(i int32) float64 { return float64(x.variants[i].number) }
}

func meanOf(mean float64, tasks int) float64 {
	if tasks == 0 {
		return math.NaN()
	}
	return mean
}

// hasAll reports whether a text contains each of the words.
func hasAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}
