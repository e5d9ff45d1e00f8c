package safety

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// maxAsked is the highest number that counts as the requested length of a list; a larger
// number is more likely a year or an amount.
const maxAsked = 20

var (
	// askedList matches a goal that asks for a number of things: "list three risks",
	// "name the 5 largest files".
	askedList = regexp.MustCompile(`(?i)(?:^|[.;,]\s*|\b(?:please|and|then|you)\s+)(?:list|name|give|write|suggest|propose|recommend|provide|mention|find|tell)\s+(?:me\s+|us\s+)?(?:the\s+|exactly\s+|at least\s+)?(?:top\s+|first\s+|last\s+)?(two|three|four|five|six|seven|eight|nine|ten|\d{1,2})\s+((?:[a-z-]+\s+){0,3}?[a-z-]+s)\b`)
	// material matches a colon, because the text after a colon is more likely material for
	// a task than part of the task itself.
	material = regexp.MustCompile(`:\s`)
	// joins matches a word that connects others into a sentence; an answer without such a
	// word may be a list of words.
	joins = regexp.MustCompile(`(?i)\b(?:a|an|the|of|to|in|on|for|with|it|is|are|was|were|be|has|have|can|will)\b`)
	// units matches units of measurement, which show that the number before them is not a
	// number of items.
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

// incomplete describes a required part that the answer lacks, or returns "". It reports
// only what can be counted: fewer items than requested, a numbered question whose number
// does not occur in the answer, or the absence of a number or date that one of several
// questions requires.
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

// count returns the number that a number word or numeral stands for, or 0 if the word is
// neither.
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

// items returns the number of items in an answer: the number of elements of a JSON list, or
// of list items if there are at least two, or else the largest of the numbers of lines,
// sentences and parts between separators. If that number is 1 and no word joins the others
// into a sentence, each word counts as an item.
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

// unanswered describes a question, out of several, that the answer clearly leaves out, or
// returns "". It accepts a short answer, which may be a label for all questions.
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
			return fmt.Sprintf("it has no number, but %q asks for one", strings.TrimSpace(q))
		case asksDate.MatchString(q) && !hasDate.MatchString(answer):
			return fmt.Sprintf("it has no date or time, but %q asks for one", strings.TrimSpace(q))
		}
	}
	return ""
}
