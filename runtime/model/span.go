package model

import (
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"evolve/runtime/memory"
)

var (
	aNumber  = regexp.MustCompile(`[€$£]?\d[\d,]*(?:\.\d+)?%?`)
	isoDate  = regexp.MustCompile(`\b(\d{4})-(\d{2})-(\d{2})\b`)
	textDate = regexp.MustCompile(`(?i)\b(?:(\d{1,2})(?:st|nd|rd|th)?\s+(january|february|march|april|may|june|july|august|september|october|november|december)|(january|february|march|april|may|june|july|august|september|october|november|december)\s+(\d{1,2})(?:st|nd|rd|th)?),?(?:\s+(\d{4}))?\b`)
	moment   = regexp.MustCompile(`(?i)\b(?:every\s+)?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?(?:\s+(?:at\s+)?\d{1,2}:\d{2}(?:\s*[A-Z]{2,4})?)?|\b\d{1,2}:\d{2}(?:\s*(?:utc|am|pm|cet|gmt))?`)
	verbs    = regexp.MustCompile(`\s(?:is|are|was|were|means|equals|uses|use|runs on|owns|has|have|had|costs?|takes|took|needs|requires|belongs to|reports to|lives in|starts at|starts on|moved to|set to|to be|became)\s`)
)

// span returns the part of a sentence that answers the question: a number, date or name if
// the question asks for one, otherwise the side of the verb that the question does not
// name.
func (q *question) span(sentence string) string {
	switch q.shape {
	case NumberShape:
		for _, n := range aNumber.FindAllString(sentence, -1) {
			n = strings.TrimRight(n, ",.")
			if q.match(n) == 0 {
				return n
			}
		}
	case DateShape:
		if d := dateIn(sentence); d != "" {
			return d
		}
	case NameShape:
		if n := q.nameIn(sentence); n != "" {
			return n
		}
	}
	return q.otherSide(sentence)
}

// otherSide splits a sentence at its verb and returns the side that contains less of the
// question's words, measured by their weight. If there is no verb, it returns the whole
// sentence.
func (q *question) otherSide(sentence string) string {
	at := verbs.FindStringIndex(sentence)
	if at == nil {
		return sentence
	}
	left, right := sentence[:at[0]], sentence[at[1]:]
	l, r := q.weight(q.match(left)), q.weight(q.match(right))
	side := right
	if r > l {
		side = left
	}
	side = strings.TrimSpace(strings.TrimRight(side, " .!?"))
	for _, article := range []string{"the ", "The ", "a ", "A ", "an ", "An "} {
		side = strings.TrimPrefix(side, article)
	}
	if side == "" {
		return sentence
	}
	return side
}

func dateIn(text string) string {
	if d := isoDate.FindString(text); d != "" {
		return d
	}
	if d := textDate.FindString(text); d != "" {
		return strings.TrimSpace(d)
	}
	return moment.FindString(text)
}

// firstDate returns the first full date in a text.
func firstDate(text string) (time.Time, bool) {
	if d := isoDate.FindString(text); d != "" {
		t, err := time.Parse(time.DateOnly, d)
		return t, err == nil
	}
	if m := textDate.FindStringSubmatch(text); m != nil && m[5] != "" {
		t, err := time.Parse("2 January 2006", m[1]+m[4]+" "+m[2]+m[3]+" "+m[5])
		return t, err == nil
	}
	return time.Time{}, false
}

// nameIn returns the first run of capitalised words that do not occur in the question. Stop
// words do not belong to a name, even if they are capitalised.
func (q *question) nameIn(sentence string) string {
	var run []string
	for word := range strings.FieldsSeq(sentence) {
		bare := strings.Trim(word, `.,;:!?()"'`)
		bare = strings.TrimSuffix(bare, "'s")
		first, _ := utf8.DecodeRuneInString(bare)
		if unicode.IsUpper(first) && q.match(bare) == 0 && !memory.StopWord(strings.ToLower(bare)) {
			run = append(run, bare)
			if strings.ContainsAny(word[len(word)-1:], ".,;:!?)") {
				break
			}
			continue
		}
		if len(run) > 0 {
			break
		}
	}
	return strings.Join(run[:min(len(run), 4)], " ")
}
