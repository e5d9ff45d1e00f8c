package scrub

import "strings"

// urlTriggers returns triggers for addresses that contain a user and a password.
func urlTriggers() []trigger {
	return []trigger{
		{"://", userinfo},
		{"%3a%2f%2f", encodedUserinfo},
		{"@tcp(", dsn},
		{"@unix(", dsn},
		{".snowflakecomputing.com", snowflake},
	}
}

// maxUserinfo is the maximum length of a user and a password, in bytes.
const maxUserinfo = 768

// userinfo removes the user and the password from a URL, or the token that replaces both.
func userinfo(s *scan, _, end int) {
	colon, at := -1, -1
	for i := end; i < len(s.text) && i-end < maxUserinfo; i++ {
		b := s.text[i]
		if b == '@' {
			at = i // a password may contain an @
			continue
		}
		if b <= ' ' || strings.IndexByte("/\"'<>`\\", b) >= 0 {
			break
		}
		if b == ':' && colon < 0 {
			colon = i
		}
	}
	if at < 0 || at == end {
		return
	}
	if colon < 0 || colon > at {
		if user := s.text[end:at]; random(user) || len(user) == 32 && digits(user) {
			s.remove(end, at)
		}
		return
	}
	if password := s.text[colon+1 : at]; password == "" || variable(password) {
		return
	}
	s.remove(end, at)
}

// dsn removes the user and the password that precede an address in a data source name of
// Go's database drivers.
func dsn(s *scan, start, _ int) {
	from := start
	for from > 0 && start-from < 200 && s.text[from-1] > ' ' && strings.IndexByte("\"'`\\/=<>", s.text[from-1]) < 0 {
		from--
	}
	if colon := strings.IndexByte(s.text[from:start], ':'); colon >= 0 && from+colon+1 < start {
		s.remove(from, start)
	}
}

// snowflake removes the user and the password that precede the name of an account.
func snowflake(s *scan, start, _ int) {
	if at := s.back(start, 80, dotted) - 1; at >= 0 && s.text[at] == '@' {
		dsn(s, at, start)
	}
}

// encodedUserinfo removes the user and the password from a URL in the query of another URL.
func encodedUserinfo(s *scan, _, end int) {
	stop := s.runFrom(end, dotted|tilde|percent|other)
	text := s.text[end:min(stop, end+maxUserinfo)]
	if i := strings.Index(lowered(text), "%2f"); i >= 0 {
		text = text[:i]
	}
	at := strings.LastIndex(text, "%40")
	if at < 0 || !strings.Contains(lowered(text[:at]), "%3a") {
		return
	}
	s.remove(end, end+at)
}

// variable reports whether text is a placeholder for a value that is substituted later.
func variable(text string) bool {
	name := strings.TrimLeft(text, "$%{(<[")
	if name == text {
		return false
	}
	name = strings.TrimRight(name, "%})>]")
	if !(word | dot).all(name) {
		return false
	}
	return text[0] != '$' || len(text) > 1 && (text[1] == '{' || text[1] == '(') || !mixed(name) || name == strings.ToUpper(name)
}
