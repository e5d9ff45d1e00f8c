package memory

import (
	"maps"
	"math"
	"slices"
	"sync"

	"evolve/runtime/agent"
)

// The constants of BM25. They are the ones that Trotman, Puurula and Burgess ("Improvements
// to BM25 and Language Models Examined", 2014) and the Lucene baselines use for short
// texts: mild saturation and mild length normalisation.
const (
	k1 = 0.9
	b  = 0.4
)

// GlobalDomain is the domain of memories that apply to every domain; an entry without a
// domain belongs to it.
const GlobalDomain = "_global"

// Index is an immutable inverted index over memories. [Index.Extend] adds a small layer on
// top of a shared index, so every evaluation can add its own memories at a cost that does
// not depend on the size of the base.
type Index struct {
	lex  *Lexicon
	base *Index // the layer below; nil for the lowest of at most two layers

	entries []agent.Memory // the index's own entries, without retracted ones
	lengths []int32        // terms of each entry
	sets    [][]int32      // the distinct terms of each entry, sorted
	ids     map[string]int32
	lists   map[int32][]posting // of own entries

	hidden map[string]string // the reasons why entries are not recalled, by entry id; the entries may be in any layer

	firstEntry int   // number of entries below
	firstTerm  int32 // number of terms below
	total      int   // number of terms in all entries, including the entries of the base

	scratch *sync.Pool // holds *accumulator values, shared by the layers
}

// posting holds an entry that contains a term, and the number of times that the term occurs
// in it.
type posting struct {
	entry int32
	count int32
}

// accumulator sums scores; touched lists the entries that have a score.
type accumulator struct {
	scores  []float64
	touched []int32
}

// NewIndex builds an index. Entries are stored as given; retracted entries are left out.
func NewIndex(lex *Lexicon, entries []agent.Memory) *Index {
	x := &Index{lex: lex, scratch: &sync.Pool{New: func() any { return new(accumulator) }}}
	x.fill(entries)
	return x
}

// Extend returns an index over the entries of x and the given entries; x is unchanged.
func (x *Index) Extend(entries []agent.Memory) *Index {
	if len(entries) == 0 {
		return x
	}
	hidden := x.hidden
	if x.base != nil { // keep the index two layers deep
		entries = append(slices.Clip(x.entries), entries...)
		x = x.base
	}
	y := &Index{
		lex: x.lex, base: x, scratch: x.scratch, hidden: hidden,
		firstEntry: len(x.entries), firstTerm: int32(len(x.ids)), total: x.total,
	}
	y.fill(entries)
	return y
}

// Without returns an index that recalls everything in x except the memories whose ids are
// the keys of retracted, in any layer; x is unchanged. The values are the reasons. Without
// is cheap because the words of hidden entries still count in the statistics.
func (x *Index) Without(retracted map[string]string) *Index {
	if len(retracted) == 0 {
		return x
	}
	y := *x
	y.hidden = maps.Clone(retracted)
	maps.Copy(y.hidden, x.hidden)
	return &y
}

// visible reports whether an entry may be shown to a turn in a domain.
func (x *Index) visible(i int32, domain string) bool {
	m := x.entry(i)
	if m.Domain != "" && m.Domain != GlobalDomain && m.Domain != domain {
		return false
	}
	_, hidden := x.hidden[m.ID]
	return !hidden
}

func (x *Index) fill(entries []agent.Memory) {
	x.ids = make(map[string]int32)
	x.lists = make(map[int32][]posting)
	var terms []string
	var ids []int32
	for _, m := range entries {
		if m.Retracted != "" {
			continue
		}
		entry := int32(x.firstEntry + len(x.entries))
		terms = x.lex.Terms(terms[:0], m.Text)
		ids = ids[:0]
		for _, t := range terms {
			ids = append(ids, x.intern(t))
		}
		slices.Sort(ids)
		set := make([]int32, 0, len(ids))
		for i := 0; i < len(ids); {
			j := i
			for j < len(ids) && ids[j] == ids[i] {
				j++
			}
			set = append(set, ids[i])
			x.lists[ids[i]] = append(x.lists[ids[i]], posting{entry, int32(j - i)})
			i = j
		}
		x.entries = append(x.entries, m)
		x.lengths = append(x.lengths, int32(len(terms)))
		x.sets = append(x.sets, set)
		x.total += len(terms)
	}
}

func (x *Index) intern(term string) int32 {
	if id, ok := x.lookup(term); ok {
		return id
	}
	id := x.firstTerm + int32(len(x.ids))
	x.ids[term] = id
	return id
}

func (x *Index) lookup(term string) (int32, bool) {
	if x.base != nil {
		if id, ok := x.base.ids[term]; ok {
			return id, true
		}
	}
	id, ok := x.ids[term]
	return id, ok
}

// Len returns the number of entries, including hidden ones.
func (x *Index) Len() int { return x.firstEntry + len(x.entries) }

func (x *Index) entry(i int32) *agent.Memory {
	if int(i) < x.firstEntry {
		return &x.base.entries[i]
	}
	return &x.entries[int(i)-x.firstEntry]
}

func (x *Index) length(i int32) float64 {
	if int(i) < x.firstEntry {
		return float64(x.base.lengths[i])
	}
	return float64(x.lengths[int(i)-x.firstEntry])
}

func (x *Index) set(i int32) []int32 {
	if int(i) < x.firstEntry {
		return x.base.sets[i]
	}
	return x.sets[int(i)-x.firstEntry]
}

// idf returns Robertson's inverse document frequency of a term that occurs in df entries.
// One is added before taking the logarithm, so the result is never negative.
func (x *Index) idf(df int) float64 {
	return math.Log1p((float64(x.Len()-df) + .5) / (float64(df) + .5))
}

// saturation returns the weight of a term that occurs count times in an entry of the given
// length.
func saturation(count, length, mean float64) float64 {
	return count * (k1 + 1) / (count + k1*(1-b+b*length/mean))
}

// score computes the score of every entry that shares a term with the query and calls f
// with each of them, in no particular order. A score is the square root of a ratio: the
// entry's BM25 score divided by the BM25 score of an entry that consists of exactly the
// query. It is in [0,1]. The square root spreads the scores: an entry with three of four
// query words gets about .8, one with half of them .65, and one with one of them .45.
//
// A word that occurs in no entry contributes as much to the best possible score as an
// average known word of the query. It lowers the score of every entry, because the query is
// about more than the memory contains.
func (x *Index) score(query []string, f func(entry int32, score float64)) {
	query = distinct(query)
	mean := float64(x.total) / float64(max(1, x.Len()))
	acc := x.scratch.Get().(*accumulator)
	if len(acc.scores) < x.Len() {
		acc.scores = make([]float64, x.Len())
	}
	var sum float64
	known := 0
	add := func(list []posting, idf float64) {
		for _, p := range list {
			if acc.scores[p.entry] == 0 {
				acc.touched = append(acc.touched, p.entry)
			}
			acc.scores[p.entry] += idf * saturation(float64(p.count), x.length(p.entry), mean)
		}
	}
	for _, term := range query {
		id, ok := x.lookup(term)
		if !ok {
			continue
		}
		own := x.lists[id]
		var below []posting
		if x.base != nil {
			below = x.base.lists[id]
		}
		if len(own)+len(below) == 0 {
			continue
		}
		idf := x.idf(len(own) + len(below))
		known++
		sum += idf
		add(below, idf)
		add(own, idf)
	}
	if known > 0 {
		sum *= float64(len(query)) / float64(known)
		best := sum * saturation(1, float64(len(query)), mean)
		for _, e := range acc.touched {
			f(e, math.Sqrt(math.Min(1, acc.scores[e]/best)))
		}
	}
	for _, e := range acc.touched {
		acc.scores[e] = 0
	}
	acc.touched = acc.touched[:0]
	x.scratch.Put(acc)
}

// distinct removes duplicates and preserves the order. It searches linearly, because
// queries are short.
func distinct(terms []string) []string {
	out := terms[:0]
	for _, t := range terms {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
