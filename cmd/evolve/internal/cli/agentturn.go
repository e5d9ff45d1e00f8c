package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/reports/number"
	"evolve/runtime/agent"
	"evolve/runtime/authored"
	"evolve/runtime/experience"
	"evolve/runtime/tempdir"
	"evolve/runtime/text"
)

// turnView is the output of `evolve agent run --json`.
type turnView struct {
	Agent   string         `json:"agent"`
	Turn    string         `json:"turn,omitempty"`
	Session string         `json:"session,omitempty"`
	Config  agent.ConfigID `json:"config"`
	Outcome agent.Outcome  `json:"outcome"`
	Answer  *string        `json:"answer"`
	Error   string         `json:"error,omitempty"`
	served
	Usage      agent.Usage           `json:"usage"`
	Judge      agent.Usage           `json:"judge,omitzero"` // usage by the judges and the simulated user
	Score      *float64              `json:"score,omitempty"`
	Grades     []bench.Grade         `json:"grades,omitempty"`
	Requests   []agent.ChangeRequest `json:"requests,omitempty"`
	Proposals  []string              `json:"proposals,omitempty"`
	Transcript agent.Transcript      `json:"transcript"`

	session agent.Session
	// learned is what the turn shows about the agent and its tools.
	learned *experience.Turn
	// goal is the task's goal, with credentials removed for storage.
	goal string
}

// oneTurn holds the arguments of `evolve agent run`.
type oneTurn struct{ wire.Turn }

func agentRun(sh *shell, c *cli.Context) error {
	w, a, err := sh.loadAgent(c, c.String("agent"))
	if err == nil {
		err = wire.Startable(a)
	}
	if err != nil {
		return err
	}
	t := oneTurn{wire.Turn{Agent: a, Session: c.String("session")}}
	if t.Task, t.Suite, err = taskOf(c, w, a); err == nil {
		err = t.check(c)
	}
	if err == nil && c.String("dir") != "" {
		t.Folder, err = wire.LiveFolder(w, a, sh.abs(c.String("dir")))
	}
	if err != nil {
		return err
	}
	if t.Config, err = configOf(c, w, a); err != nil {
		return err
	}
	release, err := t.resume(c, w)
	if err != nil {
		return err
	}
	defer release()
	return takeTurn(sh, c, w, t)
}

// check rejects flags that cannot be combined.
func (t oneTurn) check(c *cli.Context) error {
	switch {
	case t.Suite != nil && t.Session != "":
		return exit.Misuse(errors.New("--session cannot be combined with --task, which runs a separate task"))
	case t.Suite != nil && c.String("dir") != "":
		return exit.Misuse(errors.New("--dir cannot be combined with --task: a task has its own files"))
	case c.IsSet("domain") && t.Suite != nil:
		return exit.Misuse(errors.New("--domain cannot be combined with --task: a task has its own domain"))
	case c.IsSet("domain") && workspace.DomainProblem(c.String("domain")) != "":
		return exit.Errorf(exit.Usage, "known ones: "+knownDomains(domainsOf(t.Agent), nil), "--domain: %s", workspace.DomainProblem(c.String("domain")))
	case c.Bool("new") && t.Session == "":
		return exit.Misuse(errors.New("--new starts a conversation from the beginning; name the conversation with --session"))
	}
	return nil
}

// resume reads the state left by the session's last turn, and holds the session until
// release is called.
func (t *oneTurn) resume(c *cli.Context, w *workspace.Workspace) (release func(), err error) {
	if t.Session == "" {
		return func() {}, nil
	}
	if release, err = wire.HoldSession(w.Root, t.Agent.ID, t.Session); err != nil {
		return nil, err
	}
	if !c.Bool("new") {
		if t.Earlier, err = wire.EarlierSession(c.Context, w.Root, t.Agent.ID, t.Session); err != nil {
			release()
			return nil, err
		}
	}
	return release, nil
}

// takeTurn takes the turn, shows it and stores it. The error that it returns determines the
// exit code for the turn's outcome.
func takeTurn(sh *shell, c *cli.Context, w *workspace.Workspace, t oneTurn) error {
	a := t.Agent
	if err := storable(w, t); err != nil {
		return err
	}
	scratch, err := tempdir.Make("turn")
	if err != nil {
		return fmt.Errorf("creating the working directory: %w", err)
	}
	defer func() { _ = scratch.Remove() }()
	agents, err := sh.Agents(w)
	if err != nil {
		return err
	}
	posted, err := wire.ReadBlackboard(w.Root)
	if err != nil {
		return err
	}
	agents.Board.Restore(posted)
	agents.Live = t.Suite == nil
	opened, err := agents.Open(c.Context, a, scratch.Path)
	if err != nil {
		return err
	}
	live := watch(sh)
	res, err := agents.Take(c.Context, opened, t.Turn, scratch.Path, live.show)
	if err = errors.Join(err, opened.Close()); err != nil {
		return err
	}
	if t.Suite == nil {
		if err := wire.KeepLiveLimits(w.Root, a.ID, sh.Now(), agents.Guard.Stats()); err != nil {
			sh.Log.Warn("the turn's statistics on limits could not be stored", "error", err)
		}
	}
	view := turnViewOf(t, res)
	view.learned = agents.Learned(t.Turn, res)
	view.goal = agents.Sandbox.Scrubber.String(t.Task.Goal)
	if err := wire.WriteBlackboard(w.Root, a.ID, agents.Board); err != nil {
		return err
	}
	if err := keepTurn(sh, c, w, t, &view); err != nil {
		return err
	}
	err = sh.show(view, func() {
		live.rest(view.Transcript)
		printEnd(sh.console, view)
	})
	if err == nil && c.Context.Err() != nil {
		err = context.Cause(c.Context)
	}
	if err == nil {
		err = res.Ungraded
	}
	if err == nil && view.Outcome == agent.Infrastructure && view.Error == bench.EndedAtOnce {
		err = exit.Errorf(exit.Infrastructure, "state in the goal of the simulated user what the person wants from the agent, or begin the conversation with a message in \"turns\"; in a run, such an evaluation counts as missing, not as 0", "%s", view.Error)
	}
	if err == nil {
		err = exit.OfOutcome(view.Outcome, view.Error)
	}
	return err
}

// storable returns an error, before anything is paid for, if the turn could not be stored.
func storable(w *workspace.Workspace, t oneTurn) error {
	if t.Suite != nil { // an evaluation by hand is not stored
		return nil
	}
	_, err := workspace.MakeStateDir(w.Root)
	if err == nil {
		err = workspace.TryWrite(w.Root)
	}
	if err != nil {
		return fmt.Errorf("the turn could not be stored: %w", err)
	}
	return nil
}

func turnViewOf(t oneTurn, res wire.TurnResult) turnView {
	view := turnView{
		Agent: t.Agent.ID, Session: t.Session, Config: t.Config.ID(), Outcome: res.Outcome, Answer: res.Answer, Error: res.Error,
		served: servedBy(res.Transcript), Usage: res.Usage, Judge: res.Judge, Score: res.Score, Grades: res.Grades, Transcript: res.Transcript, session: res.Session,
	}
	if t.Suite == nil {
		view.Requests = res.Requests
	}
	return view
}

// keepTurn stores the turn, the session and the change requests. It stores nothing for a
// task of a suite, because such a turn is an evaluation by hand. While another process
// holds the archive, the turn waits for the next process that opens the archive.
func keepTurn(sh *shell, c *cli.Context, w *workspace.Workspace, t oneTurn, v *turnView) error {
	if t.Suite != nil {
		return nil
	}
	ctx, lend := context.WithoutCancel(c.Context), sh.Lender(w.Root, "evolve agent run")
	requests, patches := v.Requests, []agent.ChangeRequest{}
	v.Requests = nil
	err := lend(ctx, func(store *archive.Archive) error {
		if err := storeTurn(ctx, sh, store, t, v); err != nil {
			return err
		}
		for _, q := range requests {
			if _, ok := wire.PatchOf(w, t.Agent.ID, q); ok {
				patches = append(patches, q)
				continue
			}
			p, err := proposeTool(ctx, sh, w, store, t.Agent, q)
			if err == nil {
				err = keepAsked(ctx, sh, store, t, v, q, p)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	var locked *archive.LockedError
	if errors.As(err, &locked) {
		v.Requests = requests
		if err := wire.SpoolTurn(w.Root, spooledTurn(sh, t, v)); err != nil {
			sh.Log.Warn("the turn, its conversation and its change requests are lost; repeat the turn when the archive is free: "+locked.Error(), "error", err)
			return nil
		}
		sh.Log.Warn("the turn was saved in .evolve; the next command that records something stores it in the archive: " + locked.Error())
		return nil
	}
	for _, q := range patches {
		if err == nil {
			err = keepPatch(sh, c, w, lend, t, v, q)
		}
	}
	return err
}

// spooledTurn returns the turn together with what has to be stored after it: the session,
// the requests and what was learned.
func spooledTurn(sh *shell, t oneTurn, v *turnView) wire.SpooledTurn {
	record, next := recordOf(sh, t, v)
	return wire.SpooledTurn{Turn: record, Session: next, Requests: v.Requests, Learned: v.learned}
}

// recordOf returns the record of the turn, and the state of its conversation, which is nil
// if there is none to store.
func recordOf(sh *shell, t oneTurn, v *turnView) (archive.TurnRecord, *agent.Session) {
	record := archive.TurnRecord{
		Agent: v.Agent, Session: t.Session, Config: v.Config, PolicyVersion: v.Transcript.Policy, Autonomy: v.Transcript.Autonomy, Goal: v.goal,
		Outcome: v.Outcome, Error: v.Error, Usage: v.Usage, Created: sh.Now(), Transcript: v.Transcript,
	}
	if v.Answer != nil {
		record.Answer = *v.Answer
	}
	var next *agent.Session
	if t.Session != "" {
		next = &v.session
	}
	return record, next
}

// storeTurn stores the turn and the session.
func storeTurn(ctx context.Context, sh *shell, store *archive.Archive, t oneTurn, v *turnView) error {
	record, next := recordOf(sh, t, v)
	record, err := store.PutTurn(ctx, record, next, v.learned)
	if err != nil {
		return fmt.Errorf("storing the turn: %w", err)
	}
	v.Turn = record.ID
	return nil
}

// keepPatch makes a proposal from a patch that the agent requested. The proposal's gates
// run while the archive is closed. A refused patch is stored as a change request.
func keepPatch(sh *shell, c *cli.Context, w *workspace.Workspace, lend review.WithStore, t oneTurn, v *turnView, q agent.ChangeRequest) error {
	s, _ := wire.PatchOf(w, t.Agent.ID, q)
	p, err := submit(c.Context, sh.console, sh.PatchReviewer(w, lend), s)
	if err != nil {
		return err
	}
	return lend.RetryLocked(c.Context, sh.Sleep, func(ctx context.Context, store *archive.Archive) error {
		return keepAsked(ctx, sh, store, t, v, q, p)
	})
}

// submit proposes a patch. It returns nil and prints the reason if the patch was refused
// or its gates were stopped.
func submit(ctx context.Context, con *console, rev *review.Reviewer, s review.Submission) (*archive.ProposalRecord, error) {
	p, err := rev.ProposePatch(ctx, s)
	var refused *review.RefusedError
	if errors.As(err, &refused) {
		con.eprintf("no proposal was made from a patch to %s by %s: %s\n", text.Visible(s.Target), text.Visible(s.Author), text.Visible(refused.Text))
		return nil, nil
	}
	var left *review.LeftError
	if errors.As(err, &left) {
		con.eprintf("%s; the next night or `evolve patch propose` resumes it\n", text.Visible(left.Error()))
		return &p, nil
	}
	if err != nil {
		return nil, fmt.Errorf("proposing a patch to %s: %w", s.Target, err)
	}
	return &p, nil
}

// keepAsked notes the proposal that was made from a request. A request that led to no
// proposal is stored as a change request.
func keepAsked(ctx context.Context, sh *shell, store *archive.Archive, t oneTurn, v *turnView, q agent.ChangeRequest, p *archive.ProposalRecord) error {
	if p != nil {
		v.Proposals = append(v.Proposals, p.ID)
		return nil
	}
	if err := keepRequest(ctx, sh, store, t, v, q); err != nil {
		return err
	}
	v.Requests = append(v.Requests, q)
	return nil
}

// proposeTool makes a proposal for a tool that the agent wrote, or for the deletion of a
// tool; it ignores other requests. A request that cannot become a proposal stays a change
// request.
func proposeTool(ctx context.Context, sh *shell, w *workspace.Workspace, store *archive.Archive, a *workspace.Agent, q agent.ChangeRequest) (*archive.ProposalRecord, error) {
	rev := sh.Reviewer(w, review.Opened(store))
	var p archive.ProposalRecord
	var err error
	if d, ok := toolOf(q); ok {
		p, err = rev.ProposeTool(ctx, a.ID, d, q.Reason)
	} else if _, err = definitionOf(a, q.Target); q.Type == "tool" && q.Tool == "tool_delete" && err == nil {
		p, err = rev.ProposeToolDeletion(ctx, a.ID, q.Target, q.Reason)
	} else {
		return nil, nil
	}
	var refused *review.RefusedError
	if errors.As(err, &refused) {
		sh.eprintf("no proposal was made from the tool %s: %s\n", text.Visible(q.Target), text.Visible(refused.Text))
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &p, nil
}

// toolOf returns the tool in a change request that was made with tool_create.
func toolOf(q agent.ChangeRequest) (authored.Definition, bool) {
	if q.Type != "tool" || q.Tool != "tool_create" {
		return authored.Definition{}, false
	}
	d, err := authored.ParseDraft(q.Arguments)
	return d, err == nil
}

// keepRequest stores a change that the agent requested and may not make itself.
func keepRequest(ctx context.Context, sh *shell, store *archive.Archive, t oneTurn, v *turnView, q agent.ChangeRequest) error {
	_, err := store.PutRequest(ctx, archive.ChangeRequestRecord{
		Agent: v.Agent, Request: q, Session: t.Session, Turn: v.Turn, Created: sh.Now(),
	})
	if errors.Is(err, archive.ErrFull) || errors.Is(err, archive.ErrTooLarge) {
		sh.eprintf("the change request %s was not stored: %s\n", q.ID, err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("storing a change request: %w", err)
	}
	return nil
}

// The maximum number of characters that are printed of a step's text: while the step
// happens, and when a stored step is shown.
const (
	liveStep   = 160
	storedStep = 4000
)

// watcher prints a turn as it happens.
type watcher struct {
	sh    *shell
	quiet bool
	mu    sync.Mutex
	shown int
}

func watch(sh *shell) *watcher {
	return &watcher{sh: sh, quiet: sh.json}
}

// show prints one event.
func (w *watcher) show(e agent.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.quiet {
		return
	}
	w.shown++
	printEvent(w.sh.console, e, liveStep)
}

// rest prints the events of a turn that could not be shown live, such as those of an
// operator's own program.
func (w *watcher) rest(t agent.Transcript) {
	if w.quiet || w.shown > 0 {
		return
	}
	for _, e := range t.Events {
		printEvent(w.sh.console, e, liveStep)
	}
}

// printEvent prints one step of a turn on one line. It clips each of the step's texts to
// the given number of characters (most).
func printEvent(con *console, e agent.Event, most int) {
	if e.Kind == agent.EventStderr { // the last lines name the cause of a failure
		for _, line := range lastLines(e.Text, shownStderr) {
			con.printf("%-10s  %s\n", e.Kind, text.Visible(line))
		}
		return
	}
	con.printf("%-10s", e.Kind)
	if e.Subgoal > 0 {
		con.printf("  subgoal %d", e.Subgoal)
	}
	if e.Name != "" {
		con.printf("  %s", text.Visible(e.Name))
	}
	if e.Outcome != "" && e.Outcome != agent.OK {
		con.printf("  [%s]", e.Outcome)
	}
	if e.Text != "" {
		con.printf("  %s", text.Visible(oneLine(e.Text, most)))
	}
	switch {
	case e.Kind == agent.EventPolicy && len(e.Data) > 0:
		con.printf("  %s", text.Visible(policyLine(e.Data, most)))
	case len(e.Data) > 0:
		con.printf("  %s", text.Visible(oneLine(string(e.Data), most)))
	}
	con.printf("\n")
}

// policyLine describes the settings that applied to a call. It leaves out the origins of
// the settings, which `evolve agent show` prints.
func policyLine(data json.RawMessage, most int) string {
	var applied struct {
		Version string
		Values  []struct{ Setting, Value string }
	}
	if json.Unmarshal(data, &applied) != nil {
		return oneLine(string(data), most)
	}
	parts := []string{"policy " + applied.Version}
	for _, v := range applied.Values {
		parts = append(parts, v.Setting+" "+v.Value)
	}
	return oneLine(strings.Join(parts, " · "), most)
}

func printEnd(con *console, v turnView) {
	con.printf("\noutcome    %s\n", v.Outcome)
	if v.Error != "" {
		con.printf("error      %s\n", text.Visible(v.Error))
	}
	if v.Answer != nil {
		con.printf("answer     %s\n", text.Visible(*v.Answer))
	}
	if by := v.line(); by != "" {
		con.printf("served by  %s\n", text.Visible(by))
	}
	con.printf("used       %s\n", usedLine(v.Usage))
	if v.Judge.Iterations > 0 || v.Judge.CostUSD > 0 {
		con.printf("also used  %s, for judges and the simulated user\n", usedLine(v.Judge))
	}
	if v.Turn != "" {
		con.printf("stored     %s\n", v.Turn)
	}
	for _, q := range v.Requests {
		con.printf("asked for  %s %s: `evolve requests list`\n", text.Visible(q.Type), text.Visible(oneLine(q.Target, 80)))
	}
	for _, id := range v.Proposals {
		con.printf("proposal   %s: `evolve show %s`\n", id, id)
	}
	if v.Score != nil {
		con.printf("score      %s\n", number.Score(*v.Score))
		for _, g := range v.Grades {
			con.printf("           %s  %s  %s\n", g.Type, number.Score(g.Score), text.Visible(g.Reason))
		}
	}
}

// usedLine describes the usage of a turn.
func usedLine(u agent.Usage) string {
	line := fmt.Sprintf("%d model calls, %d tool calls", u.Iterations, u.ToolCalls)
	if tokens := u.InputTokens + u.OutputTokens; tokens > 0 {
		line += fmt.Sprintf(", %d tokens (%d cached)", tokens, u.CachedTokens)
	}
	if u.CostUSD > 0 {
		line += ", " + number.Dollars(u.CostUSD)
	}
	return line
}
