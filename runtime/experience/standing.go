package experience

import "slices"

// standing is a feedback for a use of some tool, and whether it has its effect there.
type standing struct {
	Feedback
	stands bool
}

// standing returns the feedback on every tool whose domain, goal, conversation and duration a
// use is in, the newest first. A prohibition (constraint or replace) has no effect where
// newer feedback lifts it (see [Feedback.lifts]); neither has a replace whose tool to use
// instead is forbidden by newer feedback, or by an older constraint that nothing lifts. So no
// pair of feedbacks forbids both tools of a replace.
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

// lifted reports whether newer feedback lifts the one at a place; if stand is set, only
// feedback that has an effect itself counts.
func lifted(in []standing, i int, stand bool) bool {
	return slices.ContainsFunc(in[:i], func(s standing) bool { return (s.stands || !stand) && s.lifts(in[i].Feedback) })
}

// idle reports whether the tool that a replace names as the substitute is forbidden.
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

// lifts reports whether a newer feedback ends an older prohibition where both apply: a boost
// of the same tool, domain and goal, a replace that uses the tool instead and whose scope is
// no wider, and a replace that uses the tool instead of the one of an older replace, whatever
// the scopes. A penalty lifts none, and neither does a boost of another scope.
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
