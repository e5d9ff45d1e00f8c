package wire

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"evolve/bench"
	"evolve/bench/grade"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night"
	"evolve/runtime/agent"
	"evolve/runtime/session"
	"evolve/runtime/text"
)

// Turn is one task for an agent, outside of any run.
type Turn struct {
	Agent  *workspace.Agent
	Task   *bench.Task
	Config agent.Config
	Seed   int64
	// Suite is the suite of the task; it is nil for a goal that a person gave. The turn
	// is graded only if Suite is set.
	Suite *bench.Suite
	// Session is the name of the conversation; it is empty if there is none. Earlier is the
	// state after the conversation's last turn.
	Session string
	Earlier agent.Session
	// Folder is the folder that the file tools of a live turn read; it is empty if there is
	// none. See [LiveFolder].
	Folder string
}

// TurnResult is the result of a turn, with credentials removed from the answer. Score is
// nil if the turn was not graded.
type TurnResult struct {
	agent.Result
	Score  *float64
	Grades []bench.Grade
	// Judge is the usage of the judge models that graded the turn, and of the simulated
	// user.
	Judge agent.Usage
	// Ungraded is the reason why the result of a suite's task could not be graded. It is
	// nil if the result was graded or does not need to be graded.
	Ungraded error
}

// Take runs one task in a new folder below scratch, and grades the result if the task
// belongs to a suite.
func (f *AgentFactory) Take(ctx context.Context, opened night.Opened, t Turn, scratch string, observe func(agent.Event)) (TurnResult, error) {
	workdir, suiteDir := filepath.Join(scratch, bench.OpaqueName()), ""
	if t.Suite != nil {
		suiteDir = t.Suite.Dir
	}
	if err := os.Mkdir(workdir, 0o700); err != nil {
		return TurnResult{}, fmt.Errorf("creating the working directory: %w", err)
	}
	files, err := bench.LayOut(t.Task, suiteDir, workdir)
	if err != nil {
		return TurnResult{}, fmt.Errorf("creating the task's files: %w", err)
	}
	if t.Suite == nil && t.Agent.Adapter.Kind == workspace.KindBuiltin {
		workdir = t.Folder // its tools only read
	}
	visible := t.Task.ForAgent()
	visible.Files = files
	if t.Suite == nil {
		visible.Messages = session.BoundMessages(t.Earlier.Messages)
	}
	own, err := f.newOwnTurn(ctx, t)
	if err != nil {
		return TurnResult{}, err
	}
	signal := f.signal(t, observe)
	talk := bench.Conversation{Agent: opened.Agent, Now: f.host.Now, Scrub: f.Sandbox.Scrubber.String, User: opened.Judge}
	res, exchanges, used := talk.Run(ctx, t.Task, agent.Request{
		ID: bench.OpaqueName(), Task: visible, Config: t.Config, Seed: t.Seed, Limits: f.workspace.Settings.Limits, Workdir: workdir,
		Live: t.Suite == nil, Session: t.Earlier, Conversation: t.Session, Observe: observe, Feedback: own.feedback(),
	})
	if own != nil {
		own.note(&res.Transcript)
		// Record the level in force, although evolve does not offer this agent any tools
		// that the level could restrict.
		level, err := f.level(ctx, t.Agent)
		if err != nil {
			return TurnResult{}, err
		}
		res.Transcript.Autonomy = int(level.InForce())
	}
	res.Transcript.Events = append(signal, res.Transcript.Events...)
	out := TurnResult{Result: res, Judge: used}
	if res.Answer != nil { // the answer is graded unchanged, but shown and stored without credentials
		answer := f.Sandbox.Scrubber.String(*res.Answer)
		out.Answer = &answer
	}
	if own != nil { // the agent has no session of its own
		out.Session = t.Earlier
		out.Session.Messages = session.Continue(visible.Messages, f.Sandbox.Scrubber.String(t.Task.Goal), out.Answer)
	}
	if t.Suite == nil || res.Outcome.Missing() { // no evidence, and therefore no score
		return out, nil
	}
	g, err := f.Sandbox.Grading([]*bench.Suite{t.Suite}, opened.Judge)(ctx, bench.GradeInput{Task: t.Task, Exchanges: exchanges, Result: res, Workdir: workdir})
	if err != nil {
		hint := "correct the graders of the task"
		if errors.Is(err, grade.ErrNoVerdict) {
			hint = "the replies of " + f.judges(t.Task) + " were not verdicts: give the route a model that follows the required format"
		}
		out.Ungraded = exit.Errorf(exit.Infrastructure, hint+"; in a run, such an evaluation counts as missing, not as 0", "the turn ended with %s, but could not be graded: %w", res.Outcome, err)
		return out, nil
	}
	out.Score, out.Grades, out.Judge = &g.Score, g.Grades, used.Plus(g.Judge)
	return out, nil
}

// judges returns a text that names the judge models of a task, each with its route.
func (f *AgentFactory) judges(t *bench.Task) string {
	var names []string
	for _, step := range t.Steps() {
		for _, spec := range step.Graders {
			if hint, is := grade.JudgeRoute(spec); is {
				name, route := f.workspace.JudgeRoute(hint)
				names = append(names, fmt.Sprintf("the judge %s (route %s)", text.OneLine(route.Model), name))
			}
		}
	}
	return strings.Join(slices.Compact(names), " and ")
}
