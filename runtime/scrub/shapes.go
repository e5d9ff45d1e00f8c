package scrub

import (
	"encoding/base64"
	"strings"
)

// shapeTriggers returns triggers for credentials that have a characteristic string in the
// middle or consist of several parts.
func shapeTriggers() []trigger {
	return []trigger{
		{"eyj", jwt},
		{":aa", telegram},
		{".", discord},
		{"-us", mailchimp},
		{".atlasv1.", around(14, alnum, 40, dotted)},
		{"7q~", around(3, dotted|tilde, 30, dotted|tilde)},
		{"8q~", around(3, dotted|tilde, 30, dotted|tilde)},
		{"jqqj9", around(52, alnum, 20, alnum)},
		{"pat", airtable},
		{"0/", asana},
		{"1/", asana},
		{"2/", asana},
		{"re_", resend},
		{"sdk-", uuidBehind},
		{"api-", uuidBehind},
		{":apa91b", around(8, url64, 100, url64)},
		{"hooks.slack.com/", hook(30)},
		{"hooks.slack.com%2f", hook(30)},
		{"/api/webhooks/", hook(40)},
		{"%2fapi%2fwebhooks%2f", hook(40)},
		{"webhook.office.com/webhookb2/", hook(60)},
		{"sig=", signature},
		{"ls0tls1crudjti", encodedKey},
		{"$2a$", hashed(50, 53)},
		{"$2b$", hashed(50, 53)},
		{"$2y$", hashed(50, 53)},
		{"$apr1$", hashed(20, 40)},
		{"$1$", hashed(20, 40)},
		{"$5$", hashed(40, 90)},
		{"$6$", hashed(80, 130)},
		{"$y$", hashed(40, 130)},
		{"$argon2", hashed(40, 200)},
		{"{sha}", hashed(27, 28)},
		{"{ssha}", hashed(30, 60)},
	}
}

// jwt removes a JSON Web Token: at least three parts of base64, or two such parts and an
// empty one.
func jwt(s *scan, start, end int) {
	if s.text[start:end] != "eyJ" || !s.starts(start) {
		return
	}
	stop := s.runFrom(start, dotted)
	for stop > start && s.text[stop-1] == '.' && strings.Count(s.text[start:stop], ".") > 2 {
		stop--
	}
	parts := strings.SplitN(s.text[start:stop], ".", 3)
	switch {
	case len(parts) == 3 && len(parts[0]) >= 10 && len(parts[1]) >= 8:
		s.remove(start, stop)
	case strings.HasPrefix(parts[0], "eyJrIjoi") && len(parts[0]) >= 60: // the format of Grafana's keys before it introduced tokens
		s.remove(start, s.runFrom(start, std64))
	}
}

// around returns a rule for credentials that contain the triggering string. The number of
// characters before the string is exactly before; the number after it is at least after.
func around(before int, front alphabet, after int, behind alphabet) rule {
	return func(s *scan, start, end int) {
		from := s.back(start, before, front)
		if from != start-before || !s.starts(from) {
			return
		}
		if stop := s.runFrom(end, behind); stop-end >= after {
			s.remove(from, stop)
		}
	}
}

// telegram removes a bot token: the bot's number, a colon and 32 to 42 characters.
func telegram(s *scan, start, end int) {
	if s.text[start:end] != ":AA" {
		return
	}
	from := s.back(start, 12, digit)
	if start-from < 8 || !s.starts(from) && !strings.HasSuffix(s.text[:from], "/bot") {
		return
	}
	if stop := s.runFrom(end, url64); stop-end >= 30 && stop-end <= 40 {
		s.remove(from, stop)
	}
}

// discord removes a bot token of three parts, the middle one of which has six or seven
// characters.
func discord(s *scan, start, end int) {
	second := end + 6
	if second+27 > len(s.text) {
		return
	}
	if s.text[second] != '.' {
		if second++; s.text[second] != '.' {
			return
		}
	}
	for i := end; i < second; i++ {
		if !url64.has(s.text[i]) {
			return
		}
	}
	for from := s.back(start, 28, url64); start-from >= 23; from++ {
		if strings.IndexByte("MNO", s.text[from]) < 0 || !s.starts(from) {
			continue
		}
		if stop := s.runFrom(second+1, url64); stop-second > 26 && mixed(s.text[from:start]) {
			s.remove(from, stop)
		}
		return
	}
}

// mailchimp removes 32 hexadecimal digits followed by a data centre's name.
func mailchimp(s *scan, start, end int) {
	from := s.back(start, 33, smallHex)
	stop := s.runFrom(end, digit)
	if start-from == 32 && s.starts(from) && stop > end && stop-end <= 3 {
		s.remove(from, stop)
	}
}

// airtable removes a personal access token: an id of 14 characters, a dot and at least
// 40 hexadecimal digits.
func airtable(s *scan, start, end int) {
	if s.text[start:end] != "pat" || !s.starts(start) || end+14 >= len(s.text) || s.text[end+14] != '.' {
		return
	}
	stop := s.runFrom(end+15, smallHex)
	if s.runFrom(end, alnum) == end+14 && stop-end-15 >= 40 {
		s.remove(start, stop)
	}
}

// asana removes personal access tokens: digits and slashes, a colon, and 32 hexadecimal
// digits; or 0/ followed directly by the hexadecimal digits.
func asana(s *scan, start, end int) {
	if !s.starts(start) {
		return
	}
	secret := s.runFrom(end, digit|slash)
	if secret < len(s.text) && s.text[secret] == ':' {
		secret++
	} else if s.text[start] != '0' {
		return
	} else {
		secret = end
	}
	if stop := s.runFrom(secret, smallHex); stop-secret == 32 && (stop == len(s.text) || !word.has(s.text[stop])) {
		s.remove(start, stop)
	}
}

// resend removes a Resend key: the prefix re_, eight characters, an underscore, and at
// least 21 further characters.
func resend(s *scan, start, end int) {
	stop := s.runFrom(end, word)
	if s.text[start:end] != "re_" || !s.starts(start) || stop-end < 30 || s.text[end+8] != '_' || !mixed(s.text[end:stop]) {
		return
	}
	s.remove(start, stop)
}

// uuidBehind removes a prefix such as sdk- together with the UUID that follows it.
func uuidBehind(s *scan, start, end int) {
	stop := s.runFrom(end, smallHex|dash)
	if s.starts(start) && uuid(s.text[end:stop]) {
		s.remove(start, stop)
	}
}

// uuid reports whether text is a UUID.
func uuid(text string) bool {
	return len(text) == 36 && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-' && strings.Count(text, "-") == 4
}

// hook returns a rule for webhook addresses, which let anyone who has them send messages.
// At least minimum characters must follow the triggering string.
func hook(minimum int) rule {
	return func(s *scan, start, end int) {
		stop := s.runFrom(end, url64|slash|dot|percent)
		parts := []span{{start, stop}}
		if next := s.joined(stop); next >= 0 {
			parts = append(parts, span{next, s.runFrom(next, url64|slash|dot|percent)})
		}
		n := 0
		for _, p := range parts {
			n += p.end - p.start
		}
		if n-(end-start) < minimum {
			return
		}
		for _, p := range parts {
			s.remove(p.start, p.end)
		}
	}
}

// signature removes the signature of a signed URL.
func signature(s *scan, start, end int) {
	stop := s.runFrom(end, any64|percent)
	if s.starts(start) && stop-end >= 40 && mixed(s.text[end:stop]) {
		s.remove(end, stop)
	}
}

// encodedKey removes a private key that is additionally encoded in base64.
func encodedKey(s *scan, start, _ int) {
	stop := s.runFrom(start, std64)
	head, err := base64.StdEncoding.DecodeString(s.text[start : start+min(64, (stop-start)&^3)])
	if err == nil && strings.Contains(string(head), "PRIVATE KEY") {
		s.remove(start, stop)
	}
}

// hashed returns a rule for a password hash, as found in password files.
func hashed(least, most int) rule {
	return func(s *scan, start, end int) {
		stop := s.runFrom(end, any64|dot|dollar|equals|other)
		for stop > end && strings.IndexByte(":.,)]}", s.text[stop-1]) >= 0 {
			stop--
		}
		if n := stop - end; n >= least && n <= most+3 {
			s.remove(start, stop)
		}
	}
}
