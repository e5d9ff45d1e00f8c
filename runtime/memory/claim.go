package memory

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Claim is the statement that a short text makes, analysed for comparison. The words before
// the verb are its subject, and the numbers and dates after the verb are its values.
type Claim struct {
	subject []string // stems before the verb, including numbers; sorted, distinct
	rest    []string // stems after it
	values  []string // numbers, dates and months after the verb
	terms   []string // all stems; sorted, distinct
	proper  []string // stems of negations, words with a digit, and capitalised words after the first
}

// maxClaimBytes limits how much of a text is read: a claim is one or two sentences.
const maxClaimBytes = MaxEntryBytes

// Claim analyses a text.
func (l *Lexicon) Claim(text string) Claim {
	if len(text) > maxClaimBytes {
		text = text[:maxClaimBytes]
	}
	var c Claim
	said := false // whether the verb has been read
	for i, field := range strings.Fields(text) {
		word := strings.TrimFunc(field, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '+' && r != '%'
		})
		lower := strings.ToLower(word)
		stems := l.Terms(nil, word)
		c.terms = append(c.terms, stems...)
		if i > 0 && capital(word) || strings.ContainsAny(lower, "0123456789") || negation(lower) {
			c.proper = append(c.proper, stems...)
		}
		switch {
		case !said && (states(lower) || field == "=" || field == ":"):
			said = true
		case said && value(lower):
			c.values = append(c.values, strings.ReplaceAll(lower, ",", ""))
		case passing(lower):
		case said:
			c.rest = append(c.rest, stems...)
		default:
			c.subject = append(c.subject, stems...)
		}
		if strings.HasSuffix(field, ":") {
			said = true
		}
	}
	for _, list := range []*[]string{&c.subject, &c.rest, &c.values, &c.terms, &c.proper} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return c
}

// sameWording is the minimum share of common words for two texts to count as making the
// same statement.
const sameWording = .9

// Same reports whether c and d make the same statement in nearly the same words. Texts that
// differ in a number, a name or a negation do not make the same statement.
func (c Claim) Same(d Claim) bool {
	return len(c.terms) > 0 && slices.Equal(c.proper, d.proper) && jaccard(c.terms, d.terms) >= sameWording
}

// Contradicts reports whether c and d have the same subject but give it different numbers
// or dates. Other differences are not contradictions: a lobby may be both blue and large.
func (c Claim) Contradicts(d Claim) bool {
	if len(c.subject) == 0 || len(c.values) == 0 || len(d.values) == 0 ||
		!slices.Equal(c.subject, d.subject) || slices.Equal(c.values, d.values) {
		return false
	}
	return len(c.rest) == 0 || len(d.rest) == 0 || jaccard(c.rest, d.rest) >= .5
}

// states reports whether a word is a verb that assigns a value to its subject.
func states(word string) bool {
	switch word {
	case "is", "are", "was", "were", "be", "has", "have", "had", "costs", "cost", "takes", "needs", "equals",
		"means", "weighs", "measures", "lasts", "starts", "begins", "ends", "opens", "closes", "expires", "runs":
		return true
	}
	return false
}

// passing reports whether a word only qualifies the time or the certainty of a statement.
func passing(word string) bool {
	switch word {
	case "now", "currently", "today", "still", "already", "actually", "correction", "no", "instead", "really":
		return true
	}
	return false
}

func negation(word string) bool {
	switch word {
	case "not", "no", "never", "none", "without", "cannot", "isn't", "aren't", "wasn't", "won't", "don't", "doesn't", "can't":
		return true
	}
	return false
}

func capital(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r) && word != "I"
}

// value reports whether a lower-case word is a number, a date or a month. A word that
// begins with letters, such as a part number, is a name.
func value(word string) bool {
	switch word {
	case "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
		"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday":
		return true
	}
	word = strings.TrimLeft(word, "+-")
	return word != "" && word[0] >= '0' && word[0] <= '9'
}

// Subject returns the subject of a sentence as written: the words before its verb, its
// colon or its equals sign. It returns false if the sentence has none of these, or if only
// stop words, such as a pronoun, come before the first of them.
func Subject(sentence string) (string, bool) {
	if len(sentence) > maxClaimBytes {
		sentence = sentence[:maxClaimBytes]
	}
	at := 0
	for field := range strings.FieldsSeq(sentence) {
		start := at + strings.Index(sentence[at:], field)
		at = start + len(field)
		end := -1
		switch bare := strings.ToLower(strings.TrimRight(field, ",;")); {
		case strings.HasSuffix(bare, ":") && len(bare) > 1:
			end = at - 1
		case states(bare), bare == "=", bare == ":":
			end = start
		}
		if end < 0 {
			continue
		}
		subject := strings.TrimSpace(sentence[:end])
		named := false
		EachWord(subject, func(word string) { named = named || !StopWord(word) && !passing(word) })
		return subject, named
	}
	return "", false
}

// About returns a key for the claim's subject, which all claims on that subject share.
// Without a subject, the key consists of all terms.
func (c Claim) About() string {
	if len(c.subject) == 0 {
		return strings.Join(c.terms, " ")
	}
	return strings.Join(c.subject, " ")
}
