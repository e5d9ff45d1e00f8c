package memory

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// Bounds that no query can exceed.
const (
	MaxRecalled   = 20   // memories a recall returns at most
	MaxEntryBytes = 1000 // an entry is summarised to this many bytes
	poolFactor    = 4    // candidates considered for diversity, per requested memory
)

// The decay of an entry with age: a new entry keeps its score, a very old one keeps
// decayFloor of it; half of the difference is lost per decayHalfLife.
const (
	decayFloor    = .6
	decayHalfLife = 90 * 24 * time.Hour
)

// The effect of a cue in the goal on a recall.
const (
	cueMinScore = .6 // factor of the least score
	cueMemories = 2  // factor of the number of memories
)

// Query is a recall request. Its bounds are those of a text without a cue; one that
// refers to the past (see [HasCue]) or asks for a wide recall gets twice as many
// memories and .6 of the least score.
type Query struct {
	Text string
	// Domain is that of the task; entries of it and of the global one are recalled.
	Domain string
	// MinScore in [0,1] is the least score of a recalled entry.
	MinScore float64
	// MaxMemories bounds the number; a cue doubles it, up to [MaxRecalled].
	MaxMemories int
	// Lambda in [0,1] weighs relevance against novelty: 1 is relevance alone.
	Lambda float64
	// TokenBudget bounds the sum of [Tokens] over the texts; 0 means no bound.
	TokenBudget int
	// Now is the reference for the age of entries; the zero time means no decay.
	Now time.Time
	// Wide asks for the recall of a text with a cue, even without one.
	Wide bool
	// Search asks for memories about other requests as well, for a person or an agent that
	// looks for something.
	Search bool
}

// Hit is a recalled memory. A text longer than [MaxEntryBytes] is shortened to the
// sentences with the most words of the query.
type Hit struct {
	Memory agent.Memory
	// Score in [0,1] is relevance times recency times confidence.
	Score float64
}

// Recall returns the memories on the query, the most useful first. Every entry's score
// is its BM25 relative to the query's best possible one, times its recency and
// confidence; those from MinScore on are picked by maximal marginal relevance
// (Carbonell and Goldstein, 1998) within the bounds. A memory about one request is left out
// for another. When ctx is done, it returns the
// memories picked so far.
func (x *Index) Recall(ctx context.Context, q Query) []Hit {
	least, most := q.MinScore, q.MaxMemories
	if q.Wide || HasCue(q.Text) {
		least *= cueMinScore
		most *= cueMemories
	}
	most = min(most, MaxRecalled)
	if most <= 0 || x.Len() == 0 || ctx.Err() != nil {
		return nil
	}
	terms := distinct(x.lex.Terms(nil, q.Text))
	pool := x.rank(terms, most*poolFactor, func(i int32, score float64) (float64, bool) {
		if score < least || !x.visible(i, q.Domain) { // recency and confidence only lower it
			return 0, false
		}
		m := x.entry(i)
		if !q.Search && !x.lex.asks(terms, m.About) {
			return 0, false
		}
		if m.Confidence > 0 {
			score *= math.Min(1, m.Confidence)
		}
		score *= recency(m.Time, q.Now)
		return score, score >= least
	})
	return x.pick(ctx, pool, terms, most, q)
}

// sameRequest is the least share of the words of what a memory is about that a text has in
// order to ask the same: requests of one form often have more than half in common.
const sameRequest = .8

// asks reports whether a text of these terms asks for what a memory is about.
func (l *Lexicon) asks(terms []string, about string) bool {
	of := distinct(l.Terms(nil, about))
	common := 0
	for _, t := range of {
		if slices.Contains(terms, t) {
			common++
		}
	}
	return float64(common) >= sameRequest*float64(len(of))
}

// rank returns the n entries that fit terms best, after judge has changed their scores or
// left them out.
func (x *Index) rank(terms []string, n int, judge func(i int32, score float64) (float64, bool)) []candidate {
	var pool []candidate
	x.score(terms, func(i int32, score float64) {
		if score, ok := judge(i, score); ok {
			pool = append(pool, candidate{entry: i, score: score})
		}
	})
	slices.SortFunc(pool, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.entry, b.entry))
	})
	return pool[:min(n, len(pool))]
}

// Ranked is an entry with its BM25 score relative to the query's best possible one.
type Ranked struct {
	ID    string
	Score float64
}

// Rank returns the n entries that fit a text best, by BM25 alone: without domains, age,
// confidence and cues.
func (x *Index) Rank(text string, n int) []Ranked {
	pool := x.rank(x.lex.Terms(nil, text), n, func(_ int32, score float64) (float64, bool) { return score, true })
	out := make([]Ranked, len(pool))
	for i, c := range pool {
		out[i] = Ranked{x.entry(c.entry).ID, c.score}
	}
	return out
}

type candidate struct {
	entry   int32
	score   float64
	overlap float64 // largest similarity to a picked one
	gone    bool
}

// pick takes candidates one by one, each time the one with the largest λ·score −
// (1−λ)·(similarity to the nearest already picked).
func (x *Index) pick(ctx context.Context, pool []candidate, terms []string, most int, q Query) []Hit {
	hits := make([]Hit, 0, min(most, len(pool)))
	spent := 0
	for len(hits) < most && ctx.Err() == nil {
		best := -1
		var top float64
		for i := range pool {
			c := &pool[i]
			if c.gone {
				continue
			}
			if v := q.Lambda*c.score - (1-q.Lambda)*c.overlap; best < 0 || v > top {
				best, top = i, v
			}
		}
		if best < 0 {
			break
		}
		c := &pool[best]
		c.gone = true
		m := *x.entry(c.entry)
		m.Text = x.lex.excerpt(m.Text, terms, MaxEntryBytes)
		if cost := Tokens(m.Text); q.TokenBudget > 0 {
			if spent+cost > q.TokenBudget {
				continue // a shorter one may still fit
			}
			spent += cost
		}
		hits = append(hits, Hit{Memory: m, Score: c.score})
		if q.Lambda < 1 {
			set := x.set(c.entry)
			for i := range pool {
				if o := &pool[i]; !o.gone {
					o.overlap = math.Max(o.overlap, jaccard(set, x.set(o.entry)))
				}
			}
		}
	}
	return hits
}

// recency returns the factor of age in [decayFloor, 1]; future times count as now.
func recency(t, now time.Time) float64 {
	if t.IsZero() || now.IsZero() || !now.After(t) {
		return 1
	}
	halves := float64(now.Sub(t)) / float64(decayHalfLife)
	return decayFloor + (1-decayFloor)*math.Exp2(-halves)
}

// jaccard returns the Jaccard similarity of two sorted sets.
func jaccard[T cmp.Ordered](a, b []T) float64 {
	shared, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			shared++
			i++
			j++
		}
	}
	if all := len(a) + len(b) - shared; all > 0 {
		return float64(shared) / float64(all)
	}
	return 0
}

var cues = []string{
	"remember", "earlier", "previous", "previously", "last time", "last week", "yesterday", "before that",
	"you said", "you told", "i said", "i told", "i mentioned", "you mentioned", "we discussed", "we agreed",
	"we decided", "we talked", "recall",
}

// HasCue reports whether a text refers to the past: such a goal gets a wider recall.
func HasCue(text string) bool {
	lower := strings.ToLower(text)
	for _, cue := range cues {
		for at := 0; ; {
			i := strings.Index(lower[at:], cue)
			if i < 0 {
				break
			}
			i += at
			end := i + len(cue)
			if (i == 0 || !letter(lower[i-1])) && (end == len(lower) || !letter(lower[end])) {
				return true
			}
			at = end
		}
	}
	return false
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= utf8.RuneSelf }

// Tokens returns the estimated tokens of a text: a quarter of its bytes, rounded up.
func Tokens(text string) int { return (len(text) + 3) / 4 }

// Cut shortens a text to at most n bytes, at the end of a sentence or else of a word
// where there is one in the second half, and marks the cut with "…".
func Cut(s string, n int) string { return text.Clip(s, n, text.Ellipsis, text.Words) }

// Line returns foreign text as one visible line: without control and format characters,
// with single spaces, cut to at most n bytes.
func Line(text string, n int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.Is(unicode.C, r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return Cut(strings.Join(strings.Fields(text), " "), n)
}
