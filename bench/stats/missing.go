package stats

import "slices"

// differs is the significance level of the test that shows whether the champion has more
// missing evaluations than the variant.
const differs = 0.05

// missing counts the repeats that were evaluated on one side only: those that the
// champion lacks and those that the variant lacks.
func missing(pairs []Pair) (champion, variant int) {
	for _, p := range pairs {
		champion += len(p.AloneB)
		variant += len(p.AloneA)
	}
	return champion, variant
}

// counted returns the pairs with scores in place of missing data. A missing evaluation
// scores 0, as if it had failed, except that the champion's score 1 if the champion lacks
// more evaluations than the variant, by a sign test at .05. counted returns nil if no
// data is missing on one side only.
//
// The way in which a failure is recorded must not decide a comparison. If a variant's
// failures ended as missing data and were left out, the variant would look better: with
// one failure in five missing, a gain was claimed for half of the simulated entries that
// had none. Data missing by chance is missing on both sides, and its zeros cancel out.
func counted(pairs []Pair) []Pair {
	champion, variant := missing(pairs)
	if champion+variant == 0 {
		return nil
	}
	lacking := 0.0
	if McNemar(champion, variant) <= differs {
		lacking = 1
	}
	out := slices.Clone(pairs)
	for i := range out {
		p := &out[i]
		n := min(len(p.A), len(p.B))
		nights := make([]int, n, n+len(p.AloneA)+len(p.AloneB))
		for r := range nights {
			nights[r] = p.night(r)
		}
		p.A, p.B = slices.Clone(p.A[:n]), slices.Clone(p.B[:n])
		for _, a := range p.AloneA {
			p.A, p.B, nights = append(p.A, a), append(p.B, 0), append(nights, anyNight)
		}
		for _, b := range p.AloneB {
			p.A, p.B, nights = append(p.A, lacking), append(p.B, b), append(nights, anyNight)
		}
		p.Nights = nights
	}
	return out
}

// anyNight is the night of repeats whose run is unknown.
const anyNight = -1

// weaker returns whichever of two rulings on the same evidence claims less.
func weaker(r, s Ruling) Ruling {
	switch {
	case r.Claim != s.Claim:
		if s.Claim.rank() < r.Claim.rank() {
			return s
		}
	case s.NewLower < r.NewLower || s.NewLower == r.NewLower && s.LogE < r.LogE:
		return s
	}
	return r
}

func (c Claim) rank() int { return slices.Index([]Claim{NoClaim, TheseTasks, NewTasks}, c) }
