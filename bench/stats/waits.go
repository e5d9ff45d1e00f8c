package stats

// Waits is the verdict of a night on which a proposal of an earlier one awaits a person
// and nothing was shown to be better than what it proposes. [Conclude], which sees the
// rulings of one night, never gives it.
const Waits Verdict = "waits"
