package sessions

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// The bounds of an answer that a correction states.
const (
	statedWords = 8
	statedBytes = 80
	readBytes   = 2000 // of the correction
)

// statements match the phrases with which a correction states the answer. Nothing else
// counts as a statement, because a wrong answer in a suite is worse than a missing one.
var statements = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(?:the |my )?(?:correct|right|actual|real) (?:answer|result|value|number|total|amount|name|date|one|\w{3,20}) (?:is|was|would be) (.+)`),
	regexp.MustCompile(`(?i)\bthe (?:answer|result|total) (?:is|was|should be|should have been) (.+)`),
	regexp.MustCompile(`(?i)\b(?:it|that|this) (?:should be|should have been|must be) (.+)`),
	regexp.MustCompile(`(?i)^(?:no|nope|wrong|incorrect|not quite|that'?s (?:wrong|not right|incorrect|not correct)|that is (?:wrong|not right|incorrect|not correct))\s*[,.;:!—-]+\s*(?:it'?s|it is|it was) (?:actually )?(.+)`),
}

// vague contains the first words of texts that only describe the wanted answer. A text
// that begins with one of them does not count as an answer.
var vague = []string{
	"not", "wrong", "more", "less", "better", "different", "in", "a", "an", "too", "like", "something", "somewhere", "written", "formatted", "done",
	"about", "clear", "obvious", "there", "easy", "possible", "what", "that", "this", "the", "one", "as", "if", "because", "why", "how", "when", "where",
	"who", "which", "up", "on", "at", "to", "for", "with", "mine", "yours", "fine", "ok", "okay", "correct", "right", "incorrect", "missing", "only", "just",
}

// ends matches the text that ends a stated answer.
var ends = regexp.MustCompile(`(?i)[.!;](?:\s|$)|\n|,? (?:not|and not|instead of|rather than|because|since|but|so|as|please|who|which|that)\b|, | [—–-] |\(`)

// stated returns the answer that a correction states plainly, or "" if the correction
// states no answer or several.
func stated(correction string) string {
	if len(correction) > readBytes || strings.ContainsAny(correction, "?`") {
		return ""
	}
	correction = strings.ReplaceAll(strings.TrimSpace(correction), "’", "'")
	found := ""
	for _, form := range statements {
		for _, m := range form.FindAllStringSubmatch(correction, -1) {
			answer := statedAnswer(m[1])
			switch {
			case answer == "":
				return ""
			case found != "" && !strings.EqualFold(found, answer):
				return ""
			}
			found = answer
		}
	}
	return found
}

// statedAnswer returns the text after a statement up to its end, or "" if it is not an
// answer.
func statedAnswer(rest string) string {
	if at := ends.FindStringIndex(rest); at != nil {
		rest = rest[:at[0]]
	}
	rest = strings.TrimSpace(strings.Trim(strings.TrimSpace(rest), `"'“”*.,:;`))
	words := strings.Fields(rest)
	if len(words) == 0 || len(words) > statedWords || len(rest) > statedBytes {
		return ""
	}
	if slices.Contains(vague, strings.ToLower(strings.Trim(words[0], `"'“”,.`))) {
		return ""
	}
	// A number or a name is an answer; "shorter" and "sent tomorrow" are not.
	if !strings.ContainsFunc(rest, unicode.IsDigit) && !strings.ContainsFunc(rest, unicode.IsUpper) {
		return ""
	}
	return rest
}
