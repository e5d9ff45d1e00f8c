package cli

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"evolve/archive"
	"evolve/gates/review"
	"evolve/runtime/authored"
	"evolve/runtime/skill"
	foreign "evolve/runtime/text"
)

// subject returns the word for what a proposal changes.
func subject(p archive.ProposalRecord) string {
	if kind, _ := review.Written(p); kind != "" {
		return kind
	}
	switch {
	case p.Patch != nil:
		return "files"
	case p.Kind == archive.KindMemory:
		return "memory"
	case p.Kind == archive.KindAutonomy:
		return "level"
	}
	return string(archive.KindConfig)
}

// printWritten shows a tool or a skill as a person must read it before approving it: the
// files, and the whole text that will run or be part of the prompt.
func printWritten(con *console, p archive.ProposalRecord) {
	kind, _ := review.Written(p)
	if kind == "" {
		printRemembered(con, p)
		return
	}
	for _, f := range p.Files {
		how := "changed"
		switch {
		case f.Old == nil:
			how = "new"
		case f.New == nil:
			how = "removed"
		}
		con.printf("  %-24s %s, %s\n", foreign.Visible(f.Path), how, count(len(f.New), "byte"))
	}
	text := func(head, body string) {
		con.printf("\n%s\n", head)
		con.whole().printLines("  ", body)
	}
	if kind == "skill" {
		if d, err := skill.Parse(p.Files[0].New); err == nil {
			text("text for the prompts of tasks in the domain "+foreign.Visible(d.Domain), d.Text)
			con.printf("\nseen on %s\n", foreign.Visible(oneLine(strings.Join(d.Evidence, ", "), 200)))
		}
		return
	}
	var star, manifest, before []byte
	for _, f := range p.Files {
		if strings.HasSuffix(f.Path, ".star") {
			star, before = f.New, f.Old
		} else {
			manifest = f.New
		}
	}
	switch {
	case star != nil && before != nil:
		text("changes to the source", udiff.Unified("in use", "proposed", string(before), string(star)))
		text("source", string(star))
	case star != nil:
		text("source", string(star))
	case before != nil:
		text("source that is removed", string(before))
	}
	if d, err := authored.Parse(star, manifest); err == nil {
		text("what the model is told", d.Description+"\narguments "+string(d.Schema))
		con.printf("\ntests\n")
		for _, t := range d.Tests {
			want := "gives " + oneLine(string(t.Want), 120)
			if t.WantError != "" {
				want = "fails with " + t.WantError
			}
			con.printf("  %-24s %s %s\n", foreign.Visible(t.Name), foreign.Visible(oneLine(string(t.Args), 120)), foreign.Visible(want))
		}
	}
}

// printRemembered shows the memories in a proposal that adds or marks memories.
func printRemembered(con *console, p archive.ProposalRecord) {
	added, marked := review.Remembered(p)
	for _, m := range added {
		con.printf("  + %s  %s\n", foreign.Visible(m.ID), foreign.Visible(m.Text))
		con.printf("    %s\n", memoryNote(memoryView{Memory: m}))
	}
	for _, m := range marked {
		con.printf("  %s %s  %s\n", orElse("retracts", "restores", m.Retracted != ""), foreign.Visible(m.ID), foreign.Visible(oneLine(m.Text, 200)))
	}
}
