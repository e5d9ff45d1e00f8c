package experience

import (
	"regexp"
	"slices"
	"strings"
)

// bareName is the form of a name that can state nothing but itself.
var bareName = regexp.MustCompile(`^[\pL\pN_][\pL\pN_.:/-]*$`)

// unquoted returns the period without the words of people, tools and models.
func (p *Period) unquoted() *Period {
	if p == nil {
		return nil
	}
	out := *p
	out.Domains, out.Tools, out.Patterns = slices.Clone(p.Domains), slices.Clone(p.Tools), slices.Clone(p.Patterns)
	for i := range out.Domains {
		out.Domains[i].Domain = bare(out.Domains[i].Domain, "domain")
	}
	for i := range out.Tools {
		x := &out.Tools[i]
		x.Tool, x.Method = bare(x.Tool, "tool"), bare(x.Method, "method")
	}
	out.Errors = nil
	for _, x := range p.Errors {
		x.Tool, x.Method, x.Cause = bare(x.Tool, "tool"), bare(x.Method, "method"), Excerpt{}
		out.Errors = addError(out.Errors, x)
	}
	for i := range out.Patterns {
		x := &out.Patterns[i]
		x.Domain, x.Tools = bare(x.Domain, "domain"), slices.Clone(x.Tools)
		for j := range x.Tools {
			x.Tools[j] = bare(x.Tools[j], "tool")
		}
		x.kind, x.Quote = correctionKind(x.Quote.Text), Excerpt{}
	}
	return &out
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
