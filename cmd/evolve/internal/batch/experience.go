package batch

import (
	"context"
	"fmt"
	"strings"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/experience"
	"evolve/runtime/session"
)

// recall returns the experience of an agent with the lessons that a new run draws from its
// live turns. takenUp is the id of the interrupted run that this run may resume; a resumed
// run continues with the lessons from its start, whatever turns have ended since.
func (r *runner) recall(ctx context.Context, a *workspace.Agent, takenUp string) (experience.Experience, error) {
	o := r.o
	e, err := o.Archive.Experience(ctx, a.ID)
	if err != nil {
		return e, fmt.Errorf("reading the results of the live turns of %s: %w", a.ID, err)
	}
	if takenUp != "" || o.Turns == nil {
		return e, nil
	}
	now := o.Now()
	turns, err := o.Turns(ctx, o.Archive, a, func(t archive.TurnRecord) bool { return e.Lessons.Regards(t.ID, t.Created, now) })
	if err != nil {
		return e, fmt.Errorf("reviewing the turns of %s: %w", a.ID, err)
	}
	e.Review(turns, now)
	e.Lessons = e.Lessons.Without(r.held.Quoted)
	return e, nil
}

// experienceOf returns an identifier of the part of an agent's experience that its
// evaluations read; it returns "" if they read none. An operator's own agent reads none. A
// resumed run continues with the experience that was frozen at its start.
func (r *runner) experienceOf(ctx context.Context, a *workspace.Agent, e experience.Experience, takenUp string) (string, error) {
	if a.Adapter.Kind != workspace.KindBuiltin {
		return "", nil
	}
	if takenUp != "" {
		var err error
		if e, err = r.o.Archive.FrozenExperience(ctx, a.ID); err != nil {
			return "", fmt.Errorf("reading the results of the live turns of %s: %w", a.ID, err)
		}
	}
	return e.ForEvaluations().Withhold(r.held.Quoted).Digest(), nil
}

// freezeExperience stores the lessons of a new run, and the part of the agents'
// experience from live turns that the run's evaluations read.
func (r *runner) freezeExperience(ctx context.Context) error {
	for i, a := range r.agents {
		if a.Adapter.Kind == workspace.KindCode {
			continue // it has no turns
		}
		if r.run.Resumed == 0 {
			if err := r.freeze(ctx, a, r.lessons[i]); err != nil {
				return fmt.Errorf("storing the results of the live turns of %s: %w", a.ID, err)
			}
		}
		if err := workspace.WriteFeedback(r.o.Workspace.Root, a.ID, r.lessons[i].Text()); err != nil {
			r.o.Log.Warn("the feedback on "+a.ID+" is in the archive, but could not be written to the agent's feedback file", "error", err)
		}
	}
	return nil
}

func (r *runner) freeze(ctx context.Context, a *workspace.Agent, l experience.Lessons) error {
	if l != (experience.Lessons{}) {
		err := r.o.Archive.UpdateExperience(ctx, a.ID, nil, func(e *experience.Experience) error {
			e.Lessons = l
			return nil
		})
		if err != nil {
			return err
		}
	}
	if a.Adapter.Kind != workspace.KindBuiltin {
		return nil
	}
	return r.o.Archive.FreezeExperience(ctx, a.ID)
}

// feedbackFor returns the feedback on an agent for models that write drafts: people's own
// feedback, followed by the lessons.
func feedbackFor(a *workspace.Agent, l experience.Lessons) string {
	return strings.TrimSpace(strings.TrimRight(a.Bootstrap[session.FeedbackFile], "\n") + "\n\n" + l.Text())
}
