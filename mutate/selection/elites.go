package selection

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

const (
	// islands is the number of parallel populations.
	islands = 4
	// leaning is the minimum amount, in score units, by which a candidate's gain in its
	// best domain must exceed its mean gain. Otherwise that domain does not count as the
	// candidate's profile.
	leaning = 0.05
)

// bands returns the bounds of the cells in cost and in latency, as ratios to the champion's
// cost and latency. They do not depend on the candidates.
func bands() []float64 { return []float64{0.5, 0.9, 1.1, 2} }

// cell is a kind of candidate: its bands of cost and of latency, each −1 if unknown, and
// its strongest domain, −1 if there is none.
type cell struct{ cost, latency, domain int }

// describe returns a description of the cell; names are the names of its three dimensions.
func (c cell) describe(names [3]string) string {
	out := make([]string, len(names))
	for i, n := range []int{c.cost, c.latency, c.domain} {
		if out[i] = names[i] + " –"; n >= 0 {
			out[i] = fmt.Sprint(names[i], " ", n)
		}
	}
	return strings.Join(out, ", ")
}

func compareCells(a, b cell) int {
	return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.latency, b.latency), cmp.Compare(a.domain, b.domain))
}

// mapElites draws an island and then one of its cells, and selects the best candidate of
// the cell (Mouret and Clune 2015, with the islands of FunSearch, Romera-Paredes et al.
// 2024). A candidate belongs to the island of its first parent. A candidate without a first
// parent other than the champion is a founder, and belongs to the island given by its
// number. The champion belongs to all islands, and the best candidate of each island also
// belongs to the next island, as a migrant.
func mapElites(list []Candidate, _ Budget, rng *rand.Rand) (int, string) {
	homes := homesOf(list)
	here := rng.IntN(islands)
	before := (here + islands - 1) % islands
	migrant := highest(len(list), func(i int) float64 {
		if i == 0 || homes[i] != before || list[i].Evaluations <= 0 {
			return math.Inf(-1)
		}
		return list[i].Mean
	}, rng)
	at, k, of, cells := elite(list, func(i int) bool { return i == migrant || homes[i] == here }, rng)
	moved := ""
	if at == migrant {
		moved = ", a migrant"
	}
	return at, fmt.Sprintf("map_elites: %s%s, best of %d in cell (%s), one of %d cells of island %d",
		who(list, at), moved, of, k.describe([3]string{"cost", "latency", "domain"}), cells, here)
}

// elites selects a candidate as mapElites does, but from a list whose candidates form one
// island of a population of programs.
func elites(list []Candidate, _ Budget, rng *rand.Rand) (int, string) {
	at, k, of, cells := elite(list, func(int) bool { return true }, rng)
	return at, fmt.Sprintf("map_elites: %s, best of %d in cell (%s), one of %d cells",
		who(list, at), of, k.describe([3]string{"size", "time", "cases"}), cells)
}

// elite draws a cell from those of the champion and of the evaluated candidates for which
// the function here returns true. It returns the best candidate of that cell, the cell
// itself, the number of its members, and the number of cells to draw from.
func elite(list []Candidate, here func(i int) bool, rng *rand.Rand) (at int, k cell, of, drawn int) {
	cells := map[cell][]int{}
	var order []cell
	for i, c := range list {
		if i != 0 && (!here(i) || c.Evaluations <= 0) {
			continue
		}
		k := cellOf(c, list[0])
		if cells[k] == nil {
			order = append(order, k)
		}
		cells[k] = append(cells[k], i)
	}
	slices.SortFunc(order, compareCells)
	k = order[rng.IntN(len(order))]
	members := cells[k]
	return members[highest(len(members), func(i int) float64 { return list[members[i]].Mean }, rng)], k, len(members), len(order)
}

// homesOf returns the island of every candidate. All descendants of a founder are on the
// same island.
func homesOf(list []Candidate) []int {
	homes := make([]int, len(list))
	for i := range homes {
		homes[i] = -1
	}
	homes[0] = 0 // arbitrary: the champion is on all islands
	for i := range list {
		var path []int
		at := i
		for homes[at] < 0 {
			path = append(path, at)
			above := parents(list, at)
			if len(above) == 0 || above[0] == 0 || len(path) > len(list) {
				homes[at] = ((list[at].Number % islands) + islands) % islands
				break
			}
			at = above[0]
		}
		for _, p := range path {
			homes[p] = homes[at]
		}
	}
	return homes
}

func cellOf(c, champion Candidate) cell {
	return cell{band(c.Cost, champion.Cost), band(c.Latency, champion.Latency), profile(c.Domains, champion.Domains)}
}

func band(v, reference float64) int {
	if !(v > 0 && reference > 0) {
		return -1
	}
	at, _ := slices.BinarySearch(bands(), v/reference)
	return at
}

// profile returns the domain in which a candidate gains most over the champion, or −1 if
// its gains are about equal in all domains in which both it and the champion have scores.
func profile(domains, champion []float64) int {
	best, top, sum, n := -1, math.Inf(-1), 0.0, 0.0
	for d := range min(len(domains), len(champion)) {
		gain := domains[d] - champion[d]
		if math.IsNaN(gain) {
			continue
		}
		if sum, n = sum+gain, n+1; gain > top {
			best, top = d, gain
		}
	}
	if n == 0 || top-sum/n < leaning {
		return -1
	}
	return best
}
