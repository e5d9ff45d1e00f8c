package bench

import (
	"cmp"
	"math"
	"slices"
)

// medoidRounds limits the number of rounds of [Medoids]; a few suffice.
const medoidRounds = 30

// Medoids returns the indexes of k tasks that represent all tasks: each other task belongs
// to the medoid with which it shares the most words, and the weighted sum of the distances
// is small. If weights is nil, all weights are 1. The indexes are ascending; if k is not
// less than the number of tasks, they are those of all tasks.
//
// The distance is 1 − the cosine of the vectors of words, in which each word is weighted by
// its rarity. The first choice is greedy, and each round then moves every medoid to the
// best position in its cluster. The time is quadratic in the number of tasks.
func Medoids(tasks []Task, weights []float64, k int) []int {
	all := make([]int, len(tasks))
	for i := range all {
		all[i] = i
	}
	if k >= len(tasks) {
		return all
	}
	if k <= 0 {
		return nil
	}
	m := newMedoidSearch(tasks, weights)
	chosen := m.greedy(k)
	for range medoidRounds {
		next := m.recentre(chosen)
		if slices.Equal(next, chosen) {
			break
		}
		chosen = next
	}
	return chosen
}

// medoidSearch holds the distances between tasks and the weights of the tasks.
type medoidSearch struct {
	n        int
	distance []float32 // n × n
	weight   []float64
}

func newMedoidSearch(tasks []Task, weights []float64) *medoidSearch {
	n := len(tasks)
	m := &medoidSearch{n: n, distance: make([]float32, n*n), weight: weights}
	if weights == nil {
		m.weight = slices.Repeat([]float64{1}, n)
	}
	vectors := wordVectors(tasks)
	for i := range n {
		for j := range i {
			d := float32(max(0, 1-product(vectors[i], vectors[j])))
			m.distance[i*n+j], m.distance[j*n+i] = d, d
		}
	}
	return m
}

func (m *medoidSearch) between(i, j int) float64 { return float64(m.distance[i*m.n+j]) }

// greedy chooses k tasks, each time the one that reduces the sum of the distances the most.
func (m *medoidSearch) greedy(k int) []int {
	nearest := slices.Repeat([]float64{1}, m.n) // no distance is above 1
	chosen := make([]int, 0, k)
	for range k {
		best, most := -1, -1.
		for i := range m.n {
			if slices.Contains(chosen, i) {
				continue
			}
			gain := 0.
			for j := range m.n {
				gain += m.weight[j] * max(0, nearest[j]-m.between(i, j))
			}
			if gain > most {
				best, most = i, gain
			}
		}
		chosen = append(chosen, best)
		for j := range m.n {
			nearest[j] = min(nearest[j], m.between(best, j))
		}
	}
	slices.Sort(chosen)
	return chosen
}

// recentre moves each medoid to the task of its cluster with the smallest sum of distances.
func (m *medoidSearch) recentre(chosen []int) []int {
	clusters := make([][]int, len(chosen))
	for i := range m.n {
		at := 0
		for c, j := range chosen {
			if i == j {
				at = c
				break
			}
			if m.between(i, j) < m.between(i, chosen[at]) {
				at = c
			}
		}
		clusters[at] = append(clusters[at], i)
	}
	out := make([]int, len(chosen))
	for c, members := range clusters {
		out[c] = chosen[c]
		least := m.spread(chosen[c], members)
		for _, i := range members {
			if s := m.spread(i, members); s < least {
				out[c], least = i, s
			}
		}
	}
	slices.Sort(out)
	return out
}

func (m *medoidSearch) spread(i int, members []int) float64 {
	sum := 0.
	for _, j := range members {
		sum += m.weight[j] * m.between(i, j)
	}
	return sum
}

// wordWeight is one component of the vector of a text.
type wordWeight struct {
	word   int
	weight float64
}

// wordVectors returns the vectors of the tasks' words, of length 1 and sorted by word. A
// word is weighted by 1 + log(tasks / tasks that have it), so that a common word still
// counts a little.
func wordVectors(tasks []Task) [][]wordWeight {
	numbers := map[string]int{}
	var having []int
	sets := make([][]int, len(tasks))
	for i := range tasks {
		seen := map[int]bool{}
		words := wordsOf(tasks[i].text())
		for _, w := range words[:min(len(words), alignWords)] {
			n, ok := numbers[w]
			if !ok {
				n = len(having)
				numbers[w], having = n, append(having, 0)
			}
			if !seen[n] {
				seen[n] = true
				having[n]++
				sets[i] = append(sets[i], n)
			}
		}
	}
	out := make([][]wordWeight, len(tasks))
	for i, set := range sets {
		length := 0.
		for _, n := range set {
			w := 1 + math.Log(float64(len(tasks))/float64(having[n]))
			out[i] = append(out[i], wordWeight{n, w})
			length += w * w
		}
		for k := range out[i] {
			out[i][k].weight /= math.Sqrt(length)
		}
		slices.SortFunc(out[i], func(a, b wordWeight) int { return cmp.Compare(a.word, b.word) })
	}
	return out
}

// product returns the scalar product of two vectors.
func product(a, b []wordWeight) float64 {
	sum := 0.
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].word == b[j].word:
			sum += a[i].weight * b[j].weight
			i++
			j++
		case a[i].word < b[j].word:
			i++
		default:
			j++
		}
	}
	return sum
}
