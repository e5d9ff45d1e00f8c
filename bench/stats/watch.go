package stats

import (
	"math"
	"slices"
)

const (
	// WatchNights is the maximum number of nights that a watch compares.
	WatchNights = 30
	// WatchLevel bounds the probability that a watch of an unchanged agent raises any alarm
	// in WatchNights nights.
	WatchLevel = .05
	// changedBonus is added to the logarithm of the evidence that a fall happened between
	// two nights if the agent was changed between them. It is the logarithm of the odds of
	// such a pair of nights relative to any other.
	changedBonus = 3
	// recoveredLevel is the level at which a later rise ends a fall.
	recoveredLevel = .05
)

// The levels of one comparison. A month makes hundreds of comparisons that look for a fall
// in nearly the same data, and Chernoff's bound is several times the probability that it
// bounds. So an alarm at these levels is far rarer than the sum of the levels; the
// simulations in watch_sim_test.go give the rate.
const (
	fallLevel     = .0005
	adoptionLevel = .001
)

// Fall describes a fall in a config's scores.
type Fall struct {
	Shift
	// First is the index of the first night after the fall.
	First int `json:"-"`
}

// FindFall searches the scores of consecutive nights for a fall that still shows on the
// last night, and for the first night after the fall. changed reports, for each night,
// whether the agent differs from the agent of the night before. FindFall compares only
// the last WatchNights nights, and returns false if no fall is shown.
//
// The nights after a possible fall are compared with all nights before it, and also with
// only those since the last change before it. The second comparison is preferred if it
// shows the fall, because a fall after an improvement is smaller relative to all nights.
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

// periods splits the nights into periods, beginning with the night at the index from. A
// new period starts at every change and at each of the nights in the list before.
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

// Adopted is the comparison of an adopted config with its predicted gain and with the
// previous config.
type Adopted struct {
	// Shift is the difference from the old champion on the same tasks.
	Shift
	// Worse reports whether the adopted config is worse than the old champion. Below
	// reports whether its gain on tasks like these is below the whole interval of the
	// prediction.
	Worse bool `json:"worse,omitempty"`
	Below bool `json:"below,omitempty"`
	// Upper is the upper bound of the adopted config's gain on tasks like these.
	Upper float64 `json:"upper"`
}

// CompareAdopted compares the nights since an adoption with the nights of the previous
// config. predicted is the predicted interval of the gain on new tasks; it is nil if no
// gain was claimed. The second result is false if old and since have no task in common.
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

// Disappoints reports whether the adopted config is worse than the old champion, or its
// gain is below the prediction.
func (a Adopted) Disappoints() bool { return a.Worse || a.Below }

// Sustains returns the findings of an earlier night about the same adoption that still
// hold. "Worse" holds until the present night shows that the adopted config is better than
// the old champion, and "below the prediction" until the present night shows a gain of at
// least the prediction's lower end.
//
// [WatchLevel] bounds the probability that any night of a month raises an alarm about a
// flawless adoption. So evidence that has reached the level once is valid with that error
// on every later night, even if the interval of a later night contains 0 again: near the
// level, evidence appears and disappears by chance.
func (a Adopted) Sustains(earlier Adopted, predicted *Interval) Adopted {
	earlier.Worse = earlier.Worse && a.Lo <= 0
	earlier.Below = earlier.Below && predicted != nil && a.Lo < predicted.Lo
	return earlier
}
