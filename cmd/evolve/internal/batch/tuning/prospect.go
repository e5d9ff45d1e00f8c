package tuning

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"evolve/gates/review"
	"evolve/mutate/constants"
	"evolve/runtime/text"
)

// Prospect is a target with marked constants.
type Prospect struct {
	ground *review.Ground
	files  map[string][]byte
	// Constants are the constants that can be searched.
	Constants []constants.Constant
	// Problem is the reason why nothing can be searched although something is marked.
	Problem string
	// Ground identifies everything on which a search depends, except chance.
	Ground string
}

// Look finds the marked constants of a target. It returns nil if there are none, or if
// the target's settings give the search no runs.
func Look(reviewer *review.Reviewer, t review.Target) (*Prospect, error) {
	if t.Benchmark == nil || t.Benchmark.Tune == 0 {
		return nil, nil
	}
	g, err := reviewer.Survey(t.Name)
	if err != nil {
		return nil, err
	}
	p := &Prospect{ground: g}
	if p.files, err = g.Sources(); err != nil {
		return nil, err
	}
	list, problems := constants.Find(p.files)
	switch {
	case len(problems) > 0:
		p.Problem = "a mark cannot be used: " + problems[0].String()
	case len(list) == 0:
		return nil, nil
	case measuredFile(g, list) != "":
		p.Problem = fmt.Sprintf("a constant in %s cannot be marked, because the command that measures the constants names this file", measuredFile(g, list))
	case t.Benchmark.Tune <= baseRuns:
		p.Problem = fmt.Sprintf("%s too few: the base alone takes %d, so none are left for the search", text.Count(t.Benchmark.Tune, "run is", "runs are"), baseRuns)
	}
	p.Constants = list
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d\n%s", g.Tree, g.Policy, t.Benchmark.Tune, g.Start))
	p.Ground = hex.EncodeToString(sum[:])
	return p, nil
}

// measuredFile returns the first file that contains one of the constants and is named by
// the measuring command.
func measuredFile(g *review.Ground, list []constants.Constant) string {
	files := make([]string, len(list))
	for i, c := range list {
		files[i] = c.File
	}
	return g.Target.Benchmark.Names(g.Start, files)
}

// Cost describes the cost of a search. The cost is an upper bound, with one exception: if
// there are many benchmarks, proving a difference in one of them takes more runs.
func (p *Prospect) Cost() string {
	b := p.ground.Target.Benchmark
	return fmt.Sprintf("at most %s of %s, and about %d more to prove any improvement found", text.Count(b.Tune, "run"), b, mostFinalists*3*b.Count)
}

// Names returns the names of the constants, separated by commas.
func (p *Prospect) Names() string {
	names := make([]string, len(p.Constants))
	for i, c := range p.Constants {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}
