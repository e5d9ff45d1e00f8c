package stats

// Waits is the verdict of a night that shows nothing better than a proposal of an earlier
// night that awaits a decision. [Conclude], which gets the rulings of one night only,
// never returns it.
const Waits Verdict = "waits"
