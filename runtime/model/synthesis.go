package model

import (
	"math"
	"regexp"
	"strings"

	"evolve/runtime/tool"
)

var (
	backReference = regexp.MustCompile(`(?i)\b(?:(?:that|this|the same|said) (?:person|people|team|service|supplier|customer|product|item|file|package|number|amount|price|value|name|owner|order|result|figure|city|tool|month|project|document)|the (?:result|answer|outcome)|it|its|their|them|they|his|her|him|that)\b(?:'s|’s)?`)
	comparesUp    = regexp.MustCompile(`\b(more|higher|larger|bigger|greater|longer|later|newer|dearer|more expensive|highest|largest|most|longest)\b`)
	comparesDn    = regexp.MustCompile(`\b(less|lower|smaller|cheaper|fewer|shorter|earlier|older|faster|lowest|smallest|cheapest|least)\b`)
	differs       = regexp.MustCompile(`\b(difference|differ|how much (?:more|less)|how many (?:more|fewer))\b`)
)

// Refers reports whether a step refers to the result of an earlier one.
func Refers(goal string) bool { return backReference.MatchString(goal) }

// resolve replaces the first word or phrase that refers to an earlier result with the value
// of the last finding.
func resolve(goal string, findings []Finding) string {
	if len(findings) == 0 || findings[len(findings)-1].Unsure {
		return goal
	}
	at := backReference.FindStringIndex(goal)
	if at == nil {
		return goal
	}
	return goal[:at[0]] + findings[len(findings)-1].Value + goal[at[1]:]
}

// synthesize answers a composite goal from the findings of its subgoals.
func (t *planner) synthesize() Reply {
	var found []Finding
	compared := true
	refers := false
	confidence := 1.0
	for i, f := range t.req.Findings {
		if i > 0 && Refers(f.Goal) {
			refers = true
		}
		compared = compared && f.Subject != ""
		if f.Unsure {
			continue
		}
		found = append(found, f)
		confidence = math.Min(confidence, f.Confidence)
	}
	if len(found) == 0 || (refers && t.req.Findings[len(t.req.Findings)-1].Unsure) {
		return t.unsure()
	}
	reply := func(text string) Reply {
		return Reply{Answer: text, Value: text, Confidence: confidence}
	}
	mode := t.set(slotCombine)
	if compared && mode == "" && len(found) == len(t.req.Findings) {
		if text, ok := t.compare(found); ok {
			return reply(text)
		}
	}
	if mode == "last" || (mode == "" && refers) {
		return reply(found[len(found)-1].Answer)
	}
	parts := make([]string, len(found))
	for i, f := range found {
		parts[i] = f.Answer
		if f.Subject != "" {
			parts[i] = f.Subject + ": " + f.Answer
		}
	}
	return reply(strings.Join(parts, "; "))
}

// compare returns the subject with the higher or lower value, or the difference of the two
// values, if the goal calls for one of them and the findings are numbers.
func (t *planner) compare(found []Finding) (string, bool) {
	values := make([]float64, len(found))
	for i, f := range found {
		v, ok := parseNumber(f.Value)
		if !ok {
			if v, ok = parseNumber(strings.TrimRight(aNumber.FindString(f.Value), ",.")); !ok {
				return "", false
			}
		}
		values[i] = v
	}
	if differs.MatchString(t.q.lower) && len(values) == 2 {
		return tool.FormatNumber(math.Abs(values[0] - values[1])), true
	}
	up, down := comparesUp.MatchString(t.q.lower), comparesDn.MatchString(t.q.lower)
	if up == down {
		return "", false
	}
	return found[extreme(values, up)].Subject, true
}
