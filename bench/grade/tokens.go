package grade

import (
	"strings"
	"unicode"
)

// maxTokens bounds the number of words compared, because ROUGE-L takes time proportional
// to the product of the two lengths. Longer texts are cut.
const maxTokens = 4096

// tokenF1 scores the F1 of the words of answer and reference, counted with repetition, as
// in the SQuAD evaluation (Rajpurkar et al. 2016): lower case, without punctuation and
// the articles a, an, the. The best reference counts.
func tokenF1(b *builder) scorer {
	return onReferences(b.answers(), squadTokens, "has a word-overlap F1 of %.3f", func(got, want []string) float64 {
		if len(got) == 0 || len(want) == 0 {
			if len(got) == len(want) {
				return 1
			}
			return 0
		}
		count := make(map[string]int, len(want))
		for _, w := range want {
			count[w]++
		}
		common := 0
		for _, w := range got {
			if count[w] > 0 {
				count[w]--
				common++
			}
		}
		return f1(common, len(got), len(want))
	})
}

// rougeL scores the F1 of the longest common subsequence of words (Lin 2004, with
// precision and recall of equal weight, on one whole text, without stemming). The best
// reference counts.
func rougeL(b *builder) scorer {
	return onReferences(b.answers(), words, "has a ROUGE-L F1 of %.3f", func(got, want []string) float64 {
		return f1(longestCommon(got, want), len(got), len(want))
	})
}

func onReferences(answers []string, split func(string) []string, reason string, score func(got, want []string) float64) scorer {
	references := make([][]string, len(answers))
	for i, a := range answers {
		references[i] = bounded(split(a))
	}
	return onAnswer(func(answer string) judgement {
		got := bounded(split(answer))
		best := 0.0
		for _, want := range references {
			best = max(best, score(got, want))
		}
		v := yes(false, reason, best)
		v.score = best
		return v
	})
}

func bounded(tokens []string) []string { return tokens[:min(len(tokens), maxTokens)] }

// f1 returns 2·common / (a + b), the harmonic mean of precision and recall, or 0 if nothing
// is common.
func f1(common, a, b int) float64 {
	if common == 0 {
		return 0
	}
	return 2 * float64(common) / float64(a+b)
}

func squadTokens(s string) []string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsPunct(r) || unicode.IsSymbol(r) {
			return -1
		}
		return r
	}, strings.ToLower(normal(s, false)))
	tokens := strings.Fields(s)
	kept := tokens[:0]
	for _, t := range tokens {
		if t != "a" && t != "an" && t != "the" {
			kept = append(kept, t)
		}
	}
	return kept
}

// words returns the lower-case runs of letters, marks and digits.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(normal(s, false)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}

// longestCommon returns the length of the longest common subsequence.
func longestCommon(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, v := range a {
		diagonal := 0
		for j, w := range b {
			above := row[j+1]
			if v == w {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}
