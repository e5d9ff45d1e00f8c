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
	// mostNames is the maximum total length, in bytes, of the case names that are passed
	// to one start of the command. The length of a command line is limited.
	mostNames = 64 << 10
	// mostAlone is the maximum number of cases that are scored one per start because the
	// starts with several cases have no values for them.
	mostAlone = 30
)

// starts compares the values that the scoring command prints for a tree when it is started
// with the names of cases, as the search starts it, and when it is started without. The
// cases, their order and their values are the same in both, so a difference shows that the
// code examines how the command was started, or prints values itself instead of the
// command.
type starts struct {
	*gateRun
	scale *metrics.Scale
	// exact reports whether every start on the same tree prints the same values. If not,
	// only a missing value counts as a difference.
	exact bool
}

// deceit describes how the output of the patched tree differs between starts with and
// without names. It returns "" if there is no difference, if the base shows a difference
// too, or if the difference does not occur a second time. base and patched are the values
// printed without names.
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
	return found + ", while the base prints the same values either way: the values depend on how the command is started, or they are printed by the patched code instead of the command", nil
}

// differ starts a tree's command with the names of cases, and describes how its output
// differs from the output without names. If they do not differ, it returns "". without is
// the output without names; if it is empty, differ starts the command to determine it.
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

// startedTree is a built tree on which the scoring command can be started.
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

// start starts the scoring command with the names of cases, or without names for all cases.
func (t *startedTree) start(ctx context.Context, names ...string) (p printed, err error) {
	begun := t.Now()
	p.values, err = t.program.Values(ctx, t.version, names...)
	p.took, p.slow = t.Now().Sub(begun), errors.As(err, new(*measure.SlowError))
	return p, faultless(err)
}

// compare describes how the command's output with the names of cases differs from its
// output without names, or returns "". It first starts the command with all names, so
// that the two starts differ in nothing but the names. Cases that are missing from the
// output of both starts are started one at a time.
func (t *startedTree) compare(ctx context.Context, without printed) (string, error) {
	names := t.names()
	together, err := t.start(ctx, names...)
	if err != nil {
		return "", err
	}
	if without.slow && together.took > t.program.RunTime/2 {
		return "", nil // the command may have been only slightly slower without names, so its slowness proves no difference
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
		return "", nil // scoring all cases in one start may take too long
	}
	return t.alone(ctx, missing, without)
}

// alone starts the code with one case at a time, for those cases that got no value when
// it was started with several cases. If a case has no value on its own either, the code
// fails on that case. That explains the failure of the starts with several cases, so
// alone then returns "".
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

// between describes the differences that a start with the names of cases has, on these
// cases, from a start without names.
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
				example = fmt.Sprintf("%g instead of %g on case %s", named, value, text.Quote(of))
			}
		}
	}
	switch {
	case missing > 0:
		return fmt.Sprintf("when started without the names of cases, the patched tree gives no value for %s; when started with names, as in the search, it gives one", text.Count(missing, "case"))
	case other > 0:
		return fmt.Sprintf("on %d of %s (for example, %s), the patched tree gives different values when started with the names of cases, as in the search, than when started without names", other, text.Count(len(names), "case"), example)
	}
	return ""
}

// names returns the names of the first cases in the order of the base's output, as many as
// fit on one command line.
func (t *startedTree) names() []string {
	all, size := t.scale.Cases(), 0
	for i, of := range all {
		if size += len(of) + 1; size > mostNames && i > 0 {
			return all[:i]
		}
	}
	return all
}
