package measure

import (
	"bytes"
	"context"
	"path"

	"evolve/bench/gobench"
	"evolve/runtime/sandbox"
)

// Run runs every compiled benchmark once, or the command once if there is one.
func (r *Runner) Run(ctx context.Context, b *Built) (gobench.Run, error) {
	if len(r.Command) > 0 {
		return r.report(ctx, b)
	}
	out, err := r.each(ctx, b, "-test.run=^$", "-test.bench="+r.Pattern, "-test.benchmem", "-test.benchtime="+eachTime)
	if err != nil {
		return nil, err
	}
	run, err := gobench.Read(bytes.NewReader(out))
	if err != nil {
		return nil, &CodeError{err.Error()}
	}
	return run, nil
}

// Test runs the tests that were compiled together with the benchmarks, because it is
// pointless to measure incorrect code. Test is only a first check, not a gate.
func (r *Runner) Test(ctx context.Context, b *Built) error {
	_, err := r.each(ctx, b, "-test.count=1")
	return err
}

// each runs every binary with the same arguments and returns the concatenated outputs.
func (r *Runner) each(ctx context.Context, b *Built, args ...string) ([]byte, error) {
	if err := r.Ready(); err != nil {
		return nil, err
	}
	timed, cancel := context.WithTimeoutCause(ctx, runTime, errSlow)
	defer cancel()
	var all bytes.Buffer
	for _, bin := range b.binaries {
		s := sandbox.Spec{Dir: bin.dir, Temp: r.Folder, Limits: sandbox.Limits{Total: mostMemory, Processes: sandbox.ProcessLimit()}}
		if r.Sandbox.Err() == nil {
			s.Shown = []sandbox.Shown{{Source: b.tree, Path: treePlace}, {Source: b.bin, Path: binPlace}}
		}
		out, err := r.command(timed, s, append([]string{path.Join(r.inside(b.bin, binPlace), bin.file)}, args...))
		if err != nil {
			return nil, err
		}
		all.Write(out)
		all.WriteByte('\n')
	}
	return all.Bytes(), nil
}
