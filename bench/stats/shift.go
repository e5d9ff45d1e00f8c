package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// NightScores are the scores of one config on tasks in one night.
type NightScores map[string][]float64

// Shift is the difference between the scores of later nights and earlier nights on the
// tasks that both have.
type Shift struct {
	// Before and After are means over the common tasks, with equal weights.
	Before     float64 `json:"before"`
	After      float64 `json:"after"`
	Difference float64 `json:"difference"`
	// Lo and Hi bound the difference. If nothing has changed, each end excludes 0 by chance
	// with a probability of at most 1 − Level.
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
	Level float64 `json:"level"`
	// Tasks counts the common tasks, BeforeRuns and AfterRuns the evaluations on them, and
	// BeforeNights and AfterNights the nights.
	Tasks        int `json:"tasks"`
	BeforeRuns   int `json:"before_runs"`
	AfterRuns    int `json:"after_runs"`
	BeforeNights int `json:"before_nights"`
	AfterNights  int `json:"after_nights"`
	// Night is the standard deviation of the shift that all scores of a night share; it is
	// 0 for deterministic agents.
	Night float64 `json:"night,omitempty"`
	// Between is the variance of the differences from task to task.
	Between float64 `json:"between,omitempty"`
	// Exact reports whether a repeat gives the same score, so that the difference is known
	// exactly.
	Exact bool `json:"exact,omitempty"`

	fell, rose exponent
}

// Nature describes the variation of an agent's answers.
type Nature struct {
	// Deterministic reports whether seeds explain all differences between the agent's
	// nights. Fixed reports whether the agent gives the same answer on every repeat.
	Deterministic, Fixed bool
}

// CompareNights compares later nights (after) with earlier ones (before) at the given
// level. It reports false if they have no task in common.
func CompareNights(before, after []NightScores, of Nature, level float64) (Shift, bool) {
	s, ok := shiftOf(before, after, [][]NightScores{before, after}, of)
	return s.bounded(level), ok
}

// rounding is the difference below which two means count as equal, because means of equal
// scores over different numbers of repeats may differ in their last digits.
const rounding = 1e-12

// shiftOf compares later nights with earlier ones, without bounds. Within each of the
// periods no change of the agent is known, so they show how much the nights vary.
//
// If nothing has changed, the evaluations of a task are exchangeable between the two sides.
// The generating function of the difference over all exchanges is known, so Chernoff's
// bound holds for any scores and any number of tasks. The shift that all scores of a night
// share is added as a normal variable.
func shiftOf(before, after []NightScores, periods [][]NightScores, of Nature) (Shift, bool) {
	s := Shift{Exact: of.Fixed}
	older, newer := byTask(before), byTask(after)
	var tasks []string
	for t := range newer {
		if len(older[t]) > 0 {
			tasks = append(tasks, t)
		}
	}
	if len(tasks) == 0 {
		return s, false
	}
	slices.Sort(tasks)
	s.Tasks = len(tasks)
	var groups []exchange
	differences := make([]float64, len(tasks))
	for i, t := range tasks {
		a, b := older[t], newer[t]
		meanA, meanB := stat.Mean(a, nil), stat.Mean(b, nil)
		if math.Abs(meanB-meanA) < rounding {
			meanB = meanA
		}
		s.Before += meanA
		s.After += meanB
		s.BeforeRuns, s.AfterRuns = s.BeforeRuns+len(a), s.AfterRuns+len(b)
		differences[i] = meanB - meanA
		groups = append(groups, newExchange(a, b, float64(len(tasks))))
	}
	s.Before /= float64(len(tasks))
	s.Difference = stat.Mean(differences, nil)
	s.After = s.Before + s.Difference
	for _, d := range differences {
		if len(tasks) > 1 {
			s.Between += (d - s.Difference) * (d - s.Difference) / float64(len(tasks)-1)
		}
	}
	weightA, nightsA := nightWeight(before, tasks)
	weightB, nightsB := nightWeight(after, tasks)
	s.BeforeNights, s.AfterNights = nightsA, nightsB
	var shared float64
	if !of.Deterministic {
		variance := sharedVariance(periods, tasks)
		s.Night = math.Sqrt(variance)
		shared = variance * (weightA + weightB)
	}
	s.fell, s.rose = exponent{groups, shared, -1}, exponent{groups, shared, 1}
	return s, true
}

// bounded returns the shift with its bounds at a level.
func (s Shift) bounded(level float64) Shift {
	s.Level, s.Lo, s.Hi = level, s.Difference, s.Difference
	if s.Exact || s.Tasks == 0 {
		return s
	}
	logLevel := -math.Log1p(-level)
	s.Hi = math.Min(1, s.Difference+s.fell.critical(logLevel))
	s.Lo = math.Max(-1, s.Difference-s.rose.critical(logLevel))
	return s
}

// Fell reports whether the scores fell by more than chance explains at this level.
func (s Shift) Fell() bool { return s.Hi < 0 }

// A difference below this number of standard deviations is ignored, because it cannot
// reach any level that is used here, so its bound need not be computed.
const clearly = 1.5

// fallen returns the logarithm of the evidence for a fall: −ln of the upper bound on the
// probability of a fall this large if nothing has changed.
func (s Shift) fallen() float64 {
	switch {
	case s.Difference >= 0:
		return 0
	case s.Exact:
		return math.Inf(1)
	case s.Difference > -clearly*s.fell.sd():
		return 0
	}
	return s.fell.rate(-s.Difference)
}

// risen returns the logarithm of the evidence for a rise, computed in the way fallen
// computes that for a fall.
func (s Shift) risen() float64 {
	switch {
	case s.Difference <= 0:
		return 0
	case s.Exact:
		return math.Inf(1)
	case s.Difference < clearly*s.rose.sd():
		return 0
	}
	return s.rose.rate(s.Difference)
}

func byTask(nights []NightScores) map[string][]float64 {
	out := map[string][]float64{}
	for _, n := range nights {
		for t, scores := range n {
			out[t] = append(out[t], scores...)
		}
	}
	return out
}

// nightWeight returns the sum of the squared shares that the nights have in the mean over
// these tasks, and the number of nights that have a share.
func nightWeight(nights []NightScores, tasks []string) (squares float64, count int) {
	all := byTask(nights)
	for _, n := range nights {
		share := 0.
		for _, t := range tasks {
			share += float64(len(n[t])) / float64(len(all[t])*len(tasks))
		}
		squares += share * share
		if share > 0 {
			count++
		}
	}
	return squares, count
}

// sharedVariance estimates the variance of the shift that all scores of a night share, as
// [newDrift] does. It uses each night's distance from the mean of its own period, so a
// change between periods does not add to the variance.
func sharedVariance(periods [][]NightScores, tasks []string) float64 {
	assumed := AssumedNight * AssumedNight
	var spread, free float64
	for _, side := range periods {
		all := byTask(side)
		seen := 0
		var apart float64
		for _, n := range side {
			var distance, chance, share float64
			has := 0.
			for _, t := range tasks {
				if len(n[t]) == 0 {
					continue
				}
				has++
				distance += stat.Mean(n[t], nil) - stat.Mean(all[t], nil)
				part := float64(len(n[t])) / float64(len(all[t]))
				share += part
				if len(all[t]) > 1 {
					chance += stat.Variance(all[t], nil) / float64(len(n[t]))
				}
			}
			if has == 0 {
				continue
			}
			seen++
			distance, chance, share = distance/has, chance/(has*has), share/has
			apart += distance*distance - chance*(1-share)
		}
		if seen > 1 {
			spread, free = spread+apart, free+float64(seen-1)
		}
	}
	return math.Max(assumed, (assumedNights*assumed+spread)/(assumedNights+free))
}
