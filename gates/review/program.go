package review

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"evolve/bench/metrics"
	"evolve/gates"
	"evolve/gates/measure"
	"evolve/gates/versions"
	"evolve/patch"
	"evolve/runtime/text"
)

// Names of the gates for patches in languages other than Go, if the target has commands to
// build, test or score it.
const (
	gateProgram = "program"
	gateTrap    = "program: canary"
)

// unread names the properties that no gate checks in languages other than Go.
const unread = "not checked, because type information is available only for Go code: use of files, network or environment through unrecognized names; code that recognizes tests; known kinds of weakness; whether a test reaches each changed line"

// trap is a text that is invalid in every programming language.
const trap = ")))( evolve canary (((\n"

// programGates returns the gates for a patch that changes files other than Go files. They
// use the target's commands.
func (w *gateRun) programGates() []gates.Gate {
	list := []gates.Gate{
		{Name: gateProgram, Check: w.walled(w.compareProgram)},
		{Name: gateTrap, Needs: []string{gateProgram}, Check: w.walled(w.trapProgram)},
	}
	if len(w.target.Scoring.Test) > 0 {
		list = append(list, gates.Gate{Name: gateBehaviour, Needs: []string{gateProgram}, Check: w.walled(w.behaviourProgram)})
	}
	return list
}

// restoredGates returns the gate for a rollback: the restored tree must build and pass
// its tests. If the tree before the rollback fails too, the verdict on a failure is only
// "flagged".
func (w *gateRun) restoredGates(from, to string) []gates.Gate {
	return []gates.Gate{{Name: gateProgram, Check: w.walled(func(ctx context.Context) (gates.Verdict, string) {
		err := w.tested(ctx, to)
		var code *measure.CodeError
		switch {
		case err == nil:
			return gates.Passed, "the restored tree passes build and test"
		case !errors.As(err, &code):
			return gates.NotRun, "the restored tree: " + err.Error()
		case w.tested(ctx, from) == nil:
			return gates.Failed, "the restored tree: " + code.Text
		}
		return gates.Flagged, "neither the restored tree nor the tree before the rollback passes: " + code.Text
	})}}
}

// commanded reports whether the target's commands judge the change: the target names
// commands, and the change includes files other than Go files.
func (w *gateRun) commanded() bool { return w.uncommanded() == "" }

// uncommanded returns the reason why the target's commands do not judge the change; "" if
// they do.
func (w *gateRun) uncommanded() string {
	s := w.target.Scoring
	switch {
	case s == nil || len(s.Build)+len(s.Test)+len(s.Score) == 0:
		return "the target names no build, test or score command"
	case slices.ContainsFunc(w.files, w.judgedByCommands):
		return ""
	case slices.ContainsFunc(w.files, func(f patch.File) bool { return !w.holdsConfig(f.Path) }):
		return "the patch changes only Go files and the agent's config"
	}
	return "the patch changes no code, only the agent's config"
}

// scoredAgain reports whether the target's commands score the code again. They do so if a
// night confirmed this version of the code, even if the code is Go. Everything else about
// Go code is judged by the Go gates.
func (w *gateRun) scoredAgain() bool {
	return w.confirmed != nil && w.target.Scoring != nil && len(w.target.Scoring.Score) > 0
}

// judgedByCommands reports whether the target's commands judge a file. They judge neither
// Go files nor the files of an agent's config, which only the evaluation of the agent
// judges.
func (w *gateRun) judgedByCommands(f patch.File) bool {
	return filepath.Ext(f.Path) != ".go" && !w.holdsConfig(f.Path)
}

// holdsConfig reports whether the target is an agent's own code and the file is part of
// that agent's config.
func (w *gateRun) holdsConfig(name string) bool {
	if !w.target.OwnCode() || w.Workspace == nil {
		return false
	}
	a, ok := w.Workspace.Agent(w.target.Agent)
	return ok && slices.ContainsFunc(a.ConfigFiles, func(own string) bool { return path.Base(own) == path.Base(name) })
}

// walled returns check with a remark added to its evidence if there was no sandbox.
func (w *gateRun) walled(check func(context.Context) (gates.Verdict, string)) func(context.Context) (gates.Verdict, string) {
	return func(ctx context.Context) (gates.Verdict, string) {
		verdict, evidence := check(ctx)
		if w.Sandbox().Err() != nil && w.Unsandboxed {
			evidence += "; run WITHOUT a sandbox, with all the user's rights (sandbox: none)"
		}
		return verdict, evidence
	}
}

// tested builds and tests a tree.
func (w *gateRun) tested(ctx context.Context, tree string) error {
	p, err := w.program(ctx, tree)
	if err != nil {
		return err
	}
	v, err := p.Make(ctx, "gate", nil)
	if err != nil {
		return err
	}
	return v.Remove()
}

// program returns the program that builds, tests and scores an exported tree with the
// target's commands.
func (w *gateRun) program(ctx context.Context, tree string) (*measure.Program, error) {
	tools, err := w.commandTools(ctx)
	if err != nil {
		return nil, err
	}
	s := w.target.Scoring
	p := &measure.Program{
		Runner: w.Runner(w.target, tools, filepath.Join(w.scratch, "program")), Tree: tree,
		Build: s.Build, Test: s.Test, Score: s.Score,
	}
	if w.usual != nil {
		w.usual.Bound(p)
	}
	return p, nil
}

// once measures a tree in which some files are replaced: it builds and tests the tree,
// and scores it on all cases if the target has a scoring command.
func (w *gateRun) once(ctx context.Context, tree string, changed map[string][]byte) ([]metrics.Value, error) {
	p, err := w.program(ctx, tree)
	if err != nil {
		return nil, err
	}
	v, err := p.Make(ctx, "gate", changed)
	if err != nil {
		return nil, err
	}
	if len(p.Score) == 0 {
		return nil, v.Remove()
	}
	values, err := p.Values(ctx, v)
	if err != nil {
		err = &unscoredError{err}
	}
	return values, errors.Join(err, v.Remove())
}

// unscoredError is an error from scoring a tree that builds and passes its tests.
type unscoredError struct{ error }

func (e *unscoredError) Unwrap() error { return e.error }

// compareProgram builds, tests and scores both the base and the patched tree, twice each.
func (w *gateRun) compareProgram(ctx context.Context) (gates.Verdict, string) {
	var runs [4][]metrics.Value
	for i := range runs {
		tree, side := w.before, unpatched
		if i%2 == 1 {
			tree, side = w.after, "the patched tree: "
		}
		var err error
		start := w.Now()
		runs[i], err = w.once(ctx, tree, nil)
		if i == 0 { // limits later runs: a program that never ends would take a quarter of an hour each time
			took := w.Now().Sub(start)
			w.usual = &versions.Scored{Make: took, Run: took}
		}
		var code *measure.CodeError
		switch {
		case errors.As(err, &code) && tree == w.after:
			return w.unscored(ctx, runs[0], err, side+code.Text)
		case err != nil:
			return gates.NotRun, side + err.Error()
		}
	}
	evidence := "the base and the patched tree, run alternately, twice each, pass " + w.target.Scoring.String()
	var doubts []string
	if len(w.target.Scoring.Score) > 0 {
		verdict, figures, doubt := w.compareValues(ctx, runs)
		if figures == "" {
			return verdict, doubt
		}
		if evidence += ": " + figures; verdict == gates.Failed {
			return verdict, doubt + "; " + evidence
		}
		if doubt != "" {
			doubts = append(doubts, doubt)
		}
	}
	w.chance = !slices.Equal(runs[0], runs[2])
	if w.chance || !slices.Equal(runs[1], runs[3]) {
		doubts = append(doubts, "two runs of the same tree print different values")
	}
	if w.chance {
		doubts = append(doubts, "two runs of the base do so as well, so values of single runs cannot be compared")
	}
	if len(w.target.Scoring.Test) == 0 && w.commanded() {
		doubts = append(doubts, "the target names no test command")
	}
	own := &Benchmark{Command: slices.Concat(w.target.Scoring.Test, w.target.Scoring.Score)}
	if file := own.Names(w.start(w.target), w.judged.Changed); file != "" {
		doubts = append(doubts, "the patch changes "+text.Visible(file)+", which judges the patch")
	}
	if w.commanded() {
		evidence += "; " + unread
	}
	if len(doubts) > 0 {
		return gates.Flagged, strings.Join(doubts, "; ") + "; " + evidence
	}
	return gates.Passed, evidence
}

// scaled compares values with those of the base, case by case, and describes the result.
// worse reports whether their mean is worse than the base's.
func scaled(scale *metrics.Scale, values []metrics.Value) (evidence string, worse bool, err error) {
	name, unit, better := scale.Metric()
	cases := scale.Cases()
	before, after, gains, losses := 0.0, 0.0, 0, 0
	for _, c := range cases {
		old, now := scale.Base(c), 0.0
		if now, err = scale.Find(values, c); err != nil {
			return "", false, err
		}
		before, after = before+old/float64(len(cases)), after+now/float64(len(cases))
		switch {
		case now != old && (now < old) == (better == metrics.Lower):
			gains++
		case now != old:
			losses++
		}
	}
	if unit != "" {
		unit = " " + unit
	}
	worse = before != after && (after < before) != (better == metrics.Lower)
	return text.Visible(fmt.Sprintf("%s %.4g → %.4g%s, the mean of %s; better in %d, worse in %d", name, before, after, unit, text.Count(len(cases), "case"), gains, losses)), worse, nil
}

// String names the commands.
func (s *Scoring) String() string {
	var out []string
	for _, c := range []struct {
		what string
		argv []string
	}{{"build", s.Build}, {"test", s.Test}, {"score", s.Score}} {
		if len(c.argv) > 0 {
			out = append(out, c.what+" "+strings.Join(quoted(c.argv), " "))
		}
	}
	return strings.Join(out, ", ")
}

// trapProgram replaces the text that the patch changed with an invalid text, in one file at
// a time. The build, the tests or the scoring must then fail.
func (w *gateRun) trapProgram(ctx context.Context) (gates.Verdict, string) {
	var noticed, unnoticed []string
	for _, f := range w.files {
		if !w.judgedByCommands(f) || f.New == nil {
			continue
		}
		broken, where := trapped(f)
		_, err := w.once(ctx, w.after, map[string][]byte{f.Path: broken})
		var code *measure.CodeError
		switch {
		case errors.As(err, &code):
			noticed = append(noticed, where+" ("+text.ClipMiddle(text.OneLine(code.Text), 240)+")")
		case err != nil:
			return gates.NotRun, "the gate could not be run: " + err.Error()
		default:
			unnoticed = append(unnoticed, where)
		}
	}
	switch {
	case len(unnoticed) > 0:
		return gates.Flagged, "neither build nor test nor score notices invalid text in " + strings.Join(unnoticed, ", ")
	case len(noticed) == 0:
		return gates.Flagged, "the patch contains no file into which this gate could insert invalid text"
	}
	return gates.Passed, "invalid text is noticed in " + strings.Join(noticed, ", ") + "; this shows that the file is read, not that its changed lines are run"
}

// trapped returns the content of a file in which the first marked block that the patch
// changed is replaced with an invalid text, or the whole content if there is no such block.
// where names the block or the file that was replaced.
func trapped(f patch.File) (broken []byte, where string) {
	p := changedPlaces(f)[0]
	files, err := p.with(trap)
	if err != nil {
		p = place{file: f}
		files = map[string][]byte{f.Path: []byte(trap)}
	}
	return files[f.Path], p.String()
}
