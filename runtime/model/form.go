package model

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"evolve/runtime/tool"
)

// short returns the evidence in its shortest form: its list, or else its value, or else its
// line.
func (e *evidence) short() string {
	if len(e.list) > 0 {
		return strings.Join(e.list, ", ")
	}
	if e.value != "" {
		return e.value
	}
	return e.line
}

// form returns evidence as an answer, in the form that the question asks for or the
// strategy prescribes.
func (t *planner) form(e evidence) string {
	q := t.q
	mode := t.set(slotAnswer)
	var text string
	switch {
	case len(e.list) > 0:
		text = t.formList(e.list)
	case mode == "sentence" && e.line != "":
		text = e.line
	case mode == "value":
		text = e.short()
	case e.prose && q.shape == AnyShape:
		text = e.line
	default:
		text = e.short()
		if mode == "" && !e.prose && e.origin != fromTool {
			text = q.fitting(text)
		}
	}
	if mode == "number" {
		if n := plainNumber.FindString(strings.ReplaceAll(text, ",", "")); n != "" {
			text = n
		}
	}
	if t.set(slotDates) == "iso" {
		text = isoDates(text)
	}
	if n := t.strategy.decimals(t.req.Domain); n >= 0 {
		text = roundNumbers(text, n)
	}
	if t.set(slotCase) == "lower" {
		text = strings.ToLower(text)
	}
	return strings.TrimSpace(text)
}

// fitting returns the number or date in a field if the question requires one, and otherwise
// the whole field.
func (q *question) fitting(value string) string {
	found := ""
	switch q.shape {
	case NumberShape:
		found = strings.TrimRight(aNumber.FindString(value), ",.")
	case DateShape:
		found = dateIn(value)
	}
	if found == "" {
		return value
	}
	return found
}

func (t *planner) formList(items []string) string {
	items = slices.Clone(items)
	if t.q.count {
		if t.set(slotCount) == "distinct" {
			slices.Sort(items)
			items = slices.Compact(items)
		}
		return strconv.Itoa(len(items))
	}
	if t.set(slotOrder) == "sorted" {
		slices.Sort(items)
	}
	if t.set(slotLines) == "lines" {
		return strings.Join(items, "\n")
	}
	return strings.Join(items, ", ")
}

var (
	plainNumber = regexp.MustCompile(`-?\d+(?:\.\d+)?`)
	decimal     = regexp.MustCompile(`\d+\.\d+`)
)

// isoDates rewrites dates in ISO format if they are spelled out and include a year.
func isoDates(text string) string {
	return textDate.ReplaceAllStringFunc(text, func(d string) string {
		if at, ok := firstDate(d); ok {
			return at.Format(time.DateOnly)
		}
		return d
	})
}

func roundNumbers(text string, decimals int) string {
	round := func(s string) string {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return s
		}
		return strconv.FormatFloat(v, 'f', decimals, 64)
	}
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return round(tool.FormatNumber(v))
	}
	return decimal.ReplaceAllStringFunc(text, round)
}
