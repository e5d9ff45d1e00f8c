package rewrite

import (
	"fmt"
	"strings"
)

// Problem returns why a text of the block does not compile, in words that follow "the
// block"; empty where it may. Packages that were not loaded are taken to have every name, so
// that a text without a problem need not compile, but one with a problem does not.
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

// Fit returns a text of the block as it compiles: formatted, and without the variables that
// nothing uses. It returns false if the text does not compile so.
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

// Needs returns the names of the imports that only the block uses: its texts must keep them
// in use.
func (r *Rewriter) Needs() []string { return r.needs }

// certain reports whether a problem exists regardless of the contents of packages that were
// not loaded.
func certain(problem string) bool {
	for _, begin := range []string{unusedVariable, "undefined: ", "missing return"} {
		if strings.HasPrefix(problem, begin) {
			return true
		}
	}
	return false
}
