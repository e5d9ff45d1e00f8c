package experience

import (
	"regexp"
	"slices"
	"strings"

	"github.com/kljensen/snowball/english"
)

var (
	// rightIs matches a statement of what the correct answer is, and repairs matches a
	// request to correct a word in the answer.
	rightIs = regexp.MustCompile(`^(?:the |your )?(?:correct|right)(?: [a-z]{3,20})?(?:(?: is| was| would be| should be| should have been)|:) (.+?)(?:, .*)?$|^(?:your|the) answer (?:is|was|should be|should have been|would be)(?: actually)? (.+?)(?:, .*)?$`)
	repairs = regexp.MustCompile(`^(?:please )?correct (?:the|your) ([a-z]+)\b`)
	// contrary matches the words before a differing value: a denial, a contrast or
	// "actually".
	contrary = regexp.MustCompile(`(?:^|[ ,])(?:no|nope|nah|but|however|except|actually|instead)\b`)
	numbers  = regexp.MustCompile(`[0-9]+(?:[.:,][0-9]+)*`)
	// unspecific matches words that do not state a value by themselves.
	unspecific = regexp.MustCompile(`^(?:right|correct|still|not|up to|a matter|to|in|about|very|quite|so|good|fine|as|what|how|when|where|why|if|unclear|unknown|here|there|away|now)\b`)
)

// statesValue reports whether a clause of the message gives a value that differs from the
// agent's answer: either it is stated as the correct value, or both are numbers and the
// clause contradicts the answer. It also returns true if a clause is a request to correct a
// word in the answer.
func (m written) statesValue(before string) bool {
	if before == "" || asks.MatchString(ending(before)) {
		return false
	}
	answered := wordRule.FindAllString(before, -1)
	for i, c := range m.clauses[:min(len(m.clauses), maxClauses)] {
		if c.question || spared.MatchString(c.text) {
			continue
		}
		if found := rightIs.FindStringSubmatch(c.text); found != nil && !strings.HasPrefix(c.text, "right now") && !unspecific.MatchString(found[1]+found[2]) && !within(found[1]+found[2], answered) {
			return true
		}
		if found := repairs.FindStringSubmatch(c.text); found != nil && slices.Contains(answered, found[1]) {
			return true
		}
		lead := c.lead
		if at := strings.Index(m.text, c.text); i > 0 && at > 0 {
			lead = m.text[max(0, at-len(" however, ")):at]
		}
		if (contrary.MatchString(lead) || strings.HasSuffix(c.text, " actually")) && !wishes.MatchString(c.text) && !opinion.MatchString(c.text) && sameSubject(c.text, answered) && otherNumber(c.text, before) {
			return true
		}
	}
	return false
}

// subject matches the subject of a statement, unless it is a pronoun.
var subject = regexp.MustCompile(`^(?:the|its|your|my|our|a|an) ([a-z]+)`)

// sameSubject reports whether a statement is about the same subject as the answer.
func sameSubject(text string, answered []string) bool {
	found := subject.FindStringSubmatch(text)
	return found == nil || slices.Contains(answered, found[1])
}

// otherNumber reports whether a short text and the answer both have numbers, but none in
// common.
func otherNumber(text, before string) bool {
	given, known := numbers.FindAllString(text, -1), numbers.FindAllString(before, -1)
	return len(strings.Fields(text)) <= 8 && len(known) > 0 && len(given) > 0 && !slices.ContainsFunc(given, func(n string) bool { return slices.Contains(known, n) })
}

// within reports whether all content words of a text are among words.
func within(text string, words []string) bool {
	for _, w := range wordRule.FindAllString(text, -1) {
		if !english.IsStopWord(w) && !slices.Contains(words, w) {
			return false
		}
	}
	return true
}
