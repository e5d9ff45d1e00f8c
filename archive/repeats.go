package archive

// Repeats counts tasks that the champion answered twice, with different seeds.
type Repeats struct {
	Tasks int `json:"tasks"`
	// Same is the number of tasks that got the same answer, outcome and score both times.
	Same int `json:"same"`
}

// leastRepeats is the minimum number of repeated tasks: if all of at least this many
// tasks got equal answers, that is not considered a coincidence.
const leastRepeats = 10

// Constant reports whether every task got the same answer twice, and there were at least
// ten tasks. In that case, the agent seems to be deterministic and to ignore the seed.
func (r *Repeats) Constant() bool { return r != nil && r.Tasks >= leastRepeats && r.Same == r.Tasks }
