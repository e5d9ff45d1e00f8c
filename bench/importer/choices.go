package importer

import (
	"encoding/json"
	"slices"
	"strings"
)

// except returns the names that are not in taken.
func except(names []string, taken ...string) []string {
	var out []string
	for _, name := range names {
		if !slices.Contains(taken, name) {
			out = append(out, name)
		}
	}
	return out
}

// choicesOf decodes choices from JSON: a list, an object with the list under the key
// "text", or a text in the form of a table cell.
func choicesOf(raw json.RawMessage) ([]string, bool) {
	var whole string
	if json.Unmarshal(raw, &whole) == nil {
		return listed(whole)
	}
	var named struct{ Text []string }
	if json.Unmarshal(raw, &named) == nil && len(named.Text) > 1 {
		return named.Text, true
	}
	list, ok := texts(raw)
	return list, ok && len(list) > 1
}

// ignoreChoices records the unused parts of an object of choices. The texts are used, and
// so are labels that equal the letters that the choices get.
func (c *collector) ignoreChoices(name string, raw json.RawMessage) {
	var r row
	if json.Unmarshal(raw, &r) != nil {
		return
	}
	labels, _ := texts(r["label"])
	for i, label := range labels {
		if label != string(rune('A'+i)) {
			c.ignore(name+".", r, "text")
			return
		}
	}
	c.ignore(name+".", r, "text", "label")
}

// listed parses the choices in one cell of a table: a JSON list, a list of quoted texts
// in Python's syntax, or texts separated by bars, line ends or semicolons.
func listed(cell string) ([]string, bool) {
	cell = strings.TrimSpace(cell)
	var list []string
	if json.Unmarshal([]byte(cell), &list) == nil {
		return list, len(list) > 1
	}
	if inner, ok := strings.CutPrefix(cell, "["); ok {
		if inner, ok = strings.CutSuffix(inner, "]"); !ok {
			return nil, false
		}
		list = quotedTexts(inner)
		return list, len(list) > 1
	}
	for _, between := range []string{"|", "\n", ";"} {
		if !strings.Contains(cell, between) {
			continue
		}
		for part := range strings.SplitSeq(cell, between) {
			if part = strings.TrimSpace(part); part != "" {
				list = append(list, part)
			}
		}
		return list, len(list) > 1
	}
	return nil, false
}

// quotedTexts returns the texts between quotes of either kind. It returns nil if anything
// but commas and white space is outside of them.
func quotedTexts(s string) []string {
	var out []string
	for {
		s = strings.TrimLeft(s, ", \t\r\n")
		if s == "" {
			return out
		}
		quote := s[0]
		if quote != '\'' && quote != '"' {
			return nil
		}
		var b strings.Builder
		i := 1
		for ; i < len(s) && s[i] != quote; i++ {
			if s[i] == '\\' && i+1 < len(s) {
				i++
			}
			b.WriteByte(s[i])
		}
		if i >= len(s) {
			return nil
		}
		out, s = append(out, b.String()), s[i+1:]
	}
}

// lettered replaces a target that equals exactly one choice with that choice's letter, and
// capitalizes a single letter; other targets are returned unchanged.
func lettered(choices, target []string) []string {
	if len(target) != 1 {
		return target
	}
	wanted := strings.TrimSpace(target[0])
	at := -1
	for i, choice := range choices {
		if strings.EqualFold(strings.TrimSpace(choice), wanted) {
			if at >= 0 {
				return target
			}
			at = i
		}
	}
	if at < 0 || at > 25 {
		if len(wanted) == 1 {
			return []string{strings.ToUpper(wanted)}
		}
		return target
	}
	return []string{string(rune('A' + at))}
}
