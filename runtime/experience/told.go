package experience

import (
	"regexp"
	"slices"
	"strings"
)

// Names holds the names that people chose: an agent's registered tools, each with the
// methods that its definition lists, and the domains in its table. All other names in a
// stored turn are chosen by models, and such a name can contain an instruction.
type Names struct {
	Tools   map[string][]string
	Domains []string
}

const (
	toldHead = "What this agent's live turns advise:\n\n"
	// toldEntries is the maximum number of lines of [Lessons.Told].
	toldEntries = 2 * shownEntries
)

// Told returns the lessons for the system prompt of later turns: the advice of the night,
// followed by that of the week, without duplicates. It is empty if there is no advice. It
// contains only what a turn can act on: when a small language model was given counts of
// corrections and ids of turns, neither of which it could use, it wrongly answered
// questions that it had answered correctly before. The text also contains no words from
// people, tools or models, because turns of other users receive it with the authority of
// the operator. A correction is described by its kind. Corrections of an unknown kind and
// advice on a tool that is not in names are omitted. A method that is not in names is
// called "another method"; a domain that is not in names is omitted.
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

// digits matches numbers. Pieces of advice that differ only in their numbers, such as those
// of two periods on the same subject, count as duplicates.
var digits = regexp.MustCompile(`\d+`)

// told returns the advice that follows from a period.
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

// vetted returns the period with only its stated confidence, the registered tools and their
// errors, and without any words from people, tools or models.
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

// vet reports whether a tool is registered. If the tool's definition does not list the
// method, vet replaces it with "another method".
func (n Names) vet(tool string, method *string) bool {
	methods, known := n.Tools[tool]
	if known && *method != "" && !slices.Contains(methods, *method) {
		*method = "another method"
	}
	return known
}

// addError merges x into the error with the same tool, method and outcome, because the two
// are equal once their causes are removed. If there is no such error, addError appends x.
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

// correctionKinds lists the kinds of corrections with the words that indicate them.
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

// correctionKind describes a correction by at most two kinds, or returns an empty text if
// its kind is unknown.
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
