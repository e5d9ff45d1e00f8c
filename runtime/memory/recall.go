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

// Limits that apply to every query.
const (
	MaxRecalled   = 20   // maximum number of memories that a recall returns
	MaxEntryBytes = 1000 // an entry's text is shortened to this many bytes
	poolFactor    = 4    // candidates considered for diversity, per requested memory
)

// The decay of an entry's score with age: a new entry retains its full score, and a very
// old entry retains only the share decayFloor of its score. In each decayHalfLife, half
// of the remaining difference between these two scores is lost.
const (
	decayFloor    = .6
	decayHalfLife = 90 * 24 * time.Hour
)

// Factors by which a cue in the goal changes a recall.
const (
	cueMinScore = .6 // factor for the minimum score
	cueMemories = 2  // factor for the number of memories
)

// Query is a recall request. Its limits apply to a text without a cue. For a text that
// refers to the past (see [HasCue]), or if Wide is set, twice as many memories are
// recalled, and .6 of the minimum score is required.
type Query struct {
	Text string
	// Domain is the domain of the task; entries of that domain and of the global domain are
	// recalled.
	Domain string
	// MinScore is the minimum score of a recalled entry, in [0,1].
	MinScore float64
	// MaxMemories is the maximum number of memories; a cue doubles it, up to [MaxRecalled].
	MaxMemories int
	// Lambda, in [0,1], weights relevance against novelty: with 1 only relevance counts.
	Lambda float64
	// TokenBudget is the maximum total number of tokens in the texts, as estimated by
	// [Tokens]; 0 means no limit.
	TokenBudget int
	// Now is the time from which the age of entries is computed; the zero time means no
	// decay.
	Now time.Time
	// Wide applies the limits for a text with a cue, which are wider, even if the text
	// has no cue.
	Wide bool
	// Search includes memories about other requests. It is for a person or an agent that
	// searches the memories on purpose.
	Search bool
}

// Hit is a recalled memory. A text longer than [MaxEntryBytes] is shortened to the
// sentences that share the most words with the query.
type Hit struct {
	Memory agent.Memory
	// Score is relevance times recency times confidence, in [0,1].
	Score float64
}

// Recall returns the memories that match the query, the most useful first. An entry's score
// is its relevance (see [Ranked]) times its recency and confidence. From the entries that
// score at least MinScore, Recall picks some by maximal marginal relevance (Carbonell and
// Goldstein, 1998) within the limits. A memory about one request is not recalled for
// another unless Search is set. When ctx is done, Recall returns the memories picked so
// far.
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
		if score < least || !x.visible(i, q.Domain) { // recency and confidence can only lower the score
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

// sameRequest is the minimum share of the words in a memory's About that a text must
// contain to count as the same request. It is high because different requests of the same
// form often have more than half of their words in common.
const sameRequest = .8

// asks reports whether a text with these terms is a request for what a memory is about,
// or whether the memory is about no particular request.
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

// rank returns the n entries that match terms best. judge may change an entry's score, or
// exclude the entry by returning false.
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

// Ranked is an entry with its relevance: the square root of its BM25 score relative to the
// best possible score for the query.
type Ranked struct {
	ID    string
	Score float64
}

// Rank returns the n entries that best match a text. It judges by relevance alone,
// regardless of domains, age, confidence and cues.
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
	overlap float64 // greatest similarity to a picked candidate
	gone    bool
}

// pick picks candidates one by one within the limits of q. Each time it picks the one with
// the highest λ·score − (1−λ)·(similarity to the nearest one already picked).
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
				continue // a shorter text may still fit
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

// recency returns the factor for an entry's age, in [decayFloor, 1]; a time in the future
// counts as the present.
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

// HasCue reports whether a text refers to the past. If a goal does, more is recalled for
// it.
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

// Tokens returns the estimated number of tokens in a text: a quarter of its bytes, rounded
// up.
func Tokens(text string) int { return (len(text) + 3) / 4 }

// Cut shortens a text to at most n bytes and marks the cut with "…". It cuts at the end of
// a sentence, or else at the end of a word, if there is such an end in the second half of
// the text that fits.
func Cut(s string, n int) string { return text.Clip(s, n, text.Ellipsis, text.Words) }

// Line returns untrusted text as one visible line of at most n bytes, with single spaces
// and without control and format characters.
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
