package safety

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// maxAsked bounds the number of items that counts as the length of a list: a larger
// number is more likely a year or an amount.
const maxAsked = 20

var (
	// askedList matches a goal that asks for a number of things: "list three risks",
	// "name the 5 largest files".
	askedList = regexp.MustCompile(`(?i)(?:^|[.;,]\s*|\b(?:please|and|then|you)\s+)(?:list|name|give|write|suggest|propose|recommend|provide|mention|find|tell)\s+(?:me\s+|us\s+)?(?:the\s+|exactly\s+|at least\s+)?(?:top\s+|first\s+|last\s+)?(two|three|four|five|six|seven|eight|nine|ten|\d{1,2})\s+((?:[a-z-]+\s+){0,3}?[a-z-]+s)\b`)
	// material matches a colon: text after it is more likely material for the task than a
	// task.
	material = regexp.MustCompile(`:\s`)
	// joins matches a word that connects others to a sentence: an answer without one may
	// be a list of words.
	joins = regexp.MustCompile(`(?i)\b(?:a|an|the|of|to|in|on|for|with|it|is|are|was|were|be|has|have|can|will)\b`)
	// units matches words after a number that measures instead of counting.
	units      = regexp.MustCompile(`(?i)\b(?:seconds|minutes|hours|days|weeks|months|years|times|words|characters|letters|digits|lines|sentences|paragraphs|tokens|bytes|points|percent|euros|dollars|pounds|decimals|places|pages|stars|is|has|was)$`)
	point      = regexp.MustCompile(`(?m)^\s*(?:[-*•]|\(?(?:\d{1,2}|[a-z])[.)])\s+`)
	bullet     = regexp.MustCompile(point.String() + `\S`)
	splits     = regexp.MustCompile(`\s*[,;\n]\s*(?:(?:and|or)\s+)?|\s+(?:and|or)\s+|\s*[/|]\s*`)
	enumerated = regexp.MustCompile(`(?m)(?:^|\s)\(?([1-9]|[a-e])[.)]\s+[^?\n]*\?`)
	answered   = regexp.MustCompile(`(?m)(?:^|\s)\(?([1-9]|[a-e])[.):]`)
	questions  = regexp.MustCompile(`[^.?!\n]+\?`)
	asksNumber = regexp.MustCompile(`(?i)^\s*(?:and\s+)?how (?:many|much|long|old|far|often)\b`)
	asksDate   = regexp.MustCompile(`(?i)^\s*(?:and\s+)?(?:when|(?:on )?(?:what|which) (?:day|date|year|time))\b`)
	hasNumber  = regexp.MustCompile(`(?i)\d|\b(?:no|none|zero|once|twice|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million|half|never|always|daily|weekly|monthly|yearly|unknown|every|several|many|few)\b`)
	hasDate    = regexp.MustCompile(`(?i)\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|today|tomorrow|yesterday|tonight|now|noon|midnight|morning|evening|night|week|month|year|never|always|unknown|soon|already|later|after|before|until|spring|summer|autumn|winter)\b`)
	quotedPart = regexp.MustCompile("\"[^\"]*\"|`[^`]*`|“[^”]*”")
)

// incomplete returns which required part of the answer is missing, or "". It reports
// only what can be counted: fewer items than asked for, a numbered question without its
// number, a number or date that one of several questions asks for.
func incomplete(answer, question string) string {
	question = quotedPart.ReplaceAllString(question, "…")
	order := question
	if at := material.FindStringIndex(order); at != nil {
		order = order[:at[0]]
	}
	if m := askedList.FindStringSubmatch(order); m != nil && !units.MatchString(m[2]) {
		if asked := count(m[1]); asked >= 2 && asked <= maxAsked {
			if got := items(answer); got < asked {
				return fmt.Sprintf("it has %d of the %d %s that the goal asks for", got, asked, m[2])
			}
		}
	}
	return unanswered(answer, question)
}

// count returns the number that a word or numeral means.
func count(word string) int {
	for i, w := range strings.Fields("two three four five six seven eight nine ten") {
		if strings.EqualFold(w, word) {
			return i + 2
		}
	}
	n, err := strconv.Atoi(word)
	if err != nil {
		return 0
	}
	return n
}

// items returns the largest number of items that an answer can be read as: elements of
// JSON, points of a list, lines, sentences, parts between commas, or words.
func items(answer string) int {
	answer = strings.TrimSpace(answer)
	if answer == "" {
		return 0
	}
	var list []any
	if json.Unmarshal([]byte(answer), &list) == nil {
		return len(list)
	}
	if points := len(bullet.FindAllStringIndex(answer, -1)); points >= 2 {
		return points
	}
	answer = point.ReplaceAllString(answer, "")
	lines := 0
	for line := range strings.Lines(answer) {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	parts := 0
	for _, p := range splits.Split(answer, -1) {
		if strings.Trim(p, " .:") != "" {
			parts++
		}
	}
	n := max(lines, parts, len(sentences(answer)))
	if n == 1 && !joins.MatchString(answer) {
		return len(strings.Fields(answer))
	}
	return n
}

// unanswered returns which of several questions the answer visibly leaves out, or "". A
// short answer may be a label for all of them.
func unanswered(answer, question string) string {
	if labels := enumerated.FindAllStringSubmatch(question, -1); len(labels) >= 2 {
		given := map[string]bool{}
		for _, m := range answered.FindAllStringSubmatch(answer, -1) {
			given[m[1]] = true
		}
		if len(given) > 0 {
			for _, m := range labels {
				if !given[m[1]] {
					return fmt.Sprintf("question %s is not answered", m[1])
				}
			}
		}
		return ""
	}
	asked := questions.FindAllString(question, -1)
	if len(asked) < 2 || len(strings.Fields(answer)) < 4 {
		return ""
	}
	for _, q := range asked {
		switch {
		case asksNumber.MatchString(q) && !hasNumber.MatchString(answer):
			return fmt.Sprintf("it has no number, which %q asks for", strings.TrimSpace(q))
		case asksDate.MatchString(q) && !hasDate.MatchString(answer):
			return fmt.Sprintf("it has no date or time, which %q asks for", strings.TrimSpace(q))
		}
	}
	return ""
}
