package scrub

import (
	"encoding/base64"
	"strings"
)

// headerTriggers returns triggers for the HTTP headers and schemes that carry credentials.
func headerTriggers() []trigger {
	return []trigger{
		{"authorization", authorization},
		{"bearer", bearer},
		{"basic", basic},
		{"cookie", cookie},
	}
}

// authorization removes the credential from an Authorization header but retains the name of
// its scheme.
func authorization(s *scan, start, end int) {
	v, ok := s.valueOf(start, end)
	if !ok || v.sep == ">" {
		return
	}
	limit := v.end
	if !v.quoted {
		limit = min(len(s.text), v.start+maxValue)
	}
	at := v.start
	name := s.text[at:s.runFrom(at, alnum|dash)]
	switch lowered(name[:min(len(name), 24)]) {
	case "basic", "bearer", "token", "negotiate", "apikey", "ssws", "sso-key", "genie", "genie-key", "klaviyo-api-key", "key", "bot", "oauth":
		at = s.gap(at + len(name))
	case "digest", "aws4-hmac-sha256", "hawk", "signature", "sharedkey":
		// With these schemes, the credential consists of several parameters and extends to
		// the end of the line.
		at = s.gap(at + len(name))
		stop := at
		for stop < limit && strings.IndexByte("\"'`\\\r\n", s.text[stop]) < 0 {
			stop++
		}
		s.remove(at, stop)
		return
	default:
		text := s.text[v.start:v.end]
		if len(text) < 8 || !mixed(text) || placeholder(text) || !v.quoted && code(text) {
			return
		}
		s.remove(v.start, v.end)
		return
	}
	stop := at
	for stop < limit && strings.IndexByte(" \t\r\n\"'`\\,;<>", s.text[stop]) < 0 && s.text[stop] != 0x1b {
		stop++
	}
	if text := trimmed(s.text[at:stop]); text != "" && !placeholder(text) {
		s.remove(at, at+len(text))
	}
}

// bearer removes a token after the scheme's name.
func bearer(s *scan, start, end int) {
	at := s.schemed(start, end)
	if at < 0 {
		return
	}
	stop := s.runFrom(at, any64|dot|tilde)
	if n := stop - at; n >= 20 && mixed(s.text[at:stop]) || n >= 16 && random(s.text[at:stop]) {
		s.remove(at, stop)
	}
}

// basic removes a base64-encoded user and password.
func basic(s *scan, start, end int) {
	at := s.schemed(start, end)
	if at < 0 {
		return
	}
	stop := s.runFrom(at, std64)
	if stop-at < 4 || stop-at > 1024 {
		return
	}
	pair, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s.text[at:stop], "="))
	if err != nil || !strings.Contains(string(pair), ":") {
		return
	}
	for _, b := range pair {
		if b < ' ' {
			return
		}
	}
	s.remove(at, stop)
}

// schemed returns the start of the credential after a scheme, or -1 if there is none.
func (s *scan) schemed(start, end int) int {
	if at := s.gap(end); at > end && s.starts(start) {
		return at
	}
	return -1
}

// cookie removes the values of the cookies in a header, but not their attributes.
func cookie(s *scan, start, end int) {
	v, ok := s.valueOf(start, end)
	if !ok || v.sep == "" && !v.quoted {
		return
	}
	for at := v.start; at < len(s.text); {
		name := s.runFrom(at, dotted|dollar)
		if name == at || name >= len(s.text) || s.text[name] != '=' {
			return
		}
		stop := s.runFrom(name+1, bare)
		switch lowered(s.text[at:min(name, at+maxJudged)]) {
		case "path", "expires", "domain", "samesite", "max-age", "lang", "theme":
		default:
			if stop-name > 6 && !placeholder(s.text[name+1:stop]) {
				s.remove(name+1, stop)
			}
		}
		at = stop
		for at < len(s.text) && (s.text[at] == ';' || s.text[at] == ' ') {
			at++
		}
		if at == stop {
			return
		}
	}
}
