package real

import (
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// analysis is a way of turning a text into features.
type analysis struct {
	// characters is the length of character n-grams; 0 means that the features are words.
	characters int
	// words is the maximum length of word n-grams; shorter n-grams are features too.
	words int
	// stem is "none", "english" (Porter 2) or "prefix", which retains only the beginning
	// of each word; the field prefix is the length of that beginning, in characters.
	stem   string
	prefix int
	// stopWords names the list of words that are left out: "none", "short" or "long".
	stopWords string
}

// brief is the short list of stop words.
const brief = " a an and are as at be by for in is it of on or that the this to was with "

// features returns the features of a text in order, including repeated features.
func (a analysis) features(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if a.characters > 0 {
		return grams([]rune(" "+strings.Join(words, " ")+" "), a.characters)
	}
	var kept []string
	for _, w := range words {
		if !a.stops(w) {
			kept = append(kept, a.reduce(w))
		}
	}
	list := kept
	for n := 2; n <= a.words; n++ {
		for i := range max(0, len(kept)-n+1) {
			list = append(list, strings.Join(kept[i:i+n], " "))
		}
	}
	return list
}

func grams(text []rune, n int) []string {
	var list []string
	for i := range max(0, len(text)-n+1) {
		list = append(list, string(text[i:i+n]))
	}
	return list
}

func (a analysis) stops(word string) bool {
	switch a.stopWords {
	case "short":
		return strings.Contains(brief, " "+word+" ")
	case "long":
		return english.IsStopWord(word)
	}
	return false
}

// reduce returns the stem of a word.
func (a analysis) reduce(word string) string {
	switch a.stem {
	case "english":
		return english.Stem(word, false)
	case "prefix":
		if letters := []rune(word); len(letters) > a.prefix {
			return string(letters[:a.prefix])
		}
	}
	return word
}
