package experience

import "slices"

// standing is a feedback entry whose scope, apart from its tool, includes a use. The
// field stands reports whether the entry takes effect.
type standing struct {
	Feedback
	stands bool
}

// standing returns the feedback on any tool that applies to the domain, goal, conversation
// and time of a use, the newest first. A prohibition (constrain or replace) has no effect
// if newer feedback lifts it (see [Feedback.lifts]). A replace also has no effect if its
// substitute tool is forbidden by newer feedback, or by an older constraint that no
// feedback lifts. So no two feedback entries together forbid both tools of a replace.
func (e *Experience) standing(use Use) []standing {
	var in []standing
	for _, f := range slices.Backward(e.Feedback) {
		use.Tool = f.Tool
		if f.applies(use) {
			in = append(in, standing{f, true})
		}
	}
	for i := range in {
		in[i].stands = !lifted(in, i, true) && !idle(in, i)
	}
	return in
}

// lifted reports whether newer feedback lifts the entry at index i. If stand is set, only
// feedback that itself takes effect counts.
func lifted(in []standing, i int, stand bool) bool {
	return slices.ContainsFunc(in[:i], func(s standing) bool { return (s.stands || !stand) && s.lifts(in[i].Feedback) })
}

// idle reports whether the feedback at index i is a replace whose substitute tool is
// forbidden.
func idle(in []standing, i int) bool {
	f := in[i]
	if f.Action != Replace {
		return false
	}
	for j, s := range in {
		switch {
		case s.Tool != f.With || !s.Action.forbids():
		case j < i && s.stands, j > i && s.Action == Constrain && !lifted(in, j, false):
			return true
		}
	}
	return false
}

// lifts reports whether f lifts an older prohibition wherever both apply. Three kinds of
// newer feedback lift such a prohibition: a boost of the same tool, domain and goal; a
// replace that substitutes the forbidden tool and whose scope is no wider; and a replace
// that substitutes the tool forbidden by an older replace, whatever the scopes. A penalty
// lifts no prohibition, and neither does a boost with another scope.
func (f Feedback) lifts(older Feedback) bool {
	switch {
	case !older.Action.forbids():
		return false
	case f.Action == Boost:
		return f.sameScope(older)
	case f.Action == Replace && f.With == older.Tool:
		return older.Action == Replace || older.covers(f)
	}
	return false
}

// forbids reports whether an action forbids a tool.
func (a Action) forbids() bool { return a == Constrain || a == Replace }
