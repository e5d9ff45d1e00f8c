package real

import (
	"math"
	"slices"
	"sort"
	"sync"
)

// posting is an entry in an index. Its id identifies a text or, in the list of a text's
// features, a feature. count is the number of times that the feature occurs in the text.
type posting struct {
	id    int32
	count float32
}

// index is an inverted index of texts. It is safe for concurrent use.
type index struct {
	terms map[string]int32
	// postings lists the texts that contain each feature, and texts lists the features of
	// each text.
	postings, texts [][]posting
	// lengths holds the number of features in each text; mean is the mean of these numbers
	// and total is their sum. totals holds the count of each feature over all texts.
	lengths, totals []float64
	mean, total     float64

	norms sync.Map // maps a scale to a []float64
}

// newIndex returns an index of texts, each of which is given by its features.
func newIndex(texts int, features func(int) []string) *index {
	return (&index{terms: map[string]int32{}}).like(texts, features)
}

// like returns an index of other texts. The features have the same numbers in this index
// as in x. Unless x is empty, x must have all features of these texts.
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
// occurrence. Features that are not in the index are added to it if add is set, and left
// out otherwise.
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

// scale is a weighting of features: the way in which a count is transformed, and the
// exponent of the inverse document frequency.
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

// norm returns the Euclidean norm of each text under a scale.
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

// cosines returns the cosine similarity between a text, given as its counted features, and
// each text in the index.
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

// top returns the positions of the k highest nonzero values, highest first. Equal values
// keep their order, and the earlier ones are preferred.
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

// lazily creates a value for each key on first use, and only once. It is safe for
// concurrent use.
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
