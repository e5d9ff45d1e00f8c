package review

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"evolve/bench/gobench"
	"evolve/gates"
	"evolve/gates/measure"
)

// gateBenchmark is the name of the gate for targets with a benchmark.
const gateBenchmark = "benchmark"

// benchmarkGate returns the gate that compares the patched code with the base. It uses the
// target's Go benchmarks (those of the base on both sides) or the target's command. A
// candidate fails if it is worse, or if it reports different benchmarks from the base. The
// gate flags a measurement that permits no verdict, for example because the two runs of the
// base differ, and a measurement that could have missed a loss beyond the target's limit.
func (w *gateRun) benchmarkGate() gates.Gate {
	return gates.Gate{Name: gateBenchmark, Check: func(ctx context.Context) (gates.Verdict, string) {
		b := w.target.Benchmark
		if own := b.Names(w.start(w.target), w.judged.Changed); own != "" {
			return gates.Failed, fmt.Sprintf("%sthe patch changes %s, which measures the patch", b.Measured(), own)
		}
		m, err := w.measure(ctx, b)
		if err != nil {
			return gates.NotRun, fmt.Sprintf("%sthe patch could not be measured: %v", b.Measured(), err)
		}
		verdict, evidence := ofBenchmark(gobench.Compare(m, b.Rule()), b.Measured())
		if w.Sandbox().Err() != nil {
			evidence += "; run WITHOUT a sandbox, with all the user's rights (sandbox: none)"
		}
		return verdict, evidence
	}}
}

// ofBenchmark returns the verdict on a comparison and the evidence. The evidence begins
// with the text in measured, which describes how the figures were measured. The verdict
// is passed only if the measurement would have found a loss beyond the target's limit.
func ofBenchmark(r gobench.Result, measured string) (gates.Verdict, string) {
	evidence := measured + strings.Join(r.Reasons, "; ")
	switch {
	case r.Verdict == gobench.Worse || r.Verdict == gobench.Refused:
		return gates.Failed, evidence
	case r.Verdict == gobench.Void:
		return gates.Flagged, "the measurement gives no verdict: " + evidence
	case len(r.Blind) > 0:
		return gates.Flagged, "the measurement cannot rule out a loss (a larger number of runs may rule it out): " + strings.Join(r.Blind, "; ") + "; " + evidence
	}
	return gates.Passed, evidence
}

// Names returns the first changed path that the command names, or "" if there is none.
// start is the folder of the repository in which the command starts. Names is used to
// refuse a patch that changes the program that measures it. Other files on which the
// measurement depends belong among the paths that the target denies.
func (b *Benchmark) Names(start string, changed []string) string {
	for _, word := range wordsOf(b.Command) {
		if at := slices.Index(changed, path.Join(start, word)); at >= 0 {
			return changed[at]
		}
	}
	return ""
}

// wordsOf returns the words of a command, including those of a script passed to sh -c.
func wordsOf(argv []string) []string {
	return strings.FieldsFunc(strings.Join(argv, " "), func(r rune) bool { return strings.ContainsRune(" \t\n;&|<>()'\"`=$", r) })
}

// measure compiles the base twice and the candidate once, and runs their benchmarks
// interleaved.
func (w *gateRun) measure(ctx context.Context, b *Benchmark) (gobench.Measured, error) {
	tools, err := w.commandTools(ctx)
	if err != nil {
		return gobench.Measured{}, err
	}
	runner := w.Runner(w.target, tools, filepath.Join(w.scratch, "bench"))
	if err := runner.Ready(); err != nil {
		return gobench.Measured{}, err
	}
	built := map[gobench.Side]*measure.Built{}
	for _, side := range []gobench.Side{gobench.Base, gobench.Again, gobench.Candidate} {
		tree, err := w.side(ctx, runner, side)
		if err != nil {
			return gobench.Measured{}, err
		}
		if built[side], err = runner.Compile(ctx, string(side), tree); err != nil {
			return gobench.Measured{}, fmt.Errorf("%s: %w", side, err)
		}
	}
	seed := fnv.New64a() // seeded with the tree, so that the same patch is always measured in the same order
	_, _ = seed.Write([]byte(w.tree))
	return runner.Measure(ctx, built, b.Count, int64(seed.Sum64()>>1), nil)
}

// side exports the tree of one side. It removes the tests that the patch adds, because
// the base has nothing to compare them with.
func (w *gateRun) side(ctx context.Context, runner *measure.Runner, side gobench.Side) (string, error) {
	dir := filepath.Join(runner.Folder, string(side))
	from := w.base
	if side == gobench.Candidate {
		from = w.tree
	}
	if err := w.repo.Export(ctx, from, dir); err != nil {
		return "", err
	}
	for _, p := range w.judged.NewTests {
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(p))); err != nil && side == gobench.Candidate {
			return "", fmt.Errorf("leaving %s out: %w", p, err)
		}
	}
	return dir, nil
}
