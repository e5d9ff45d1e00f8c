package gotest

import "regexp"

// Claim is what a patch's text declares about its effect. It never makes a gate milder:
// the patch is checked against its claim.
type Claim string

// The claims.
const (
	// Refactoring: the behaviour of every function is unchanged.
	Refactoring Claim = "a refactoring"
	// Faster: the behaviour is unchanged, with less time or memory.
	Faster Claim = "a faster version"
)

var (
	refactors = regexp.MustCompile(`(?i)\b(refactor\w*|no(ne)? (functional|semantic|behaviou?ral) changes?|no changes? (of|in|to) (behaviou?r|semantics)|(without|no) (any )?(behaviou?r|semantic) changes?|behaviou?r (is |stays |remains )?(unchanged|the same)|pure(ly)? (move|rename|cleanup)|does the same)\b`)
	speeds    = regexp.MustCompile(`(?i)\b(faster|speed(s|ed)?[ -]?up|speeding up|quicker|fewer allocations|less (memory|time)|optimi[sz](e|es|ed|ing|ation|ations)|performance)\b`)
	mends     = regexp.MustCompile(`(?i)\b(fix(es|ed|ing)?|mend(s|ed|ing)?|correct(s|ed|ing)?|repair(s|ed|ing)?|bugs?|wrong(ly)?|instead of|fail(s|ed|ing|ure)?|rejects?|refuses?|adds?|new)\b`)
)

// ClaimOf reads what a patch's text declares; "" where it declares neither. A text that
// speaks of a fault or of something new as well declares no speed alone.
func ClaimOf(text string) Claim {
	switch {
	case refactors.MatchString(text):
		return Refactoring
	case speeds.MatchString(text) && !mends.MatchString(text):
		return Faster
	}
	return ""
}
