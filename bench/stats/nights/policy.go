package nights

// share of a night's budget that is kept for the confirmation (spec 9.2).
const share = 0.65

// policy is what decides night by night about adoptions.
type policy interface {
	live(l *land) Outcome
}
