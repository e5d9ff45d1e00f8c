package night

// unreadableMost is the number of successive answers of a route without valid JSON after
// which plain text is requested of it.
const unreadableMost = 2

// answerForms decides by the records of requests which routes are asked for plain text: those
// with two successive answers without valid JSON. The decision holds until the route gets
// another model.
type answerForms map[string]answerForm

type answerForm struct {
	model      string
	unreadable int
	plain      bool
}

// learn takes in a record. Records come in the order in which the search is told of them,
// so that the forms do not depend on the times of the answers.
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
