package bench

import (
	"maps"
	"slices"
	"strings"
)

// JudgeTerms describes the settings of a suite's judges in words. It is keyed by the
// route, such as "judge", and then by the name of the setting, such as "temperature". It
// is used to show people the differences between two judges; the hash of a suite covers
// the settings through [Suite.BindJudges].
type JudgeTerms map[string]map[string]string

// RubricsTerm is the name of the term that identifies the rubrics. Its value is a hash.
const RubricsTerm = "rubrics"

// Changed describes the differences between the terms and later ones, route by route. It
// returns "" if there are none.
func (t JudgeTerms) Changed(now JudgeTerms) string {
	var out []string
	for _, route := range keysOf(t, now) {
		was, is := t[route], now[route]
		switch {
		case is == nil:
			out = append(out, "route "+route+" no longer grades")
			continue
		case was == nil:
			out = append(out, "route "+route+" is new")
			continue
		}
		var changes []string
		for _, name := range keysOf(was, is) {
			switch {
			case was[name] == is[name]:
			case name == RubricsTerm:
				changes = append(changes, "other rubrics")
			default:
				changes = append(changes, name+" "+termValue(was[name])+" → "+termValue(is[name]))
			}
		}
		if len(changes) > 0 {
			out = append(out, "route "+route+": "+strings.Join(changes, ", "))
		}
	}
	return strings.Join(out, "; ")
}

// keysOf returns the keys that occur in either of two maps, sorted.
func keysOf[V any](a, b map[string]V) []string {
	return slices.Compact(slices.Sorted(func(yield func(string) bool) {
		for _, m := range []map[string]V{a, b} {
			for k := range maps.Keys(m) {
				if !yield(k) {
					return
				}
			}
		}
	}))
}

func termValue(v string) string {
	if v == "" {
		return "none"
	}
	return v
}
