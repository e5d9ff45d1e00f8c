package gotest

import "regexp"

// Claim is a patch's declaration about its effect. It never makes a gate more lenient:
// the patch is checked against its claim.
type Claim string

// The claims.
const (
	// Refactoring claims that the behaviour of every function is unchanged.
	Refactoring Claim = "a refactoring"
	// Faster claims that the behaviour is unchanged but that the code takes less time or
	// memory.
	Faster Claim = "a faster version"
)

var (
	refactors = regexp.MustCompile(`(?i)\b(refactor\w*|no(ne)? (functional|semantic|behaviou?ral) changes?|no changes? (of|in|to) (behaviou?r|semantics)|(without|no) (any )?(behaviou?r|semantic) changes?|behaviou?r (is |stays |remains )?(unchanged|the same)|pure(ly)? (move|rename|cleanup)|does the same)\b`)
	speeds    = regexp.MustCompile(`(?i)\b(faster|speed(s|ed)?[ -]?up|speeding up|quicker|fewer allocations|less (memory|time)|optimi[sz](e|es|ed|ing|ation|ations)|performance)\b`)
	mends     = regexp.MustCompile(`(?i)\b(fix(es|ed|ing)?|mend(s|ed|ing)?|correct(s|ed|ing)?|repair(s|ed|ing)?|bugs?|wrong(ly)?|instead of|fail(s|ed|ing|ure)?|rejects?|refuses?|adds?|new)\b`)
)

// ClaimOf returns the claim that a patch's text makes, or "" if it makes none. A text that
// also mentions a fault or something new does not claim that the patch only makes the code
// faster.
func ClaimOf(text string) Claim {
	switch {
	case refactors.MatchString(text):
		return Refactoring
	case speeds.MatchString(text) && !mends.MatchString(text):
		return Faster
	}
	return ""
}
