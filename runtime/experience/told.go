package experience

import (
	"regexp"
	"slices"
	"strings"
)

// Names are the names that people gave: an agent's registered tools, each with the methods
// that its definition lists, and the domains of its table. Models choose every other name in
// a stored turn, and a name can state an order.
type Names struct {
	Tools   map[string][]string
	Domains []string
}

const (
	toldHead = "What this agent's live turns advise:\n\n"
	// toldEntries is the largest number of lines of [Lessons.Told].
	toldEntries = 2 * shownEntries
)

// Told returns the lessons for the system prompt of later turns: the advice of the night, and
// that of the week beside it, each once. It is empty without any. It contains only what a
// turn can act on: a small language model that got counts of corrections and the ids of
// turns, neither of which it could use, answered questions wrongly that it had answered right
// before. The text also contains no words of people, tools and models, because the turns of
// other users read it with the authority of the operator. A correction is given by its kind.
// A correction of no known kind and advice on a tool that is not among names are left out. A
// method that is not among names is "another method"; such a domain is left out.
func (l Lessons) Told(names Names) string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, p := range []*Period{l.Night, l.Week} {
		for _, line := range p.told(names) {
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

// digits matches numbers: advice on one subject differs in them alone from period to period.
var digits = regexp.MustCompile(`\d+`)

// told returns the advice of a period.
func (p *Period) told(names Names) []string {
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
		if slices.Contains(names.Domains, x.Domain) {
			where = " in " + named(x.Domain)
		}
		out = append(out, "people corrected answers"+where+" "+kind+": check that before you answer")
	}
	for _, f := range p.vetted(names).otherAdvice() {
		out = append(out, f.Text)
	}
	return out
}

// vetted returns the period with the tools and errors of registered tools alone, without the
// words of people, tools and models.
func (p *Period) vetted(names Names) *Period {
	out := &Period{Stated: p.Stated}
	for _, x := range p.Tools {
		if names.vet(x.Tool, &x.Method) {
			out.Tools = append(out.Tools, x)
		}
	}
	for _, x := range p.Errors {
		if names.vet(x.Tool, &x.Method) {
			x.Cause = Excerpt{}
			out.Errors = addError(out.Errors, x)
		}
	}
	return out
}

// vet reports whether a tool is registered, and replaces a method that its definition does not
// list.
func (n Names) vet(tool string, method *string) bool {
	methods, known := n.Tools[tool]
	if known && *method != "" && !slices.Contains(methods, *method) {
		*method = "another method"
	}
	return known
}

// addError adds an error to those of the same tool, method and outcome: without its cause it
// equals them.
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

// correctionKind describes a correction by its kind; empty if no rule matches it.
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
