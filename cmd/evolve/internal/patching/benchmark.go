package patching

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
	"evolve/cmd/evolve/internal/measuring"
	"evolve/gates"
)

// gateBenchmark is the gate of targets with a benchmark.
const gateBenchmark = "benchmark"

// benchmark compares the patched code with the base by the target's benchmarks, those
// of the base on both sides, or its command. Worse fails, and so does a candidate that
// does not report what the base reports. A measurement that can carry no verdict, as on a
// machine that differs from itself, is for a person, and so is one in which a loss beyond
// the target's could have gone unseen.
func (w *passage) benchmark() gates.Gate {
	return gates.Gate{Name: gateBenchmark, Check: func(ctx context.Context) (gates.Verdict, string) {
		b := w.target.Benchmark
		if own := b.Names(w.judged.Changed); own != "" {
			return gates.Failed, fmt.Sprintf("%sthe patch changes %s, which is to measure it", b.Measured(), own)
		}
		m, err := w.measure(ctx, b)
		if err != nil {
			return gates.NotRun, fmt.Sprintf("%sit could not be measured: %v", b.Measured(), err)
		}
		verdict, evidence := ofBenchmark(gobench.Compare(m, b.Rule()), b.Measured())
		if w.desk.Walls().Err() != nil {
			evidence += "; run WITHOUT a sandbox, with all rights of the user (sandbox: none)"
		}
		return verdict, evidence
	}}
}

// ofBenchmark is the verdict on a comparison, whose evidence begins with by what it was
// measured. That nothing is worse passes only where a loss beyond the target's would have
// been found.
func ofBenchmark(r gobench.Result, measured string) (gates.Verdict, string) {
	evidence := measured + strings.Join(r.Reasons, "; ")
	switch {
	case r.Verdict == gobench.Worse || r.Verdict == gobench.Refused:
		return gates.Failed, evidence
	case r.Verdict == gobench.Void:
		return gates.Flagged, "the measurement carries no verdict: " + evidence
	case len(r.Blind) > 0:
		return gates.Flagged, "it cannot show that nothing is worse (more runs may: count): " + strings.Join(r.Blind, "; ") + "; " + evidence
	}
	return gates.Passed, evidence
}

// Names is the first of some changed paths that the command names, or "": a patch does not
// write its own measure. What else measures belongs among the paths that the target denies.
func (b *Benchmark) Names(changed []string) string {
	text := strings.Join(b.Command, " ") // of sh -c, too
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n;&|<>()'\"`=$", r) }) {
		if at := slices.Index(changed, path.Clean(word)); at >= 0 {
			return changed[at]
		}
	}
	return ""
}

// measure runs the benchmarks of base, base again and candidate in turns.
func (w *passage) measure(ctx context.Context, b *Benchmark) (gobench.Measured, error) {
	if err := w.toolchain(ctx); err != nil {
		return gobench.Measured{}, err
	}
	yard := w.desk.Yard(w.target, *w.tools, filepath.Join(w.scratch, "bench"))
	if err := yard.Ready(); err != nil {
		return gobench.Measured{}, err
	}
	built := map[gobench.Side]*measuring.Built{}
	for _, side := range []gobench.Side{gobench.Base, gobench.Again, gobench.Candidate} {
		tree, err := w.side(ctx, yard, side)
		if err != nil {
			return gobench.Measured{}, err
		}
		if built[side], err = yard.Compile(ctx, string(side), tree); err != nil {
			return gobench.Measured{}, fmt.Errorf("%s: %w", side, err)
		}
	}
	seed := fnv.New64a() // the order is drawn from what is measured, and so the same again
	_, _ = seed.Write([]byte(w.tree))
	return yard.Measure(ctx, built, b.Count, int64(seed.Sum64()>>1), nil)
}

// side writes the tree of one side out, without the tests that only the patch has: they
// measure nothing of the base.
func (w *passage) side(ctx context.Context, yard *measuring.Yard, side gobench.Side) (string, error) {
	dir := filepath.Join(yard.Folder, string(side))
	from, err := w.repo.TreeOf(w.base)
	if side == gobench.Candidate {
		from = w.tree
	}
	if err == nil {
		err = w.repo.Export(ctx, from, dir)
	}
	if err != nil {
		return "", err
	}
	for _, p := range w.judged.NewTests {
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(p))); err != nil && side == gobench.Candidate {
			return "", fmt.Errorf("leaving %s out: %w", p, err)
		}
	}
	return dir, nil
}
