package contest

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// paired is the comparison of two contestants on the same problems.
type paired struct {
	problems int
	// mean is the mean of the differences in regret, and se is its standard error: the
	// standard deviation of the differences divided by the square root of their number. se
	// is NaN for a single problem.
	mean, se float64
}

func (p paired) String() string {
	switch p.problems {
	case 0:
		return "–"
	case 1:
		return fmt.Sprintf("%+.4f (1)", p.mean)
	}
	return fmt.Sprintf("%+.4f ± %.4f (%d)", p.mean, p.se, p.problems)
}

// inErrors returns the mean in units of its standard error.
func (p paired) inErrors() string {
	if p.problems < 2 || p.se == 0 {
		return "–"
	}
	return fmt.Sprintf("%+.1f", p.mean/p.se)
}

// pair compares the regrets of two contestants on those problems of some families for which
// both have runs with the given budget.
func pair(runs []Run, budget int, families []string, name, other string) paired {
	regret := map[string]float64{}
	key := func(r Run) string { return fmt.Sprint(r.Problem, " ", r.Family, " ", r.Seed) }
	for _, r := range runs {
		if r.Budget == budget && r.Contestant == other {
			regret[key(r)] = r.Regret()
		}
	}
	var differences []float64
	for _, r := range runs {
		if theirs, ok := regret[key(r)]; ok && r.Budget == budget && r.Contestant == name && slices.Contains(families, r.Family) {
			differences = append(differences, r.Regret()-theirs)
		}
	}
	p := paired{problems: len(differences), mean: math.NaN(), se: math.NaN()}
	if p.problems == 0 {
		return p
	}
	sum, squares := 0.0, 0.0
	for _, d := range differences {
		sum += d
	}
	n := float64(p.problems)
	p.mean = sum / n
	for _, d := range differences {
		squares += (d - p.mean) * (d - p.mean)
	}
	p.se = math.Sqrt(squares / (n - 1) / n)
	return p
}

// Versus writes the paired comparison between one contestant of a round and each of the
// others, by family and over all problems: the mean difference in regret, its standard
// error, and the number of problems. If the difference is below 0, the other contestant is
// better.
func Versus(w io.Writer, round Round, families []string, runs []Run, one string) error {
	others := slices.DeleteFunc(slices.Clone(round.Contestants), func(name string) bool { return name == one })
	fmt.Fprintf(w, "regret minus that of %s on the same problems: mean ± standard error (problems)\n", one)
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	row := func(title string, cell func(name string) string) {
		fmt.Fprint(t, title, "\t")
		for _, name := range others {
			fmt.Fprint(t, cell(name), "\t")
		}
		fmt.Fprintln(t)
	}
	fmt.Fprintf(t, "family\t%s\t\n", strings.Join(others, "\t"))
	for _, f := range families {
		row(f, func(name string) string { return pair(runs, round.Budget, []string{f}, name, one).String() })
	}
	row("all", func(name string) string { return pair(runs, round.Budget, families, name, one).String() })
	row("in standard errors", func(name string) string { return pair(runs, round.Budget, families, name, one).inErrors() })
	return t.Flush()
}
