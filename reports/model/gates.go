package model

import (
	"slices"
	"strings"

	"evolve/archive"
	"evolve/reports/number"
)

// GateGroup is a group of a patch's gates.
type GateGroup struct {
	Name string
	// Passed is the number of gates that passed, of All gates in the group; Rest are the
	// gates that did not pass. Gates that were not run for the same reason form one entry
	// with all their names.
	Passed, All int
	Rest        []archive.GateVerdict
}

// Words returns a phrase that states how many gates passed.
func (g GateGroup) Words() string {
	if g.Passed == g.All {
		return "passed, " + number.Count(g.All) + " of " + number.Count(g.All)
	}
	return number.Count(g.Passed) + " of " + number.Count(g.All) + " passed"
}

// gateGroups are the groups of gates in display order. The first group consists of the
// gates that no other group names; they check which files a patch changes, and that its
// source does nothing forbidden.
var gateGroups = []struct {
	name  string
	gates []string
}{
	{"scope and safety", nil},
	{"builds and tests", []string{"build", "vet", "affected", "all", "race", "rename", "rollback"}},
	{"tests notice broken code", []string{"canary", "mutants", "coverage", "newtests", "beside", "copied"}},
	{"score and program", []string{"agent", "benchmark", "program"}},
}

// MaxSingleGates is the maximum number of a proposal's gates that are listed one by one;
// more gates are shown by group.
const MaxSingleGates = 8

// GateGroups sorts the gates of a patch into groups and leaves out empty groups.
func GateGroups(list []archive.GateVerdict) []GateGroup {
	groups := make([]GateGroup, len(gateGroups))
	for i, g := range gateGroups {
		groups[i].Name = g.name
	}
	for _, v := range list {
		gate, _, _ := strings.Cut(v.Gate, ":")
		at := 0
		for i, g := range gateGroups {
			if slices.Contains(g.gates, gate) {
				at = i
			}
		}
		groups[at].All++
		if v.Verdict == "passed" {
			groups[at].Passed++
		} else {
			groups[at].Rest = withGate(groups[at].Rest, v)
		}
	}
	return slices.DeleteFunc(groups, func(g GateGroup) bool { return g.All == 0 })
}

// withGate adds to a list a gate that did not pass. A gate that was not run is merged
// into the entry that has the same reason, if there is one.
func withGate(list []archive.GateVerdict, v archive.GateVerdict) []archive.GateVerdict {
	const notRun = "not_run"
	like := slices.IndexFunc(list, func(o archive.GateVerdict) bool {
		return v.Verdict == notRun && o.Verdict == notRun && o.Evidence == v.Evidence
	})
	if like < 0 {
		return append(list, v)
	}
	list[like].Gate += ", " + v.Gate
	return list
}
