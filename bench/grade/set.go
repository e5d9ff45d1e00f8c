package grade

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// bullet matches the start of a list item in text.
var bullet = regexp.MustCompile(`^(?:[-*•·]|\d{1,4}[.)])\s+`)

// sameSet scores the F1 of the distinct items in answer and reference: 1 only when none
// is missing and none is superfluous. The items of an answer that is a JSON list are its
// elements; other text is split at line ends, commas and semicolons. The bullet or number
// before an item, quotes around it, a leading "and" and a final period are removed; case
// and spacing are ignored.
func sameSet(b *builder) scorer {
	want := map[string]bool{}
	for _, a := range b.answers() {
		items := []string{a}
		if !b.has("answer") { // the task's answer is one text with all items
			items = itemsOf(a)
		}
		for _, item := range items {
			if item = normalItem(item); item != "" {
				want[item] = true
			}
		}
	}
	if len(want) == 0 && len(b.problems) == 0 {
		b.problem("answer", "has no items")
	}
	return onAnswer(func(answer string) judgement {
		got := map[string]bool{}
		common := 0
		for _, item := range itemsOf(answer) {
			item = normalItem(item)
			if item == "" || got[item] {
				continue
			}
			got[item] = true
			if want[item] {
				common++
			}
		}
		return judgement{
			score:  f1(common, len(got), len(want)),
			reason: fmt.Sprintf("%d of %d items found, plus %d unexpected", common, len(want), len(got)-common),
		}
	})
}

func itemsOf(text string) []string {
	var list []any
	if json.Unmarshal([]byte(text), &list) == nil {
		items := make([]string, len(list))
		for i, v := range list {
			if s, ok := v.(string); ok {
				items[i] = s
				continue
			}
			raw, err := json.Marshal(v)
			if err != nil {
				raw = nil // decoded values can always be encoded
			}
			items[i] = string(raw)
		}
		return items
	}
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ',' || r == ';' })
}

func normalItem(item string) string {
	item = normal(item, false)
	item = bullet.ReplaceAllString(item, "")
	item = strings.TrimPrefix(item, "and ")
	item = strings.TrimSuffix(item, ".")
	item = strings.Trim(item, "\"'`“”‘’* ")
	return fold(item)
}
