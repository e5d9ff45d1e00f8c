package selection

// credit adds the values of every candidate to its ancestors, multiplied by gamma at each
// step up. Afterwards values[i] is the weighted sum over i and its descendants. A child
// with two parents gives half to each, so no generation gets more than gamma times the
// values of the generation below it. credit makes one pass from the youngest candidates up,
// in time linear in the number of parents. Candidates in a cycle, which no lineage has,
// contribute nothing.
func credit(list []Candidate, gamma float64, values ...[]float64) {
	waits := make([]int, len(list)) // number of children not yet credited
	for i := range list {
		for _, p := range parents(list, i) {
			waits[p]++
		}
	}
	ready := make([]int, 0, len(list))
	for i, n := range waits {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		above := parents(list, i)
		for _, p := range above {
			for _, v := range values {
				v[p] += gamma / float64(len(above)) * v[i]
			}
			if waits[p]--; waits[p] == 0 {
				ready = append(ready, p)
			}
		}
	}
}

// parents returns the parents of a candidate that are in the list, except the candidate
// itself.
func parents(list []Candidate, i int) []int {
	for k, p := range list[i].Parents {
		if p >= 0 && p < len(list) && p != i {
			continue
		}
		kept := append([]int(nil), list[i].Parents[:k]...)
		for _, p := range list[i].Parents[k+1:] {
			if p >= 0 && p < len(list) && p != i {
				kept = append(kept, p)
			}
		}
		return kept
	}
	return list[i].Parents
}
