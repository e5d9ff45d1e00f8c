package real

import (
	"math"
	"slices"

	"evolve/mutate/internal/lab/problem"
	"evolve/runtime/agent"
)

// router routes utterances to intents based on examples.
type router struct {
	data    intents
	names   []string // the intents; the last one is the out-of-scope label
	labels  []int    // of the examples
	byViews lazily[analysis, *examples]
}

// examples contains two indexes of the examples, built with the same text analysis: one
// of the separate texts, and one of the texts joined per intent.
type examples struct{ single, joined *index }

func newRouter(data intents) *router {
	r := &router{data: data}
	for _, u := range data.examples {
		if u.intent != outOfScope && !slices.Contains(r.names, u.intent) {
			r.names = append(r.names, u.intent)
		}
	}
	slices.Sort(r.names)
	r.names = append(r.names, outOfScope)
	for _, u := range data.examples {
		r.labels = append(r.labels, slices.Index(r.names, u.intent))
	}
	return r
}

// routerSpace returns the settings of the router. The default picks the nearest neighbour
// based on unweighted words.
func routerSpace() agent.Space {
	return agent.Space{Params: []agent.Param{
		choice("method", "knn", "knn", "centroid", "bayes", "complement"),
		choice("unit", "words", "words", "characters"),
		problem.When(whole("word_ngrams", 1, 1, 3), "unit", "words"),
		problem.When(whole("char_ngrams", 3, 2, 5), "unit", "characters"),
		problem.When(toggle("stem"), "unit", "words"),
		problem.When(choice("stop_words", "long", "none", "short", "long"), "unit", "words"),
		choice("counts", "raw", "raw", "binary", "log"),
		problem.When(choice("rarity", int64(0), int64(0), int64(1), int64(2)), "method", "knn", "centroid"),
		problem.When(problem.Logarithmic(whole("neighbours", 1, 1, 64)), "method", "knn"),
		problem.When(choice("vote", "count", "count", "similarity", "squared"), "method", "knn"),
		problem.When(problem.Logarithmic(float("smoothing", 1, 0.001, 10)), "method", "bayes", "complement"),
		whole("min_count", 1, 1, 8),
		float("threshold", 0.5, 0, 1),
		toggle("out_of_scope_examples"),
	}}
}

// route returns the intent for an utterance, or the out-of-scope label if the confidence is
// below the threshold. A task's score is 1 if the intent is right.
func (r *router) route(c agent.Config, text string) string {
	a := analysis{stem: "none"}
	if c.String("unit") == "characters" {
		a.characters = c.Int("char_ngrams", 0)
	} else {
		a.words, a.stopWords = c.Int("word_ngrams", 0), c.String("stop_words")
		if c.Bool("stem", false) {
			a.stem = "english"
		}
	}
	e := r.byViews.get(a, func() *examples { return r.view(a) })
	features := a.features(text)
	// Both indexes use the same feature numbers, so these counts apply to either.
	counted := slices.DeleteFunc(e.single.count(features, false), func(p posting) bool {
		return e.single.totals[p.id] < float64(c.Int("min_count", 0))
	})
	intents := len(r.names)
	if !c.Bool("out_of_scope_examples", false) {
		intents--
	}
	s := scale{counts: c.String("counts"), rarity: float64(c.Int("rarity", 0))}
	var best int
	var confidence float64
	switch c.String("method") {
	case "knn":
		best, confidence = r.vote(e.single.cosines(counted, s), intents, c.Int("neighbours", 0), c.String("vote"))
	case "centroid":
		best, confidence = highest(e.joined.cosines(counted, s)[:intents])
	default:
		best, confidence = highest(likely(e.joined, counted, s, intents, c.Float("smoothing", 0), c.String("method") == "complement"))
	}
	if confidence < c.Float("threshold", 0) {
		return outOfScope
	}
	return r.names[best]
}

func (r *router) view(a analysis) *examples {
	features := make([][]string, len(r.data.examples))
	for i, u := range r.data.examples {
		features[i] = a.features(u.text)
	}
	joined := make([][]string, len(r.names))
	for i, label := range r.labels {
		joined[label] = append(joined[label], features[i]...)
	}
	e := &examples{single: newIndex(len(features), func(i int) []string { return features[i] })}
	e.joined = e.single.like(len(joined), func(i int) []string { return joined[i] })
	return e
}

// vote returns the intent with the most votes among the nearest examples, and the
// similarity of the nearest example with that intent.
func (r *router) vote(similar []float64, intents, neighbours int, by string) (int, float64) {
	for i := range similar {
		if r.labels[i] >= intents {
			similar[i] = 0
		}
	}
	votes, nearest := make([]float64, intents), make([]float64, intents)
	for _, i := range top(similar, neighbours) {
		label, x := r.labels[i], similar[i]
		nearest[label] = max(nearest[label], x)
		switch by {
		case "similarity":
			votes[label] += x
		case "squared":
			votes[label] += x * x
		default:
			votes[label]++
		}
	}
	best, _ := highest(votes)
	return best, nearest[best]
}

// likely returns the probabilities of the intents according to multinomial naive Bayes with
// equal priors, or according to its complement variant (Rennie and others 2003).
func likely(x *index, text []posting, s scale, intents int, smoothing float64, complement bool) []float64 {
	logs, all := make([]float64, intents), smoothing*float64(len(x.terms))
	for _, q := range text {
		w := s.of(q.count)
		rest := x.totals[q.id] + smoothing
		for i := range logs {
			if complement {
				logs[i] -= w * math.Log(rest/(x.total-x.lengths[i]+all))
			} else {
				logs[i] += w * math.Log(smoothing/(x.lengths[i]+all))
			}
		}
		for _, p := range x.postings[q.id] {
			switch {
			case int(p.id) >= intents:
			case complement:
				logs[p.id] -= w * math.Log((rest-float64(p.count))/rest)
			default:
				logs[p.id] += w * math.Log((float64(p.count)+smoothing)/smoothing)
			}
		}
	}
	most, sum := slices.Max(logs), 0.0
	for i := range logs {
		logs[i] = math.Exp(logs[i] - most)
		sum += logs[i]
	}
	for i := range logs {
		logs[i] /= sum
	}
	return logs
}

// highest returns the first position of the highest value, and that value.
func highest(list []float64) (int, float64) {
	best := 0
	for i, x := range list {
		if x > list[best] {
			best = i
		}
	}
	return best, list[best]
}
