package stats

// Wording is the version of the sentences of rulings and verdicts. It is raised with each change of
// them, so that those in a record of another version are not compared with newly computed ones.
const Wording = 2
