package text

import "strconv"

// maxQuoted is the maximum length of a quotation, in characters.
const maxQuoted = 60

// Quote returns the beginning of s in double quotes, for a message. Quotes, backslashes
// and characters that are not shown are escaped as in Go.
func Quote(s string) string { return Visible(strconv.Quote(Clip(s, maxQuoted, Runes, Mark))) }
