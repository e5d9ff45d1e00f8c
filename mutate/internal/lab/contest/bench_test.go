package contest

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"

	"evolve/mutate"
	"evolve/mutate/internal/lab/problem"
	"evolve/mutate/internal/lab/real"
)

var (
	rounds   = flag.String("rounds", "", "budgets and seeds of the contest, such as 500x10,2000x10,10000x3; empty: no contest")
	field    = flag.String("field", "", "contestants instead of the usual ones, such as ours,genetic:1")
	families = flag.String("families", "", "families instead of the nine, such as text,sparse; yardstick: all that no constant is set on; real: those whose data is on this machine")
	first    = flag.Int64("first-seed", 0, "first seed of each family")
	versus   = flag.String("versus", "", "contestant that each other is compared with on the same problems")
	before   = flag.String("before", "", "file that -json wrote with a different build, whose searcher is compared too, as ours@before")
	inFlight = flag.String("in-flight", "", "budget and seeds of the comparison of numbers in flight, such as 2000x10")
	parents  = flag.String("selections", "", "budget and seeds of the comparison of parent selections")
	keep     = flag.String("keep", "", "file in which the peers' runs are kept and from which they are read")
	output   = flag.String("json", "", "file for a line of JSON for each run in the tables")
	external = flag.Int("external-seeds", 0, "seeds of Optuna and irace at most; 0: as many as the others")
	workers  = flag.Int("workers", 2, "runs at the same time")
)

// BenchmarkContest prints the tables of `make bench-search`.
func BenchmarkContest(b *testing.B) {
	if *rounds == "" && *inFlight == "" && *parents == "" {
		b.Skip("say -rounds, -in-flight or -selections")
	}
	kept, err := Open(*keep)
	if err != nil {
		b.Fatal(err)
	}
	defer kept.Close()
	measured, err := real.Families(real.Find())
	if err != nil {
		b.Fatal(err)
	}
	if *families == "real" && len(measured) == 0 {
		b.Skip("no real data is on this machine: set EVOLVE_SHARED_DATA to the folder of clinc150.json, or EVOLVE_COLLECTION to that of a test collection")
	}
	all := entered(b, *families, measured)
	fmt.Printf("\nproblems of version %d; a figure in parentheses: so many runs only\n\n", problem.Version)
	for r := range each(b, *rounds) {
		if r.Contestants = split(*field); len(r.Contestants) == 0 {
			r.Contestants = Field(r.Budget)
		}
		show(b, r, all, measured, kept)
	}
	for r := range each(b, *inFlight) {
		r.Contestants = []string{"ours:1", "ours:8", "ours:64", "ours:256"}
		show(b, r, all, measured, kept)
	}
	for r := range each(b, *parents) {
		for _, s := range mutate.Selections() {
			r.Contestants = append(r.Contestants, "ours:"+s)
		}
		show(b, r, []string{"text"}, nil, kept)
	}
}

// show runs a round and prints its table.
func show(b *testing.B, r Round, families []string, measured []problem.Family, kept *Kept) {
	p := Plan{Families: families, Real: measured, Rounds: []Round{r}, Workers: *workers, External: *external, Kept: kept}
	runs, missing, err := p.Run(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for name, why := range missing {
		fmt.Printf("left out: %s, because %v\n", name, why)
	}
	r.Contestants = slices.DeleteFunc(slices.Clone(r.Contestants), func(name string) bool { return missing[name] != nil })
	for _, name := range r.Contestants {
		if c, err := Lookup(b.Context(), name); err == nil {
			fmt.Printf("%s: %s\n", name, c.About)
		}
	}
	fmt.Println(versions(b.Context()))
	if err := Table(os.Stdout, r, families, runs); err != nil {
		b.Fatal(err)
	}
	if len(measured) > 0 {
		if err := Claims(os.Stdout, r, families, runs); err != nil {
			b.Fatal(err)
		}
	}
	fmt.Println()
	if *versus != "" {
		compare(b, r, families, runs)
	}
	if *output != "" {
		if err := writeLines(*output, runs); err != nil {
			b.Fatal(err)
		}
	}
}

// compare prints the paired comparison with a contestant.
func compare(b *testing.B, r Round, families []string, runs []Run) {
	if *before != "" {
		old, err := ReadRuns(*before)
		if err != nil {
			b.Fatal(err)
		}
		const name = Ours + "@before"
		for _, o := range old {
			if o.Contestant == Ours {
				o.Contestant = name
				runs = append(runs, o)
			}
		}
		r.Contestants = append(r.Contestants, name)
	}
	if !slices.Contains(r.Contestants, *versus) {
		b.Fatalf("-versus %s: no such contestant has run", *versus)
	}
	if err := Versus(os.Stdout, r, families, runs, *versus); err != nil {
		b.Fatal(err)
	}
	fmt.Println()
}

// entered returns the names of the families in a list and prints a description of them.
func entered(b *testing.B, list string, measured []problem.Family) []string {
	var of []problem.Family
	switch list {
	case "":
		of = problem.Families()
	case "yardstick":
		of = problem.Yardstick()
	case "real":
		of = measured
	default:
		of = slices.DeleteFunc(slices.Concat(problem.Families(), problem.Yardstick(), measured), func(f problem.Family) bool {
			return !slices.Contains(split(list), f.Name)
		})
		if len(of) != len(split(list)) {
			b.Fatalf("-families %s: unknown or repeated names", list)
		}
	}
	var names []string
	for _, f := range of {
		names = append(names, f.Name)
		fmt.Printf("%s: %s\n", f.Name, f.About)
	}
	return names
}

// each returns an iterator over the rounds in a list such as 500x10,2000x3.
func each(b *testing.B, list string) iter.Seq[Round] {
	return func(yield func(Round) bool) {
		for _, item := range split(list) {
			r := Round{First: *first}
			if _, err := fmt.Sscanf(item, "%dx%d", &r.Budget, &r.Seeds); err != nil || r.Budget < 1 || r.Seeds < 1 {
				b.Fatalf("%q is no budget and number of seeds", item)
			}
			if !yield(r) {
				return
			}
		}
	}
}

func split(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

func writeLines(path string, runs []Run) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(f)
	for _, r := range runs {
		err = errors.Join(err, lines.Encode(r))
	}
	return errors.Join(err, f.Close())
}
