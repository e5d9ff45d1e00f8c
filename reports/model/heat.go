package model

import (
	"cmp"
	"slices"
	"strings"

	"evolve/reports/number"
	"evolve/runtime/agent"
)

// Heat holds the mean scores of the champion, the headline's variant and the other listed
// variants on the search tasks. The hardest task comes last.
type Heat struct {
	// Columns names the tasks or, if there are more than [mostColumns] tasks, groups of
	// neighbouring tasks.
	Columns []string  `json:"columns"`
	Rows    []HeatRow `json:"rows"`
}

// HeatRow holds the scores of one variant, one for each column; a score is nil if the
// variant was not evaluated on the column's tasks.
type HeatRow struct {
	Variant Ref        `json:"variant"`
	Scores  []*float64 `json:"scores"`
}

// mostColumns is the maximum number of columns of a [Heat].
const mostColumns = 60

// heat fills in the scores of the variants that the report names.
func (b *builder) heat() error {
	t := b.tally.tried
	ids := []agent.ConfigID{b.plan.Champion}
	add := func(id agent.ConfigID) {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if b.headline >= 0 {
		add(b.result.Finalist[b.headline].Variant)
	}
	for _, r := range b.out.Rejected {
		add(r.Variant.ID)
	}
	type sum struct{ score, n float64 }
	byTask := map[agent.ConfigID]map[string]sum{}
	all := map[string]sum{}
	for _, id := range ids {
		for _, one := range t.variants[id].ablated() {
			if byTask[id] == nil {
				byTask[id] = map[string]sum{}
			}
			name := t.tasks[one.task]
			s, a := byTask[id][name], all[name]
			byTask[id][name], all[name] = sum{s.score + one.score, s.n + 1}, sum{a.score + one.score, a.n + 1}
		}
	}
	if len(byTask) < 2 || len(all) < 2 {
		return nil
	}
	names := sortedKeys(all)
	slices.SortStableFunc(names, func(x, y string) int {
		return cmp.Or(cmp.Compare(all[y].score/all[y].n, all[x].score/all[x].n), strings.Compare(x, y))
	})
	columns := min(len(names), mostColumns)
	groups := make([][]string, columns)
	out := &Heat{}
	for i := range groups {
		groups[i] = names[i*len(names)/columns : (i+1)*len(names)/columns]
		label := clip(groups[i][0], MaxValue)
		if n := len(groups[i]); n > 1 {
			label += " and " + number.Plural(n-1, "more task")
		}
		out.Columns = append(out.Columns, label)
	}
	for _, id := range ids {
		if byTask[id] == nil {
			continue
		}
		row := HeatRow{Variant: b.ref(id)}
		for _, g := range groups {
			var total sum
			for _, name := range g {
				s := byTask[id][name]
				total = sum{total.score + s.score, total.n + s.n}
			}
			var mean *float64
			if total.n > 0 {
				m := total.score / total.n
				mean = &m
			}
			row.Scores = append(row.Scores, mean)
		}
		out.Rows = append(out.Rows, row)
	}
	b.out.Heat = out
	return nil
}
