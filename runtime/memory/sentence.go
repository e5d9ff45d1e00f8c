package memory

import (
	"cmp"
	"slices"
	"strings"
)

// EachSentence calls f with each sentence of a text, in order, until f returns false. A
// sentence ends at the end of a line, and at a full stop, question mark or exclamation mark
// before white space, unless the full stop belongs to an abbreviation, an initial or a
// numbered list.
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

// abbreviated reports whether a full stop after head belongs to the word before it: an
// abbreviation, an initial, or the number of a list item.
func abbreviated(head string) bool {
	head = strings.TrimSpace(head)
	word := head[strings.LastIndexByte(head, ' ')+1:]
	if len(word) == 1 { // an initial, or a list's number or letter
		return word[0] >= 'A' && word[0] <= 'Z' || head == word
	}
	switch strings.ToLower(strings.Trim(word, "(")) {
	case "e.g", "i.e", "mr", "mrs", "ms", "dr", "prof", "approx", "vs", "etc", "nr", "no", "st", "inc", "ltd", "cf", "fig":
		// "No." by itself is a sentence, not an abbreviation of "number".
		return !strings.EqualFold(word, "no") || word != head
	}
	return false
}

// maxExcerpted is the maximum length of the part of an entry that is read for an excerpt,
// in bytes.
const maxExcerpted = 64 << 10

// excerpt shortens a text to at most n bytes. It selects the sentences with the most terms,
// preferring earlier sentences if several have equally many, and joins them in their
// original order; "…" marks omissions. If no sentence that contains any of the terms fits,
// it returns only the beginning of the text.
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
	fits := false // whether any sentence with one of the terms fits
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
