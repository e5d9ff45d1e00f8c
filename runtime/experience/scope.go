package experience

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// Use is one possible call to a tool, to which feedback may apply.
type Use struct {
	Tool, Domain, Goal string
	// Session is the id of the conversation; it is empty if the use belongs to none.
	Session string
	Now     time.Time
}

// Active reports whether the feedback still applies at the time now.
func (f Feedback) Active(now time.Time) bool { return f.Until.IsZero() || now.Before(f.Until) }

// applies reports whether a use is within the scope of the feedback, and the feedback is
// still active at the time of the use.
func (f Feedback) applies(u Use) bool {
	return (f.Tool == "" || f.Tool == u.Tool) &&
		(f.Domain == "" || domainName(f.Domain) == domainName(u.Domain)) &&
		(f.Session == "" || f.Session == u.Session) &&
		f.Active(u.Now) && matchesGoal(f.Goal, u.Goal)
}

// matchesGoal reports whether every word of a pattern occurs in a goal.
func matchesGoal(pattern, goal string) bool {
	if pattern == "" {
		return true
	}
	words := wordsOf(goal, "")
	return !slices.ContainsFunc(patternOf(pattern), func(p string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return matchesWord(p, w) })
	})
}

// patternOf returns the distinct words of a pattern, sorted, without those that match every
// word.
func patternOf(pattern string) []string {
	words := slices.DeleteFunc(wordsOf(pattern, "*"), func(w string) bool { return strings.Trim(w, "*") == "" })
	return slices.Compact(slices.Sorted(slices.Values(words)))
}

// wordsOf returns the words of a text in lower case. A word consists of letters, marks,
// digits and the characters in further.
func wordsOf(s, further string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && !strings.ContainsRune(further, r)
	})
}

// matchesWord reports whether a word matches a pattern in which * stands for any number of
// characters.
func matchesWord(pattern, word string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == word
	}
	rest, ok := strings.CutPrefix(word, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}

// overlaps reports whether two feedback entries can apply to the same use. Two goals
// overlap if one of them is empty or if their patterns share a word. Without the second
// condition any two patterns would overlap, because one goal can contain the words of both.
func (f Feedback) overlaps(g Feedback) bool {
	same := func(a, b string) bool { return a == "" || b == "" || a == b }
	return same(f.Tool, g.Tool) && same(f.Domain, g.Domain) && same(f.Session, g.Session) && overlappingGoals(f.Goal, g.Goal)
}

func overlappingGoals(a, b string) bool {
	p, q := patternOf(a), patternOf(b)
	return len(p) == 0 || len(q) == 0 || slices.ContainsFunc(p, func(x string) bool {
		return slices.ContainsFunc(q, func(y string) bool { return matchesWord(x, y) || matchesWord(y, x) })
	})
}

// sameScope reports whether two feedback entries are about the same tool, domain and goals.
func (f Feedback) sameScope(g Feedback) bool {
	return f.Tool == g.Tool && f.Domain == g.Domain && slices.Equal(patternOf(f.Goal), patternOf(g.Goal))
}

// covers reports whether every use in g's domain and goals is also in f's.
func (f Feedback) covers(g Feedback) bool {
	words := patternOf(g.Goal)
	return (f.Domain == "" || f.Domain == g.Domain) && !slices.ContainsFunc(patternOf(f.Goal), func(p string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return matchesWord(p, w) })
	})
}
