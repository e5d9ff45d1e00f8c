package render

import (
	"html/template"
	"strings"
	"unicode/utf8"
)

// longWord is the minimum number of characters that a word must have to be broken at its
// separators.
const longWord = 13

// separators are the characters after which a word such as temperature.operations may be
// broken.
const separators = "._/-:"

// breaks escapes a text and marks the points in its long words at which a line may be
// broken. The marks are not characters, so a copy of the text does not contain them.
func breaks(s string) template.HTML {
	if utf8.RuneCountInString(s) < longWord || !strings.ContainsAny(s, separators) {
		return template.HTML(template.HTMLEscapeString(s))
	}
	var b strings.Builder
	for word := range strings.SplitAfterSeq(s, " ") {
		if utf8.RuneCountInString(word) < longWord {
			b.WriteString(template.HTMLEscapeString(word))
			continue
		}
		for word != "" {
			at := strings.IndexAny(word, separators)
			if at < 0 || at == len(word)-1 {
				b.WriteString(template.HTMLEscapeString(word))
				break
			}
			b.WriteString(template.HTMLEscapeString(word[:at+1]))
			b.WriteString("<wbr>")
			word = word[at+1:]
		}
	}
	return template.HTML(b.String())
}
