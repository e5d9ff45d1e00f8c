package memory

import (
	"context"
	"iter"
	"slices"
	"strings"

	"evolve/runtime/agent"
)

// maxTestimony is the maximum length of a quotation of what a person wrote, in characters.
const maxTestimony = 160

// testimony returns quotations of what people wrote: those that support a retracted
// memory, and those that speak against it. A correction that restates the memory supports
// it. The reason for the retraction may speak against it, and so may a correction that
// denies or contradicts the memory, or that corrects an answer based on it. If there are
// several such corrections, the last one counts.
func testimony(ctx context.Context, lex *Lexicon, m agent.Memory, asked []Asked, q Query) (supports, against Testimony) {
	claim := lex.Claim(m.Text)
	if calledWrong(m.Retracted) || otherValue(claim, lex.Claim(m.Retracted)) {
		against = Testimony{"the reason for its retraction", m.Retracted}
	}
	m.Retracted, m.Time = "", m.RetractedAt
	alone := NewIndex(lex, []agent.Memory{m})
	for _, a := range asked {
		if a.Said == "" {
			continue
		}
		if contradicts(lex, claim, a.Said) {
			against = Testimony{"turn " + a.By, a.Said}
			continue
		}
		q.Text, q.Domain, q.Now = a.Text, a.Domain, a.Time
		if len(alone.Recall(ctx, q)) == 0 {
			continue
		}
		switch restated, denied := restates(lex, claim, a.Said); {
		case restated && !denied:
			supports = Testimony{"turn " + a.By, a.Said}
		case restated, claim.within(lex, a.Answer):
			against = Testimony{"turn " + a.By, a.Said}
		}
	}
	return supports, against
}

// contradicts reports whether a sentence in said gives the subject of a claim another
// number or date.
func contradicts(lex *Lexicon, claim Claim, said string) bool {
	for sentence := range sentences(said) {
		if lex.Claim(sentence).Contradicts(claim) {
			return true
		}
	}
	return false
}

// restates reports whether any sentence in said contains the statement of a claim, and
// whether such a sentence denies the statement.
func restates(lex *Lexicon, claim Claim, said string) (restated, denied bool) {
	for sentence := range sentences(said) {
		if claim.within(lex, sentence) {
			restated, denied = true, denied || denies(sentence)
		}
	}
	return restated, denied
}

func sentences(s string) iter.Seq[string] {
	return strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(".!?;\n", r) })
}

// within reports whether a text contains everything that the claim states about its
// subject. It returns false if the claim states nothing or the text is empty.
func (c Claim) within(lex *Lexicon, s string) bool {
	if len(c.values)+len(c.rest) == 0 || s == "" {
		return false
	}
	if len(s) > maxClaimBytes {
		s = s[:maxClaimBytes]
	}
	stems := lex.Terms(nil, s)
	words := strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(s, ",", "")), func(r rune) bool { return strings.ContainsRune(" .;!?()\n\t\"", r) })
	has := func(list []string) func(string) bool { return func(x string) bool { return !slices.Contains(list, x) } }
	return !slices.ContainsFunc(c.values, has(words)) && !slices.ContainsFunc(c.rest, has(stems))
}

// otherValue reports whether both claims have values, but none in common.
func otherValue(a, b Claim) bool {
	return len(a.values) > 0 && len(b.values) > 0 && !slices.ContainsFunc(a.values, func(v string) bool { return slices.Contains(b.values, v) })
}

// calledWrong reports whether the reason for a retraction states that a memory is not, or
// no longer, true.
func calledWrong(reason string) bool {
	return hasWord(reason, "wrong", "wrongly", "incorrect", "incorrectly", "false", "untrue", "inaccurate", "mistaken", "mistake", "error", "erroneous",
		"invalid", "outdated", "obsolete", "stale", "expired", "longer", "moved", "changed")
}

// denies reports whether a sentence contains a negation. "no" does not count, because at
// the beginning of a sentence it denies the preceding answer.
func denies(s string) bool { return hasWord(s, "not", "isn't", "wasn't", "aren't", "never", "cannot") }

func hasWord(s string, words ...string) bool {
	for field := range strings.FieldsSeq(strings.ToLower(s)) {
		if slices.Contains(words, strings.Trim(field, ".,;:!?()\"")) {
			return true
		}
	}
	return false
}
