package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"evolve/bench/gobench"
	"evolve/gates/gotest"
	"evolve/runtime/sandbox"
	"evolve/runtime/text"
)

// Runner measures one target, with Go benchmarks or with the target's own command.
type Runner struct {
	Sandbox sandbox.Sandbox
	// Unwalled reports whether the operator allows untrusted code to run without a sandbox.
	Unwalled bool
	// Tools is the Go toolchain that programs can use. The zero value means none, which is
	// sufficient for a Program or a Command that does not use Go.
	Tools gotest.Toolchain
	// Folder is the absolute path of a folder for trees and compiled benchmarks. The caller
	// creates and removes it.
	Folder string
	// Cache is the absolute path of a folder for the build cache. Only the toolchain writes
	// to it, never the compiled programs.
	Cache string
	Cgo   bool
	// Start is the slash-separated path of the folder, below the root of a tree, in which
	// the commands start; if empty, they start in the root.
	Start string
	// Packages are the packages whose tests are compiled; if it is empty, none are
	// compiled. Pattern selects the benchmarks to run, in the form that go test -bench
	// takes.
	Packages []string
	Pattern  string
	// Command is a command with its arguments that measures the target instead of Go
	// benchmarks; if it is empty, benchmarks are used. The command prints output in the
	// format that [gobench.ReadReport] reads, with values of the metric Metric.
	Command []string
	Metric  string
}

// The limits for compiling one tree and for one run of its benchmarks or tests.
const (
	eachTime    = "100ms" // time for one benchmark in one run, in the format of go test
	compileTime = 10 * time.Minute
	runTime     = 5 * time.Minute
	mostOutput  = 4 << 20 // bytes that a program may write to one of its outputs
	mostMemory  = 4 << 30 // bytes
	mostFile    = 1 << 30 // bytes that a command may write to one file
)

// The paths inside the sandbox; they are the same for every tree.
const (
	treePlace  = "/target"
	binPlace   = "/bin-of"
	cachePlace = "/build-cache"
)

// CodeError reports a fault in the code that was compiled or run: for instance, the code
// does not build, a test fails, or a benchmark does not end. Any other error is the
// machine's fault.
type CodeError struct{ Text string }

func (e *CodeError) Error() string { return e.Text }

// Ready returns an error if untrusted code may not run here.
func (r *Runner) Ready() error {
	if err := r.Sandbox.Err(); err != nil && !r.Unwalled {
		return fmt.Errorf("untrusted code is not run without a sandbox: %w", err)
	}
	return nil
}

// hasGo reports whether a Go toolchain is available to the programs that r runs.
func (r *Runner) hasGo() bool { return r.Tools.Root != "" }

// installed returns the folders of Go and of its downloaded modules, if they exist.
func (r *Runner) installed() []string {
	if !r.hasGo() {
		return nil
	}
	out := []string{r.Tools.Root}
	if _, err := os.Stat(r.Tools.Modules); err == nil {
		out = append(out, r.Tools.Modules)
	}
	return out
}

// Measure runs each compiled side as many times as rounds states, alternating between the
// sides; see [gobench.Plan]. before, which may be nil, is called before every run, and an
// error from it ends the measurement.
func (r *Runner) Measure(ctx context.Context, sides map[gobench.Side]*Built, rounds int, seed int64, before func() error) (gobench.Measured, error) {
	runs := map[gobench.Side][]gobench.Run{}
	for _, side := range gobench.Plan(rounds, seed, gobench.Base, gobench.Again, gobench.Candidate) {
		if before != nil {
			if err := before(); err != nil {
				return gobench.Measured{}, err
			}
		}
		run, err := r.Run(ctx, sides[side])
		if err != nil {
			return gobench.Measured{}, fmt.Errorf("%s: %w", side, err)
		}
		runs[side] = append(runs[side], run)
	}
	return gobench.Measured{Base: runs[gobench.Base], Again: runs[gobench.Again], Candidate: runs[gobench.Candidate]}, nil
}

// inside returns the path under which programs see a folder of the host. With a sandbox,
// this is the path at which the sandbox mounts the folder (place); otherwise it is the
// host's own path.
func (r *Runner) inside(host, place string) string {
	if r.Sandbox.Err() == nil {
		return place
	}
	return host
}

// start returns the path of the folder in which the commands for a tree start. The
// argument is the tree's path on the host; the result is the path that the commands see.
func (r *Runner) start(tree string) string {
	return filepath.Join(r.inside(tree, treePlace), filepath.FromSlash(r.Start))
}

// command runs one program until it ends.
func (r *Runner) command(ctx context.Context, s sandbox.Spec, argv []string) ([]byte, error) {
	s.Argv, s.Limits.Output = argv, mostOutput
	exit, out, err := r.Sandbox.Run(ctx, s, nil, mostOutput)
	name := filepath.Base(argv[0])
	switch {
	case errors.Is(context.Cause(ctx), errSlow):
		return nil, &CodeError{name + " did not finish in time"}
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	case exit.Reason == sandbox.OverOutput:
		return nil, &CodeError{fmt.Sprintf("%s printed too much: more than %d MiB", name, mostOutput>>20)}
	case exit.Code != 0:
		said := strings.TrimSpace(string(out.Stderr) + " " + string(out.Stdout))
		words := fmt.Sprintf("%s ended with exit code %d", name, exit.Code)
		if exit.Reason != sandbox.Own {
			words += " " + string(exit.Reason)
		}
		if said != "" {
			words += ": " + text.ClipMiddle(said, 600)
		}
		return nil, &CodeError{words}
	}
	return out.Stdout, nil
}

// errSlow is the cause with which a program's context is canceled when the program reaches
// its time limit.
var errSlow = errors.New("it took too long")
