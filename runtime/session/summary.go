package session

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"evolve/runtime/memory"
)

const (
	// maxSummaryLine is the maximum length of a sentence in the summary, in bytes.
	maxSummaryLine = 240
	// maxSummaryLines is the maximum number of sentences in the summary.
	maxSummaryLines = 64
	// alikeLines is the share of common words above which a sentence is dropped as a
	// duplicate.
	alikeLines = .6
	// leastSentence is the minimum number of distinct words in a sentence of a summary.
	leastSentence = 3
	// fullSentence is the number of distinct words below which a sentence has less weight,
	// because thanks and greetings are close to the centroid of any conversation.
	fullSentence = 6
)

// line is a candidate sentence of a summary.
type line struct {
	text  string
	terms []int32 // distinct, sorted
	score float64
}

// summary returns a text, limited to the given number of bytes (most), that replaces the
// earlier summary and the sentences that are not facts, because facts are in the memory.
// If there are only facts, it summarises them.
func (d Distiller) summary(all []spoken, earlier string, most int) string {
	earlier = head(earlier)
	var texts []string
	for l := range strings.SplitSeq(earlier, "\n") {
		if l = clean(l); l != "" {
			texts = append(texts, l)
		}
	}
	for _, facts := range []bool{false, true} {
		for _, s := range all {
			if s.kind != withdrawn && (s.kind < none) == facts {
				texts = append(texts, label(s.role)+": "+memory.Cut(s.text, maxSummaryLine))
			}
		}
		if len(texts) > 0 {
			break
		}
	}
	return bounded(strings.Join(d.central(texts, most), "\n"), most)
}

// label returns the name that a role has in a summary.
func label(role string) string {
	switch role {
	case "user", "assistant", "system", "tool":
		return role
	}
	return "other"
}

// central selects the sentences nearest to the centroid of all sentences, by the cosine
// similarity of their terms, which are weighted by rarity. It leaves out near duplicates
// and returns the sentences in their original order.
func (d Distiller) central(texts []string, most int) []string {
	lines := d.weigh(texts)
	ranked := make([]int, len(lines))
	for i := range ranked {
		ranked[i] = i
	}
	slices.SortStableFunc(ranked, func(i, j int) int { return cmp.Compare(lines[j].score, lines[i].score) })
	var picked []int
	spent := 0
	for _, i := range ranked {
		if len(picked) == maxSummaryLines {
			break
		}
		cost := len(lines[i].text) + 1
		said := func(j int) bool { return overlap(lines[i].terms, lines[j].terms) > alikeLines }
		if len(lines[i].terms) < leastSentence || spent+cost > most+1 || slices.ContainsFunc(picked, said) {
			continue
		}
		spent += cost
		picked = append(picked, i)
	}
	slices.Sort(picked)
	out := make([]string, len(picked))
	for k, i := range picked {
		out[k] = lines[i].text
	}
	return out
}

// weigh scores every text.
func (d Distiller) weigh(texts []string) []line {
	ids := map[string]int32{}
	var in []int // number of sentences that contain a term
	lines := make([]line, len(texts))
	var terms []string
	for i, text := range texts {
		role, said, _ := strings.Cut(text, ": ")
		if label(role) != role {
			said = text
		}
		terms = d.Lexicon.Terms(terms[:0], said)
		set := make([]int32, 0, len(terms))
		for _, t := range terms {
			id, ok := ids[t]
			if !ok {
				id = int32(len(ids))
				ids[t] = id
				in = append(in, 0)
			}
			set = append(set, id)
		}
		slices.Sort(set)
		set = slices.Compact(set)
		for _, id := range set {
			in[id]++
		}
		lines[i] = line{text: text, terms: set}
	}
	rarity := make([]float64, len(in))
	for id, n := range in {
		rarity[id] = math.Log1p(float64(len(texts)) / float64(n))
	}
	for i := range lines {
		l := &lines[i]
		var dot, norm float64
		for _, id := range l.terms {
			w := rarity[id]
			dot += w * w * float64(in[id]) // the centroid's weight for a term is the sum over the sentences that contain it
			norm += w * w
		}
		if norm > 0 {
			l.score = dot / math.Sqrt(norm) * min(1, float64(len(l.terms))/fullSentence)
		}
	}
	return lines
}

// overlap returns the Jaccard similarity of two sorted sets.
func overlap(a, b []int32) float64 {
	shared, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			shared, i, j = shared+1, i+1, j+1
		}
	}
	if all := len(a) + len(b) - shared; all > 0 {
		return float64(shared) / float64(all)
	}
	return 0
}
