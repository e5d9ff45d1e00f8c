package cli

import (
	"fmt"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/runtime/text"
)

// The notes printed with a comparison.
const (
	noneOfBoth   = "no task has evaluations of both variants"
	nonePaired   = "no task has evaluations of both variants with the same repeat and seed"
	onlyPaired   = "The differences are over pairs of evaluations with the same task, repeat and seed. The score of a single task is the mean over all its evaluations, paired or not."
	oneLook      = "valid only for a single look at the data; variations of a task count as one; tasks on which a variant was tuned favour that variant"
	unreadSuites = "The workspace's suites could not be read, so every task counts separately, with weight 1."
)

// printComparison shows two variants side by side on the tasks that they share.
func printComparison(con *console, v compareView, one, two archive.Variant) {
	con.printf("v%d → v%d of %s\n\n", one.Number, two.Number, text.Visible(v.Agent))
	printChanges(con.stdout, v.Changes, 26)
	con.printf("\n")
	if c := v.Search; c == nil {
		con.printf("  search   %s\n", v.none())
	} else {
		printDifference(con, "search", wordsOfDifference("task", *c))
		con.printf("           %s\n", oneLook)
		printPassPowers(con, v.PassPowers["search"])
	}
	if v.Holdout == nil {
		con.printf("  holdout  %s\n", v.none())
	} else {
		printHoldout(con, wordsOfHoldout("task", *v.Holdout))
		printPassPowers(con, v.PassPowers["holdout"])
	}
	if v.Units == unitsOfTasks {
		con.printf("\n")
		con.printf("%s\n", unreadSuites)
	}
}

// none states that there is nothing to compare on one side of the split.
func (v compareView) none() string {
	if v.fixed {
		return noneOfBoth
	}
	return nonePaired
}

// printPassPowers shows pass^k for both variants, if any task was repeated.
func printPassPowers(con *console, p passPowers) {
	for _, w := range wordsOfPowers(p) {
		con.printf("    %s  %s → %s   %s\n", w.name, w.a, w.b, w.what)
	}
}

// powerWords describes one value of pass^k for both variants.
type powerWords struct{ name, a, b, what string }

func wordsOfPowers(p passPowers) (list []powerWords) {
	for i, b := range p.B {
		list = append(list, powerWords{fmt.Sprintf("pass^%d", b.K), number.Score(p.A[i].Value), number.Score(b.Value), "all of " + count(b.K, "run") + " pass"})
	}
	return list
}

// differenceWords holds the figures of a difference in the form in which the terminal and
// the pages show them.
type differenceWords struct {
	// a and b are the means. counts describes how many tasks are better, worse and equal.
	a, b, points, interval, tasks, counts string
	// undecided is set if the interval includes 0.
	undecided string
}

func wordsOfDifference(noun string, c stats.Comparison) differenceWords {
	out := differenceWords{
		a: number.Score(c.MeanA), b: number.Score(c.MeanB), points: number.Points(c.Difference) + " points", interval: number.Interval(c.Lo, c.Hi),
		tasks:  count(c.Tasks, noun) + ", " + number.Times(c.Repeats) + " each",
		counts: fmt.Sprintf("%d better, %d worse, %d equal", c.Wins, c.Losses, c.Ties),
	}
	if c.Lo <= 0 && c.Hi >= 0 {
		out.undecided = "no significant difference"
	}
	return out
}

func printDifference(con *console, name string, d differenceWords) {
	verdict := ""
	if d.undecided != "" {
		verdict = "   ~ " + d.undecided
	}
	con.printf("  %-8s %s → %s   %s  %s   %s   %s%s\n", name, d.a, d.b, d.points, d.interval, d.tasks, d.counts, verdict)
}

// holdoutWords describes the claims that hold at any stopping time.
type holdoutWords struct {
	differenceWords
	// The string about is a description of the interval.
	about, claim, assumes, tail string
	guards                      []stats.Guard
	domains                     []domainWords
}

type domainWords struct{ name, points, interval, tasks, verdict string }

// wordsOfHoldout describes a ruling. noun is "task" or "case".
func wordsOfHoldout(noun string, r stats.Ruling) holdoutWords {
	words := func(s string) string {
		if noun == "task" {
			return s
		}
		return stats.OfCases(s)
	}
	shown := r.Comparison
	i, about := r.Shown()
	shown.Lo, shown.Hi = i.Lo, i.Hi
	what := fmt.Sprintf("%g %% interval for %s", 100*r.Level, about.Words())
	if i.Lo == i.Hi && about == stats.TheseTasks {
		what = "exact for these tasks, because a repeat would give the same score"
	}
	out := holdoutWords{
		differenceWords: wordsOfDifference(noun, shown),
		about:           words(what) + "; if you make many comparisons, some show a difference by chance",
		claim:           words(verdictOn(r)), assumes: words(r.Assumes()), guards: r.Guards,
	}
	if r.Claim == stats.NewTasks && r.Tail != nil {
		out.tail = words(r.TailWords())
	}
	for _, d := range r.Parts {
		out.domains = append(out.domains, domainWords{
			model.DomainName(d.Domain), number.Points(d.Difference) + " points", number.Interval(d.Lo, d.Hi), count(d.Tasks, noun), sureness(d.Verdict),
		})
	}
	return out
}

func printHoldout(con *console, h holdoutWords) {
	printDifference(con, "holdout", h.differenceWords)
	con.printf("           %s\n", h.about)
	con.printf("    claim  %s\n", h.claim)
	for _, more := range []string{h.assumes, h.tail} {
		if more != "" {
			con.printf("           %s\n", more)
		}
	}
	for _, g := range h.guards {
		con.printf("    %s: %s\n", text.Visible(g.Sentence()), sureness(g.Verdict))
	}
	for _, d := range h.domains {
		con.printf("    %s  %s  %s   %s: %s\n", text.Visible(d.name), d.points, d.interval, d.tasks, d.verdict)
	}
}

// sureness returns the verdict on a guard or a domain in words for people; a verdict that
// is still open becomes "unsure".
func sureness(verdict string) string {
	if verdict == stats.GuardOpen {
		return "unsure"
	}
	return verdict
}

// verdictOn describes the claim that a ruling allows.
func verdictOn(r stats.Ruling) string {
	switch {
	case claims[r.Claim] != "":
		return claims[r.Claim]
	case r.State == stats.Harmful && r.Difference < 0:
		return "worse on these tasks"
	case r.State == stats.Harmful:
		return "none: the variants are equal on these tasks"
	}
	return "none: neither variant is shown to be better"
}
