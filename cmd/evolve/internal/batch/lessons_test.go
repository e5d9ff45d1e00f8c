package batch

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
	"evolve/runtime/experience"
)

// use is a toy workspace whose agent takes live turns.
type use struct {
	*testing.T
	w     *workspace.Workspace
	store *archive.Archive
	now   time.Time
	turns []experience.Turn
}

func inUse(t *testing.T) *use {
	return &use{T: t, w: toyWorkspace(t, 40), store: archive.OpenMemory(), now: time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC)}
}

// corrected stores two turns of a conversation, the second of which corrects the first.
func (u *use) corrected(session, message string) {
	u.Helper()
	for _, t := range []experience.Turn{{Message: "what?"}, {Message: message, Signal: experience.Corrects}} {
		u.now = u.now.Add(time.Hour)
		t.Session, t.Domain, t.Outcome, t.Time = session, "north", agent.OK, u.now
		if _, err := u.store.PutTurn(u.Context(), archive.TurnRecord{Agent: "toy", Session: session, Goal: t.Message, Outcome: agent.OK, Created: u.now}, &agent.Session{}, &t); err != nil {
			u.Fatal(err)
		}
		u.turns = append(u.turns, t)
	}
}

// options returns the options of a night in which the power fails after the given number of
// evaluations.
func (u *use) options(ctx context.Context, fail context.CancelCauseFunc, after int) Options {
	calls := 0
	o := toyOptions(u.w, u.store, inProcess(func(ctx context.Context, req agent.Request) agent.Result {
		if calls++; calls > after {
			fail(errors.New("power cut"))
			return agent.Result{Outcome: agent.Cancelled}
		}
		return toyAgent(40)(ctx, req)
	}), 100)
	o.Concurrency, o.Drain, o.Now = 1, ctx, func() time.Time { return u.now }
	o.Turns = func(_ context.Context, _ *archive.Archive, _ *workspace.Agent, wanted func(archive.TurnRecord) bool) (out []experience.Turn, err error) {
		for _, t := range u.turns {
			if wanted(archive.TurnRecord{ID: t.ID, Created: t.Time}) {
				out = append(out, t)
			}
		}
		return out, nil
	}
	return o
}

func (u *use) night(after int) Summary {
	u.Helper()
	ctx, fail := context.WithCancelCause(u.Context())
	defer fail(nil)
	s, err := Run(ctx, u.options(ctx, fail, after))
	if err != nil {
		u.Fatal(err)
	}
	return s
}

// lessons returns the stored lessons and checks that the file contains the same lessons.
func (u *use) lessons() string {
	u.Helper()
	e, err := u.store.Experience(u.Context(), "toy")
	if err != nil {
		u.Fatal(err)
	}
	data, err := os.ReadFile(workspace.FeedbackPath(u.w.Root, "toy"))
	if text := e.Lessons.Text(); string(data) != text || text != "" && err != nil {
		u.Errorf("the file has %q, not %q: %v", data, text, err)
	}
	return e.Lessons.Text()
}

// TestANightMakesLessons tests that a night stores lessons from the turns, writes them to a
// file that is restored if it is lost, and passes them to the drafts. A quiet night must
// leave the identity of evaluations unchanged, and a quiet week must end the lessons.
func TestANightMakesLessons(t *testing.T) {
	u := inUse(t)
	if u.night(math.MaxInt); u.lessons() != "" {
		t.Error("lessons without turns")
	}
	u.corrected("talk", "No, that is wrong, use euro")
	first := u.night(math.MaxInt).Plans[0]
	if got := u.lessons(); !strings.Contains(got, `once in north (T1): "No, that is wrong, use euro"`) {
		t.Fatal(got)
	}
	if err := os.Remove(workspace.FeedbackPath(u.w.Root, "toy")); err != nil {
		t.Fatal(err)
	}
	u.w.Agents[0].Bootstrap = map[string]string{"EVAL_FEEDBACK.md": "Be brief.\n"}
	u.now = u.now.Add(time.Hour)
	second := u.night(math.MaxInt).Plans[0]
	if u.lessons(); first.Experience == "" || first.Experience != second.Experience {
		t.Errorf("experiences %q and %q", first.Experience, second.Experience)
	}
	r, err := prepare(t.Context(), u.options(t.Context(), nil, 0))
	if err != nil {
		t.Fatal(err)
	}
	if a := r.specs[0].Agent; !strings.HasPrefix(a.Feedback, "Be brief.\n\nWhat evolve counted") || len(a.Corrections) != 1 || !strings.Contains(a.Corrections[0], "use euro") {
		t.Errorf("drafts read %q and %q", a.Feedback, a.Corrections)
	}
	u.now = u.now.AddDate(0, 0, 8)
	third := u.night(math.MaxInt).Plans[0]
	if got := u.lessons(); got != "" || third.Experience == second.Experience {
		t.Errorf("after a quiet week: %q", got)
	}
}

// TestAResumedRunKeepsTheLessons tests that a resumed run continues with the lessons from
// its start.
func TestAResumedRunKeepsTheLessons(t *testing.T) {
	u := inUse(t)
	u.corrected("one", "No, that is wrong, use euro")
	first := u.night(40)
	before := u.lessons()
	first.Run.State, first.Run.Ended = archive.RunRunning, time.Time{}
	if err := u.store.PutRun(t.Context(), first.Run); err != nil {
		t.Fatal(err)
	}
	u.corrected("two", "No, that is wrong, use pounds")
	if err := os.Remove(workspace.FeedbackPath(u.w.Root, "toy")); err != nil {
		t.Fatal(err)
	}
	second := u.night(math.MaxInt)
	if got := u.lessons(); second.Run.ID != first.Run.ID || second.Run.Resumed != 1 || got != before || strings.Contains(got, "pounds") {
		t.Errorf("run %s went on as %s: %s", first.Run.ID, second.Run.ID, got)
	}
	if frozen, err := u.store.FrozenExperience(t.Context(), "toy"); err != nil || frozen.Lessons.Text() != before {
		t.Errorf("evaluations read %q: %v", frozen.Lessons.Text(), err)
	}
	u.night(math.MaxInt)
	if got := u.lessons(); !strings.Contains(got, "pounds") {
		t.Errorf("the next run: %s", got)
	}
}

// TestLessonsQuoteNothingOfTheHoldout tests that three things reveal nothing about
// holdout tasks: the lessons, the file, and what drafts read. None may contain a word of
// a conversation from which a holdout task was made, or an answer to a holdout task.
func TestLessonsQuoteNothingOfTheHoldout(t *testing.T) {
	u := inUse(t)
	geese := "five grey geese fly south tonight"
	tasks := u.w.Suites["toys"].Tasks
	for i := range tasks {
		switch tasks[i].ID {
		case "t0":
			tasks[i].Split, tasks[i].Source = bench.Holdout, &bench.Source{Session: "held"}
		case "t1":
			tasks[i].Split, tasks[i].Answer = bench.Holdout, &geese
		case "t2":
			tasks[i].Split, tasks[i].Source = bench.Search, &bench.Source{Session: "open"}
		}
	}
	u.corrected("held", "No, that is wrong, canary of the holdout")
	u.corrected("copy", "No, that is wrong: five grey geese fly south tonight")
	u.corrected("open", "No, that is wrong, use euro")
	u.night(math.MaxInt)
	r, err := prepare(t.Context(), u.options(t.Context(), nil, 0))
	if err != nil {
		t.Fatal(err)
	}
	a := r.specs[0].Agent
	for _, text := range []string{u.lessons(), a.Feedback, strings.Join(a.Corrections, "\n")} {
		if strings.Contains(text, "canary") || strings.Contains(text, "geese") || !strings.Contains(text, "use euro") {
			t.Errorf("it reads %s", text)
		}
	}
	if !strings.Contains(a.Feedback, "people corrected 3 answers (T1, T3, T5)") {
		t.Errorf("the counts are gone: %s", a.Feedback)
	}
	tasks[2].Split = bench.Holdout // the stored quotation must be removed, too
	if r, err = prepare(t.Context(), u.options(t.Context(), nil, 0)); err != nil || strings.Contains(r.specs[0].Agent.Feedback, "euro") {
		t.Errorf("%v: %s", err, r.specs[0].Agent.Feedback)
	}
}
