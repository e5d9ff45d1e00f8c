package real

import (
	"cmp"
	"math"
	"slices"

	"evolve/mutate/internal/lab/problem"
	"evolve/runtime/agent"
)

// retriever finds documents in a collection for queries.
type retriever struct {
	data    collection
	byViews lazily[analysis, *fields]
}

// fields holds the indexes of the documents under an analysis: one of the whole documents,
// and one of only their titles.
type fields struct{ whole, titles *index }

// retrieverSpace returns the settings of the retriever. The default uses the cosine
// similarity of weighted words.
func retrieverSpace() agent.Space {
	return agent.Space{Params: []agent.Param{
		choice("model", "cosine", "cosine", "bm25", "dirichlet"),
		problem.When(float("k1", 1.2, 0.1, 5), "model", "bm25"),
		problem.When(float("b", 0.75, 0, 1), "model", "bm25"),
		problem.When(problem.Logarithmic(float("mu", 1000, 10, 10000)), "model", "dirichlet"),
		problem.When(choice("counts", "raw", "raw", "binary", "log"), "model", "cosine"),
		problem.When(float("rarity", 1, 0, 3), "model", "cosine", "bm25"),
		choice("stem", "none", "none", "english", "prefix"),
		problem.When(whole("prefix", 6, 4, 7), "stem", "prefix"),
		choice("stop_words", "none", "none", "short", "long"),
		float("title_weight", 0, 0, 4),
		problem.Logarithmic(whole("query_terms", 40, 3, 40)),
		toggle("expand"),
		problem.When(whole("feedback_documents", 5, 1, 20), "expand", true),
		problem.When(problem.Logarithmic(whole("feedback_terms", 10, 1, 40)), "expand", true),
		problem.When(float("feedback_weight", 0.5, 0, 1), "expand", true),
	}}
}

// weighted is a feature of a query with its weight.
type weighted struct {
	id     int32
	weight float64
}

// depth is the number of top documents that count towards a score.
const depth = 10

// retrieve returns the best documents for a query, best first.
func (r *retriever) retrieve(c agent.Config, text string) []int32 {
	a := analysis{stem: c.String("stem"), stopWords: c.String("stop_words"), words: 1}
	if a.stem == "prefix" {
		a.prefix = c.Int("prefix", 0)
	}
	f := r.byViews.get(a, func() *fields { return r.view(a) })
	var q []weighted
	for _, p := range f.whole.count(a.features(text), false) {
		q = append(q, weighted{p.id, float64(p.count)})
	}
	if most := c.Int("query_terms", 0); len(q) > most {
		slices.SortStableFunc(q, func(a, b weighted) int { return cmp.Compare(f.whole.idf(b.id), f.whole.idf(a.id)) })
		q = q[:most]
	}
	scores := f.scores(q, c)
	if c.Bool("expand", false) {
		found := top(scores, c.Int("feedback_documents", 0))
		scores = f.scores(f.whole.expand(q, found, c.Int("feedback_terms", 0), c.Float("feedback_weight", 0)), c)
	}
	return top(scores, depth)
}

func (r *retriever) view(a analysis) *fields {
	f := &fields{whole: newIndex(len(r.data.documents), func(i int) []string {
		d := r.data.documents[i]
		return append(a.features(d.title), a.features(d.text)...)
	})}
	f.titles = f.whole.like(len(r.data.documents), func(i int) []string { return a.features(r.data.documents[i].title) })
	return f
}

// scores returns the scores of the documents. The score is 0 for documents that contain no
// feature of the query.
func (f *fields) scores(q []weighted, c agent.Config) []float64 {
	sums := f.whole.match(q, c)
	if weight := c.Float("title_weight", 0); weight > 0 {
		for i, x := range f.titles.match(q, c) {
			sums[i] += weight * x
		}
	}
	return sums
}

// match returns the scores of the texts according to the config's model: the cosine of
// weighted vectors, BM25 (Robertson and Zaragoza 2009), or the likelihood of the query with
// Dirichlet smoothing (Zhai and Lafferty 2004).
func (x *index) match(q []weighted, c agent.Config) []float64 {
	sums := make([]float64, len(x.texts))
	rarity := c.Float("rarity", 0)
	switch c.String("model") {
	case "cosine":
		s := scale{c.String("counts"), 1}
		norms := x.norm(s)
		for _, t := range q {
			if len(x.postings[t.id]) == 0 {
				continue
			}
			w := t.weight * math.Pow(x.idf(t.id), 1+rarity)
			for _, p := range x.postings[t.id] {
				sums[p.id] += w * s.of(p.count) / norms[p.id]
			}
		}
	case "bm25":
		k1, b := c.Float("k1", 0), c.Float("b", 0)
		for _, t := range q {
			n := float64(len(x.postings[t.id]))
			w := t.weight * math.Pow(math.Log1p((float64(len(x.texts))-n+0.5)/(n+0.5)), rarity)
			for _, p := range x.postings[t.id] {
				tf := float64(p.count)
				sums[p.id] += w * tf * (k1 + 1) / (tf + k1*(1-b+b*x.lengths[p.id]/x.mean))
			}
		}
	case "dirichlet":
		mu, all := c.Float("mu", 0), 0.0
		for _, t := range q {
			all += t.weight
			for _, p := range x.postings[t.id] {
				sums[p.id] += t.weight * math.Log1p(float64(p.count)/(mu*x.totals[t.id]/x.total))
			}
		}
		for i, sum := range sums {
			if sum != 0 {
				sums[i] += all * math.Log(mu/(x.lengths[i]+mu))
			}
		}
	}
	return sums
}

// expand returns a query with features added from documents that were found: the features
// with the highest product of mean relative frequency in the documents and inverse document
// frequency. It follows RM3 (Abdul-Jaleel and others 2004), with equal weights for the
// documents.
func (x *index) expand(q []weighted, found []int32, terms int, share float64) []weighted {
	var sum float64
	for _, t := range q {
		sum += t.weight
	}
	place := map[int32]int{}
	var list []weighted
	for _, id := range found {
		for _, p := range x.texts[id] {
			at, seen := place[p.id]
			if !seen {
				at = len(list)
				place[p.id], list = at, append(list, weighted{id: p.id})
			}
			list[at].weight += float64(p.count) / x.lengths[id] * x.idf(p.id)
		}
	}
	slices.SortStableFunc(list, func(a, b weighted) int { return cmp.Compare(b.weight, a.weight) })
	list = list[:min(len(list), terms)]
	total := 0.0
	for _, t := range list {
		total += t.weight
	}
	more := map[int32]float64{}
	for _, t := range list {
		more[t.id] = share * t.weight / total
	}
	var out []weighted
	for _, t := range q {
		out = append(out, weighted{t.id, (1-share)*t.weight/sum + more[t.id]})
		delete(more, t.id)
	}
	for _, t := range list {
		if w, ok := more[t.id]; ok {
			out = append(out, weighted{t.id, w})
		}
	}
	return out
}

// gain returns the normalised discounted cumulative gain of ranked documents (Järvelin and
// Kekäläinen 2002) at depth, with the grades as gains.
func (q query) gain(ranked []int32) float64 {
	sum := 0.0
	for i, id := range ranked[:min(len(ranked), depth)] {
		sum += q.relevant[id] / math.Log2(float64(i)+2)
	}
	var grades []float64
	for _, g := range q.relevant {
		grades = append(grades, g)
	}
	slices.SortFunc(grades, func(a, b float64) int { return cmp.Compare(b, a) })
	ideal := 0.0
	for i, g := range grades[:min(len(grades), depth)] {
		ideal += g / math.Log2(float64(i)+2)
	}
	return sum / ideal
}
