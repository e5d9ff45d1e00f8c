package stats

import (
	"math"
	"slices"
)

const (
	// WatchNights is the number of nights that a watch compares.
	WatchNights = 30
	// WatchLevel bounds the probability that a watch of an agent that did not change raises
	// any alarm in WatchNights nights.
	WatchLevel = .05
	// changedBonus is the logarithm of the odds, against any other pair of nights, that a
	// fall happened between nights between which the agent was changed.
	changedBonus = 3
	// recoveredLevel is the level at which a later rise ends a fall.
	recoveredLevel = .05
)

// The levels of one comparison. A month makes hundreds of comparisons for a fall of nearly the
// same data, and Chernoff's bound is several times the probability that it bounds. So an alarm
// at these levels is far rarer than their sum; the simulations in watch_sim_test.go give the
// rate.
const (
	fallLevel     = .0005
	adoptionLevel = .001
)

// Fall is a fall of a config's scores.
type Fall struct {
	Shift
	// First is the index of the first night after it.
	First int `json:"-"`
}

// FindFall searches the scores of consecutive nights for a fall that the last of them still
// shows, and for the first night of the fall. changed reports, for each night, whether the agent
// differs from that of the night before. It compares at most WatchNights nights, the last ones,
// and reports false if no fall is shown.
//
// The nights after a possible fall are compared with all nights before it, and with those since
// the last change before it alone, which are preferred if they show it, because a fall after an
// improvement is smaller relative to all nights.
func FindFall(nights []NightScores, changed []bool, of Nature) (Fall, bool) {
	from := max(0, len(nights)-WatchNights)
	isChange := func(k int) bool { return k < len(changed) && changed[k] }
	var found Fall
	best, start := 0., from
	latest := from // the last change before k
	for k := from + 1; k < len(nights); k++ {
		if isChange(k - 1) {
			latest = max(from, k-1)
		}
		most, at := 0., Fall{First: k}
		since := from
		for _, first := range slices.Compact([]int{from, latest}) {
			s, _ := shiftOf(nights[first:k], nights[k:], periods(nights, isChange, from, k), of)
			evidence := s.fallen()
			if evidence < -math.Log(fallLevel) {
				continue
			}
			if of.Fixed { // the largest difference
				evidence = -s.Difference
			}
			most, at.Shift, since = math.Max(most, evidence), s, first
		}
		if most == 0 {
			continue
		}
		if isChange(k) {
			most += changedBonus
		}
		if most > best {
			best, start, found = most, since, at
		}
	}
	if best == 0 {
		return Fall{}, false
	}
	for k := found.First + 1; k < len(nights); k++ {
		split := periods(nights, isChange, from, found.First, k)
		rise, _ := shiftOf(nights[found.First:k], nights[k:], split, of)
		if rise.risen() < -math.Log(recoveredLevel) {
			continue
		}
		left, _ := shiftOf(nights[start:found.First], nights[k:], split, of)
		if left.fallen() < -math.Log(fallLevel) {
			return Fall{}, false
		}
		found.Shift = left
	}
	found.Shift = found.bounded(1 - fallLevel)
	return found, found.Fell()
}

// periods divides the nights from an index on at the changes and before the given nights.
func periods(nights []NightScores, isChange func(int) bool, from int, before ...int) [][]NightScores {
	var out [][]NightScores
	for k := from + 1; k <= len(nights); k++ {
		if k == len(nights) || isChange(k) || slices.Contains(before, k) {
			out = append(out, nights[from:k])
			from = k
		}
	}
	return out
}

// Adopted is the comparison of an adopted config with its prediction and with the config
// before it.
type Adopted struct {
	// Shift is the difference to the old champion on the same tasks.
	Shift
	// Worse reports whether it is worse than the old champion. Below reports whether its
	// gain on tasks like these is below the whole interval of the prediction.
	Worse bool `json:"worse,omitempty"`
	Below bool `json:"below,omitempty"`
	// Upper is the upper bound of its gain on tasks like these.
	Upper float64 `json:"upper"`
}

// CompareAdopted compares the nights since an adoption with those of the config before it.
// predicted is the interval of the gain on new tasks; nil: none was claimed.
func CompareAdopted(old, since []NightScores, predicted *Interval, of Nature) (Adopted, bool) {
	s, ok := CompareNights(old, since, of, 1-adoptionLevel)
	a := Adopted{Shift: s}
	if !ok {
		return a, false
	}
	a.Worse = s.Fell()
	a.Upper = s.Hi
	if s.Tasks > 1 {
		room := tQuantile(1-adoptionLevel, float64(s.Tasks-1)) * math.Sqrt(s.Between/float64(s.Tasks))
		a.Upper = math.Min(1, s.Difference+math.Hypot(s.Hi-s.Difference, room))
	}
	a.Below = predicted != nil && s.Tasks >= MinClusters && a.Upper < predicted.Lo
	return a, true
}

// Disappoints reports whether the adoption is worse than the old champion, or below its
// prediction.
func (a Adopted) Disappoints() bool { return a.Worse || a.Below }

// Sustains returns the findings of an earlier night on the same adoption that still hold.
// "Worse" holds until the present night shows the adoption to be better than the old
// champion, and "below the prediction" until the present night shows a gain of at least the
// prediction's lower end.
//
// [WatchLevel] bounds the probability that any night of a month is alarmed by an adoption
// without fault. So evidence that once reached the level counts with that error on every
// later night, although the interval of a later night alone may contain 0 again: near the
// level, evidence appears and disappears by chance.
func (a Adopted) Sustains(earlier Adopted, predicted *Interval) Adopted {
	earlier.Worse = earlier.Worse && a.Lo <= 0
	earlier.Below = earlier.Below && predicted != nil && a.Lo < predicted.Lo
	return earlier
}
