package nights

// Outcome is the result of one policy in one repetition of a world, which ends with the
// first adoption of a better variant.
type Outcome struct {
	// Nights and Evaluations are the numbers of nights and evaluations until the end.
	Nights, Evaluations int
	// Adopted is the night of the first true adoption, or 0 if there was none.
	Adopted int
	// Entered is the number of better variants that entered the confirmation.
	Entered int
	// FalseNew is the number of adoptions of variants that are no better on new tasks, and
	// FalseHere is the number of false claims about the holdout tasks.
	FalseNew, FalseHere int
	// Raw is the error of the gain measured at an adoption, compared with the true gain
	// over all tasks.
	Raw Error
	// Here and New are the coverage of the intervals for these tasks and for new ones, over
	// all candidates at their end. AdoptedHere and AdoptedNew are the coverage over the
	// adopted candidates.
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

// adopt records an adoption in a night; gain is the true gain, and raw is the measured one.
func (o *Outcome) adopt(night int, gain, raw float64) {
	o.Raw.add(raw - gain)
	if gain > 0 {
		o.Adopted = night
	} else {
		o.FalseNew++
	}
}
