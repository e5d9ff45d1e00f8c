package scrub

import (
	"math"
	"strings"
)

// maxValue is the maximum length of a quoted value, in bytes.
const maxValue = 4096

// minMedium is the minimum length, in bytes, of the value of a medium name.
const minMedium = 8

// maxJudged limits how much of a value is examined to classify it, in bytes.
const maxJudged = 64

// extent finds the end of the value at v.start, and moves v.start past an opening quotation
// mark.
func (s *scan) extent(v *value) {
	if q := s.quote(v.start); q >= 0 {
		level := q - 1 - v.start
		if v.title != s.text[q-1] && q < len(s.text) && strings.IndexByte(":,}] ", s.text[q]) >= 0 {
			v.end = v.start
			return // this mark closes the literal around the name
		}
		if triple := strings.Repeat(s.text[q-1:q], 3); level == 0 && strings.HasPrefix(s.text[v.start:], triple) {
			q += 2
		}
		if end := s.closing(q, s.text[q-1], level); end >= 0 {
			if v.title != s.text[q-1] && end > q && s.text[q] == '+' && s.text[end-1] == '+' {
				v.end = v.start
				return // two literals with a variable between them
			}
			v.quoted, v.mark, v.level, v.start, v.end = true, s.text[q-1], level, q, end
			return
		}
		v.start = q
	}
	v.end = s.runFrom(v.start, bare)
	text := s.text[v.start:v.end]
	switch {
	case strings.HasPrefix(v.sep, "%"):
		text = text[:min(len(text), maxValue)]
		for _, stop := range []string{"%26", "%22", "%0A", "%0a"} {
			if i := strings.Index(text, stop); i >= 0 {
				text = text[:i]
			}
		}
	case v.sep == "|":
		text, _, _ = strings.Cut(text[:min(len(text), maxValue)], "|")
	}
	v.end = v.start + len(trimmed(text))
}

// trimmed returns a value without punctuation that belongs to the surrounding text.
func trimmed(text string) string {
	for text != "" && !strings.HasSuffix(text, Mark) {
		last := text[len(text)-1]
		near := text[max(0, len(text)-maxJudged):]
		switch {
		case strings.IndexByte(".:!?", last) >= 0:
		case last == ')' && strings.IndexByte(near, '(') < 0, last == ']' && strings.IndexByte(near, '[') < 0, last == '}' && strings.IndexByte(near, '{') < 0:
		default:
			return text
		}
		text = text[:len(text)-1]
	}
	return text
}

// closing returns the offset at which the content of a literal ends, or -1 if the line
// ends first. The content starts at i. The literal's quotation marks are preceded by the
// given number (level) of backslashes.
func (s *scan) closing(i int, mark byte, level int) int {
	slashes := 0
	for j := i; j < len(s.text) && j-i < maxValue; j++ {
		switch s.text[j] {
		case '\n':
			return -1
		case '\\':
			slashes++
			continue
		case mark:
			// Each backslash in the content itself is escaped at every level.
			if slashes <= level || (slashes-level)%(2*(level+1)) == 0 {
				return j - min(level, slashes)
			}
		}
		slashes = 0
	}
	return -1
}

// rest returns the further pieces of a split literal.
func (s *scan) rest(v value) []span {
	var parts []span
	for v.quoted && len(parts) < maxParts {
		next := s.joined(v.end)
		if next < 0 {
			break
		}
		if v.end = s.closing(next, v.mark, v.level); v.end < 0 {
			break
		}
		parts = append(parts, span{next, v.end})
	}
	return parts
}

// removeValue marks a value for removal.
func (s *scan) removeValue(v value) {
	s.remove(v.start, v.end)
	for _, p := range s.rest(v) {
		s.remove(p.start, p.end)
	}
}

// plausible reports whether a value may be a credential.
func (s *scan) plausible(v value, of strength, name int) bool {
	text := s.text[v.start:min(v.end, v.start+maxJudged)]
	if of < strong && !v.quoted && len(text) < minMedium {
		return false
	}
	if placeholder(s.text[v.start:v.end]) {
		return false
	}
	text += s.furtherText(v, of, len(text))
	switch {
	case v.sep == ",":
		return of == strong && v.quoted && len(text) >= minMedium && ciphered(text) && !strings.Contains(text, " ")
	case of == weak:
		key := upper.has(s.text[name]) && (v.sep == "=" && !v.spaced || v.quoted)
		return random(text) || key && digits(text) && !uuid(text)
	case of == medium && v.sep == "is ":
		return len(text) >= 16 && ciphered(text)
	case of == medium:
		return len(text) >= minMedium && mixed(text) && !strings.ContainsAny(text, " ()") && (v.quoted || !code(text))
	}
	return v.quoted || s.plausibleBare(v, text)
}

// furtherText returns the text of the remaining pieces of a split literal whose first piece
// is too short to be classified.
func (s *scan) furtherText(v value, of strength, first int) string {
	var b strings.Builder
	if v.quoted && of < strong && first < minRandom {
		for _, p := range s.rest(v) {
			b.WriteString(s.text[p.start:min(p.end, p.start+maxJudged)])
		}
	}
	return b.String()
}

// ciphered reports whether text is mixed and contains digits.
func ciphered(text string) bool { return mixed(text) && strings.ContainsAny(text, "0123456789") }

// plausibleBare reports whether a value of a strong name may be a credential although it is
// unquoted.
func (s *scan) plausibleBare(v value, text string) bool {
	switch {
	case strings.HasPrefix(text, "-----BEGIN"), len(text) < 3:
		return false // the rule for keys removes the whole key
	case v.sep == ":=", v.sep == "==", v.sep == "->":
		return random(text)
	case v.sep == "|", v.sep == "is ", v.sep == "":
		return len(text) >= 6 && mixed(text) && !code(text)
	case text[0] == '/', text[0] == '~', text[0] == '.': // the variable PWD holds the working directory, not a password
		return random(text)
	case strings.Trim(text, "0123456789") == "":
		return len(text) >= 4
	case code(text):
		return false
	case v.spaced && (lower | upper | under).all(text):
		// The value must end the line; otherwise this is a sentence or part of a program.
		rest := strings.TrimLeft(s.text[v.end:min(len(s.text), v.end+8)], " \t\r\\")
		return len(text) >= 6 && lower.has(text[0]) && (rest == "" || rest[0] == '\n' || rest[0] == '#' || s.text[v.end] == '\\')
	}
	return true
}

// beside removes a text that looks random, if it is on the same line as the name that
// ends at i and starts at most 40 bytes after that name.
func (s *scan) beside(i int) {
	for stop := min(len(s.text), i+40); i < stop; i++ {
		b := s.text[i]
		if b == '\n' {
			return
		}
		if !any64.has(b) || i > 0 && any64.has(s.text[i-1]) {
			continue
		}
		end := s.runFrom(i, any64)
		if text := s.text[i:end]; random(text) {
			s.remove(i, end)
			return
		}
	}
}

// placeholder reports whether a text only stands in for a value.
func placeholder(text string) bool {
	if text == Mark {
		return true
	}
	if text = text[:min(len(text), maxJudged)]; strings.Trim(text, "*.xX-_ ?#…") == "" {
		return true
	}
	if text[0] == '<' || text[0] == '[' && !strings.Contains(text, Mark) || strings.HasPrefix(text, "${") || strings.HasPrefix(text, "{{") || variable(text) {
		return true
	}
	if len(text) < 4 && strings.IndexByte("$%{&*", text[0]) >= 0 {
		return true
	}
	switch lowered(text) {
	case "true", "false", "null", "nil", "none", "undefined", "string", "str", "int", "integer", "number", "bool", "boolean", "text", "bytes",
		"byte", "any", "required", "optional", "yes", "no", "empty", "redacted", "hidden", "masked", "removed", "unset", "missing", "invalid",
		"password", "secret", "token", "value", "default", "unknown", "object", "array", "not", "the", "this", "your", "self", "env", "file":
		return true
	}
	return strings.HasPrefix(text, "your") && strings.ContainsAny(text, "-_ ") || strings.HasPrefix(text, "process.env.") || strings.HasPrefix(text, "os.environ")
}

// code reports whether an unquoted value is an expression in a program.
func code(text string) bool {
	if i := strings.IndexAny(text, "([{"); i >= 0 && !strings.Contains(text, Mark) && identifier(text[:i]) {
		return true
	}
	if text[0] == '+' && !mixed(text) || text[0] == ')' || strings.Contains(text, "](") {
		return true
	}
	if !strings.Contains(text, ".") {
		return false
	}
	for part := range strings.SplitSeq(text, ".") {
		if part == "" || !letters(part) {
			return false
		}
	}
	return true
}

// identifier reports whether text is an identifier, a field access, or empty.
func identifier(text string) bool {
	return (word | dot).all(text) && (text == "" || !digit.has(text[0]))
}

// letters reports whether text has no digits and consists only of characters that an
// expression may contain.
func letters(text string) bool {
	for i := range len(text) {
		if b := text[i]; !(lower | upper | under | dot).has(b) && b != '[' && b != ']' && b != '*' {
			return false
		}
	}
	return true
}

// digits reports whether text consists of at least 32 hexadecimal digits, as keys do.
func digits(text string) bool { return len(text) >= 32 && hexAny.all(text) }

const (
	// minRandom is the minimum length of a text that is classified by its characters.
	minRandom = 20
	// minTurns is the share of the pairs of neighbouring characters that must differ in
	// kind (lower case, capital, digit) for a text to count as random. minTurnsLong is
	// that share for texts of at least longText bytes. In random text the share is .62,
	// with more variance in shorter text.
	minTurns     = 0.4
	minTurnsLong = 0.34
	longText     = 28
	// minBits is the minimum entropy per character, in bits, at which a text counts as
	// random.
	minBits = 3.4
)

// random reports whether text looks like base64 of random bytes. Hashes, UUIDs and ULIDs do
// not, because their letters are all lower case or all capitals.
func random(text string) bool {
	if len(text) < minRandom || uuid(text) {
		return false
	}
	text = text[:min(len(text), maxJudged)]
	var seen, last alphabet
	turns, pairs, ciphers := 0, 0, 0
	for i := range len(text) {
		k := kind(text[i])
		switch {
		case k&lower != 0:
			k = lower
		case k&upper != 0:
			k = upper
		case k == digit:
			ciphers++
		case k&(any64|dot|tilde|percent) == 0:
			return false
		default:
			last = 0
			continue
		}
		if last != 0 {
			if pairs++; k != last {
				turns++
			}
		}
		seen, last = seen|k, k
	}
	enough := minTurns
	if len(text) >= longText {
		enough = minTurnsLong
	}
	if seen != lower|upper|digit || ciphers < 2 || float64(turns) < enough*float64(pairs) {
		return false
	}
	var counts [128]int
	for i := range len(text) {
		counts[text[i]&127]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(text))
			bits -= p * math.Log2(p)
		}
	}
	return bits >= minBits
}
