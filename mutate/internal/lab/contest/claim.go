package contest

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"evolve/mutate/internal/lab/problem"
	"evolve/runtime/agent"
)

// Measure holds the mean scores of a config on the three parts of a real problem's data.
type Measure struct {
	Search  float64 `json:"search"`
	Holdout float64 `json:"holdout"`
	True    float64 `json:"true"`
}

// Claim holds the scores of a recommendation and its alternatives on tasks that were not
// part of the search.
type Claim struct {
	// Claimed is the contestant's own estimate.
	Claimed     float64 `json:"claimed"`
	Default     Measure `json:"default"`
	Recommended Measure `json:"recommended"`
	// Finalists are the finalists of the contestant, or only its recommendation if there
	// are none.
	Finalists []Measure `json:"finalists"`
	// Baseline is the best config of the contestant's own random search; nil if it has
	// none.
	Baseline *Measure `json:"baseline,omitempty"`
}

// claim returns the scores of an outcome's configs if the problem consists of real runs,
// and nil otherwise.
func claim(p *problem.Problem, out Outcome) *Claim {
	if p.Measured == nil {
		return nil
	}
	measure := func(c agent.Config) Measure { return Measure{p.OnSearch(c), p.Holdout(c), p.True(c)} }
	c := &Claim{Claimed: out.Claimed, Default: measure(p.Default()), Recommended: measure(out.Config)}
	for _, f := range out.Finalists {
		c.Finalists = append(c.Finalists, measure(f))
	}
	if len(out.Finalists) == 0 {
		c.Finalists = []Measure{c.Recommended}
	}
	if out.Baseline != nil {
		b := measure(out.Baseline)
		c.Baseline = &b
	}
	return c
}

// confirmed returns whichever of the default and some candidates scores best on the
// held-out tasks; if several score equally, it returns the first of them.
func (c *Claim) confirmed(candidates ...Measure) Measure {
	best := c.Default
	for _, m := range candidates {
		if m.Holdout > best.Holdout {
			best = m
		}
	}
	return best
}

// figure is a column in the table of claims: the value for a run, or false if the run has
// none.
type figure struct {
	title, format string
	of            func(Run) (float64, bool)
}

// figures returns the columns of the table of claims.
func figures() []figure {
	always := func(of func(Run) float64) func(Run) (float64, bool) {
		return func(r Run) (float64, bool) { return of(r), true }
	}
	withBaseline := func(of func(*Claim) float64) func(Run) (float64, bool) {
		return func(r Run) (float64, bool) {
			if r.Claim.Baseline == nil {
				return 0, false
			}
			return of(r.Claim), true
		}
	}
	truest := func(list []Measure) float64 {
		best := math.Inf(-1)
		for _, m := range list {
			best = math.Max(best, m.True)
		}
		return best
	}
	return []figure{
		{"claimed", "%.3f", always(func(r Run) float64 { return r.Claim.Claimed })},
		{"on search tasks", "%.3f", always(func(r Run) float64 { return r.Claim.Recommended.Search })},
		{"true", "%.3f", always(func(r Run) float64 { return r.True })},
		{"true - default", "%+.3f", always(func(r Run) float64 { return r.True - r.Default })},
		{"best - true", "%.3f", always(Run.Regret)},
		{"worse than default", "%.2f", always(func(r Run) float64 { return share(r.Worse()) })},
		{"stays", "%.2f", always(func(r Run) float64 { return share(r.Claim.Recommended == r.Claim.Default) })},
		{"first finalist", "%.3f", always(func(r Run) float64 { return r.Claim.Finalists[0].True })},
		{"confirmed", "%.3f", always(func(r Run) float64 { return r.Claim.confirmed(r.Claim.Finalists...).True })},
		{"best finalist", "%.3f", always(func(r Run) float64 { return truest(r.Claim.Finalists) })},
		{"baseline", "%.3f", withBaseline(func(c *Claim) float64 { return c.Baseline.True })},
		{"baseline better", "%.2f", withBaseline(func(c *Claim) float64 { return share(c.Baseline.True > c.Recommended.True) })},
		{"confirmed with baseline", "%.3f", withBaseline(func(c *Claim) float64 {
			return c.confirmed(append(c.Finalists[:len(c.Finalists):len(c.Finalists)], *c.Baseline)...).True
		})},
	}
}

func share(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// Claims writes means over the runs of a round, by family and contestant, for problems
// that consist of real runs. The columns are:
//
//   - the contestant's own estimate of its recommendation;
//   - the recommendation's score on the search tasks, and its true score;
//   - how far the true score is above the default's and below that of the best known config;
//   - the share of recommendations that are worse than the default, and the share that are the default;
//   - the true scores of the first finalist, of the confirmed config (whichever of the default and the finalists scores best on the held-out tasks), and of the best finalist;
//   - the true score of the random baseline's best config, the share of runs in which it is above the recommendation's, and the true score of the confirmed config if the baseline's best config is a candidate too.
func Claims(w io.Writer, round Round, families []string, runs []Run) error {
	columns := figures()
	for _, f := range families {
		t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
		var titles []string
		for _, c := range columns {
			titles = append(titles, c.title)
		}
		fmt.Fprintf(w, "\n%s: means on tasks that the search did not have\n", f)
		fmt.Fprintf(t, "contestant\t%s\t\n", strings.Join(titles, "\t"))
		for _, name := range round.Contestants {
			fmt.Fprint(t, name, "\t")
			for _, c := range columns {
				fmt.Fprint(t, c.mean(runs, round.Budget, name, f), "\t")
			}
			fmt.Fprintln(t)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// mean returns the mean of the figure over a contestant's runs on a family.
func (f figure) mean(runs []Run, budget int, contestant, family string) string {
	sum, n := 0.0, 0
	for _, r := range runs {
		if r.Budget != budget || r.Contestant != contestant || r.Family != family || r.Claim == nil {
			continue
		}
		if x, ok := f.of(r); ok {
			sum, n = sum+x, n+1
		}
	}
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf(f.format, sum/float64(n))
}
