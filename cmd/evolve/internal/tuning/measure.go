package tuning

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"evolve/bench/gobench"
	"evolve/cmd/evolve/internal/measuring"
	"evolve/mutate"
	"evolve/mutate/constants"
	"evolve/runtime/agent"
)

// candidate is a config that was compiled, with its runs so far.
type candidate struct {
	config agent.Config
	built  *measuring.Built // nil: it does not build, or its tests fail
	runs   []gobench.Run
}

// base compiles and tests the code as it is, and runs it.
func (s *search) base(ctx context.Context, now agent.Config) ([]gobench.Run, error) {
	c := &candidate{config: now}
	var err error
	if c.built, err = s.build(ctx, now); err != nil {
		return nil, err
	}
	s.yards[now.ID()] = c
	for range baseRuns {
		if err := s.run(ctx, c); err != nil {
			return nil, err
		}
	}
	return slices.Clone(c.runs), nil
}

// score runs a trial, unless the run that answers it was made for another benchmark. A
// config that does not build, fails its tests or loses a benchmark is as bad as can be.
func (s *search) score(ctx context.Context, yard *gobench.Yardstick, t mutate.Trial) (float64, error) {
	c, known := s.yards[t.Variant]
	if !known {
		if s.left == 0 {
			return 0, errSpent
		}
		c = &candidate{config: t.Config}
		s.yards[t.Variant] = c
		var code *measuring.CodeError
		var err error
		if c.built, err = s.build(ctx, t.Config); errors.As(err, &code) {
			s.left-- // trying it was not free
		} else if err != nil {
			return 0, err
		}
	}
	for c.built != nil && len(c.runs) <= t.Repeat {
		if s.left == 0 {
			return 0, errSpent
		}
		var code *measuring.CodeError
		if err := s.run(ctx, c); errors.As(err, &code) {
			c.built = nil
		} else if err != nil {
			return 0, err
		}
	}
	if c.built == nil {
		return 0, nil
	}
	score, ok := yard.Score(c.runs[t.Repeat], t.Task)
	if !ok {
		return 0, nil
	}
	return score, nil
}

// run makes one more run of a candidate, in the tree as it was built: another may have
// been written there since, which a command would measure.
func (s *search) run(ctx context.Context, c *candidate) error {
	if err := s.proceed(); err != nil {
		return err
	}
	if err := s.write(s.work, c.config); err != nil {
		return err
	}
	s.left--
	run, err := s.yard.Run(ctx, c.built)
	if err == nil {
		c.runs = append(c.runs, run)
	}
	return err
}

// proceed counts a run that is about to be made, if it may be.
func (s *search) proceed() error {
	if err := s.Proceed(); err != nil {
		return err
	}
	s.runs++
	return nil
}

// build compiles a config in the tree that all of the search share, and runs its tests.
func (s *search) build(ctx context.Context, c agent.Config) (*measuring.Built, error) {
	if err := s.Proceed(); err != nil {
		return nil, err
	}
	if err := s.write(s.work, c); err != nil {
		return nil, err
	}
	built, err := s.yard.Compile(ctx, c.ID().Short(), s.work)
	if err == nil {
		err = s.yard.Test(ctx, built)
	}
	if err != nil {
		return nil, err
	}
	return built, nil
}

// write gives the constants of a tree the values of a config.
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

// repeats bounds the runs of one config: where the base says the same in every run, the
// metric is counted, not timed, and a second run would be no new evidence.
func repeats(base []gobench.Run, yard *gobench.Yardstick, rule gobench.Rule) int {
	for _, name := range yard.Benchmarks() {
		k := gobench.Key{Benchmark: name, Unit: rule.Metric}
		for _, run := range base[1:] {
			if !slices.Equal(run[k], base[0][k]) {
				return 0
			}
		}
	}
	return 1
}
