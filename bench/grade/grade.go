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

// means are what graders need besides the result: those that may be nil for tasks whose
// graders do not use them.
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

// Judged sets the model that graders of type judge ask, and returns the graders. Each equal
// question is asked once. Nil leaves tasks with such graders without a grade.
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
}

type part struct {
	spec      bench.GraderSpec
	threshold float64
	score     scorer
	expects   []agent.Outcome // of type outcome
}

// scorer grades one result. An error means that it failed.
type scorer func(ctx context.Context, in *bench.GradeInput) (judgement, error)

// judgement is the result of a scorer before not and threshold are applied.
type judgement struct {
	score  float64
	reason string
	// void reports that there was nothing to grade: the score is 0 and not inverted.
	void bool
	// sd and samples describe the draws of a judge model, and usage what they took.
	sd      float64
	samples int
	usage   agent.Usage
}

func compile(t *bench.Task, with means) (*Grader, error) {
	specs := t.Graders
	if len(specs) == 0 {
		if t.Answer == nil {
			return nil, fmt.Errorf("task %q has neither graders nor an answer to grade by", t.ID)
		}
		specs = []bench.GraderSpec{{Type: "exact"}}
	}
	g := &Grader{parts: make([]part, len(specs))}
	for i, spec := range specs {
		p, problems := build(t, spec, with)
		switch {
		case len(problems) > 0:
		case spec.Type == "command" && with.runner == nil:
			problems = []bench.GraderProblem{{Text: "needs a sandbox, and there is none"}}
		case spec.Type == TypeJudge && with.asker == nil:
			problems = []bench.GraderProblem{{Text: "needs a judge model, and there is none"}}
		}
		if len(problems) > 0 {
			return nil, fmt.Errorf("task %q: grader %q: %s", t.ID, spec.Type, problems[0].Text)
		}
		g.parts[i] = p
	}
	return g, nil
}

// Grade grades one result. An error means that a grader failed; the grading beside it has
// the usage of judges.
func (g *Grader) Grade(ctx context.Context, in bench.GradeInput) (bench.Grading, error) {
	res := &in.Result
	if res.Outcome.Missing() {
		return bench.Grading{}, fmt.Errorf("the outcome %q is no evidence to grade", res.Outcome)
	}
	void := ""
	if !res.Outcome.Gradable() && !g.expects(res.Outcome) {
		void = fmt.Sprintf("outcome %q", res.Outcome)
		if res.Error != "" {
			void += ": " + res.Error
		}
	}
	grading := bench.Grading{Pass: true, Grades: make([]bench.Grade, len(g.parts))}
	var sum, weights float64
	for i, p := range g.parts {
		v := judgement{reason: void, void: true}
		if void == "" {
			var err error
			v, err = p.score(ctx, &in)
			grading.Judge = grading.Judge.Plus(v.usage)
			if err != nil {
				return bench.Grading{Judge: grading.Judge}, fmt.Errorf("grader %q: %w", p.spec.Type, err)
			}
		}
		grade := p.final(v)
		grading.Grades[i] = grade
		grading.Pass = grading.Pass && grade.Pass
		sum += grade.Weight * grade.Score
		weights += grade.Weight
	}
	grading.Score = unit(sum / weights)
	return grading, nil
}

// expects reports whether a grader of type outcome accepts this outcome.
func (g *Grader) expects(o agent.Outcome) bool {
	return slices.ContainsFunc(g.parts, func(p part) bool {
		return !p.spec.Not && slices.Contains(p.expects, o)
	})
}

// notWanted begins the reasons of inverted graders.
const notWanted = "not wanted: "

// final applies not and threshold.
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

// maxReason bounds a reason, in bytes, since it quotes answers.
const maxReason = 300

func clip(reason string) string {
	return text.Clip(strings.ToValidUTF8(reason, "\uFFFD"), maxReason, text.Mark)
}

// show quotes a part of an answer for a reason.
func show(s string) string {
	return strconv.Quote(text.Clip(s, 80, text.Mark))
}

var errNoAnswer = errors.New("needs an answer, of its own or of the task")
