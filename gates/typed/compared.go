package typed

import (
	"slices"
	"strings"

	"evolve/gates"
)

// exitWords is the definition of an early exit.
const exitWords = "early exits, which are conditions whose body does nothing but return, continue, break, throw, panic or end the program"

// comparedGuards names the kinds of guards that are compared, for the evidence of a patch that is not
// flagged: guards of other kinds are not read.
func comparedGuards() string {
	kept, changed, opening := []string{"a lock with the accesses under it"}, []string(nil), []string(nil)
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
		"; none of these is new: " + strings.Join(opening, ", ") + "; none is missing of " + exitWords + "; guards of other kinds are not compared"
}

// scope names the files that were read by their tokens, and those that were not read; empty if
// there are none.
func (p plainExits) scope() string {
	out := ""
	if len(p.read) > 0 {
		out += "; none is missing of the early exits in " + gates.Listed(p.read)
	}
	if len(p.unread) > 0 {
		out += "; not read: " + gates.Listed(p.unread)
	}
	return out
}
