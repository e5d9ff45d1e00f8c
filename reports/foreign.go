package reports

import safe "evolve/runtime/text"

// ellipsis marks truncated text.
const ellipsis = "…"

// Visible is [safe.Visible].
func Visible(s string) string { return safe.Visible(s) }

// clip truncates s to at most n characters, including the ellipsis. It never cuts inside
// a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	count, last := 0, 0
	for i := range s {
		if count == n-1 {
			last = i
		}
		if count == n {
			return s[:last] + ellipsis
		}
		count++
	}
	return s
}

// plain reports whether s is printable ASCII, which most text is.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// shown reports whether r has a visible form of its own.
func shown(r rune) bool { return safe.Shown(r) }
