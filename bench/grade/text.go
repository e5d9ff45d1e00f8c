package grade

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"evolve/bench"
)

// maxAnswer limits the length of the answer that a grader reads, in bytes. A longer answer
// scores 0.
const maxAnswer = 1 << 20

// onAnswer returns a scorer that applies a function to the answer.
func onAnswer(f func(answer string) judgement) scorer {
	return func(_ context.Context, in *bench.GradeInput) (judgement, error) {
		a := in.Result.Answer
		if a == nil {
			return judgement{reason: "there is no answer", void: true}, nil
		}
		if len(*a) > maxAnswer {
			return judgement{reason: "the answer is longer than 1 MB", void: true}, nil
		}
		return f(strings.ToValidUTF8(*a, "\uFFFD")), nil
	}
}

// yes returns a judgement with the given reason and a score of 1 if ok, and 0 otherwise.
func yes(ok bool, format string, args ...any) judgement {
	v := judgement{reason: fmt.Sprintf(format, args...)}
	if ok {
		v.score = 1
	}
	return v
}

// normal normalizes a text for comparison: canonical composition (NFC), white space
// trimmed at the ends and collapsed inside, and case folded if ignoreCase is set.
func normal(s string, ignoreCase bool) string {
	s = strings.Join(strings.Fields(norm.NFC.String(s)), " ")
	if ignoreCase {
		s = fold(s)
	}
	return s
}

// fold replaces every letter with the smallest of the letters that differ from it only in
// case (simple folding: ß remains distinct from ss).
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		low := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			low = min(low, next)
		}
		return low
	}, s)
}

// exact passes when the answer equals one of the accepted answers. Both are normalized
// first, unless strict is set; then they are compared byte for byte.
func exact(b *builder) scorer {
	answers, ignoreCase, strict := b.answers(), b.flag("ignore_case"), b.flag("strict")
	if strict && ignoreCase {
		b.problem("strict", "cannot be combined with %q", "ignore_case")
	}
	accepted := make(map[string]bool, len(answers))
	for _, a := range answers {
		if !strict {
			a = normal(a, ignoreCase)
		}
		accepted[a] = true
	}
	return onAnswer(func(answer string) judgement {
		got := answer
		if !strict {
			got = normal(answer, ignoreCase)
		}
		if accepted[got] {
			return yes(true, "is %s", show(got))
		}
		if len(answers) == 1 {
			return yes(false, "is %s, not %s", show(got), show(answers[0]))
		}
		return yes(false, "is %s, which is not one of the %d accepted answers", show(got), len(answers))
	})
}

// contains scores the share of met conditions: each text in "all" is one condition, and the
// presence of at least one of the texts in "any" is another. "answer" counts as "any"; if
// none of the three is given, the task's answer does.
func contains(b *builder) scorer {
	all, some, ignoreCase := b.texts("all"), b.texts("any"), b.flag("ignore_case")
	if b.has("answer") && b.has("any") {
		b.problem("answer", `cannot be combined with "any"`)
	}
	if len(all) == 0 && len(some) == 0 && len(b.problems) == 0 || b.has("answer") {
		some = append(some, b.answers()...)
	}
	prepare := func(list []string) []string {
		out := make([]string, len(list))
		for i, s := range list {
			if out[i] = normal(s, ignoreCase); out[i] == "" {
				b.problem("", "looks for an empty string, which every answer contains")
			}
		}
		return out
	}
	all, some = prepare(all), prepare(some)
	return onAnswer(func(answer string) judgement {
		text := normal(answer, ignoreCase)
		conditions, met, missing := len(all), 0, ""
		for _, s := range all {
			if strings.Contains(text, s) {
				met++
			} else if missing == "" {
				missing = "lacks " + show(s)
			}
		}
		if len(some) > 0 {
			conditions++
			found := false
			for _, s := range some {
				found = found || strings.Contains(text, s)
			}
			if found {
				met++
			} else if missing == "" {
				missing = "contains none of " + show(strings.Join(some, ", "))
			}
		}
		if missing == "" {
			missing = "contains everything that is required"
		}
		return judgement{score: float64(met) / float64(max(conditions, 1)), reason: missing}
	})
}

// matches passes when the pattern matches somewhere in the answer as given. RE2 takes time
// linear in the answer, so no answer can stall it.
func matches(b *builder) scorer {
	pattern := b.text("pattern")
	if len(pattern) > 10_000 {
		b.problem("pattern", "the pattern is longer than 10,000 bytes")
		return nil
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		b.problem("pattern", "%v", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		return nil
	}
	return onAnswer(func(answer string) judgement {
		if re.MatchString(answer) {
			return yes(true, "matches")
		}
		return yes(false, "does not match %s", show(pattern))
	})
}
