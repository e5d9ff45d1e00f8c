package grade

import (
	"context"
	"errors"
	"strings"
	"sync"

	"evolve/bench"
	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// asker puts questions to judge models. It puts equal questions only once. It is safe for
// concurrent use.
type asker struct {
	model model.Model
	asked sync.Map // [32]byte → *asked
}

// asked is the state of one question.
type asked struct {
	mu      sync.Mutex
	done    bool
	verdict Verdict
	err     error
}

// scorer returns the scorer of a judge; a may be nil if the scorer is not called.
func (a *asker) scorer(j *Judge) scorer {
	return func(ctx context.Context, in *bench.GradeInput) (judgement, error) {
		answer := in.Result.Answer
		if answer == nil {
			return judgement{reason: "there is no answer", void: true}, nil
		}
		v, err := a.ask(ctx, j.after(in.Exchanges), strings.ToValidUTF8(*answer, "\uFFFD"))
		return judgement{score: v.Score, sd: v.SD, samples: v.Samples, reason: v.Reason, usage: v.Usage}, err
	}
}

// Recall loads the verdicts of a recorded evaluation of a task, so that its judges are not
// asked about an equal answer again. It skips an answer that was not stored in full, and
// conversations, because their earlier answers are not in the evaluation. Call it after
// [Graders.Judged], before the first grade.
func (g *Graders) Recall(t *bench.Task, e *bench.Evaluation) {
	if g.asker == nil || len(t.Turns) > 0 || !e.Scored || !e.Whole() || len(e.Grades) != len(t.Graders) {
		return
	}
	for i, j := range Judges(t) {
		grade := e.Grades[i]
		if j == nil || grade.Samples != j.Samples { // without an answer there was no draw
			continue
		}
		v := Verdict{Score: grade.Score, SD: grade.SD, Samples: grade.Samples, Reason: grade.Reason}
		if t.Graders[i].Not {
			v.Score, v.Reason = 1-v.Score, strings.TrimPrefix(v.Reason, notWanted)
		}
		g.asker.asked.LoadOrStore(j.key(e.Answer), &asked{done: true, verdict: v})
	}
}

// ask returns the judge's verdict on an answer. If an equal question was put before, it
// returns the earlier verdict, without its usage. It also remembers that the judge gave
// no valid verdict, but not that the provider failed.
func (a *asker) ask(ctx context.Context, j *Judge, answer string) (Verdict, error) {
	found, _ := a.asked.LoadOrStore(j.key(answer), &asked{})
	q := found.(*asked)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.done {
		return q.verdict, q.err
	}
	v, err := j.Ask(ctx, a.model, answer)
	if err == nil || errors.Is(err, ErrNoVerdict) {
		q.done, q.verdict, q.err = true, v, err
		q.verdict.Usage = agent.Usage{}
	}
	return v, err
}
