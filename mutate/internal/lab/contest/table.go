package contest

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// goals are the upper bounds of the searcher's average regret relative to the best
// peer's, keyed by budget.
var goals = map[int]float64{500: 0.65, 2000: 0.45, 10000: 0.25}

// Table writes the results of one round. For each family and contestant it writes the
// median regret, the share of recommendations worse than the default, and the milliseconds
// of search per evaluation. It then writes the averages over families, and compares the
// first contestant with the best of the others. Figures based on fewer runs than the
// maximum are marked with their number of runs.
func Table(w io.Writer, round Round, families []string, runs []Run) error {
	cells := map[string]map[string]cell{}
	most := 0
	for _, name := range round.Contestants {
		cells[name] = map[string]cell{}
		for _, f := range families {
			c := sum(runs, round.Budget, name, f)
			cells[name][f] = c
			most = max(most, c.runs)
		}
	}
	fmt.Fprintf(w, "%d evaluations, %d seeds of each family\n", round.Budget, most)
	for _, part := range []struct {
		title, format string
		of            func(cell) float64
	}{
		{"median regret", "%.3f", func(c cell) float64 { return c.regret }},
		{"share worse than the default", "%.2f", func(c cell) float64 { return c.worse }},
		{"milliseconds of processor time of the search, by evaluation", "%.2f", func(c cell) float64 { return c.milliseconds }},
	} {
		fmt.Fprintf(w, "\n%s\n", part.title)
		t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintf(t, "family\t%s\t\n", strings.Join(round.Contestants, "\t"))
		for _, f := range families {
			fmt.Fprint(t, f, "\t")
			for _, name := range round.Contestants {
				c := cells[name][f]
				switch {
				case c.runs == 0:
					fmt.Fprint(t, "–\t")
				case c.runs < most:
					fmt.Fprintf(t, part.format+" (%d)\t", part.of(c), c.runs)
				default:
					fmt.Fprintf(t, part.format+"\t", part.of(c))
				}
			}
			fmt.Fprintln(t)
		}
		fmt.Fprint(t, "average\t")
		for _, name := range round.Contestants {
			if a, ok := average(cells[name], part.of); ok {
				fmt.Fprintf(t, part.format+"\t", a)
			} else {
				fmt.Fprint(t, "–\t")
			}
		}
		fmt.Fprintln(t)
		if err := t.Flush(); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	verdict(w, round, cells)
	provenance(w, round, runs)
	return nil
}

// cell is the result of one contestant on one family.
type cell struct {
	runs                        int
	regret, worse, milliseconds float64
}

func sum(runs []Run, budget int, contestant, family string) cell {
	var c cell
	var regrets []float64
	for _, r := range runs {
		if r.Budget != budget || r.Contestant != contestant || r.Family != family {
			continue
		}
		c.runs++
		regrets = append(regrets, r.Regret())
		c.milliseconds += r.Milliseconds
		if r.Worse() {
			c.worse++
		}
	}
	if c.runs > 0 {
		c.regret = median(regrets)
		c.worse /= float64(c.runs)
		c.milliseconds /= float64(c.runs)
	}
	return c
}

// average returns the mean over families. It returns false unless every family has a run.
func average(cells map[string]cell, of func(cell) float64) (float64, bool) {
	total := 0.0
	for _, c := range cells {
		if c.runs == 0 {
			return 0, false
		}
		total += of(c)
	}
	return total / float64(len(cells)), len(cells) > 0
}

// verdict writes how the first contestant compares with the best of the others and with
// each of them.
func verdict(w io.Writer, round Round, cells map[string]map[string]cell) {
	regret := func(c cell) float64 { return c.regret }
	first := round.Contestants[0]
	mine, ok := average(cells[first], regret)
	peer, best := "", math.Inf(1)
	var shares []string
	for _, name := range round.Contestants[1:] {
		a, whole := average(cells[name], regret)
		if !whole {
			continue
		}
		shares = append(shares, fmt.Sprintf("%s %.2f", name, mine/a))
		if a < best {
			peer, best = name, a
		}
	}
	if !ok || peer == "" {
		fmt.Fprintln(w, "no contestant to compare with has run on all families")
		return
	}
	fmt.Fprintf(w, "%s / best other (%s): %.3f / %.3f = %.2f", first, peer, mine, best, mine/best)
	if goal, ok := goals[round.Budget]; ok && first == Ours {
		fmt.Fprintf(w, " (goal: at most %.2f)", goal)
	}
	fmt.Fprintf(w, "\n%s / each: %s\n", first, strings.Join(shares, ", "))
}

// provenance writes how many runs of each contestant are new and how many were read from
// a file.
func provenance(w io.Writer, round Round, runs []Run) {
	var today, before []string
	for _, name := range round.Contestants {
		fresh, read := 0, 0
		for _, r := range runs {
			switch {
			case r.Budget != round.Budget || r.Contestant != name:
			case r.Read:
				read++
			default:
				fresh++
			}
		}
		if fresh > 0 {
			today = append(today, fmt.Sprintf("%s %d", name, fresh))
		}
		if read > 0 {
			before = append(before, fmt.Sprintf("%s %d", name, read))
		}
	}
	fmt.Fprintf(w, "runs measured now: %s\n", orNone(today))
	fmt.Fprintf(w, "runs read from the file: %s\n", orNone(before))
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

func median(list []float64) float64 {
	slices.Sort(list)
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}
