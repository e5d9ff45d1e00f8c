package scrub

import "strings"

// strength is the certainty with which the value of a name is a credential.
type strength int

const (
	// For a weak name, such as key, a value counts only if it looks random.
	weak strength = iota
	// For a medium name, such as token, a value counts if it has letters and digits.
	medium
	// For a strong name, such as password, any value counts.
	strong
)

// nameTriggers returns triggers for names of credentials. The words of a name may be joined
// directly or by an underscore, a hyphen, a dot or a space.
func nameTriggers() []trigger {
	var all []trigger
	for of, names := range map[strength][]string{
		strong: {
			"password", "passwd", "passphrase", "pwd", "passwort", "pass phrase", "secret", "client secret",
			"api key", "access key", "private key", "secret key", "account key", "auth key", "signing key", "encryption key", "master key",
			"app key", "application key", "license key", "service key", "consumer key", "service role key", "storage key", "admin key",
			"routing key", "integration key", "write key", "subscription key", "shared key", "functions key",
			"access token", "auth token", "api token", "refresh token", "session token", "bearer token", "security token", "bot token",
			"personal access token", "private token", "job token", "deploy token", "id token", "oauth token", "user token", "master token",
			"x vault token", "x auth token", "redis auth", "db pass", "mysql pass", "ftp pass", "smtp pass", "root pass", "user pass",
		},
		medium: {"token", "credential", "credentials", "pass", "_auth", "session key"},
		weak:   {"key", "auth", "session", "sessionid", "session id", "sessid", "sid", "webhook", "pat", "hash salt", "salt", "dsn"},
	} {
		for _, name := range names {
			joints := []string{"", "_", "-", ".", " "}
			if !strings.Contains(name, " ") {
				joints = joints[:1]
			}
			for _, joint := range joints {
				all = append(all, trigger{strings.ReplaceAll(name, " ", joint), of.named})
			}
		}
	}
	return all
}

// named removes the value of the name whose triggering word is at [start, end).
func (of strength) named(s *scan, start, end int) {
	if of < strong && !s.wordStarts(start) {
		return
	}
	after := s.suffix(end)
	if after < 0 || s.named == after {
		return
	}
	if of > weak {
		s.named = after // shorter names that end here are less certain
	}
	v, ok := s.valueOf(start, after)
	if !ok {
		if of > weak || s.text[start] < 'a' {
			s.beside(after)
		}
		return
	}
	if s.plausible(v, of, start) {
		s.removeValue(v)
	}
}

// wordStarts reports whether a word of a name starts at i; for example, monkey does not
// contain the word key.
func (s *scan) wordStarts(i int) bool {
	if s.starts(i) || s.text[i] == '_' {
		return true
	}
	before := s.text[i-1]
	return before == '_' || digit.has(before) || upper.has(s.text[i]) && lower.has(before)
}

// suffix returns the end of the name that contains a credential word ending at i, or -1 if
// what follows the word changes its meaning, as in token_count.
func (s *scan) suffix(i int) int {
	if i == len(s.text) || !url64.has(s.text[i]) {
		return i
	}
	end := i
	for end < len(s.text) && end-i < 24 && url64.has(s.text[end]) {
		end++
	}
	// A hyphen or an underscore may join a name and a value, as in token-…
	rest := strings.Trim(lowered(s.text[i:end]), "_-")
	switch strings.TrimRight(rest, "0123456789") {
	case "", "prod", "production", "dev", "development", "test", "staging", "live", "value", "raw", "b64", "base64", "plain", "text",
		"string", "str", "key", "token", "primary", "secondary", "old", "new", "main", "default", "confirmation", "hash", "confirm", "data", "current":
		return end
	}
	return -1
}

// value is the position of a value, with the syntax around it.
type value struct {
	start, end int
	// quoted reports whether the value is enclosed in quotation marks. mark is the
	// quotation mark, and level is the number of backslashes before each of the two
	// marks.
	quoted bool
	mark   byte
	level  int
	// sep is the separator between the name and the value, such as =, :, := or "is ",
	// without white space before it; it is empty for a flag. spaced reports whether there
	// is white space around the separator.
	sep    string
	spaced bool
	// title is the quotation mark that follows the name, or 0 if there is none.
	title byte
}

// valueOf finds the value of the name that starts at start and ends at i.
func (s *scan) valueOf(start, i int) (value, bool) {
	var v value
	i = s.coloured(i)
	named := i
	if q := s.quote(i); q >= 0 {
		i, v.title = q, s.text[q-1]
	} else if i < len(s.text) && s.text[i] == ']' { // an index, as in env["TOKEN"]
		i++
	}
	if i < len(s.text) && s.text[i] == ']' {
		i++
	}
	at := s.gap(i)
	v.sep, v.start = s.separator(at)
	switch {
	case v.sep == "" && at > named && named == i && (s.flag(start) || s.exported(start)):
		v.start = at
	case v.sep == "" && i > named && strings.HasPrefix(s.text[at:], ","):
		v.sep, v.start = ",", at+1 // as in define('PASSWORD', 'x')
	case v.sep == "":
		return s.pair(i)
	case v.sep == ">" && !s.tagged(start):
		return v, false
	}
	after := s.gap(v.start)
	v.spaced = after > v.start || at > i
	v.start = after
	s.extent(&v)
	return v, v.end > v.start
}

// gap returns the end of the gap at i, which consists of up to nine blanks and the colour
// sequences before and after them.
func (s *scan) gap(i int) int {
	i = s.coloured(i)
	for n := 0; n < 9 && i < len(s.text) && (s.text[i] == ' ' || s.text[i] == '\t'); n++ {
		i++
	}
	return s.coloured(i)
}

// coloured returns the end of a terminal's colour sequence at i, or i if there is none.
func (s *scan) coloured(i int) int {
	if i >= len(s.text) || s.text[i] != 0x1b && s.text[i] != '\\' {
		return i
	}
	rest := s.text[i:min(len(s.text), i+20)]
	for _, esc := range []string{"\x1b[", `\u001b[`, `\x1b[`, `\033[`} {
		if tail, ok := strings.CutPrefix(rest, esc); ok {
			if n := len(tail) - len(strings.TrimLeft(tail, "0123456789;")); n < len(tail) && (tail[n] == 'm' || tail[n] == 'K') {
				return i + len(esc) + n + 1
			}
		}
	}
	return i
}

// separator returns the separator between a name and its value at i, or "" if there is
// none, and the position at which the separator ends.
func (s *scan) separator(i int) (string, int) {
	if i >= len(s.text) || strings.IndexByte(":?=-i%>|", s.text[i]) < 0 {
		return "", i
	}
	rest := s.text[i:min(len(s.text), i+3)]
	for _, sep := range []string{":=", "?=", "=>", "==", "->", "is ", "=", ":", "%3D", "%3d", "%3A", "%3a", ">", "|"} {
		if strings.HasPrefix(rest, sep) {
			return sep, i + len(sep)
		}
	}
	return "", i
}

// flag reports whether the name belongs to a flag, as in --db-password.
func (s *scan) flag(i int) bool {
	from := s.back(i, 32, lower|digit|dash)
	return strings.HasPrefix(s.text[from:], "--")
}

// exported reports whether the name belongs to a variable that is set without an equals
// sign, as in setenv NAME value.
func (s *scan) exported(i int) bool {
	from := s.back(i, 40, word)
	before := s.text[max(0, from-7):from]
	return strings.HasSuffix(before, "ENV ") || strings.HasSuffix(before, "setenv ") || strings.HasSuffix(before, "setx ") || strings.HasSuffix(before, "set -x ")
}

// tagged reports whether the name belongs to an XML tag.
func (s *scan) tagged(i int) bool {
	from := s.back(i, 40, word|dash|colon|dot)
	return from > 0 && s.text[from-1] == '<'
}

// pair finds a value that has its own label after the name, as in name: TOKEN, value: x.
func (s *scan) pair(i int) (value, bool) {
	var v value
	for n := 0; n < 40 && i < len(s.text) && strings.IndexByte(" \t\r\n\\\"',", s.text[i]) >= 0; n++ {
		i++
	}
	if n := i + len("value"); n > len(s.text) || lowered(s.text[i:n]) != "value" {
		// The n of an escaped line break looks like the first letter of the label.
		if n++; n > len(s.text) || lowered(s.text[i:n]) != "nvalue" {
			return v, false
		}
		i++
	}
	i += len("value")
	if q := s.quote(i); q >= 0 {
		i = q
	}
	if v.sep, v.start = s.separator(s.gap(i)); v.sep == "" {
		return v, false
	}
	v.start = s.gap(v.start)
	s.extent(&v)
	return v, v.end > v.start
}
