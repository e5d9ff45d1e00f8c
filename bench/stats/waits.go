package stats

// Waits is the verdict of a night in which nothing is shown to be better than an earlier
// night's proposal that awaits a decision. [Conclude], which gets the rulings of one night
// only, never returns it.
const Waits Verdict = "waits"
