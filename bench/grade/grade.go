package grade

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"evolve/bench"
	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/text"
)

// Graders grades results of any task. It is safe for concurrent use and caches compiled
// graders by task.
type Graders struct {
	runner   Runner
	suiteDir func(*bench.Task) string
	asker    *asker
	compiled sync.Map // *bench.Task → compilation
}

// means holds the resources that graders use besides the result. A field may be zero for
// tasks whose graders do not use it.
type means struct {
	runner   Runner
	suiteDir string
	asker    *asker
}

type compilation struct {
	grader *Grader
	err    error
}

// New returns graders. runner runs the programs of command graders in a sandbox and
// suiteDir returns the folder of a task's suite, which contains the programs; both may be
// nil when no task has such a grader.
func New(runner Runner, suiteDir func(*bench.Task) string) *Graders {
	return &Graders{runner: runner, suiteDir: suiteDir}
}

// Judged sets the model that graders of type judge use, and returns the graders. A
// question is sent to the model only once, even if several tasks ask it. If m is nil,
// tasks with such graders get no grade.
func (g *Graders) Judged(m model.Model) *Graders {
	g.asker = nil
	if m != nil {
		g.asker = &asker{model: m}
	}
	return g
}

// Grade is a [bench.GradeFunc].
func (g *Graders) Grade(ctx context.Context, in bench.GradeInput) (bench.Grading, error) {
	c, ok := g.compiled.Load(in.Task)
	if !ok {
		var dir string
		if g.suiteDir != nil {
			dir = g.suiteDir(in.Task)
		}
		grader, err := compile(in.Task, means{g.runner, dir, g.asker})
		c, _ = g.compiled.LoadOrStore(in.Task, compilation{grader, err})
	}
	if err := c.(compilation).err; err != nil {
		return bench.Grading{}, err
	}
	return c.(compilation).grader.Grade(ctx, in)
}

// Grader holds the compiled graders of one task. It is safe for concurrent use.
type Grader struct {
	parts []part
	// turns are the graders of each turn of a scripted conversation.
	turns [][]part
}

type part struct {
	spec      bench.GraderSpec
	threshold float64
	score     scorer
	expects   []agent.Outcome // of type outcome
}

// scorer grades one result. An error means that the scorer failed.
type scorer func(ctx context.Context, in *bench.GradeInput) (judgement, error)

// judgement is the result of a scorer before not and threshold are applied.
type judgement struct {
	score  float64
	reason string
	// void reports whether there was nothing to grade: the score is 0 and not inverted.
	void bool
	// sd is the standard deviation of a judge model's draws, samples is their number, and
	// usage is their usage.
	sd      float64
	samples int
	usage   agent.Usage
}

func compile(t *bench.Task, with means) (*Grader, error) {
	g := &Grader{turns: make([][]part, len(t.Turns))}
	var err error
	if g.parts, err = compileParts(t, with); err != nil {
		return nil, err
	}
	of := len(g.parts)
	for i := range t.Turns {
		if g.turns[i], err = compileParts(t.AtTurn(i), with); err != nil {
			return nil, fmt.Errorf("turn %d: %w", i+1, err)
		}
		of += len(g.turns[i])
	}
	if of == 0 {
		return nil, fmt.Errorf("task %q has neither graders nor an answer to grade against", t.ID)
	}
	return g, nil
}

// compileParts compiles the graders of a task or of one turn. If it has none,
// compileParts compiles the grader "exact" with the answer of the task or turn.
func compileParts(t *bench.Task, with means) ([]part, error) {
	specs := t.Graders
	if len(specs) == 0 && t.Answer != nil {
		specs = []bench.GraderSpec{{Type: "exact"}}
	}
	parts := make([]part, len(specs))
	for i, spec := range specs {
		p, problems := build(t, spec, with)
		switch {
		case len(problems) > 0:
		case spec.Type == "command" && with.runner == nil:
			problems = []bench.GraderProblem{{Text: "needs a sandbox, but there is none"}}
		case spec.Type == TypeJudge && with.asker == nil:
			problems = []bench.GraderProblem{{Text: "needs a judge model, but there is none"}}
		}
		if len(problems) > 0 {
			return nil, fmt.Errorf("task %q: grader %q: %s", t.ID, spec.Type, problems[0].Text)
		}
		parts[i] = p
	}
	return parts, nil
}

// Grade grades one result. An error means that a grader failed; the grading returned with
// the error still holds the usage of judges.
func (g *Grader) Grade(ctx context.Context, in bench.GradeInput) (bench.Grading, error) {
	res := &in.Result
	if res.Outcome.Missing() {
		return bench.Grading{}, fmt.Errorf("a result with the outcome %q cannot be graded", res.Outcome)
	}
	void := ""
	if !res.Outcome.Gradable() && !g.expects(res.Outcome) {
		void = fmt.Sprintf("outcome %q", res.Outcome)
		if res.Error != "" {
			void += ": " + res.Error
		}
	}
	all := tally{Grading: bench.Grading{Pass: true}, void: void}
	if err := all.add(ctx, g.parts, &in, ""); err != nil {
		return bench.Grading{Judge: all.Judge}, err
	}
	for i, parts := range g.turns {
		at, where := in, fmt.Sprintf("turn %d: ", i+1)
		if i < len(in.Exchanges) {
			at.Exchanges = in.Exchanges[:i+1]
			at.Result, at.Latency = in.Exchanges[i].Result, in.Exchanges[i].Latency
		} else if void == "" {
			all.void = "the conversation ended before this turn"
		}
		if err := all.add(ctx, parts, &at, where); err != nil {
			return bench.Grading{Judge: all.Judge}, err
		}
	}
	all.Score = unit(all.sum / all.weights)
	return all.Grading, nil
}

// tally sums up the grades of one result.
type tally struct {
	bench.Grading
	// void is the reason why there is nothing to grade; it is empty if there is something
	// to grade.
	void         string
	sum, weights float64
}

// add grades the result with the given graders. The reasons of these graders begin with
// the text in where.
func (y *tally) add(ctx context.Context, parts []part, in *bench.GradeInput, where string) error {
	for _, p := range parts {
		v := judgement{reason: y.void, void: true}
		if y.void == "" {
			var err error
			v, err = p.score(ctx, in)
			y.Judge = y.Judge.Plus(v.usage)
			if err != nil {
				return fmt.Errorf("%sgrader %q: %w", where, p.spec.Type, err)
			}
		}
		grade := p.final(v)
		if where != "" {
			grade.Reason = clip(where + grade.Reason)
		}
		y.Grades = append(y.Grades, grade)
		y.Pass = y.Pass && grade.Pass
		y.sum += grade.Weight * grade.Score
		y.weights += grade.Weight
	}
	return nil
}

// expects reports whether a grader of type outcome accepts this outcome.
func (g *Grader) expects(o agent.Outcome) bool {
	return slices.ContainsFunc(g.parts, func(p part) bool {
		return !p.spec.Not && slices.Contains(p.expects, o)
	})
}

// notWanted is the beginning of the reasons that inverted graders give.
const notWanted = "not wanted: "

// final applies the settings not and threshold to a judgement, and returns the grade.
func (p part) final(v judgement) bench.Grade {
	g := bench.Grade{Type: p.spec.Type, Score: unit(v.score), Weight: 1, Reason: clip(v.reason), SD: v.sd, Samples: v.samples}
	if p.spec.Weight > 0 {
		g.Weight = p.spec.Weight
	}
	switch {
	case v.void:
		g.Score, g.Pass = 0, false
	case p.spec.Not:
		g.Pass = !(g.Score >= p.threshold)
		g.Score = 1 - g.Score
		g.Reason = clip(notWanted + v.reason)
	default:
		g.Pass = g.Score >= p.threshold
	}
	return g
}

// unit limits a score to [0,1]; NaN becomes 0.
func unit(s float64) float64 {
	if !(s > 0) {
		return 0
	}
	return min(s, 1)
}

// maxReason limits the length of a reason, in bytes, because reasons quote answers.
const maxReason = 300

func clip(reason string) string {
	return text.Clip(strings.ToValidUTF8(reason, "\uFFFD"), maxReason, text.Mark)
}

// show quotes part of an answer for use in a reason, shortened and with a symbol for each
// line break.
func show(s string) string {
	return strconv.Quote(text.Clip(strings.ReplaceAll(s, "\n", "↵"), 80, text.Mark))
}

var errNoAnswer = errors.New("needs an answer, either its own or the task's")
