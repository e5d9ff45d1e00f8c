package safety

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Limits on the operator's patterns.
const (
	maxPatterns = 64
	maxPattern  = 500
	// maxAnswer limits how much of an answer is checked, in bytes.
	maxAnswer = 256 << 10
)

// Marker is a text that a caller puts into a system prompt so that an answer which
// repeats the prompt can be detected.
const Marker = "evolve:prompt:do-not-repeat"

// builtIn returns the patterns that always apply.
func builtIn() []string {
	return []string{
		`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY`,
		regexp.QuoteMeta(Marker),
		`AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{40}`,
	}
}

// Never holds the patterns that no answer may match. The zero value allows everything;
// use [NewNever].
type Never struct {
	patterns []*regexp.Regexp
	// plain maps look-alikes to the ASCII characters that they resemble.
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

// Match returns the first pattern that the answer matches, and whether there is one. The
// answer is checked both unchanged and as a person would read it, with invisible
// characters removed and look-alike characters replaced. Match reads at most 256 KiB of
// the answer: if the answer is longer, half of that amount from each end. It takes linear
// time.
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

// asRead returns a text as a person reads it, without changing capitals or line ends.
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

// CompileNever compiles an operator's patterns, in RE2 syntax. It allows at most 64
// patterns of 500 bytes each, and none that matches the empty text, because such a pattern
// would match every answer.
func CompileNever(patterns []string) ([]*regexp.Regexp, error) {
	if len(patterns) > maxPatterns {
		return nil, fmt.Errorf("%d patterns, but at most %d are allowed", len(patterns), maxPatterns)
	}
	var all []*regexp.Regexp
	for i, p := range patterns {
		if len(p) > maxPattern {
			return nil, fmt.Errorf("pattern %d is longer than %d bytes", i+1, maxPattern)
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
