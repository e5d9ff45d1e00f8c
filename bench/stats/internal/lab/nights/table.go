package nights

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"text/tabwriter"

	"github.com/sourcegraph/conc/pool"
)

// Policy is a policy with its name in the table.
type Policy struct {
	Name string
	policy
}

// Policies returns the compared policies, starting with that of this project.
func Policies() []Policy {
	return []Policy{
		{"this project", sequential{}},
		{"… with e-LOND", sequential{online: true}},
		{"… claim of these tasks", sequential{here: true}},
		{"… ends at the proof", sequential{first: true}},
		{"3 finalists, Holm, fixed n", holdout{finalists: 3, error: .025, share: .5, repeats: 12}},
		{"t-test on holdout", holdout{finalists: 1, error: tested, share: share}},
		{"t-test on search data", argmax{tested: true}},
		{"argmax, best ever", argmax{ever: true}},
		{"argmax", argmax{}},
	}
}

// Worlds returns the worlds of the table: every combination of gain and number of tasks,
// with and without interaction, followed by other variations.
func Worlds() []World {
	plain := World{Items: 1, Cluster: 1, Budget: 2000, Nights: 60, Variants: 30}
	var out []World
	for _, interaction := range []float64{0, .5} {
		for _, gain := range []float64{0, .03, .08, .15} {
			for _, tasks := range []int{10, 40, 200} {
				w := plain
				w.Interaction, w.Gain, w.Tasks = interaction, gain, tasks
				out = append(out, w)
			}
		}
	}
	for _, gain := range []float64{0, .08} {
		graded, clustered, fixed := plain, plain, plain
		graded.Items, clustered.Cluster, fixed.Fixed = 4, 4, true
		for _, w := range []World{graded, clustered, fixed} {
			w.Gain, w.Tasks, w.Interaction = gain, 40, .5
			out = append(out, w)
		}
		fixed.Gain, fixed.Tasks, fixed.Interaction = gain, 200, .5
		out = append(out, fixed)
	}
	for _, gain := range []float64{0, .08, .15} {
		w := plain
		w.Gain, w.Tasks, w.Interaction, w.Domains = gain, 40, .5, 5
		out = append(out, w)
		if gain > 0 {
			w.Harm = 2
			out = append(out, w)
			w.Domains, w.Harm, w.Price = 0, 0, 1
			out = append(out, w)
		}
	}
	// Short nights with a language model for which no good prompt may have been found yet.
	for _, gain := range []float64{0, .15, .3, .5} {
		out = append(out, World{Gain: gain, Tasks: 24, Interaction: .5, Items: 1, Cluster: 1, Budget: 140, Nights: 20, Variants: 12})
	}
	return out
}

// Simulate runs a policy in a world the given number of times, on all processors. The
// same seed gives the same outcomes.
func Simulate(w World, p Policy, repetitions int, seed uint64) Tally {
	outcomes := make([]Outcome, repetitions)
	workers := pool.New().WithMaxGoroutines(processors())
	for i := range outcomes {
		workers.Go(func() { outcomes[i] = p.live(w.draw(rand.New(rand.NewPCG(seed, uint64(i))))) })
	}
	workers.Wait()
	var t Tally
	for _, o := range outcomes {
		t.add(o)
	}
	return t
}

func processors() int { return runtime.GOMAXPROCS(0) }

// Print writes the table of the worlds, with the Monte Carlo standard error after each ±,
// followed by the check of the power statement.
func Print(out io.Writer, worlds []World, policies []Policy, repetitions int, seed uint64) error {
	for _, w := range worlds {
		fmt.Fprintf(out, "\n%s\n", w)
		tab := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
		fmt.Fprintln(tab, heading)
		for _, p := range policies {
			fmt.Fprintf(tab, "  %s\t%s\n", p.Name, Simulate(w, p, repetitions, seed))
		}
		if err := tab.Flush(); err != nil {
			return err
		}
	}
	return printPromises(out, worlds, repetitions, seed)
}

// printPromises checks the power statement once for each kind of world.
func printPromises(out io.Writer, worlds []World, repetitions int, seed uint64) error {
	fmt.Fprintf(out, "\nthe power statement: the smallest improvement said to be shown with 80 %% power, and how often it is\n")
	tab := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(tab, "  tasks and world\tpairs\tstated, points\tshown")
	seen := map[World]bool{}
	for _, w := range worlds {
		w.Gain = 0
		if seen[w] {
			continue
		}
		seen[w] = true
		for _, p := range Promises(w, repetitions, seed) {
			shown := "–"
			if rate, se := p.Kept.Rate(); p.Kept.N > 0 {
				shown = fmt.Sprintf("%.2f ±%.2f", rate, se)
			}
			fmt.Fprintf(tab, "  %s\t%.0f\t%.1f\t%s\n", w.kind(), p.Pairs, 100*p.Stated, shown)
		}
	}
	return tab.Flush()
}
