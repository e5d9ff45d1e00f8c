package stats

// Wording is the version of the sentences in rulings and verdicts. It is increased
// whenever these sentences change, so that sentences in a record of another version are
// not compared with newly computed ones.
const Wording = 5
