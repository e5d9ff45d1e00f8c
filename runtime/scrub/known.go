package scrub

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

const (
	// minSecret is the minimum length of a known value that is removed, in bytes; shorter
	// values occur in ordinary text.
	minSecret = 6
	// minLine is the minimum length, in bytes, at which a single line of a known value with
	// several lines is removed by itself.
	minLine = 16
	// probe is the length of the prefix that the automaton searches for; the rest of the
	// value is then compared.
	probe = 16
)

// knownForms returns the forms in which known values may occur, and the forms of each
// line of a value that has several lines.
func knownForms(known []string) []string {
	var forms []string
	for _, v := range known {
		v = strings.TrimSpace(v)
		forms = append(forms, encodings(v)...)
		if strings.Contains(v, "\n") {
			for line := range strings.Lines(v) {
				if line = strings.TrimSpace(line); len(line) >= minLine {
					forms = append(forms, encodings(line)...)
				}
			}
		}
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// knownTriggers returns triggers for known values in the forms in which they occur.
func knownTriggers(known []string) []trigger {
	var all []trigger
	for _, v := range knownForms(known) {
		all = append(all, trigger{lowered(v[:min(probe, len(v))]), func(s *scan, start, _ int) {
			if strings.HasPrefix(s.text[start:], v) {
				s.remove(start, start+len(v))
			}
		}})
	}
	return all
}

// encodings returns a value as it is and in every encoding, or nil if it is too short to be
// removed or is part of [Mark].
func encodings(v string) []string {
	if len(v) < minSecret || strings.Contains(Mark, v) {
		return nil
	}
	forms := []string{
		v, url.QueryEscape(v), url.PathEscape(v), quoted(v, true), quoted(v, false),
		quoted(quoted(v, true), true), quoted(quoted(v, false), true), quoted(quoted(v, false), false),
		hex.EncodeToString([]byte(v)), strings.ToUpper(hex.EncodeToString([]byte(v))),
	}
	// When the value is part of a longer text, the base64 encoding of that text represents
	// it in one of three ways, depending on its offset. The neighbouring bytes affect the
	// characters at both ends, so these are left out.
	for shift := range 3 {
		padded := strings.Repeat("\x00", shift) + v
		first, last := (shift*8+5)/6, len(padded)*8/6
		for _, coding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			forms = append(forms, coding.EncodeToString([]byte(padded))[first:last])
		}
	}
	return slices.DeleteFunc(forms, func(f string) bool { return strings.Contains(Mark, f) })
}

// quoted returns the value as it appears inside a JSON string. html reports whether the
// characters <, > and & are escaped too.
func quoted(v string, html bool) string {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(html)
	if enc.Encode(v) != nil {
		return v
	}
	text := strings.TrimSuffix(out.String(), "\n")
	return text[1 : len(text)-1]
}

// lowered returns text with ASCII letters in lower case.
func lowered(text string) string {
	b := []byte(text)
	for i := range b {
		b[i] = fold(b[i])
	}
	return string(b)
}
