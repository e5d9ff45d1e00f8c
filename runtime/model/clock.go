package model

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	nowWords   = regexp.MustCompile(`\b(what time|current time|time is it|today|what day is it|which day is it|current date|what year|what month|weekday|day of the week)\b`)
	untilWords = regexp.MustCompile(`\bhow many (days|weeks|months) (?:are there |are left |remain )?(?:until|till|to|before|since|from|after|ago)\b`)
	zoneWords  = regexp.MustCompile(`\b(?:in|at) (?:the )?((?:utc|gmt) ?[+-] ?\d{1,2}(?::\d{2})?)\b`)
	placeWords = regexp.MustCompile(`\btime (?:is it )?in ([A-Z][A-Za-z]+(?: [A-Z][A-Za-z]+)?)`)
	weekdayOf  = regexp.MustCompile(`\b(?:weekday|day of the week)\b`)
)

// timePattern returns how well a goal fits the clock, in [0,1].
func (q *question) timePattern() float64 {
	switch {
	case nowWords.MatchString(q.lower):
		return 1
	case untilWords.MatchString(q.lower):
		return .9
	case weekdayOf.MatchString(q.lower):
		return .5
	}
	return 0
}

// clockCalls returns the call to the clock, if the goal fits the clock.
func (q *question) clockCalls() []intent {
	fit, args := q.timePattern(), map[string]any{}
	if fit == 0 {
		return nil
	}
	if z := q.zone(); z != "" {
		args["zone"] = z
	}
	return one("get_time", fit, args)
}

// zone returns the argument for get_time: an offset, a place, or "".
func (q *question) zone() string {
	if m := zoneWords.FindStringSubmatch(q.lower); m != nil {
		return m[1]
	}
	if m := placeWords.FindStringSubmatch(q.text); m != nil && m[1] != "UTC" && m[1] != "GMT" {
		return m[1]
	}
	return ""
}

// timeAnswer returns the answer to the question from the output of get_time, and whether
// that output is sufficient.
func (q *question) timeAnswer(output string) (string, bool) {
	stamp, _, _ := strings.Cut(output, " ")
	now, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return "", false
	}
	if d, ok := firstDate(q.text); ok {
		today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
		days := int(d.Sub(today).Hours() / 24)
		if days < 0 {
			days = -days
		}
		switch m := untilWords.FindStringSubmatch(q.lower); {
		case m != nil && m[1] == "weeks":
			return strconv.Itoa(days / 7), true
		case m != nil:
			return strconv.Itoa(days), true
		case weekdayOf.MatchString(q.lower):
			return d.Weekday().String(), true
		}
		return "", false
	}
	switch {
	case untilWords.MatchString(q.lower):
		return "", false // the answer needs a date from other evidence
	case q.contains("what day", "which day", "weekday", "day of the week"):
		return now.Weekday().String(), true
	case q.contains("what year"):
		return strconv.Itoa(now.Year()), true
	case q.contains("what month"):
		return now.Month().String(), true
	case q.contains("date", "today"):
		return now.Format(time.DateOnly), true
	}
	return now.Format("15:04"), true
}
