package experience

import (
	"regexp"
	"slices"
	"strings"
)

// bareName is the form of a name that can state nothing but itself.
var bareName = regexp.MustCompile(`^[\pL\pN_][\pL\pN_.:/-]*$`)

const (
	toldHead = "What this agent's turns in use advise:\n\n"
	// toldEntries is the largest number of its lines.
	toldEntries = 2 * shownEntries
)

// Told returns the lessons for the system prompt of later turns: the advice of the night, and
// that of the week beside it, each once. It is empty without any. It has nothing that a turn
// cannot act on: with counts of corrections that it could not see, and the ids of turns, a
// small language model answered questions wrongly that it had answered right. And it has no
// word of people, tools and models, because other users' turns read it with the authority of
// the operator: a correction has its kind, one of no known kind is left out, and a name that
// is not one word is not told.
func (l Lessons) Told() string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, p := range []*Period{l.Night, l.Week} {
		for _, line := range p.told() {
			if key := digits.ReplaceAllString(line, ""); !seen[key] && len(seen) < toldEntries {
				seen[key] = true
				b.WriteString("- " + line + "\n")
			}
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return toldHead + b.String()
}

// digits are what advice on the same differs in from period to period.
var digits = regexp.MustCompile(`\d+`)

// told returns the advice of a period.
func (p *Period) told() []string {
	if p == nil {
		return nil
	}
	var out []string
	for _, x := range p.Patterns {
		kind := correctionKind(x.Quote.Text)
		if kind == "" {
			continue
		}
		where := ""
		if !everywhere(x.Domain) {
			where = " in " + named(bare(x.Domain, "domain"))
		}
		out = append(out, "people corrected answers"+where+" "+kind+": check that before you answer")
	}
	for _, f := range p.unquoted().otherAdvice() {
		out = append(out, f.Text)
	}
	return out
}

// unquoted returns the period with tools and errors alone, without the words of people, tools
// and models.
func (p *Period) unquoted() *Period {
	out := &Period{Tools: slices.Clone(p.Tools), Stated: p.Stated}
	for i := range out.Tools {
		x := &out.Tools[i]
		x.Tool, x.Method = bare(x.Tool, "tool"), bare(x.Method, "method")
	}
	for _, x := range p.Errors {
		x.Tool, x.Method, x.Cause = bare(x.Tool, "tool"), bare(x.Method, "method"), Excerpt{}
		out.Errors = addError(out.Errors, x)
	}
	return out
}

// addError adds an error to those of the same tool, method and outcome: without its cause it
// differs from them in nothing.
func addError(list []ToolError, x ToolError) []ToolError {
	i := slices.IndexFunc(list, func(y ToolError) bool { return y.Tool == x.Tool && y.Method == x.Method && y.Outcome == x.Outcome })
	if i < 0 {
		x.Calls.Turns = slices.Clone(x.Calls.Turns)
		return append(list, x)
	}
	list[i].Calls.Count += x.Calls.Count
	for _, t := range x.Calls.Turns {
		cite(&list[i].Calls.Turns, t)
	}
	return list
}

// bare returns a name, or what it is the name of if it is not one word.
func bare(name, of string) string {
	if name == "" || len(name) <= knownName && bareName.MatchString(name) {
		return name
	}
	return "another " + of
}

// correctionKinds are the kinds of corrections with the words that show them.
func correctionKinds() []struct{ kind, words string } {
	return []struct{ kind, words string }{
		{"a unit or currency", "euro euros eur dollar dollars usd pound pounds gbp yen franc francs chf cent cents percent currency unit units metre metres meter meters km mile miles kg kilogram kilograms gram grams celsius fahrenheit bytes mb gb"},
		{"a date or time", "monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december today tomorrow yesterday day days week weeks month months year years date hour hours minute minutes time timezone utc clock deadline"},
		{"the form", "format json yaml csv table list bullet bullets markdown heading headings code short shorter long longer brief briefly concise sentence sentences words characters lowercase uppercase formal tone"},
		{"the language", "english german french spanish italian portuguese dutch language translate translated translation spelling"},
		{"something left out", "missing missed forgot forgotten omitted incomplete left all every everything complete"},
		{"the source", "source file files document page link url section chapter column"},
		{"a name", "name named spelled called person company city country"},
	}
}

// correctionKind describes a correction in words of its own; empty for one that no rule knows.
func correctionKind(message string) string {
	words := strings.Fields(spaced(message))
	var kinds []string
	for _, k := range correctionKinds() {
		if slices.ContainsFunc(strings.Fields(k.words), func(w string) bool { return slices.Contains(words, w) }) {
			kinds = append(kinds, k.kind)
		}
	}
	if len(kinds) == 0 && strings.ContainsAny(message, "0123456789") {
		kinds = append(kinds, "a number")
	}
	if len(kinds) == 0 {
		return ""
	}
	return "about " + strings.Join(kinds[:min(len(kinds), 2)], " and ")
}
