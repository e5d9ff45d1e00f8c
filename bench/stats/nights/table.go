package nights

import (
	"fmt"
	"io"
	"math"
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

// Policies are those that are compared, that of this project first.
func Policies() []Policy {
	return []Policy{
		{"this project", sequential{}},
		{"… with e-LOND", sequential{online: true}},
		{"… claim of these tasks", sequential{here: true}},
		{"3 finalists, Holm, fixed n", holdout{finalists: 3, error: .025, share: .5, repeats: 12}},
		{"t-test on holdout", holdout{finalists: 1, error: tested, share: share}},
		{"t-test on search data", argmax{tested: true}},
		{"argmax, best ever", argmax{ever: true}},
		{"argmax", argmax{}},
	}
}

// Worlds are those of the table: gains and tasks crossed, with and without interaction, and then
// what differs in other ways.
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
	return out
}

// Simulate lets a policy live through a world so many times, on all processors. The same
// seed gives the same outcomes.
func Simulate(w World, p Policy, repetitions int, seed uint64) Tally {
	outcomes := make([]Outcome, repetitions)
	workers := pool.New().WithMaxGoroutines(runtime.GOMAXPROCS(0))
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

// Print writes the table of the worlds, with the Monte Carlo standard error behind each ±.
func Print(out io.Writer, worlds []World, policies []Policy, repetitions int, seed uint64) error {
	for _, w := range worlds {
		fmt.Fprintf(out, "\n%s\n", w)
		tab := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
		fmt.Fprintln(tab, "  policy\tfalse a month, new tasks\tthese tasks\tpower\tnights\tevaluations\tbias, measured\tshrunken\tcoverage, these\tnew\tadopted, these\tnew")
		for _, p := range policies {
			t := Simulate(w, p, repetitions, seed)
			fmt.Fprintf(tab, "  %s\t%s\n", p.Name, t)
		}
		if err := tab.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// days of a month, by which false adoptions are counted.
const days = 30

// Tally sums outcomes.
type Tally struct {
	Outcome
	// N is the number of repetitions, Won those with a true adoption.
	N, Won int
	// Night and Spent sum the nights and evaluations until a true adoption.
	Night, Spent Error
	// Squares of the number of false claims, for their standard errors.
	newSquares, hereSquares float64
}

func (t *Tally) add(o Outcome) {
	t.N++
	if o.Adopted > 0 {
		t.Won++
		t.Night.add(float64(o.Adopted))
		t.Spent.add(float64(o.Evaluations))
	}
	t.Nights += o.Nights
	t.FalseNew += o.FalseNew
	t.FalseHere += o.FalseHere
	t.newSquares += float64(o.FalseNew * o.FalseNew)
	t.hereSquares += float64(o.FalseHere * o.FalseHere)
	t.Raw.merge(o.Raw)
	t.Headline.merge(o.Headline)
	t.Shrunken.merge(o.Shrunken)
	t.Entered += o.Entered
	t.Here.merge(o.Here)
	t.New.merge(o.New)
	t.AdoptedHere.merge(o.AdoptedHere)
	t.AdoptedNew.merge(o.AdoptedNew)
}

func (e *Error) merge(o Error) { e.N, e.Sum, e.Squares = e.N+o.N, e.Sum+o.Sum, e.Squares+o.Squares }
func (s *Share) merge(o Share) { s.N, s.Hits = s.N+o.N, s.Hits+o.Hits }

// Mean and its standard error; NaN without cases.
func (e Error) Mean() (mean, se float64) {
	n := float64(e.N)
	mean = e.Sum / n
	return mean, math.Sqrt(math.Max(0, e.Squares/n-mean*mean) / n)
}

// Rate of hits and its standard error; NaN without cases.
func (s Share) Rate() (rate, se float64) {
	rate = float64(s.Hits) / float64(s.N)
	return rate, math.Sqrt(rate * (1 - rate) / float64(s.N))
}

// False are the false adoptions a month, and their standard error.
func (t Tally) False() (rate, se float64) { return t.monthly(t.FalseNew, t.newSquares) }

// FalseHere are the false claims about the tasks of the holdout a month.
func (t Tally) falseHere() (rate, se float64) { return t.monthly(t.FalseHere, t.hereSquares) }

func (t Tally) monthly(n int, squares float64) (rate, se float64) {
	months := float64(t.Nights) / days
	mean := float64(n) / float64(t.N)
	return float64(n) / months, math.Sqrt(math.Max(0, squares/float64(t.N)-mean*mean)*float64(t.N)) / months
}

// Power is the share of repetitions with a true adoption.
func (t Tally) Power() (rate, se float64) { return Share{t.Won, t.N}.Rate() }

func (t Tally) String() string {
	cell := func(format string, v, se float64) string {
		if math.IsNaN(v) {
			return "–"
		}
		return fmt.Sprintf(format+" ±"+format, v, se)
	}
	points := func(v, se float64) (float64, float64) { return 100 * v, 100 * se }
	text := ""
	add := func(format string, v, se float64) { text += "\t" + cell(format, v, se) }
	v, se := t.False()
	add("%.3f", v, se)
	v, se = t.falseHere()
	add("%.3f", v, se)
	v, se = t.Power()
	add("%.2f", v, se)
	v, se = t.Night.Mean()
	add("%.1f", v, se)
	v, se = t.Spent.Mean()
	add("%.0f", v, se)
	v, se = t.Raw.Mean()
	v, se = points(v, se)
	add("%.1f", v, se)
	v, se = t.Shrunken.Mean()
	v, se = points(v, se)
	add("%.1f", v, se)
	for _, s := range []Share{t.Here, t.New, t.AdoptedHere, t.AdoptedNew} {
		v, se = s.Rate()
		add("%.3f", v, se)
	}
	return text[1:]
}
