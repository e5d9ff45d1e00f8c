package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/view"
	"evolve/reports/model"
)

// proposalSections returns a proposal as sections for the pages, with the content that
// printProposal and printDiff print.
func proposalSections(con *console, p claimed) []view.Section {
	why := view.Section{Title: "Why", Lines: given(p.waited, p.Rationale, p.staleWords(con))}
	if words := claims[p.claim]; words != "" {
		why.Facts = []view.Fact{fact("claim", words)}
	}
	if p.against != "" {
		why.Lines = append(why.Lines, "! no claim: "+p.against)
	}
	why.Lines = append(why.Lines, warnings(p.Gates, model.Addressed(p.ProposalRecord))...)
	list := []view.Section{
		why,
		{Title: "Changes", Tables: changeTables("Parameters", p.Changes, "before", "after")},
		{Title: "Files", Tables: fileTables(p.Files, false)},
	}
	list = append(list, writtenSections(con, p.ProposalRecord)...)
	list = append(list, levelSections(p.Autonomy)...)
	list = append(list, gateSections(p.Gates)...)
	from := view.Section{Title: "Provenance", Facts: factsOf(p.provenance()), Lines: marked(p.notes)}
	list = append(list, decidedOn(from, orLatest(p.decisions, p.ID, p.Decision), model.BranchOf(p.ProposalRecord)))
	list = append(list, view.Section{Title: "Diff", Diff: diffOf(con, p.ProposalRecord)}, commandSection(con, p.commands()))
	return withContent(list)
}

// patchSections returns a patch as sections for the pages, with the content that printPatch
// prints.
func patchSections(con *console, v patchView) []view.Section {
	why := view.Section{Title: "Why", Lines: append(given(v.waited, strings.TrimSpace(v.Rationale)), v.standing()...)}
	if len(v.Further) > 0 {
		why.Facts = append(why.Facts, fact("further metrics", append([]string{stats.FurtherNote(len(v.Further))}, furtherLines(v.Further)...)...))
	}
	if v.MadeSmall != "" {
		why.Facts = append(why.Facts, fact("reduced", v.MadeSmall))
	}
	why.Lines = append(why.Lines, warnings(v.Gates, v.Addressed)...)
	list := []view.Section{why, {Title: "Diff", Diff: v.Diff}}
	if v.Diff != "" {
		list[1].Lines = []string{escapedDiff}
	}
	list = append(list, gateSections(v.Gates)...)
	words, reasons := v.reviewed(con)
	list = append(list, view.Section{Title: "Review", Lines: given(words, strings.TrimSpace(reasons))})
	from := decidedOn(view.Section{Title: "Provenance", Facts: factsOf(v.provenance())}, orLatest(v.Decisions, v.ID, v.Decision), v.Branch)
	from.Facts = append(from.Facts, factsOf(v.limits())...)
	return withContent(append(list, from, commandSection(con, v.commands())))
}

// questionSections returns a question as sections for the pages, with the content that
// printQuestion prints.
func questionSections(sh *shell, p archive.ProposalRecord, plan string, shown []string, changes []archive.Change, founding []string) []view.Section {
	list := []view.Section{
		{Title: "What happens", Lines: []string{plan}},
		{Title: "What is known", Lines: shown},
		{Title: "Changes", Tables: changeTables("Parameters", changes, "before", "after")},
		{Title: "Files", Tables: fileTables(p.Files, p.State == archive.Adopted)},
	}
	if len(founding) > 0 {
		first := view.Table{Name: newRepository, Columns: []string{"file"}}
		for _, name := range founding {
			first.Rows = append(first.Rows, []string{name})
		}
		list = append(list, view.Section{Title: "First commit", Tables: []view.Table{first}})
	}
	if subject(p) != "config" { // the text itself is what is approved
		list = append(list, view.Section{Title: "Diff", Diff: diffOf(sh.console, p)})
	}
	return withContent(list)
}

// withContent returns the sections that have more than a title.
func withContent(list []view.Section) []view.Section {
	return slices.DeleteFunc(list, func(s view.Section) bool {
		return len(s.Facts)+len(s.Tables)+len(s.Lines)+len(s.Text)+len(s.Diff) == 0
	})
}

func factsOf(list [][2]string) (out []view.Fact) {
	for _, f := range list {
		if f[1] != "" {
			out = append(out, fact(f[0], f[1]))
		}
	}
	return out
}

// marked puts an exclamation mark before each of the lines, because a person must not
// overlook them.
func marked(lines []string) (out []string) {
	for _, line := range lines {
		out = append(out, "! "+line)
	}
	return out
}

// warnings lists what gates flagged, and the locations of texts that address a reviewer.
func warnings(gates []archive.GateVerdict, addressed []string) (list []string) {
	for _, flag := range model.Flags(gates) {
		list = append(list, "flagged: "+flag)
	}
	return append(list, marked(addressed)...)
}

// decidedOn returns a section with the decisions added and, if b is not nil, the branch
// under which the proposal awaits a decision.
func decidedOn(s view.Section, list []archive.DecisionRecord, b *model.Branch) view.Section {
	s.Facts = append(s.Facts, decisionFacts(list)...)
	if b != nil {
		s.Lines = append(s.Lines, b.Words())
	}
	return s
}

func fileTables(files []archive.FileChange, back bool) []view.Table {
	if len(files) == 0 {
		return nil
	}
	t := view.Table{Name: "Changed files with the numbers of lines added and removed", Columns: []string{"file", "change", "added", "removed"}}
	for _, f := range files {
		what, added, removed := changeOf(f, back)
		t.Rows = append(t.Rows, []string{f.Path, what, fmt.Sprintf("+%d", added), fmt.Sprintf("-%d", removed)})
	}
	return []view.Table{t}
}

// gateSections lists gates one by one. If there are many, it shows them by group, with each
// gate that did not pass, and lists all of them in a section that can be unfolded.
func gateSections(list []archive.GateVerdict) []view.Section {
	if len(list) <= model.MaxSingleGates {
		return []view.Section{{Title: "Gates", Tables: gateTables("Gates with their evidence", list)}}
	}
	groups := view.Table{Name: "Gates by group", Columns: []string{"group", "result"}}
	var rest []archive.GateVerdict
	for _, g := range model.GateGroups(list) {
		groups.Rows = append(groups.Rows, []string{g.Name, g.Words()})
		rest = append(rest, g.Rest...)
	}
	return []view.Section{
		{Title: "Gates", Tables: append([]view.Table{groups}, gateTables("Gates that did not pass", rest)...)},
		{Title: fmt.Sprintf("all %d gates with their evidence", len(list)), Tables: gateTables("All gates", list), Folded: true},
	}
}

func gateTables(name string, list []archive.GateVerdict) []view.Table {
	if len(list) == 0 {
		return nil
	}
	t := view.Table{Name: name, Columns: []string{"gate", "verdict", "evidence"}}
	for _, g := range list {
		t.Rows = append(t.Rows, []string{g.Gate, stateName(g.Verdict), g.Evidence})
	}
	return []view.Table{t}
}

// levelSections returns, as sections for the pages, the content that printLevel prints.
func levelSections(b *archive.AutonomyBrief) []view.Section {
	if b == nil {
		return nil
	}
	t := view.Table{Name: fmt.Sprintf("Requirements of level %d (%s)", b.To, b.To), Columns: []string{"requirement", "state", "has", "needed"}}
	for _, r := range b.Needs {
		t.Rows = append(t.Rows, []string{r.Name, orElse("met", "unmet", r.Met), r.Have, r.Need})
	}
	lines := conductLines(b.Figures)
	for _, risk := range b.Risks {
		lines = append(lines, "! risk: "+risk)
	}
	return []view.Section{
		{Title: "Requirements", Tables: []view.Table{t}},
		{Title: "What else the archive showed", Lines: lines, Facts: factsOf([][2]string{{"asked by", b.By}, {"request", b.Request}})},
	}
}

// writtenSections returns sections for the pages with the content that printWritten
// prints: the text of a tool, a skill or memories.
func writtenSections(con *console, p archive.ProposalRecord) []view.Section {
	var b bytes.Buffer
	printWritten(con.on(&b), p)
	return headed(subject(p), b.String())
}

// headed splits a printed text at its headings, which are the only lines that are not
// indented. title is the title of the part before the first heading. A heading without text
// becomes a line of the preceding part.
func headed(title, printed string) []view.Section {
	list := []view.Section{{Title: title}}
	for line := range strings.Lines(printed) {
		if body, indented := strings.CutPrefix(line, "  "); indented {
			list[len(list)-1].Text += body
		} else if line != "\n" {
			list = append(list, view.Section{Title: strings.TrimSuffix(line, "\n")})
		}
	}
	for i := len(list) - 1; i > 0; i-- {
		if list[i].Text == "" {
			list[i-1].Lines = append([]string{list[i].Title}, append(list[i].Lines, list[i-1].Lines...)...)
			list = slices.Delete(list, i, i+1)
		}
	}
	return list
}

// diffOf returns the diff that printDiff prints.
func diffOf(con *console, p archive.ProposalRecord) string {
	var b bytes.Buffer
	printDiff(con.on(&b), p)
	return b.String()
}

func commandSection(con *console, commands []string) view.Section {
	return view.Section{Title: "Commands", Text: strings.Join(con.commandList(commands), "\n")}
}
