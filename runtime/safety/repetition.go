package safety

import (
	"fmt"
	"strings"

	foreign "evolve/runtime/text"
)

const (
	// minRepeats is the minimum number of occurrences for a sentence to be reported as
	// repeated.
	minRepeats = 4
	// minWords is the minimum length of a sentence that counts, in words.
	minWords = 3
	// refrain is the largest share of the counted sentences at which a repeated sentence
	// still counts as a refrain.
	refrain = 1.0 / 3
	// minLooped is the minimum length of a text whose n-grams are counted, in bytes. gram
	// is the length of the n-grams, in words.
	minLooped = 200
	gram      = 5
	// maxLooped is the maximum allowed share of n-grams that occurred earlier in the text.
	maxLooped = .5
	// maxPeriod is the maximum length of the repeated piece that is detected in a text
	// without words, in bytes.
	maxPeriod = 32
)

// repetition returns how an answer repeats itself, or "" if it does not.
func repetition(answer string) string {
	if isData(answer) {
		return ""
	}
	text := prose(answer)
	list := sentences(text)
	counts := map[string]int{}
	long, inRow, last := 0, 1, ""
	for _, s := range list {
		s = plainText(s)
		if strings.Count(s, " ")+1 < minWords {
			last = ""
			continue
		}
		long++
		if s == last {
			inRow++
		} else {
			inRow, last = 1, s
		}
		if counts[s]++; inRow >= minRepeats {
			return fmt.Sprintf("it repeats this %d times in a row: %s", inRow, foreign.Clip(s, 100))
		}
	}
	for _, s := range list {
		if n := counts[plainText(s)]; n >= minRepeats && float64(n) > refrain*float64(long) {
			return fmt.Sprintf("it contains this %d times: %s", n, foreign.Clip(s, 100))
		}
	}
	if len(text) >= minLooped {
		if share := looped(terms(text)); share > maxLooped {
			return fmt.Sprintf("%.0f %% of its phrases are repetitions", 100*share)
		}
	}
	return periodic(text)
}

// looped returns the share of n-grams that occurred earlier in the same text, or 0 if the
// text has too few n-grams.
func looped(words []string) float64 {
	seen := map[string]bool{}
	total, again := 0, 0
	for i := 0; i+gram <= len(words); i++ {
		g := strings.Join(words[i:i+gram], " ")
		if total++; seen[g] {
			again++
		}
		seen[g] = true
	}
	if total < 2*gram {
		return 0
	}
	return float64(again) / float64(total)
}

// periodic describes the repetition if a text consists of a few repeated characters instead
// of words, or returns "".
func periodic(text string) string {
	text = strings.TrimSpace(text)
	if len(text) < minLooped || strings.ContainsAny(text[:minLooped], " \n") {
		return ""
	}
	for period := 1; period <= maxPeriod; period++ {
		if text[:minLooped-period] == text[period:minLooped] && strings.Trim(text[:period], "0123456789.-=*_#") != "" {
			return fmt.Sprintf("it repeats %q", text[:period])
		}
	}
	return ""
}
