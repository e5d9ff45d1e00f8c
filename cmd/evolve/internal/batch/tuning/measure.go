package tuning

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"evolve/bench/gobench"
	"evolve/gates/measure"
	"evolve/mutate"
	"evolve/mutate/constants"
	"evolve/runtime/agent"
)

// candidate is a compiled config with its runs so far.
type candidate struct {
	config agent.Config
	built  *measure.Built // nil if the candidate does not build, or if its tests fail
	runs   []gobench.Run
}

// base compiles and tests the unchanged code, and runs its benchmarks.
func (s *search) base(ctx context.Context, now agent.Config) ([]gobench.Run, error) {
	c := &candidate{config: now}
	var err error
	if c.built, err = s.build(ctx, now); err != nil {
		return nil, err
	}
	s.candidates[now.ID()] = c
	for range baseRuns {
		if err := s.run(ctx, c); err != nil {
			return nil, err
		}
	}
	return slices.Clone(c.runs), nil
}

// score scores a trial. It runs the benchmarks unless a run made for another benchmark
// already has the result. A config that does not build, fails its tests or has no result
// for the benchmark gets the worst score.
func (s *search) score(ctx context.Context, ref *gobench.Reference, t mutate.Trial) (float64, error) {
	c, known := s.candidates[t.Variant]
	if !known {
		if s.left == 0 {
			return 0, errSpent
		}
		c = &candidate{config: t.Config}
		s.candidates[t.Variant] = c
		var code *measure.CodeError
		var err error
		if c.built, err = s.build(ctx, t.Config); errors.As(err, &code) {
			s.left-- // a failed attempt uses up a run
		} else if err != nil {
			return 0, err
		}
	}
	for c.built != nil && len(c.runs) <= t.Repeat {
		if s.left == 0 {
			return 0, errSpent
		}
		var code *measure.CodeError
		if err := s.run(ctx, c); errors.As(err, &code) {
			c.built = nil
		} else if err != nil {
			return 0, err
		}
	}
	if c.built == nil {
		return 0, nil
	}
	score, ok := ref.Score(c.runs[t.Repeat], t.Task)
	if !ok {
		return 0, nil
	}
	return score, nil
}

// run makes one more run of a candidate. It first writes the candidate's constants again,
// because a command measures the tree, to which another config may have been written in the
// meantime.
func (s *search) run(ctx context.Context, c *candidate) error {
	if err := s.proceed(); err != nil {
		return err
	}
	if err := s.write(s.work, c.config); err != nil {
		return err
	}
	s.left--
	run, err := s.ref.Run(ctx, c.built)
	if err == nil {
		c.runs = append(c.runs, run)
	}
	return err
}

// proceed counts a run that is about to start, or returns an error if Proceed does not
// allow the run.
func (s *search) proceed() error {
	if err := s.Proceed(); err != nil {
		return err
	}
	s.runs++
	return nil
}

// build compiles a config in the tree shared by the whole search, and runs its tests.
func (s *search) build(ctx context.Context, c agent.Config) (*measure.Built, error) {
	if err := s.Proceed(); err != nil {
		return nil, err
	}
	if err := s.write(s.work, c); err != nil {
		return nil, err
	}
	built, err := s.ref.Compile(ctx, c.ID().Short(), s.work)
	if err == nil {
		err = s.ref.Test(ctx, built)
	}
	if err != nil {
		return nil, err
	}
	return built, nil
}

// write sets the constants in a tree to the values of a config.
func (s *search) write(tree string, c agent.Config) error {
	files, err := constants.Set(s.files, c)
	if err != nil {
		return fmt.Errorf("writing the constants: %w", err)
	}
	for _, k := range s.Constants {
		path := filepath.Join(tree, filepath.FromSlash(k.File))
		info, err := os.Stat(path)
		if err == nil {
			err = os.WriteFile(path, files[k.File], info.Mode().Perm())
		}
		if err != nil {
			return fmt.Errorf("writing the constants: %w", err)
		}
	}
	return nil
}

// repeats returns the maximum number of repeated runs of one config. If all runs of the
// base agree, the metric is counted rather than timed, and a second run would provide no
// new evidence.
func repeats(base []gobench.Run, ref *gobench.Reference, rule gobench.Rule) int {
	for _, name := range ref.Benchmarks() {
		k := gobench.Key{Benchmark: name, Unit: rule.Metric}
		for _, run := range base[1:] {
			if !slices.Equal(run[k], base[0][k]) {
				return 0
			}
		}
	}
	return 1
}
