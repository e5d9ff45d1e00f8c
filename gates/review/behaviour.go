package review

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"evolve/bench/metrics"
	"evolve/gates"
	"evolve/gates/measure"
	"evolve/mutate/blocks"
	"evolve/mutate/tokens"
	"evolve/patch"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// gateBehaviour is the name of the gate that shows whether the test command of a target
// checks the behaviour of the changed code.
const gateBehaviour = "program: behaviour"

// Limits on the search for altered texts with other values: the scoring command must give
// such a text other values than it gives the patched text.
const (
	mostAltered    = 5
	mostAlterTries = 20
)

// behaviourProgram alters the changed blocks at random and retains the altered texts with
// which the scoring command runs and prints other values than before. It then runs the
// test command on each altered text: if the test passes with all of these texts, the test
// does not check the behaviour of the blocks. In Python, behaviourProgram also runs the
// test command after changing the functions so that they raise an exception at once.
func (w *gateRun) behaviourProgram(ctx context.Context) (gates.Verdict, string) {
	b, err := w.behaviour(ctx)
	if err != nil {
		return gates.NotRun, "the gate could not be run: " + err.Error()
	}
	var evidence []string
	verdict := gates.Passed
	for _, f := range w.files {
		if !w.judgedByCommands(f) || f.New == nil {
			continue
		}
		for _, p := range changedPlaces(f) {
			v, e, err := b.judge(ctx, p)
			if err != nil {
				return gates.NotRun, "the gate could not be run: " + err.Error()
			}
			if v != gates.Passed {
				verdict = v
			}
			evidence = append(evidence, e)
		}
	}
	if len(evidence) == 0 {
		return gates.Flagged, "there is no file that could be altered"
	}
	return verdict, strings.Join(evidence, "; ")
}

// place is a text to be altered: a changed block, or a whole file.
type place struct {
	file patch.File
	name string // name of the block; "" for a whole file
	text string
}

// String describes the place.
func (p place) String() string {
	if p.name == "" {
		return text.Visible(p.file.Path)
	}
	return "block " + p.name + " of " + text.Visible(p.file.Path)
}

// with returns the file with the text at the given place replaced.
func (p place) with(altered string) (map[string][]byte, error) {
	if p.name == "" {
		return map[string][]byte{p.file.Path: []byte(altered)}, nil
	}
	return blocks.Set(map[string][]byte{p.file.Path: p.file.New}, agent.Config{p.name: altered})
}

// changedPlaces returns the marked blocks that a patch changed in a file, or the whole file
// if there are none.
func changedPlaces(f patch.File) []place {
	was := map[string]string{}
	old, _ := blocks.Find(map[string][]byte{f.Path: f.Old})
	for _, b := range old {
		was[b.Name] = b.Text
	}
	var out []place
	list, _ := blocks.Find(map[string][]byte{f.Path: f.New})
	for _, b := range list {
		if text, known := was[b.Name]; !known || text != b.Text {
			out = append(out, place{f, b.Name, b.Text})
		}
	}
	if len(out) == 0 {
		out = append(out, place{file: f, text: string(f.New)})
	}
	return out
}

// behaviour runs the tests and the scoring command on altered texts of the code.
type behaviour struct {
	// score builds the code and runs the scoring command; test builds it and runs the
	// tests.
	score, test *measure.Program
	// chance reports whether score prints different values on every run.
	chance bool
	values []metrics.Value // of the patched tree
	rng    *rand.Rand
}

// behaviour builds and scores the patched tree again to determine its values.
func (w *gateRun) behaviour(ctx context.Context) (*behaviour, error) {
	p, err := w.program(ctx, w.after)
	if err != nil {
		return nil, err
	}
	score, test := *p, *p
	score.Test, test.Score = nil, nil
	seed := fnv.New64a() // seeded with the tree, so that the same patch is always altered in the same ways
	_, _ = seed.Write([]byte(w.tree))
	b := &behaviour{score: &score, test: &test, chance: w.chance, rng: rand.New(rand.NewPCG(seed.Sum64(), 1))} //nolint:gosec // no secret is drawn
	v, err := score.Make(ctx, "behaviour", nil)
	if err != nil {
		return nil, err
	}
	if len(p.Score) > 0 {
		b.values, err = score.Values(ctx, v)
	}
	return b, errors.Join(err, v.Remove())
}

// judge alters one place and returns the verdict on whether the test notices, with the
// evidence.
func (b *behaviour) judge(ctx context.Context, p place) (gates.Verdict, string, error) {
	var altered, noticed int
	if !b.chance {
		var err error
		if altered, noticed, err = b.altered(ctx, p); err != nil {
			return "", "", err
		}
	}
	verdict, evidence := gates.Passed, ""
	switch {
	case b.chance:
		verdict, evidence = gates.Flagged, fmt.Sprintf("it is not known whether the test checks what %s does: the score command prints different values on every run, so it cannot show which altered versions behave differently", p)
	case len(b.score.Score) == 0:
		verdict, evidence = gates.Flagged, fmt.Sprintf("it is not known whether the test checks what %s does: the target has no score command to show which altered versions behave differently", p)
	case altered == 0:
		verdict, evidence = gates.Flagged, fmt.Sprintf("it is not known whether the test checks what %s does: of %d altered versions, none could be run and made the score command print different values", p, mostAlterTries)
	case noticed == 0:
		verdict, evidence = gates.Flagged, fmt.Sprintf("the test passes with each of %s of %s, although the score command prints different values for them: the test does not check what the code does", text.Count(altered, "altered version"), p)
	default:
		evidence = fmt.Sprintf("the test fails with %d of %s of %s; each of these versions changes the values that the score command prints", noticed, text.Count(altered, "altered version"), p)
	}
	raising := raisingAtOnce(p.file.Path, p.text)
	if raising == "" {
		return verdict, evidence, nil
	}
	called, err := b.fails(ctx, b.test, p, raising)
	switch {
	case err != nil:
		return "", "", err
	case called:
		return verdict, evidence + "; the test fails if the functions raise an exception immediately", nil
	}
	return gates.Flagged, evidence + "; the test passes even if the functions raise an exception immediately: it does not call them", nil
}

// altered tries altered texts and returns two counts: the texts that run and for which
// the scoring command prints other values than for the patched text (altered), and those
// among them that fail the test (noticed).
func (b *behaviour) altered(ctx context.Context, p place) (altered, noticed int, err error) {
	r, err := tokens.New(p.file.Path, p.text)
	if err != nil || len(b.score.Score) == 0 {
		return 0, 0, nil //nolint:nilerr // a text that is too large is not altered
	}
	seen := map[string]bool{}
	for range mostAlterTries {
		change, ok := r.Mutate(p.text, b.rng)
		if !ok || altered == mostAltered {
			break
		}
		if seen[change.Text] {
			continue
		}
		seen[change.Text] = true
		differs, err := b.differs(ctx, p, change.Text)
		if err != nil {
			return 0, 0, err
		}
		if !differs {
			continue
		}
		failed, err := b.fails(ctx, b.test, p, change.Text)
		if err != nil {
			return 0, 0, err
		}
		if altered++; failed {
			noticed++
		}
	}
	return altered, noticed, nil
}

// differs reports whether an altered text can be built and scored with values that differ
// from those of the patched text.
func (b *behaviour) differs(ctx context.Context, p place, altered string) (bool, error) {
	files, err := p.with(altered)
	if err != nil {
		return false, nil //nolint:nilerr // it is no text of a block
	}
	v, err := b.score.Make(ctx, "behaviour", files)
	if err != nil {
		return false, faultless(err)
	}
	values, err := b.score.Values(ctx, v)
	if err := errors.Join(faultless(err), v.Remove()); err != nil {
		return false, err
	}
	return err == nil && !slices.Equal(values, b.values), nil
}

// fails reports whether an altered text does not build or fails the test.
func (b *behaviour) fails(ctx context.Context, program *measure.Program, p place, altered string) (bool, error) {
	files, err := p.with(altered)
	if err != nil {
		return false, fmt.Errorf("writing an altered version: %w", err)
	}
	v, err := program.Make(ctx, "behaviour", files)
	if err != nil {
		return true, faultless(err)
	}
	return false, v.Remove()
}

// faultless returns nil for an error that is a fault in the code, and other errors
// unchanged.
func faultless(err error) error {
	var code *measure.CodeError
	if errors.As(err, &code) {
		return nil
	}
	return err
}
