package patchwriter

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
)

// chosen returns the paths of the files that are shown, most relevant first, and the paths
// of the other files. A file's relevance is the sum of the weights of the words that it
// shares with the failures, divided by the square root of the file's number of words, so
// that long files are not preferred. A word's weight is its rarity among the files (Spärck
// Jones, "A statistical interpretation of term specificity and its application in
// retrieval", 1972). Files are shown completely or not at all, because a diff needs every
// character.
func (m Material) chosen() (shown, others []string) {
	wanted := map[string]bool{}
	for _, c := range m.cases() {
		for _, text := range c.texts() {
			maps.Copy(wanted, words(text))
		}
	}
	paths := slices.DeleteFunc(slices.Sorted(maps.Keys(m.Files)), func(p string) bool { return bytes.IndexByte(m.Files[p], 0) >= 0 })
	has := map[string]map[string]bool{}
	files := map[string]int{} // number of files that contain a word
	for _, p := range paths {
		has[p] = words(p + " " + string(m.Files[p][:min(len(m.Files[p]), maxFile)]))
		for w := range has[p] {
			files[w]++
		}
	}
	score := map[string]float64{}
	for _, p := range paths {
		for w := range has[p] {
			if wanted[w] {
				score[p] += math.Log1p(float64(len(paths)) / float64(files[w]))
			}
		}
		score[p] /= math.Sqrt(float64(max(1, len(has[p]))))
	}
	slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(score[b], score[a]) })
	left := maxFiles
	for _, p := range paths {
		if size := len(m.Files[p]); size > maxFile || size > left {
			others = append(others, p)
			continue
		}
		left -= len(m.Files[p])
		shown = append(shown, p)
	}
	return shown, others
}

// words returns the words of at least four letters in a text, in lower case. They include
// the words that make up the text's identifiers.
func words(text string) map[string]bool {
	out := map[string]bool{}
	for _, run := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		var word strings.Builder
		end := func() {
			if w := word.String(); len(w) >= 4 {
				out[w] = true
			}
			word.Reset()
		}
		lower := false
		for _, r := range run {
			if unicode.IsUpper(r) && lower { // camelCase
				end()
			}
			lower = unicode.IsLower(r)
			word.WriteRune(unicode.ToLower(r))
		}
		end()
	}
	return out
}
