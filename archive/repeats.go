package archive

// Repeats counts tasks that the champion answered twice, with different seeds.
type Repeats struct {
	Tasks int `json:"tasks"`
	// Same are those that got the same answer, outcome and score both times.
	Same int `json:"same"`
}

// leastRepeats is the number of tasks from which on equal answers are taken for no
// coincidence.
const leastRepeats = 10

// Constant reports whether every task got the same answer twice, on ten tasks or more:
// the agent then seems to be deterministic and to ignore the seed.
func (r *Repeats) Constant() bool { return r != nil && r.Tasks >= leastRepeats && r.Same == r.Tasks }
