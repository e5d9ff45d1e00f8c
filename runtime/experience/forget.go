package experience

import "slices"

// Forget removes the texts of a conversation whose turns forgotten reports: the corrections
// made in it, and its last turn, which a later message could judge. Counts stay, and so do
// the causes of failed calls, which name no turn.
func (e *Experience) Forget(session string, forgotten func(turn string) bool) {
	e.Recent = slices.DeleteFunc(e.Recent, func(r Recent) bool { return r.Session == session })
	e.Corrections = slices.DeleteFunc(e.Corrections, func(c Correction) bool { return forgotten(c.Turn) })
}
