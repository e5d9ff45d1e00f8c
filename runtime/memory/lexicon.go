package memory

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// maxCachedStems is the maximum number of cached stems; when the cache is full, other words
// are stemmed every time.
const maxCachedStems = 1 << 17

// maxWord is the maximum length of a word, in bytes. Longer runs of letters and digits are
// keys or data, and the stemmer takes longer the longer they are.
const maxWord = 64

// Lexicon turns text into terms: lower-case words without stop words, stemmed by the
// Snowball English algorithm (Porter 2). Stems are cached. It is safe for concurrent use.
type Lexicon struct {
	mu    sync.RWMutex
	stems map[string]string
}

// NewLexicon returns an empty lexicon, to be shared by all indexes and models of an
// agent.
func NewLexicon() *Lexicon { return &Lexicon{stems: map[string]string{}} }

// Stem returns the stem of a lower-case word.
func (l *Lexicon) Stem(word string) string {
	l.mu.RLock()
	stem, known := l.stems[word]
	l.mu.RUnlock()
	if known {
		return stem
	}
	stem = word
	if len(word) <= maxWord && utf8.ValidString(word) {
		stem = english.Stem(word, false)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.stems) < maxCachedStems {
		l.stems[strings.Clone(word)] = stem
	}
	return stem
}

// Terms appends the terms of text to dst, in order and with repetitions.
func (l *Lexicon) Terms(dst []string, text string) []string {
	EachWord(text, func(word string) {
		if !StopWord(word) {
			dst = append(dst, l.Stem(word))
		}
	})
	return dst
}

// EachWord calls f with every word of text in lower case. A word is a run of letters,
// digits and inner apostrophes; the apostrophes are removed.
func EachWord(text string, f func(word string)) {
	lower := strings.ToLower(text)
	start := -1
	quoted := false
	flush := func(end int) {
		if start < 0 {
			return
		}
		word := lower[start:end]
		if quoted {
			word = strings.NewReplacer("'", "", "’", "").Replace(word)
		}
		if word != "" {
			f(word)
		}
		start, quoted = -1, false
	}
	for i, r := range lower {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if start < 0 {
				start = i
			}
		case (r == '\'' || r == '’') && start >= 0:
			quoted = true
		default:
			flush(i)
		}
	}
	flush(len(lower))
}

// StopWord reports whether a lower-case word carries no information about the subject of a
// text.
func StopWord(word string) bool {
	switch word {
	case "a", "an", "the", "this", "that", "these", "those", "there",
		"i", "me", "my", "mine", "we", "us", "our", "you", "your", "he", "him", "his", "she", "her",
		"it", "its", "they", "them", "their",
		"is", "are", "was", "were", "be", "been", "being", "am", "im", "ive", "id",
		"do", "does", "did", "done", "has", "have", "had", "will", "would", "can", "could", "shall",
		"should", "may", "might", "must",
		"of", "in", "on", "at", "to", "for", "from", "by", "with", "as", "into", "about",
		"and", "or", "but", "if", "so", "than", "then", "also", "just",
		"what", "whats", "which", "who", "whom", "whose", "how", "please", "s", "t":
		return true
	}
	return false
}
