package workspace

import (
	"fmt"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
)

// mostMessage is the maximum length of a message, in characters. The names and values in a
// message come from outside and can be of any length.
const mostMessage = 600

// Shorten removes the middle of a text that is longer than limit characters, and states the
// length of the removed part. Three quarters of the remaining text come from the beginning,
// which usually names the position, and one quarter from the end, which usually contains
// the reason.
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
