package scrub

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// Mark stands where a credential stood.
const Mark = "[redacted]"

// minSecret is the shortest known value that is removed, in bytes: anything
// shorter occurs in ordinary text.
const minSecret = 6

// Scrubber removes credentials from text. It is safe for concurrent use.
type Scrubber struct {
	known  *strings.Replacer
	shapes []shape
}

// New makes a scrubber that removes the given values, such as those of the
// environment variables that are passed to a program, beside everything that has
// the shape of a credential. Values under six bytes are left alone.
func New(known []string) *Scrubber {
	var values []string
	for _, v := range known {
		if v = strings.TrimSpace(v); len(v) < minSecret || strings.Contains(Mark, v) {
			continue
		}
		values = append(values, v, url.QueryEscape(v), quoted(v))
	}
	// Where one value begins another, the longer one is to be found first.
	slices.SortFunc(values, func(a, b string) int {
		return len(b) - len(a)
	})
	s := &Scrubber{known: strings.NewReplacer(), shapes: shapes()}
	if len(values) > 0 {
		pairs := make([]string, 0, 2*len(values))
		for _, v := range values {
			pairs = append(pairs, v, Mark)
		}
		s.known = strings.NewReplacer(pairs...)
	}
	return s
}

// quoted is the value as it stands inside a JSON string.
func quoted(v string) string {
	text, err := json.Marshal(v)
	if err != nil {
		return v
	}
	return string(text[1 : len(text)-1])
}

// maxRounds bounds how often a result is scrubbed again.
const maxRounds = 4

// String returns the text without credentials. It takes time linear in the text's
// length, and scrubbing a result once more changes nothing.
func (s *Scrubber) String(text string) string {
	// A removal can complete another shape, such as a URL whose password was known.
	for range maxRounds {
		next := s.once(text)
		if next == text {
			return text
		}
		text = next
	}
	// Only text that was made for it gets here.
	return Mark
}

func (s *Scrubber) once(text string) string {
	text = s.known.Replace(text)
	lower := strings.ToLower(text)
	for _, f := range s.shapes {
		if slices.ContainsFunc(f.hints, func(h string) bool { return strings.Contains(lower, h) }) {
			text = f.pattern.ReplaceAllString(text, f.with)
		}
	}
	return text
}
