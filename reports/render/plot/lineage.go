package plot

import (
	"slices"
	"strings"

	"evolve/reports/number"
)

// Lineage shows the origin of a variant: first the variant itself, then the ancestors from
// which it was bred.
type Lineage []LineageNode

// LineageNode is one variant. Own marks the champion.
type LineageNode struct {
	Name, Words string
	Parents     []string
	Own         bool
}

// lineageNodes is the maximum number of variants that are drawn.
const lineageNodes = 24

// describe returns a description of the lineage in words.
func (l Lineage) describe() string {
	if len(l) == 0 {
		return "The origin is not known."
	}
	words := make([]string, 0, len(l))
	for _, n := range l[:min(len(l), lineageNodes)] {
		s := n.Words
		if len(n.Parents) > 0 {
			s += ", from " + strings.Join(n.Parents, " and ")
		}
		words = append(words, s)
	}
	return strings.Join(words, "; ") + "."
}

// Draw draws the picture. The variant is at the top, and each ancestor is in the row below
// the last of the variants that were bred from it.
func (l Lineage) Draw() Picture {
	const step, top = 28.0, 14.0
	nodes := l[:min(len(l), lineageNodes)]
	index := map[string]int{}
	for i, n := range nodes {
		index[bare(n.Name)] = i
	}
	depth := make([]int, len(nodes))
	for range nodes { // no line of descent is longer than this, and a cycle must end
		for i, n := range nodes {
			for _, p := range n.Parents {
				if j, ok := index[p]; ok && depth[j] <= depth[i] && depth[i]+1 < len(nodes) {
					depth[j] = depth[i] + 1
				}
			}
		}
	}
	deepest := 0
	if len(depth) > 0 {
		deepest = slices.Max(depth)
	}
	g := newPicture("Where the variant comes from", l.describe(), top+step*float64(deepest)+22)
	if len(nodes) == 0 {
		return g
	}
	count, seen := map[int]int{}, map[int]int{}
	for _, d := range depth {
		count[d]++
	}
	x, y := make([]float64, len(nodes)), make([]float64, len(nodes))
	for i, d := range depth {
		room := (width - 24) / float64(count[d])
		x[i], y[i] = 12+room*float64(seen[d]), top+step*float64(d)
		seen[d]++
	}
	for i, n := range nodes {
		for _, p := range n.Parents {
			if j, ok := index[p]; ok {
				g.line("axis", x[i], y[i], x[j], y[j], "")
			}
		}
	}
	for i, n := range nodes {
		if n.Own {
			g.diamond("mark better", x[i], y[i], 7, 7, n.Words)
		} else {
			g.circle("mark", x[i], y[i], 5, n.Words)
		}
		if room := (width - 24) / float64(count[depth[i]]); room > 44 {
			g.text("label", "", x[i]+11, y[i]+4, n.Name)
		}
	}
	if more := len(l) - len(nodes); more > 0 {
		g.text("tick", "end", width-12, top+step*float64(deepest)+18, number.Count(more)+" more")
	}
	return g
}

// bare returns the part of a node's name before the first comma.
func bare(name string) string {
	name, _, _ = strings.Cut(name, ",")
	return name
}
