package real

import (
	"math"
	"slices"
	"sort"
	"sync"
)

// posting is a text, or in the list of a text a feature, with the feature's count in it.
type posting struct {
	id    int32
	count float32
}

// index is an inverted index of texts. It is safe for concurrent use.
type index struct {
	terms map[string]int32
	// postings are the texts of each feature, and texts the features of each text.
	postings, texts [][]posting
	// lengths are the numbers of features of the texts, mean is their mean, and total their
	// sum; totals are the counts of the features in all texts.
	lengths, totals []float64
	mean, total     float64

	norms sync.Map // of scale to []float64
}

// newIndex indexes texts, each given as its features.
func newIndex(texts int, features func(int) []string) *index {
	return (&index{terms: map[string]int32{}}).like(texts, features)
}

// like indexes texts with the features numbered as in x, which must have all of them unless
// it is empty.
func (x *index) like(texts int, features func(int) []string) *index {
	n := len(x.terms)
	x = &index{terms: x.terms, postings: make([][]posting, n), totals: make([]float64, n), texts: make([][]posting, texts), lengths: make([]float64, texts)}
	for id := range texts {
		list := features(id)
		x.texts[id] = x.count(list, true)
		x.lengths[id] = float64(len(list))
		x.total += x.lengths[id]
		for _, p := range x.texts[id] {
			x.postings[p.id] = append(x.postings[p.id], posting{int32(id), p.count})
			x.totals[p.id] += float64(p.count)
		}
	}
	x.mean = x.total / math.Max(1, float64(texts))
	return x
}

// count returns the distinct features with their counts, in the order of their first
// occurrence. Unknown ones are added or left out.
func (x *index) count(features []string, add bool) []posting {
	var list []posting
	place := map[int32]int{}
	for _, f := range features {
		id, known := x.terms[f]
		if !known {
			if !add {
				continue
			}
			id = int32(len(x.terms))
			x.terms[f] = id
			x.postings, x.totals = append(x.postings, nil), append(x.totals, 0)
		}
		at, seen := place[id]
		if !seen {
			at = len(list)
			place[id], list = at, append(list, posting{id: id})
		}
		list[at].count++
	}
	return list
}

// scale is a weighting of features: how a count acts, and the exponent of the inverse
// document frequency.
type scale struct {
	counts string // "raw", "binary" or "log"
	rarity float64
}

func (s scale) of(count float32) float64 {
	switch s.counts {
	case "binary":
		return 1
	case "log":
		return 1 + math.Log(float64(count))
	}
	return float64(count)
}

// idf returns the inverse document frequency of a feature, ln(1 + N/n).
func (x *index) idf(term int32) float64 {
	return math.Log1p(float64(len(x.texts)) / float64(len(x.postings[term])))
}

// norm returns the Euclidean norms of the texts under a scale.
func (x *index) norm(s scale) []float64 {
	if kept, ok := x.norms.Load(s); ok {
		return kept.([]float64)
	}
	norms := make([]float64, len(x.texts))
	for term, list := range x.postings {
		w := math.Pow(x.idf(int32(term)), s.rarity)
		for _, p := range list {
			norms[p.id] += w * w * s.of(p.count) * s.of(p.count)
		}
	}
	for i := range norms {
		norms[i] = math.Sqrt(norms[i])
	}
	x.norms.Store(s, norms)
	return norms
}

// cosines returns the cosine similarity of a text, as counted by the index, to each of the
// index's texts.
func (x *index) cosines(text []posting, s scale) []float64 {
	norms, sums, own := x.norm(s), make([]float64, len(x.texts)), 0.0
	for _, q := range text {
		w := math.Pow(x.idf(q.id), s.rarity)
		weight := w * s.of(q.count)
		own += weight * weight
		for _, p := range x.postings[q.id] {
			sums[p.id] += weight * w * s.of(p.count)
		}
	}
	for i := range sums {
		if sums[i] > 0 {
			sums[i] /= norms[i] * math.Sqrt(own)
		}
	}
	return sums
}

// top returns the places of the k highest values other than 0, the highest first, and of
// equal values the first ones.
func top(values []float64, k int) []int32 {
	var best []int32
	for i, x := range values {
		if x == 0 || len(best) == k && x <= values[best[k-1]] {
			continue
		}
		at := sort.Search(len(best), func(j int) bool { return values[best[j]] < x })
		best = slices.Insert(best, at, int32(i))
		best = best[:min(len(best), k)]
	}
	return best
}

// lazily makes values by key, each once. It is safe for concurrent use.
type lazily[K comparable, V any] struct {
	mu   sync.Mutex
	made map[K]func() V
}

func (l *lazily[K, V]) get(key K, make func() V) V {
	l.mu.Lock()
	if l.made == nil {
		l.made = map[K]func() V{}
	}
	if l.made[key] == nil {
		l.made[key] = sync.OnceValue(make)
	}
	of := l.made[key]
	l.mu.Unlock()
	return of()
}
