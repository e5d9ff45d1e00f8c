package plot

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"evolve/reports/number"
	"evolve/runtime/text"
)

// Slope shows how the scores of tasks changed, with a line from each task's score with the
// champion to its score with the variant. Tasks with the same two scores share a line whose
// width shows the number of tasks, so that 500 tasks are as legible as 10.
type Slope struct {
	Left, Right string
	Tasks       []SlopeTask
}

// SlopeTask is one task's two scores, in [0,1].
type SlopeTask struct {
	Name          string
	Before, After float64
}

// describe returns a description of the changes in words.
func (s Slope) describe() string {
	count := map[string]int{}
	for _, t := range s.Tasks {
		count[changeOf(t.Before, t.After)]++
	}
	return fmt.Sprintf("Of %d tasks, %d score higher with the variant, %d lower, %d the same.", len(s.Tasks), count["better"], count["worse"], count["same"])
}

// changeOf returns the class of a change in a score.
func changeOf(before, after float64) string { return kindOf(after-before, after-before) }

// bundle is a group of tasks with the same two scores.
type bundle struct {
	before, after float64
	names         []string
}

// lanes is the number of steps in the grid to which scores are rounded if the number of
// bundles exceeds the limit crowded. named is the maximum number of tasks whose names are
// listed.
const (
	lanes   = 20
	crowded = 60
	named   = 6
)

func (s Slope) bundles() []bundle {
	group := func(round func(float64) float64) []bundle {
		found := map[[2]float64]int{}
		var out []bundle
		for _, t := range s.Tasks {
			if !finite(t.Before, t.After) {
				continue
			}
			k := [2]float64{round(t.Before), round(t.After)}
			i, ok := found[k]
			if !ok {
				i = len(out)
				found[k] = i
				out = append(out, bundle{before: k[0], after: k[1]})
			}
			out[i].names = append(out[i].names, t.Name)
		}
		return out
	}
	out := group(func(v float64) float64 { return math.Round(v*1e6) / 1e6 })
	if len(out) > crowded {
		out = group(func(v float64) float64 { return math.Round(v*lanes) / lanes })
	}
	// Unchanged bundles are drawn first. Bundles whose scores fell are drawn last, on top
	// of the others, because they matter most.
	rank := func(b bundle) int {
		return slices.Index([]string{"same", "better", "worse"}, changeOf(b.before, b.after))
	}
	slices.SortFunc(out, func(a, b bundle) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.before, b.before), cmp.Compare(a.after, b.after))
	})
	return out
}

// Draw draws the picture.
func (s Slope) Draw() Picture {
	const left, right, top, bottom = 92.0, width - 92, 34.0, 220.0
	y := linear{0, 1, bottom, top}
	g := newPicture("Every holdout task, before and after", s.describe(), bottom+16)
	for _, v := range []float64{0, .25, .5, .75, 1} {
		g.line("grid", left, y.at(v), right, y.at(v), "")
	}
	g.line("axis", left, top-6, left, bottom+6, "")
	g.line("axis", right, top-6, right, bottom+6, "")
	g.text("label", "middle", left, 16, text.Clip(s.Left, 14, text.Runes, text.Ellipsis))
	g.text("label", "middle", right, 16, text.Clip(s.Right, 14, text.Runes, text.Ellipsis))
	most := 1
	bundles := s.bundles()
	for _, b := range bundles {
		most = max(most, len(b.names))
	}
	starts, ends := map[float64]int{}, map[float64]int{}
	for _, b := range bundles {
		n := len(b.names)
		starts[b.before] += n
		ends[b.after] += n
		words := fmt.Sprintf("%s → %s: %s", number.Score(b.before), number.Score(b.after), names(b.names))
		g.line("slope "+changeOf(b.before, b.after), left, y.at(b.before), right, y.at(b.after), words)
		g.Marks[len(g.Marks)-1].Width = pos(1.5 + 8*math.Sqrt(float64(n)/float64(len(s.Tasks)))*float64(min(most, 12)-1)/11)
	}
	g.counts(starts, y, left-10, "end")
	g.counts(ends, y, right+10, "")
	return g
}

// counts writes the number of tasks next to each score, if there is room.
func (f *Picture) counts(at map[float64]int, y linear, x float64, anchor string) {
	values := slices.Collect(maps.Keys(at))
	// Larger counts come first, so that they are written if there is not enough room for
	// all.
	slices.SortFunc(values, func(a, b float64) int { return cmp.Or(cmp.Compare(at[b], at[a]), cmp.Compare(a, b)) })
	var taken []float64
	for _, v := range values {
		p := y.at(v)
		if slices.ContainsFunc(taken, func(q float64) bool { return math.Abs(p-q) < 15 }) {
			continue
		}
		taken = append(taken, p)
		f.text("tick", anchor, x, p+4, fmt.Sprintf("%s × %d", number.Score(v), at[v]))
	}
}

// names joins the first names of a list and states how many more there are.
func names(list []string) string {
	if len(list) <= named {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:named], ", "), len(list)-named)
}
