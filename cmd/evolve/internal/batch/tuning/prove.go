package tuning

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"evolve/bench/gobench"
	"evolve/gates/measure"
	"evolve/mutate"
	"evolve/mutate/constants"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// prove compares the best configs of the search with the base in new runs, starting with
// the best config, until a config proves better than the base. The scores from the search
// are not evidence, because the best score of many is biased upwards.
func (s *search) prove(ctx context.Context, rec mutate.Recommendation, base []gobench.Run) (Outcome, error) {
	var list []mutate.Estimate
	for _, f := range rec.Finalists {
		if c := s.candidates[f.Variant]; f.Gain > 0 && c != nil && c.built != nil {
			list = append(list, f)
		}
	}
	said := fmt.Sprintf("%s of %s tried", text.Count(max(0, len(s.candidates)-1), "config"), s.Names())
	if len(list) == 0 {
		return Outcome{Text: said + ": none looked better", Settled: true}, nil
	}
	rule := s.rule
	rule.Alpha = level / float64(len(list))
	rounds := max(s.ground.Target.Benchmark.Count, rule.Needed(base))
	out := Outcome{Settled: true}
	for i, f := range list {
		told := constants.Describe(s.Constants, f.Config)
		r, err := s.compare(ctx, f, rule, rounds, int64(i))
		if err != nil {
			return Outcome{}, err
		}
		said += fmt.Sprintf("; %s: %s in new runs: %s", told, strings.ReplaceAll(string(r.Verdict), "_", " "), strings.Join(r.Reasons, "; "))
		if r.Verdict == gobench.Better {
			out.Submission, err = s.submission(f.Config, r)
			out.Text = said
			return out, err
		}
		out.Settled = out.Settled && r.Verdict != gobench.Void
	}
	out.Text = said
	return out, nil
}

// compare compares a finalist with the base in new runs. If the finalist's code fails here,
// the verdict is void, because the code passed in the search.
func (s *search) compare(ctx context.Context, f mutate.Estimate, rule gobench.Rule, rounds int, nth int64) (gobench.Result, error) {
	m, err := s.measure(ctx, f.Config, rounds, nth)
	var code *measure.CodeError
	if errors.As(err, &code) {
		return gobench.Result{Verdict: gobench.Void, Reasons: []string{err.Error()}}, nil
	}
	if err != nil {
		return gobench.Result{}, err
	}
	return gobench.Compare(m, rule), nil
}

// measure runs the base, the base again and a config in turn, each from its own tree and
// its own build.
func (s *search) measure(ctx context.Context, c agent.Config, rounds int, nth int64) (gobench.Measured, error) {
	_, now := constants.Space(s.Constants)
	runner := *s.ref
	if len(runner.Command) > 0 { // the tests have already passed in the search
		runner.Packages = nil
	}
	built := map[gobench.Side]*measure.Built{}
	for side, config := range map[gobench.Side]agent.Config{gobench.Base: now, gobench.Again: now, gobench.Candidate: c} {
		name := fmt.Sprintf("%s-%d", side, nth)
		tree := filepath.Join(runner.Folder, name)
		err := s.ground.Export(ctx, tree)
		if err == nil {
			err = s.write(tree, config)
		}
		if err == nil {
			built[side], err = runner.Compile(ctx, name, tree)
		}
		if err != nil {
			return gobench.Measured{}, fmt.Errorf("%s: %w", side, err)
		}
	}
	return runner.Measure(ctx, built, rounds, s.Seed+nth, s.proceed)
}
