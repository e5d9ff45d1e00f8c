package nights

// share is the fraction of a night's budget that is reserved for the confirmation.
const share = 0.65

// policy decides on adoptions, night by night.
type policy interface {
	live(l *simulation) Outcome
}
