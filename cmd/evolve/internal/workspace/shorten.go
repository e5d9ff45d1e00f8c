package workspace

import (
	"fmt"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
)

// mostMessage bounds what is said of one place, in characters: names and values in it are
// foreign and of any length.
const mostMessage = 600

// Shorten leaves out the middle of a text of more than limit characters, and says how much
// it left out. Three quarters of what stays are the beginning, which says where; the rest is
// the end, which mostly says why.
func Shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	n := utf8.RuneCountInString(text)
	if n <= limit {
		return text
	}
	runes := []rune(text)
	head := limit * 3 / 4
	tail := limit - head
	return string(runes[:head]) + fmt.Sprintf(" … (%s characters left out) … ", humanize.Comma(int64(n-limit))) + string(runes[n-tail:])
}
