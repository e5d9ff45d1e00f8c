package rewrite

import (
	"fmt"
	"strings"
)

// Problem returns the reason why a text of the block does not compile, in words that follow
// "the block"; it returns "" if the text may compile. Packages that were not loaded are
// assumed to have every name. A text without a problem therefore does not necessarily
// compile, but a text with a problem certainly does not.
func (r *Rewriter) Problem(text string) string {
	u, reason := r.parseUnit(text)
	if reason != "" {
		return reason
	}
	v, problems := r.check(u, r.whole, false)
	for _, p := range problems {
		switch {
		case r.accepted(p, r.knownWhole):
		case r.incomplete && !certain(p.text):
		case p.inside:
			return fmt.Sprintf("does not compile: line %d: %s", u.line(u.offset(p.pos)), p.text)
		default:
			return "does not compile with the code around it: " + p.text
		}
	}
	for _, name := range r.needs {
		if !v.uses([]string{name}) {
			return "does not compile: the block must use the import " + name + ", which nothing else in the file uses"
		}
	}
	return ""
}

// Fit returns a text of the block in a form that compiles: formatted, and without unused
// variables. It returns false if the text does not compile even in that form.
func (r *Rewriter) Fit(text string) (string, bool) {
	for range mostRepairs {
		var ok bool
		if text, ok = formatted(text); !ok {
			return "", false
		}
		u, reason := r.parseUnit(text)
		if reason != "" {
			return "", false
		}
		v, problems := r.check(u, r.context, true)
		unused, valid := r.unused(problems)
		if !valid {
			return "", false
		}
		if len(unused) == 0 {
			return text, !v.missing(r.exports) && r.Problem(text) == ""
		}
		edits, ok := v.tidy(unused)
		if !ok {
			return "", false
		}
		text = u.apply(edits)
	}
	return "", false
}

// Needs returns the names of the imports that only the block uses. The block's texts must
// therefore continue to use them.
func (r *Rewriter) Needs() []string { return r.needs }

// certain reports whether a problem exists regardless of what the packages that were not
// loaded contain.
func certain(problem string) bool {
	for _, begin := range []string{unusedVariable, "undefined: ", "missing return"} {
		if strings.HasPrefix(problem, begin) {
			return true
		}
	}
	return false
}
