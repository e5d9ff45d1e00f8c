package tuning

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"evolve/bench/gobench"
	"evolve/gates/gotest"
	"evolve/gates/measure"
	"evolve/gates/review"
	"evolve/mutate"
	"evolve/mutate/constants"
	"evolve/patch/diff"
	"evolve/runtime/agent"
)

const (
	// baseRuns is the number of initial runs of the unchanged code, which the search uses
	// as the reference for its scores.
	baseRuns = 3
	// mostFinalists is the maximum number of configs that are compared with the base in new
	// runs.
	mostFinalists = 2
	// level is the error probability of one search of one target, divided among its
	// finalists.
	level = .05
)

// Options are the settings of one search.
type Options struct {
	Reviewer *review.Reviewer
	// Seed seeds the search and the order of the runs.
	Seed int64
	// Proceed is called before every run of the benchmarks; an error ends the search.
	Proceed func() error
}

// Outcome describes the end of a search.
type Outcome struct {
	// Submission is the proven improvement, which has not passed its gates yet; it is nil
	// if there is none.
	Submission *review.Submission
	// Text describes what happened.
	Text string
	// Runs is the number of benchmark runs.
	Runs int
	// Settled reports whether repeating the search with the same [Prospect.Ground] would
	// yield nothing new. It is false after a measurement without a verdict.
	Settled bool
}

// search is the state of a running search.
type search struct {
	Options
	*Prospect
	ref  *measure.Runner
	rule gobench.Rule
	// work is the tree into which one config after another is written.
	work       string
	candidates map[agent.ConfigID]*candidate
	runs       int
	// left is the number of runs that the search may still make.
	left int
}

// errSpent reports that the search has used up its runs.
var errSpent = errors.New("the runs of the search are used up")

// Tune searches for an improvement and proves it. An error is a fault of the machine or
// comes from Proceed; any fault of the target is described in the Outcome.
func (p *Prospect) Tune(ctx context.Context, o Options) (out Outcome, err error) {
	if p.Problem != "" {
		return Outcome{Text: p.Problem, Settled: true}, nil
	}
	tools, err := gotest.FindToolchain(ctx, "go")
	if err != nil {
		return Outcome{}, err
	}
	t := p.ground.Target
	folder := filepath.Join(o.Reviewer.Scratch, "tuning", t.Name)
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o700)); err != nil {
		return Outcome{}, fmt.Errorf("preparing the folder for the benchmarks: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	s := &search{
		Options: o, Prospect: p, ref: o.Reviewer.Runner(t, tools, folder), rule: t.Benchmark.Rule(), work: filepath.Join(folder, "work"),
		candidates: map[agent.ConfigID]*candidate{}, left: t.Benchmark.Tune,
	}
	if len(s.ref.Command) > 0 { // the tests must pass in any case
		s.ref.Packages = []string{"./..."}
	}
	if err := s.ref.Ready(); err != nil {
		return Outcome{Text: err.Error()}, nil
	}
	if err := p.ground.Export(ctx, s.work); err != nil {
		return Outcome{}, err
	}
	out, err = s.look(ctx)
	out.Runs = s.runs
	var code *measure.CodeError
	if errors.As(err, &code) { // the base is at fault: for a candidate, such an error becomes its score
		return Outcome{Text: "the current code cannot be measured: " + err.Error(), Runs: s.runs}, nil
	}
	return out, err
}

// look runs the search and proves its result.
func (s *search) look(ctx context.Context) (Outcome, error) {
	space, now := constants.Space(s.Constants)
	base, err := s.base(ctx, now)
	if err != nil {
		return Outcome{}, err
	}
	ref, err := gobench.NewReference(base, s.rule)
	if err != nil {
		return Outcome{}, &measure.CodeError{Text: err.Error()}
	}
	o := mutate.Options{
		Space: space, Champion: now, Seed: s.Seed, BaselineShare: -1, Finalists: mostFinalists,
		Budget: s.ground.Target.Benchmark.Tune * len(ref.Benchmarks()), MaxRepeats: repeats(base, ref, s.rule),
	}
	for _, name := range ref.Benchmarks() {
		o.Tasks = append(o.Tasks, mutate.Task{ID: name, Weight: 1})
	}
	searcher, err := mutate.New(o)
	if err != nil {
		return Outcome{}, fmt.Errorf("searching: %w", err)
	}
	for {
		trial, status := searcher.Ask()
		if status != mutate.Ready {
			break
		}
		score, err := s.score(ctx, ref, trial)
		if errors.Is(err, errSpent) {
			break
		}
		if err != nil {
			return Outcome{}, err
		}
		searcher.Tell(mutate.Observation{Trial: trial, Scored: true, Score: score})
	}
	return s.prove(ctx, searcher.Recommend(), base)
}

// submission returns a config as a patch.
func (s *search) submission(c agent.Config, r gobench.Result) (*review.Submission, error) {
	changed, err := constants.Set(s.files, c)
	if err != nil {
		return nil, fmt.Errorf("writing the constants: %w", err)
	}
	var files []diff.File
	for _, path := range s.ground.Editable {
		if data, ok := changed[path]; ok && string(data) != string(s.files[path]) {
			files = append(files, diff.File{Path: path, Old: s.files[path], New: data})
		}
	}
	name := s.ground.Target.Name
	return &review.Submission{
		Target: name, Author: Author(name), Origin: review.OriginConstants, Diff: string(diff.Unified(files)),
		Rationale: constants.Describe(s.Constants, c) + "\n\nValues of marked constants, found by the nightly search without a language model and shown to be better in new runs.",
		Gain:      s.ground.Target.Benchmark.Measured() + strings.Join(r.Reasons, "; "),
	}, nil
}

// Author returns the name of the author of the patches that tune a target's constants. The
// name differs by target, so each target has its own limit of attempts.
func Author(target string) string { return "tuning of " + target }
