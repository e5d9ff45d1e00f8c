package cli

import (
	"fmt"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/runtime/text"
)

// printComparison shows two variants side by side on what they share.
func printComparison(con *console, v compareView, one, two archive.Variant) {
	con.printf("v%d → v%d of %s\n\n", one.Number, two.Number, text.Visible(v.Agent))
	printChanges(con.stdout, v.Changes, 26)
	con.printf("\n")
	if c := v.Search; c == nil {
		con.printf("  search   no task has evaluations of both\n")
	} else {
		printDifference(con, "task", "search", *c)
		con.printf("           one look, variations of a task count as one; tasks that a variant was tuned on flatter it\n")
		printPassPowers(con, v.PassPowers["search"])
	}
	if v.Holdout == nil {
		con.printf("  holdout  no task has evaluations of both\n")
	} else {
		printHoldout(con, "task", *v.Holdout)
		printPassPowers(con, v.PassPowers["holdout"])
	}
	if v.Units == unitsOfTasks {
		con.printf("\n")
		con.printf("The workspace's suites could not be read: every task counts by itself, with the weight 1.\n")
	}
}

// printPassPowers shows pass^k of both variants, if any task was repeated.
func printPassPowers(con *console, p passPowers) {
	for i, b := range p.B {
		con.printf("    pass^%d  %s → %s   all of %s pass\n", b.K, number.Score(p.A[i].Value), number.Score(b.Value), count(b.K, "run"))
	}
}

func printDifference(con *console, noun, name string, c stats.Comparison) {
	verdict := ""
	if c.Lo <= 0 && c.Hi >= 0 {
		verdict = "   ~ no significant difference"
	}
	con.printf("  %-8s %s → %s   %s points  %s   %s, %s each   %d better, %d worse, %d equal%s\n",
		name, number.Score(c.MeanA), number.Score(c.MeanB), number.Points(c.Difference), number.Interval(c.Lo, c.Hi), count(c.Tasks, noun), number.Times(c.Repeats), c.Wins, c.Losses, c.Ties, verdict)
}

// printHoldout shows the claims that hold at any stopping time. noun is "task" or "case".
func printHoldout(con *console, noun string, r stats.Ruling) {
	words := func(s string) string {
		if noun == "task" {
			return s
		}
		return stats.OfCases(s)
	}
	shown := r.Comparison
	i, about := r.Shown()
	shown.Lo, shown.Hi = i.Lo, i.Hi
	printDifference(con, noun, "holdout", shown)
	what := fmt.Sprintf("%g %% interval for %s", 100*r.Level, about.Words())
	if i.Lo == i.Hi && about == stats.TheseTasks {
		what = "exact for these tasks, as a repeat would give the same"
	}
	con.printf("           %s; of many comparisons that you make, some differ by chance\n", words(what))
	con.printf("    claim  %s\n", words(verdictOn(r)))
	if assumes := r.Assumes(); assumes != "" {
		con.printf("           %s\n", words(assumes))
	}
	if r.Claim == stats.NewTasks && r.Tail != nil {
		con.printf("           %s\n", words(r.Tail.Words()))
	}
	for _, g := range r.Guards {
		con.printf("    %s: %s\n", text.Visible(g.Sentence()), sureness(g.Verdict))
	}
	for _, d := range r.Parts {
		con.printf("    %s  %s points  %s   %s: %s\n", text.Visible(model.DomainName(d.Domain)), number.Points(d.Difference), number.Interval(d.Lo, d.Hi), count(d.Tasks, noun), sureness(d.Verdict))
	}
}

// sureness is the verdict on a guard or a domain for people: open means that it is not yet known.
func sureness(verdict string) string {
	if verdict == stats.GuardOpen {
		return "unsure"
	}
	return verdict
}

// verdictOn returns the claim that a ruling allows, in words.
func verdictOn(r stats.Ruling) string {
	switch {
	case claims[r.Claim] != "":
		return claims[r.Claim]
	case r.State == stats.Harmful && r.Difference < 0:
		return "worse on these tasks"
	case r.State == stats.Harmful:
		return "none: they are equal on these tasks"
	}
	return "none: neither better nor worse is shown"
}
