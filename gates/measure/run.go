package measure

import (
	"bytes"
	"context"
	"path"

	"evolve/bench/gobench"
	"evolve/runtime/sandbox"
)

// Run runs every compiled benchmark once, or the command.
func (y *Yard) Run(ctx context.Context, b *Built) (gobench.Run, error) {
	if len(y.Command) > 0 {
		return y.report(ctx, b)
	}
	out, err := y.each(ctx, b, "-test.run=^$", "-test.bench="+y.Pattern, "-test.benchmem", "-test.benchtime="+eachTime)
	if err != nil {
		return nil, err
	}
	run, err := gobench.Read(bytes.NewReader(out))
	if err != nil {
		return nil, &CodeError{err.Error()}
	}
	return run, nil
}

// Test runs the tests that were compiled with the benchmarks, because a benchmark of
// wrong code measures nothing. It is no gate, only a first check.
func (y *Yard) Test(ctx context.Context, b *Built) error {
	_, err := y.each(ctx, b, "-test.count=1")
	return err
}

// each runs every binary with the same arguments and concatenates their output.
func (y *Yard) each(ctx context.Context, b *Built, args ...string) ([]byte, error) {
	if err := y.Ready(); err != nil {
		return nil, err
	}
	timed, cancel := context.WithTimeoutCause(ctx, runTime, errSlow)
	defer cancel()
	var all bytes.Buffer
	for _, bin := range b.binaries {
		s := sandbox.Spec{Dir: bin.dir, Temp: y.Folder, Limits: sandbox.Limits{Total: mostMemory, Processes: mostProcs}}
		if y.Sandbox.Err() == nil {
			s.Shown = []sandbox.Shown{{Source: b.tree, Path: treePlace}, {Source: b.bin, Path: binPlace}}
		}
		out, err := y.command(timed, s, append([]string{path.Join(y.inside(b.bin, binPlace), bin.file)}, args...))
		if err != nil {
			return nil, err
		}
		all.Write(out)
		all.WriteByte('\n')
	}
	return all.Bytes(), nil
}
