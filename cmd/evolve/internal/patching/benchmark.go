package patching

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"evolve/bench/gobench"
	"evolve/gates"
	"evolve/runtime/sandbox"
)

// gateBenchmark is the gate of targets with a benchmark.
const gateBenchmark = "benchmark"

// The bounds of one gate of benchmarks.
const (
	benchTime    = "100ms" // of one benchmark in one run, as go test takes it
	benchCompile = 10 * time.Minute
	benchRun     = 5 * time.Minute // of one side's packages, each
	benchOutput  = 4 << 20         // bytes of one run
	benchMemory  = 4 << 30         // bytes
)

// benchmark compares the patched code with the base by the target's benchmarks, those
// of the base on both sides. Worse fails. A measurement that can carry no verdict, as on
// a machine that differs from itself, is for a person.
func (w *passage) benchmark() gates.Gate {
	return gates.Gate{Name: gateBenchmark, Check: func(ctx context.Context) (gates.Verdict, string) {
		b := w.target.Benchmark
		m, err := w.measure(ctx, b)
		if err != nil {
			return gates.NotRun, "it could not be measured: " + err.Error()
		}
		r := gobench.Compare(m, gobench.Rule{Metric: b.Metric})
		evidence := strings.Join(r.Reasons, "; ")
		switch r.Verdict {
		case gobench.Worse:
			return gates.Failed, evidence
		case gobench.Void:
			return gates.Flagged, "the measurement carries no verdict: " + evidence
		}
		return gates.Passed, evidence
	}}
}

// yard is one side of a comparison: a tree and the benchmarks compiled from it.
type yard struct {
	tree, bin string
	// binaries are the compiled tests, with the folder of the tree that each is run in.
	binaries []binary
}

type binary struct{ file, dir string }

// measure runs the benchmarks of base, base again and candidate in turns.
func (w *passage) measure(ctx context.Context, b *Benchmark) (gobench.Measured, error) {
	var m gobench.Measured
	walls := w.desk.Walls()
	if err := walls.Err(); err != nil && !w.desk.Unwalled {
		return m, fmt.Errorf("foreign code is not run without a sandbox: %w", err)
	}
	if err := w.toolchain(ctx); err != nil {
		return m, err
	}
	sides := []gobench.Side{gobench.Base, gobench.Again, gobench.Candidate}
	yards := map[gobench.Side]*yard{}
	for _, side := range sides {
		y, err := w.compile(ctx, walls, side, b)
		if err != nil {
			return m, err
		}
		yards[side] = y
	}
	runs := map[gobench.Side][]gobench.Run{}
	seed := fnv.New64a() // the order is drawn from what is measured, and so the same again
	_, _ = seed.Write([]byte(w.tree))
	for _, step := range gobench.Plan(b.Count, int64(seed.Sum64()>>1), sides...) {
		run, err := w.once(ctx, walls, yards[step.Side], b)
		if err != nil {
			return m, fmt.Errorf("%s: %w", step.Side, err)
		}
		runs[step.Side] = append(runs[step.Side], run)
	}
	return gobench.Measured{Base: runs[gobench.Base], Again: runs[gobench.Again], Candidate: runs[gobench.Candidate]}, nil
}

// compile makes one side ready: only the toolchain runs, never what it compiles.
func (w *passage) compile(ctx context.Context, walls sandbox.Walls, side gobench.Side, b *Benchmark) (*yard, error) {
	dir := filepath.Join(w.scratch, "bench", string(side))
	y := &yard{tree: filepath.Join(dir, "tree"), bin: filepath.Join(dir, "bin")}
	cache := filepath.Join(w.scratch, "bench", "cache")
	if err := errors.Join(os.MkdirAll(y.bin, 0o700), os.MkdirAll(cache, 0o700)); err != nil {
		return nil, fmt.Errorf("making room for the benchmarks: %w", err)
	}
	from, err := w.repo.TreeOf(w.base)
	if side == gobench.Candidate {
		from = w.tree
	}
	if err == nil {
		err = w.repo.Export(ctx, from, y.tree)
	}
	if err != nil {
		return nil, err
	}
	for _, p := range w.judged.NewTests { // they measure nothing that the base has
		if err := os.Remove(filepath.Join(y.tree, filepath.FromSlash(p))); err != nil && side == gobench.Candidate {
			return nil, fmt.Errorf("leaving %s out: %w", p, err)
		}
	}
	timed, cancel := context.WithTimeout(ctx, benchCompile)
	defer cancel()
	spec := w.compiling(walls, y, cache)
	list := append([]string{w.tools.Root + "/bin/go", "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}"}, b.Packages...)
	out, err := command(timed, walls, spec, list)
	if err != nil {
		return nil, fmt.Errorf("listing the packages of the %s: %w", side, err)
	}
	for _, at := range strings.Fields(string(out)) {
		file := fmt.Sprintf("%d.test", len(y.binaries))
		if _, err := command(timed, walls, spec, []string{w.tools.Root + "/bin/go", "test", "-c", "-o", path.Join(inside(walls, y.bin, binPlace), file), at}); err != nil {
			return nil, fmt.Errorf("compiling the benchmarks of the %s: %w", side, err)
		}
		y.binaries = append(y.binaries, binary{file, at})
	}
	return y, nil
}

// The places at which benchmarks see things, the same for every side.
const (
	yardPlace = "/target"
	binPlace  = "/bin-of"
)

func inside(walls sandbox.Walls, host, place string) string {
	if walls.Err() == nil {
		return place
	}
	return host
}

// compiling is the view of the world of the toolchain.
func (w *passage) compiling(walls sandbox.Walls, y *yard, cache string) sandbox.Spec {
	cgo := "0"
	if w.target.Policy.Cgo {
		cgo = "1"
	}
	s := sandbox.Spec{
		Dir: inside(walls, y.tree, yardPlace), ReadOnly: []string{w.tools.Root}, Writable: []string{cache}, Temp: filepath.Join(w.scratch, "temp"),
		Limits: sandbox.Limits{Total: benchMemory, Processes: 4096},
		Env: []string{
			"PATH=" + w.tools.Root + "/bin:/usr/local/bin:/usr/bin:/bin", "GOFLAGS=-mod=readonly -buildvcs=false", "GOENV=off", "GOPROXY=off", "GOSUMDB=off",
			"GOVCS=*:off", "GOTOOLCHAIN=local", "GOWORK=off", "CGO_ENABLED=" + cgo, "GOMODCACHE=" + w.tools.Modules, "GOCACHE=" + cache,
		},
	}
	if _, err := os.Stat(w.tools.Modules); err == nil {
		s.ReadOnly = append(s.ReadOnly, w.tools.Modules)
	}
	if walls.Err() == nil {
		s.Shown = []sandbox.Shown{{Source: y.tree, Path: yardPlace}, {Source: y.bin, Path: binPlace, Writable: true}}
	}
	return s
}

// once runs every compiled benchmark of a side.
func (w *passage) once(ctx context.Context, walls sandbox.Walls, y *yard, b *Benchmark) (gobench.Run, error) {
	timed, cancel := context.WithTimeout(ctx, benchRun)
	defer cancel()
	var all bytes.Buffer
	for _, bin := range y.binaries {
		s := sandbox.Spec{Dir: bin.dir, Temp: filepath.Join(w.scratch, "temp"), Limits: sandbox.Limits{Total: benchMemory, Processes: 4096}}
		if walls.Err() == nil {
			s.Shown = []sandbox.Shown{{Source: y.tree, Path: yardPlace}, {Source: y.bin, Path: binPlace}}
		}
		out, err := command(timed, walls, s, []string{
			path.Join(inside(walls, y.bin, binPlace), bin.file), "-test.run=^$", "-test.bench=" + b.Pattern, "-test.benchmem", "-test.benchtime=" + benchTime,
		})
		if err != nil {
			return nil, err
		}
		all.Write(out)
		all.WriteByte('\n')
	}
	return gobench.Read(&all)
}

// command runs one program to its end; one that fails is an error with what it said.
func command(ctx context.Context, walls sandbox.Walls, s sandbox.Spec, argv []string) ([]byte, error) {
	s.Argv = argv
	exit, out, err := walls.Run(ctx, s, nil, benchOutput)
	switch {
	case err != nil:
		return nil, err
	case exit.Code != 0:
		return nil, fmt.Errorf("%s ended with code %d %s: %s", filepath.Base(argv[0]), exit.Code, exit.Reason, clip(strings.TrimSpace(string(out.Stderr)+" "+string(out.Stdout)), 500))
	case out.Truncated:
		return nil, errors.New("it printed too much")
	}
	return out.Stdout, nil
}
