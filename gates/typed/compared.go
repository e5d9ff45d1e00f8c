package typed

import (
	"slices"
	"strings"

	"evolve/gates"
)

// exitWords describes what early exits are, for the evidence.
const exitWords = "early exits, which are conditions whose body does nothing but return, continue, break, throw, panic or end the program"

// comparedGuards names the kinds of guards that are compared, for the evidence on a patch
// that is not flagged. Other kinds of guards are not read.
func comparedGuards() string {
	kept, changed, opening := []string{"a lock and the accesses that it protects"}, []string(nil), []string(nil)
	add := func(list *[]string, what string) {
		if !slices.Contains(*list, what) {
			*list = append(*list, what)
		}
	}
	for _, r := range rules {
		switch {
		case r.opens:
			add(&opening, r.what)
		case r.kept:
			add(&kept, r.what)
		default:
			add(&changed, r.what)
		}
	}
	return "none of these is missing or changed: " + strings.Join(kept, ", ") + "; none of these is changed: " + strings.Join(changed, ", ") +
		"; none of these is new: " + strings.Join(opening, ", ") + "; none of these is missing: " + exitWords + "; guards of other kinds are not compared"
}

// scope returns remarks for the evidence, which name the files that were compared by
// their tokens and the files that were not read; it returns "" if there are none.
func (p plainExits) scope() string {
	out := ""
	if len(p.read) > 0 {
		out += "; no early exit is missing in " + gates.Listed(p.read)
	}
	if len(p.unread) > 0 {
		out += "; not read: " + gates.Listed(p.unread)
	}
	return out
}
