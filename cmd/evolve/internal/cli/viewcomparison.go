package cli

import (
	"fmt"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/view"
	"evolve/reports/model"
	"evolve/runtime/text"
)

// comparisonSections returns a comparison as sections for the pages, with the content that
// printComparison prints.
func comparisonSections(v compareView, one, two archive.Variant) []view.Section {
	a, b := fmt.Sprintf("v%d", one.Number), fmt.Sprintf("v%d", two.Number)
	list := []view.Section{{Title: "What differs", Tables: changeTables("Parameters of both variants", v.Changes, a, b)}}
	search := view.Section{Title: "Search tasks", Lines: []string{v.none()}}
	if v.Search != nil {
		search.Facts = append(differenceFacts(wordsOfDifference("task", *v.Search), a, b), powerFacts(v.PassPowers["search"], a, b)...)
		search.Lines = []string{oneLook}
	}
	holdout := view.Section{Title: "Held-out tasks", Lines: []string{v.none()}}
	if v.Holdout != nil {
		h := wordsOfHoldout("task", *v.Holdout)
		holdout.Facts = append([]view.Fact{fact("claim", h.claim)}, differenceFacts(h.differenceWords, a, b)...)
		holdout.Facts = append(holdout.Facts, fact("interval", h.about))
		holdout.Facts = append(holdout.Facts, powerFacts(v.PassPowers["holdout"], a, b)...)
		holdout.Lines = given(h.assumes, h.tail)
		holdout.Tables = append(guardTables(h.guards, a, b), domainTables(h.domains)...)
	}
	list = append(list, search, holdout)
	if !v.fixed {
		list = append(list, view.Section{Lines: []string{onlyPaired}})
	}
	if v.Units == unitsOfTasks {
		list = append(list, view.Section{Lines: []string{unreadSuites}})
	}
	return list
}

func fact(name string, lines ...string) view.Fact { return view.Fact{Name: name, Lines: lines} }

// given returns the lines that are not empty.
func given(lines ...string) (list []string) {
	for _, line := range lines {
		if line != "" {
			list = append(list, line)
		}
	}
	return list
}

func differenceFacts(d differenceWords, a, b string) []view.Fact {
	return []view.Fact{
		fact("difference", given(d.points+"  "+d.interval, d.undecided)...),
		fact("mean score of the pairs", a+" "+d.a+" → "+b+" "+d.b),
		fact("tasks", d.tasks, d.counts),
	}
}

func powerFacts(p passPowers, a, b string) (list []view.Fact) {
	for _, w := range wordsOfPowers(p) {
		list = append(list, fact(w.name, a+" "+w.a+" → "+b+" "+w.b, w.what))
	}
	return list
}

// guardTables returns a table of the costs and times of the variants labelled a and b, with
// the bounds on their change. It returns nil if there are no guards.
func guardTables(guards []stats.Guard, a, b string) []view.Table {
	if len(guards) == 0 {
		return nil
	}
	t := view.Table{Name: "Resource use", Columns: []string{"on average", a, b, "change", "95 % interval", "allowed", "finding"}}
	for _, g := range guards {
		row := []string{g.Label(), "", "", "no pair was measured", "", g.Allowed(), sureness(g.Verdict)}
		if g.Measured() {
			row[1], row[2] = stats.Quantity(g.Name, g.Champion), stats.Quantity(g.Name, g.Candidate)
			row[3], row[4] = text.Change(g.Ratio), text.ChangeInterval(g.Lo, g.Hi)
		}
		t.Rows = append(t.Rows, row)
	}
	return []view.Table{t}
}

func domainTables(domains []domainWords) []view.Table {
	if len(domains) == 0 {
		return nil
	}
	t := view.Table{Name: "Domains", Columns: []string{"domain", "difference", "interval", "tasks", "finding"}}
	for _, d := range domains {
		t.Rows = append(t.Rows, []string{d.name, d.points, d.interval, d.tasks, d.verdict})
	}
	return []view.Table{t}
}

// changeTables returns a table of the changed parameters with the values of each before and
// after. It returns nil if there are no changes.
func changeTables(name string, changes []archive.Change, from, to string) []view.Table {
	if len(changes) == 0 {
		return nil
	}
	t := view.Table{Name: name, Columns: []string{"parameter", from, to}}
	for _, ch := range changes {
		t.Rows = append(t.Rows, []string{ch.Param, clippedValue(ch.Old), clippedValue(ch.New)})
	}
	return []view.Table{t}
}

// clippedValue formats a value as the function shown does, but leaves the lines of a text
// unchanged.
func clippedValue(v any) string {
	if v == nil {
		return shown(v)
	}
	return text.Clip(model.Value(v), mostPageValue, text.Mark)
}

// mostPageValue limits the length of a parameter's value in a table, in bytes.
const mostPageValue = 2000
