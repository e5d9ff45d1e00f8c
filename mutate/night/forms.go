package night

// unreadableMost is the number of successive answers without valid JSON after which plain
// text is requested from a route.
const unreadableMost = 2

// answerForms decides from the records of requests which routes are asked for plain text:
// those whose models gave two successive answers without valid JSON. The decision holds
// until the route gets another model.
type answerForms map[string]answerForm

type answerForm struct {
	model      string
	unreadable int
	plain      bool
}

// learn updates the forms with the record of a request. Records are passed in the order in
// which the search receives the answers, so that the forms do not depend on when the
// answers arrive.
func (f answerForms) learn(d DraftNote) {
	was := f[d.Route]
	if was.model != d.Model {
		was = answerForm{model: d.Model}
	}
	switch {
	case d.Plain:
		was.plain = true
	case d.Unreadable:
		was.unreadable++
		was.plain = was.plain || was.unreadable >= unreadableMost
	case d.Outcome == "":
		was.unreadable = 0
	}
	f[d.Route] = was
}

// plain reports whether a route is asked for plain text.
func (f answerForms) plain(r ReflectRoute) bool {
	is := f[r.Name]
	return is.plain && is.model == r.Model
}
