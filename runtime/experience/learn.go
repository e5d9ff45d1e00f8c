package experience

// Learn adds a turn: first what its message means for the turn before it in the
// conversation, then the turn itself.
func (e *Experience) Learn(t Turn) {
	e.judgeEarlier(t)
	e.learnCalls(t)
	e.learnOutcome(t)
	e.Turns++
	if t.Time.After(e.Updated) {
		e.Updated = t.Time
	}
}

// Usefulness returns the usefulness of a tool's method in a domain by its capsule there, or
// by that of [Global] where the domain has no calls; .5 without any history.
func (e *Experience) Usefulness(tool, method, domain string) float64 {
	for _, d := range []string{domain, Global} {
		if c := e.capsule(tool, method, d); c != nil && c.Calls > 0 {
			return c.Usefulness()
		}
	}
	return Capsule{}.Usefulness()
}

// capsule returns a capsule; nil if there is none.
func (e *Experience) capsule(tool, method, domain string) *Capsule {
	for i := range e.Capsules {
		if c := &e.Capsules[i]; c.Tool == tool && c.Method == method && c.Domain == domain {
			return c
		}
	}
	return nil
}
