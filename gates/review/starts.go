package review

import (
	"context"
	"errors"
	"fmt"
	"time"

	"evolve/bench/metrics"
	"evolve/gates/measure"
	"evolve/runtime/text"
)

const (
	// mostNames bounds the names of cases of one start, in bytes: a command line is limited.
	mostNames = 64 << 10
	// mostAlone is the number of cases that are started alone if no other start has values.
	mostAlone = 30
)

// starts compares the values that the scoring command prints for a tree with and without the
// names of cases; the search passes the names. The cases, their order and their values must be
// the same, unless the code examines how the command was started, or prints values in place of
// it.
type starts struct {
	*gateRun
	scale *metrics.Scale
	// exact reports whether a tree has the same values on every start; otherwise only a
	// missing value counts.
	exact bool
}

// deceit describes a difference between the output of the patched tree with and without names
// that the base does not have; empty if there is none. base and patched are the values printed
// without names. A difference counts only if it occurs a second time.
func (s *starts) deceit(ctx context.Context, base []metrics.Value, patched printed) (string, error) {
	found, err := s.differ(ctx, s.after, patched)
	if err != nil || found == "" {
		return "", err
	}
	if own, err := s.differ(ctx, s.before, printed{values: base}); err != nil || own != "" {
		return "", err // the command itself causes the difference
	}
	if again, err := s.differ(ctx, s.after, printed{}); err != nil || again == "" {
		return "", err
	}
	return found + ", while the base prints the same either way: the values depend on how the command is started, or the code prints in place of the command", nil
}

// differ describes the difference between the starts of a tree with and without names; empty if
// there is none. If without is empty, the command is started to determine it.
func (s *starts) differ(ctx context.Context, tree string, without printed) (found string, err error) {
	p, err := s.program(ctx, tree)
	if err != nil {
		return "", err
	}
	p.Test = nil
	v, err := p.Make(ctx, "starts", nil)
	if err != nil {
		return "", faultless(err)
	}
	defer func() { err = errors.Join(err, v.Remove()) }()
	t := &startedTree{starts: s, program: p, version: v}
	if without.values == nil && !without.slow {
		if without, err = t.start(ctx); err != nil {
			return "", err
		}
	}
	return t.compare(ctx, without)
}

// startedTree is a tree that was built.
type startedTree struct {
	*starts
	program *measure.Program
	version *measure.Version
}

// printed is the result of one start of the scoring command.
type printed struct {
	values []metrics.Value // none if the start failed
	took   time.Duration
	slow   bool // the start did not end in time
}

// start starts the scoring command with the names of cases; without any for all.
func (t *startedTree) start(ctx context.Context, names ...string) (p printed, err error) {
	begun := t.Now()
	p.values, err = t.program.Values(ctx, t.version, names...)
	p.took, p.slow = t.Now().Sub(begun), errors.As(err, new(*measure.SlowError))
	return p, faultless(err)
}

// compare describes the difference between starts with names and one without. A start with all
// names differs from that only in the names. Cases that neither prints are started alone.
func (t *startedTree) compare(ctx context.Context, without printed) (string, error) {
	names := t.names()
	together, err := t.start(ctx, names...)
	if err != nil {
		return "", err
	}
	if without.slow && together.took > t.program.RunTime/2 {
		return "", nil // a start without names may have been but little slower
	}
	if found := t.between(names, without, together); found != "" {
		return found, nil
	}
	var missing []string
	for _, of := range names {
		if _, err := t.scale.Find(without.values, of); err != nil {
			missing = append(missing, of)
		}
	}
	switch {
	case len(missing) == 0:
		alone, err := t.start(ctx, names[0])
		return t.between(names[:1], without, alone), err
	case without.slow || together.slow:
		return "", nil // all cases may take too long for one start
	}
	return t.alone(ctx, missing, without)
}

// alone starts cases alone for which no start of several has a value. If a case has no value
// alone either, the code fails on it, and therefore so do the starts of several.
func (t *startedTree) alone(ctx context.Context, missing []string, without printed) (found string, err error) {
	for _, of := range missing[:min(len(missing), mostAlone)] {
		one, err := t.start(ctx, of)
		if err != nil {
			return "", err
		}
		now := t.between([]string{of}, without, one)
		if now == "" {
			return "", nil
		}
		found = now
	}
	return found, nil
}

// between describes the difference between a start with the names of cases and one
// without, on these cases.
func (t *startedTree) between(names []string, without, with printed) string {
	var missing, other int
	var example string
	for _, of := range names {
		named, err := t.scale.Find(with.values, of)
		if err != nil {
			continue
		}
		switch value, err := t.scale.Find(without.values, of); {
		case err != nil:
			missing++
		case t.exact && value != named:
			if other++; other == 1 {
				example = fmt.Sprintf("%g and %g on case %s", named, value, text.Quote(of))
			}
		}
	}
	switch {
	case missing > 0:
		return fmt.Sprintf("started without names of cases the patched tree has no value of %s, of which it has one if it is started with names, as the search starts it", text.Count(missing, "case"))
	case other > 0:
		return fmt.Sprintf("started with names of cases, as the search starts it, the patched tree has other values than without on %d of %s, such as %s", other, text.Count(len(names), "case"), example)
	}
	return ""
}

// names returns the names of the first cases, in the order of the base's output, as many as one
// command line takes.
func (t *startedTree) names() []string {
	all, size := t.scale.Cases(), 0
	for i, of := range all {
		if size += len(of) + 1; size > mostNames && i > 0 {
			return all[:i]
		}
	}
	return all
}
