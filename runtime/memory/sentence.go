package memory

import (
	"cmp"
	"slices"
	"strings"
)

// EachSentence calls f with each sentence of a text, in order, until f returns false.
// Lines end a sentence; so do full stops, question and exclamation marks before white
// space, but not those of abbreviations, initials and numbered lists.
func EachSentence(text string, f func(sentence string) bool) {
	for line := range strings.SplitSeq(text, "\n") {
		start := 0
		for i := 0; i < len(line); i++ {
			if !EndsSentence(line[i]) {
				continue
			}
			if i+1 < len(line) && line[i+1] != ' ' || line[i] == '.' && abbreviated(line[start:i]) {
				continue
			}
			if s := strings.TrimSpace(line[start : i+1]); s != "" && !f(s) {
				return
			}
			start = i + 1
		}
		if s := strings.TrimSpace(line[start:]); s != "" && !f(s) {
			return
		}
	}
}

// EndsSentence reports whether a byte may end a sentence.
func EndsSentence(c byte) bool { return c == '.' || c == '?' || c == '!' || c == '\n' }

// abbreviated reports whether the full stop after head belongs to a word.
func abbreviated(head string) bool {
	head = strings.TrimSpace(head)
	word := head[strings.LastIndexByte(head, ' ')+1:]
	if len(word) == 1 { // an initial, or the number or letter of a list
		return word[0] >= 'A' && word[0] <= 'Z' || head == word
	}
	switch strings.ToLower(strings.Trim(word, "(")) {
	case "e.g", "i.e", "mr", "mrs", "ms", "dr", "prof", "approx", "vs", "etc", "nr", "no", "st", "inc", "ltd", "cf", "fig":
		// "No." alone ends a sentence.
		return !strings.EqualFold(word, "no") || word != head
	}
	return false
}

// maxExcerpted bounds how much of an entry is read for an excerpt, in bytes.
const maxExcerpted = 64 << 10

// excerpt shortens a text to at most n bytes: the sentences with the most terms, of
// equal ones the first, in their order; "…" marks omissions. A text without any of the
// terms keeps its beginning.
func (l *Lexicon) excerpt(text string, terms []string, n int) string {
	const gap = " … "
	if len(text) <= n {
		return text
	}
	type part struct {
		text  string
		score int
	}
	var parts []part
	fits := false // there is a sentence with one of the terms that fits
	var own []string
	EachSentence(text[:min(len(text), maxExcerpted)], func(s string) bool {
		own = l.Terms(own[:0], s)
		score := 0
		for _, t := range terms {
			if slices.Contains(own, t) {
				score++
			}
		}
		fits = fits || score > 0 && len(s)+2*len(gap) <= n
		parts = append(parts, part{s, score})
		return true
	})
	if !fits {
		return Cut(text, n)
	}
	ranked := make([]int, len(parts))
	for i := range ranked {
		ranked[i] = i
	}
	slices.SortStableFunc(ranked, func(i, j int) int { return cmp.Compare(parts[j].score, parts[i].score) })
	var picked []int
	room := n - len(gap) // reserve a gap at the end
	for _, i := range ranked {
		if cost := len(parts[i].text) + len(gap); cost <= room {
			room -= cost
			picked = append(picked, i)
		}
	}
	slices.Sort(picked)
	var b strings.Builder
	last := -1
	for _, i := range picked {
		switch {
		case i != last+1:
			b.WriteString(gap)
		case b.Len() > 0:
			b.WriteByte(' ')
		}
		b.WriteString(parts[i].text)
		last = i
	}
	if last < len(parts)-1 {
		b.WriteString(gap)
	}
	return strings.TrimSpace(b.String())
}
