package nights

// Outcome is what became of one policy in one repetition of a world, which ends with the
// first adoption of a variant that is better.
type Outcome struct {
	// Nights lived and Evaluations spent until the end.
	Nights, Evaluations int
	// Adopted is the night of the first true adoption; 0 for none.
	Adopted int
	// Entered counts the better variants that entered the confirmation.
	Entered int
	// FalseNew are adoptions of what is no better on new tasks, FalseHere claims about the tasks of
	// the holdout that are not true of them.
	FalseNew, FalseHere int
	// Raw is how far the gain that was measured with an adoption was off the true one over all
	// tasks.
	Raw Error
	// How often the interval for these tasks and for new ones held what it is about: over all
	// candidates when they were left, and over those adopted.
	Here, New, AdoptedHere, AdoptedNew Share
}

// Error sums signed errors.
type Error struct {
	N            int
	Sum, Squares float64
}

func (e *Error) add(v float64) {
	e.N++
	e.Sum += v
	e.Squares += v * v
}

// Share counts hits among cases.
type Share struct{ Hits, N int }

func (s *Share) add(hit bool) {
	s.N++
	if hit {
		s.Hits++
	}
}

// adopt counts an adoption with the gain that was measured.
func (o *Outcome) adopt(night int, gain, raw float64) {
	o.Raw.add(raw - gain)
	if gain > 0 {
		o.Adopted = night
	} else {
		o.FalseNew++
	}
}
