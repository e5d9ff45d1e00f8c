package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/view"
	"evolve/reports/model"
	"evolve/runtime/autonomy"
)

// lacking returns the words of a printed text that are missing from the sections of a page.
// Labels, arrows, punctuation and capitalisation do not count.
func lacking(printed string, sections []view.Section, labels ...string) (list []string) {
	var b strings.Builder
	for _, s := range sections {
		parts := append([]string{s.Title, s.Text, s.Diff}, s.Lines...)
		for _, f := range s.Facts {
			parts = append(append(parts, f.Name), f.Lines...)
		}
		for _, t := range s.Tables {
			parts = append(append(parts, t.Name), t.Columns...)
			for _, row := range t.Rows {
				parts = append(parts, row...)
			}
		}
		b.WriteString(strings.Join(parts, "\n") + "\n")
	}
	shown := strings.ToLower(b.String())
	for _, word := range strings.Fields(printed) {
		word = strings.Trim(word, ":;,()~→")
		if word != "" && !slices.Contains(labels, word) && !strings.Contains(shown, strings.ToLower(word)) {
			list = append(list, word)
		}
	}
	return list
}

func TestLackingFindsAWord(t *testing.T) {
	t.Parallel()
	sections := []view.Section{{Title: "a", Tables: []view.Table{{Rows: [][]string{{"b", "c"}}}}}}
	if got := lacking("a: (b) → c, d\n", sections); !slices.Equal(got, []string{"d"}) {
		t.Errorf("it finds %q", got)
	}
}

// TestPagesHaveThePrintedWords checks that the pages of a proposal and of the question
// about it leave out nothing that the commands print.
func TestPagesHaveThePrintedWords(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC)
	gates := []archive.GateVerdict{{Gate: "base", Verdict: "passed", Evidence: "2 inputs"}, {Gate: "guard", Verdict: "flagged", Evidence: "dearer by half"}}
	many := slices.Repeat(gates, model.MaxSingleGates)
	decision := &archive.DecisionBrief{Action: "reject", By: "Robin", Time: at, Reason: "too dear"}
	files := []archive.FileChange{{Path: "agents/a/config.yaml", Old: []byte("n: 1\nm: 2\n"), New: []byte("n: 2\nm: 2\n")}, {Path: "gone.md", Old: []byte("x\n")}, {Path: "new.md", New: []byte("y\n")}}
	config := archive.ProposalRecord{
		ID: "P1", Kind: archive.KindConfig, Agent: "a", Title: "v2 for a", Rationale: "measured on 20 tasks", State: archive.Awaiting, Run: "1-aa",
		Changes: []archive.Change{{Param: "n", Old: 1.0, New: 2.0}, {Param: "off", New: "words"}}, Files: files, Gates: gates, Decision: decision,
		Evidence: "sha256:aa", Commit: "0123", Ref: "refs/p", AdoptedCommit: "4567", Imported: archive.Awaiting,
	}
	adopted := config
	adopted.State, adopted.Gates, adopted.Imported = archive.Adopted, many, ""
	tool := config
	tool.Kind, tool.Files = archive.KindTool, []archive.FileChange{{Path: "agents/a/tools/look.star", Old: []byte("def old():\n  pass\n"), New: []byte("def look():\n\n  return 1\n")}}
	skill := config
	skill.Kind, skill.Files = archive.KindTool, []archive.FileChange{{Path: "agents/a/skills/look.md", New: []byte("---\nname: look\ndomain: research\nshape: grep(path)\nevidence: t1\n---\nLook first.\n")}}
	level := config
	level.Kind, level.Files, level.Changes = archive.KindAutonomy, nil, nil
	level.Autonomy = &archive.AutonomyBrief{
		To: autonomy.Lowest + 1, By: "Kim", Request: "R1", Needs: []autonomy.Requirement{{Name: "turns", Need: "at least 9", Have: "7 of 8"}},
		Figures: autonomy.Figures{Granted: 3, Decided: 4, Unsafe: 2, Recent: 1, LeftOut: 5, Since: at}, Risks: []string{"it writes files"},
	}
	titles := []string{"P1", "v2", "for", "a", "awaiting", "adopted", "gates", "changes", "files"} // of the frame
	for name, p := range map[string]archive.ProposalRecord{"config": config, "adopted": adopted, "tool": tool, "skill": skill, "level": level} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			sh := &shell{console: &console{stdout: &out, place: "/some where"}}
			c := claimed{ProposalRecord: p, claim: stats.NewTasks, against: "a score was altered", notes: []string{"unproven"}, waited: "has waited 2 days", variant: "v2", champion: "v1"}
			printProposal(sh.console, c, false)
			printDiff(sh.console, p)
			printed := strings.ReplaceAll(out.String(), fmt.Sprintf("  what each of the %d gates checked: %s\n", len(many), sh.command("evolve show P1 --all")), "")
			if words := lacking(printed, proposalSections(sh.console, c), titles...); len(words) > 0 {
				t.Errorf("the page lacks %q of\n%s", words, out.String())
			}
			out.Reset()
			grounds, first := []string{"better: +5 points", "price: more tokens"}, []string{"evolve.yaml", "suite.yaml"}
			printQuestion(sh, &out, p, "adopt v2 for a", grounds, changesOf(p), first)
			if words := lacking(out.String(), questionSections(sh, p, "adopt v2 for a", grounds, changesOf(p), first), "files"); len(words) > 0 {
				t.Errorf("the question lacks %q of\n%s", words, out.String())
			}
		})
	}
	patch := patchView{
		ID: "P1", State: stale, Gates: many, Title: "v2 for a", Target: "station", Repository: "/code", Author: "Kim", Origin: "person", Rationale: "first line\nsecond line\n",
		Gain: "+5 points", MadeSmall: "3 of 9 hunks are left", Digest: "dd", BaseCommit: "bb", Commit: "cc", Ref: "refs/p", Sandbox: "namespaces",
		Review: &archive.Review{Reviewer: "pilot", Reasons: "well tested\nand small\n"}, Outdated: true, Diff: "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n", Decision: decision,
		AdoptedCommit: "4567", Stale: "the target moved", Interrupted: 2, CostUSD: 1.5, Workspace: "/ledger", Addressed: []string{"its title addresses a reviewer"},
		filed: archive.Awaiting, waited: "has waited 2 days",
	}
	drafted := patch
	drafted.State, drafted.Waits, drafted.Review, drafted.NoReview = archive.Drafted, "the machine is busy", nil, "one reviewer is configured"
	unread := patch
	unread.Review = nil
	for name, p := range map[string]patchView{"patch": patch, "drafted": drafted, "unread": unread} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			con := &console{stdout: &out, place: "/some where"}
			printPatch(con, p, false)
			printed := strings.ReplaceAll(out.String(), fmt.Sprintf("  what each of the %d gates checked: %s\n", len(many), con.command("evolve show P1 --all")), "")
			if words := lacking(printed, patchSections(con, p), append(titles, "review", "provenance", "stale", "gated")...); len(words) > 0 {
				t.Errorf("the page lacks %q of\n%s", words, out.String())
			}
		})
	}
}
