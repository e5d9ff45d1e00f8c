package safety

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Bounds on the operator's patterns.
const (
	maxPatterns = 64
	maxPattern  = 500
	// maxAnswer is how much of an answer is looked at, in bytes.
	maxAnswer = 256 << 10
)

// Marker is a text that a caller puts into a system prompt so that an answer which
// repeats the prompt gives itself away.
const Marker = "evolve:prompt:do-not-repeat"

// builtIn are the patterns that no operator has to write.
func builtIn() []string {
	return []string{
		`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY`,
		regexp.QuoteMeta(Marker),
		`AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{40}`,
	}
}

// Never is what no answer may match. The zero value holds nothing back; make one
// with [NewNever].
type Never struct {
	patterns []*regexp.Regexp
	// plain maps what is taken for a letter or sign of ASCII to that.
	plain map[rune]rune
}

// NewNever compiles the built-in patterns and the operator's.
func NewNever(own []string) (Never, error) {
	patterns, err := CompileNever(own)
	if err != nil {
		return Never{}, err
	}
	var all []*regexp.Regexp
	for _, p := range builtIn() {
		all = append(all, regexp.MustCompile(p))
	}
	n := Never{append(all, patterns...), map[rune]rune{}}
	for letter, others := range lookalikes() {
		for _, r := range others {
			n.plain[r] = letter
		}
	}
	return n, nil
}

// Match returns the first pattern that the answer matches, and whether there is one: as
// it stands, or as a person reads it, without invisible characters and look-alikes.
// It reads at most 256 KiB of the answer, from both of its ends, in linear time.
func (n Never) Match(answer string) (string, bool) {
	parts := []string{answer}
	if len(answer) > maxAnswer {
		parts = []string{answer[:maxAnswer/2], answer[len(answer)-maxAnswer/2:]}
	}
	for _, part := range parts {
		if shown := n.asRead(part); shown != part {
			parts = append(parts, shown)
		}
	}
	for _, p := range n.patterns {
		for _, part := range parts {
			if p.MatchString(part) {
				return p.String(), true
			}
		}
	}
	return "", false
}

// asRead is a text as a person reads it, capitals and ends of lines as they are.
func (n Never) asRead(text string) string {
	if len(n.patterns) == 0 || strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return text
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r < utf8.RuneSelf:
			return r
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
			return -1
		}
		small := unicode.ToLower(r)
		letter, alike := n.plain[small]
		switch {
		case !alike:
			return r
		case small != r:
			return unicode.ToUpper(letter)
		}
		return letter
	}, norm.NFKC.String(text))
}

// CompileNever compiles an operator's patterns, in RE2's syntax. At most 64 of 500
// characters are allowed, and none that matches the empty text: it would match every answer.
func CompileNever(patterns []string) ([]*regexp.Regexp, error) {
	if len(patterns) > maxPatterns {
		return nil, fmt.Errorf("%d patterns, at most %d are allowed", len(patterns), maxPatterns)
	}
	var all []*regexp.Regexp
	for i, p := range patterns {
		if len(p) > maxPattern {
			return nil, fmt.Errorf("pattern %d is longer than %d characters", i+1, maxPattern)
		}
		compiled, err := regexp.Compile(p)
		if err != nil {
			return nil, fmt.Errorf("pattern %d: %w", i+1, err)
		}
		if compiled.MatchString("") {
			return nil, fmt.Errorf("pattern %d matches every answer: %q", i+1, p)
		}
		all = append(all, compiled)
	}
	return all, nil
}
