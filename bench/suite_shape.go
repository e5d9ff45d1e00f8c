package bench

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	foreign "evolve/runtime/text"
)

// shape declares the valid form of a part of a suite line. Because a shape is data, the
// same declaration is used to check keys, to suggest keys and to check types.
type shape struct {
	// kind is the required kind of a jsonNode; 0 accepts any value unchecked.
	kind   byte
	fields map[string]shape // shape of each member of an object with declared keys
	elem   *shape           // shape of a list's items, or of the values of an object with free keys
	need   []string         // required keys of an object
	orText *shape           // shape of a string that may replace the object
	check  func(jsonNode) string
}

var (
	textShape    = shape{kind: '"'}
	messageShape = shape{
		kind:   '{',
		fields: map[string]shape{"role": {kind: '"', check: notEmpty}, "content": textShape},
		need:   []string{"role", "content"},
	}
	memoryShape = shape{
		kind: '{',
		fields: map[string]shape{
			"id": textShape, "domain": textShape, "text": {kind: '"', check: notEmpty}, "answer": textShape, "about": textShape,
			"source": textShape, "time": {kind: '"', check: isTime}, "confidence": {kind: '0', check: isShare},
			"retracted": textShape, "retracted_at": {kind: '"', check: isTime},
		},
		need: []string{"text"},
	}
	// graderShape accepts any further fields, because [GraderRules] defines the fields of
	// each grader type.
	graderShape = shape{kind: '{', elem: &shape{}, need: []string{"type"}}
	turnShape   = shape{
		kind:   '{',
		fields: map[string]shape{"user": {kind: '"', check: notBlank}, "graders": {kind: '[', elem: &graderShape}, "answer": textShape},
		need:   []string{"user"},
		orText: &shape{kind: '"', check: notBlank},
	}
	taskShape = shape{
		kind: '{',
		fields: map[string]shape{
			"id":       {kind: '"', check: isName},
			"domain":   {kind: '"', check: isName},
			"goal":     textShape,
			"messages": {kind: '[', elem: &messageShape},
			"turns":    {kind: '[', elem: &turnShape},
			"user": {kind: '{', fields: map[string]shape{
				"route": textShape, "goal": {kind: '"', check: notBlank}, "facts": {kind: '[', elem: &textShape},
				"max_turns": {kind: '0', check: isCount}, "stop": {kind: '"', check: notBlank},
			}, need: []string{"goal"}},
			"input": {},
			"fixtures": {kind: '{', fields: map[string]shape{
				"files":    {kind: '{', elem: &textShape},
				"dir":      textShape,
				"memories": {kind: '[', elem: &memoryShape},
				"turns":    {kind: '[', elem: &messageShape},
			}},
			"graders": {kind: '[', elem: &graderShape},
			"answer":  textShape,
			"weight":  {kind: '0', check: isWeight},
			"tags":    {kind: '[', elem: &textShape},
			"source": {kind: '{', fields: map[string]shape{
				"session": textShape, "author": textShape, "approval": textShape,
				"file": textShape, "line": {kind: '0', check: isCount}, "digest": textShape,
			}},
			"cluster": {kind: '"', check: isName},
			"split":   {kind: '"', check: isSplit},
		},
		need: []string{"id"},
	}
	commonGraderFields = map[string]shape{
		"type": textShape, "weight": {kind: '0', check: isWeight},
		"threshold": {kind: '0', check: isShare}, "not": {kind: 't'},
	}
)

// walk reports every difference between a value and its shape, with the difference's byte
// offset. what names the value in messages. A null value is accepted like an absent one,
// except for a required key.
func (s shape) walk(n jsonNode, what string, report func(off int, text string)) {
	if s.kind == 0 || n.kind == 'n' {
		return
	}
	if s.orText != nil && n.kind == '"' {
		s.orText.walk(n, what, report)
		return
	}
	if n.kind != s.kind {
		wanted := jsonNode{kind: s.kind}.name()
		if s.orText != nil {
			wanted = "text or " + wanted
		}
		report(n.off, fmt.Sprintf("%s must be %s, not %s", what, wanted, n.name()))
		return
	}
	if s.check != nil {
		if text := s.check(n); text != "" {
			report(n.off, what+" "+text)
		}
	}
	switch n.kind {
	case '[':
		for i, item := range n.items {
			name := "item " + strconv.Itoa(i+1) + " of " + what
			if item.kind == 'n' {
				report(item.off, name+" is null")
				continue
			}
			s.elem.walk(item, name, report)
		}
	case '{':
		s.walkObject(n, what, report)
	}
}

func (s shape) walkObject(n jsonNode, what string, report func(off int, text string)) {
	seen := make(map[string]bool, len(n.members))
	for _, m := range n.members {
		if seen[m.key] {
			report(m.off, fmt.Sprintf("key %s occurs twice", foreign.Quote(m.key)))
			continue
		}
		seen[m.key] = true
		if s.elem != nil {
			if m.val.kind == 'n' {
				if s.elem.kind != 0 {
					report(m.val.off, fmt.Sprintf("%s of %s is null", foreign.Quote(m.key), what))
				}
				continue
			}
			s.elem.walk(m.val, fmt.Sprintf("%s of %s", foreign.Quote(m.key), what), report)
			continue
		}
		field, ok := s.fields[m.key]
		if !ok {
			report(m.off, unknown("key", m.key, slices.Collect(maps.Keys(s.fields))))
			continue
		}
		field.walk(m.val, `"`+m.key+`"`, report)
	}
	for _, key := range s.need {
		if _, ok := n.get(key); !ok {
			report(n.off, fmt.Sprintf("%s needs %q", what, key))
		}
	}
}

func notEmpty(n jsonNode) string {
	if n.text == "" {
		return "is empty"
	}
	return ""
}

// isName limits ids, domains and clusters to text that can be shown and stored: 1 to 200
// bytes, without control characters and without spaces at the ends.
func isName(n jsonNode) string {
	switch {
	case n.text == "":
		return "is empty"
	case len(n.text) > 200:
		return fmt.Sprintf("has %d bytes; at most 200 are allowed", len(n.text))
	case hasControl(n.text):
		return "contains a control character"
	case n.text[0] == ' ' || n.text[len(n.text)-1] == ' ':
		return "begins or ends with a space"
	}
	return ""
}

func isTime(n jsonNode) string {
	if _, err := time.Parse(time.RFC3339, n.text); err != nil {
		return "must be a time like 2026-01-31T06:00:00Z"
	}
	return ""
}

func isCount(n jsonNode) string {
	if count, err := strconv.ParseInt(n.text, 10, 32); err != nil || count < 0 {
		return fmt.Sprintf("is %s, but must be a whole number of at least 0", foreign.Clip(n.text, 24, foreign.Mark))
	}
	return ""
}

func isShare(n jsonNode) string {
	if f, err := strconv.ParseFloat(n.text, 64); err != nil || f < 0 || f > 1 {
		return fmt.Sprintf("is %s, which is not between 0 and 1", foreign.Clip(n.text, 24, foreign.Mark))
	}
	return ""
}

func isWeight(n jsonNode) string {
	f, err := strconv.ParseFloat(n.text, 64)
	switch {
	case f < 0:
		return fmt.Sprintf("is %s, but must not be negative", foreign.Clip(n.text, 24, foreign.Mark))
	case err != nil || f > maxWeight:
		return fmt.Sprintf("is %s, above %g", foreign.Clip(n.text, 24, foreign.Mark), float64(maxWeight))
	}
	return ""
}

// maxWeight prevents overflow in sums of weights.
const maxWeight = 1e6

func isSplit(n jsonNode) string {
	switch Split(n.text) {
	case Search, Holdout:
		return ""
	}
	return "is an " + unknown("split", n.text, []string{string(Search), string(Holdout)})
}
