package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"evolve/archive"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/notify"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/reports/model"
	"evolve/reports/number"
	"evolve/reports/render"
	"evolve/runtime/policy"
	"evolve/runtime/text"
)

// nearEnd is the share of a policy's budget that must be spent before people are
// notified.
const nearEnd = .9

// teller notifies people of the outcome of one `evolve run`. No failure here changes how
// the run ends. A nil teller does nothing.
type teller struct {
	sh    *shell
	root  string
	heart notify.Heartbeat
	set   workspace.Notify
	// run is the run that ended; it is the zero value if no run ended.
	run archive.Run
	// holds contains the keys of the events that apply now, and agents contains the agents
	// that the run measured.
	holds  map[string]bool
	agents map[string]bool
}

// told carries out a command by calling work, and notifies people as evolve.yaml specifies.
func told(sh *shell, root string, work func(*teller) error) error {
	t := &teller{sh: sh, root: root, holds: map[string]bool{}, agents: map[string]bool{}}
	set, err := workspace.NotifySettings(root)
	if err != nil { // loading the workspace reports the same error
		return work(nil)
	}
	t.set, t.heart.URL = set, set.Heartbeat
	t.beat(sh.Ctx, notify.Started, "")
	err = work(t)
	t.end(err)
	return err
}

// beat sends a signal to the dead man's switch.
func (t *teller) beat(ctx context.Context, signal, words string) {
	if t.heart.URL == "" {
		return
	}
	t.warn(t.heart.Beat(ctx, signal, t.outbox(nil).Scrub(words)))
}

func (t *teller) warn(err error) {
	if err != nil {
		t.sh.eprintf("warning: %s; the run is not affected\n", text.Visible(err.Error()))
	}
}

// outbox returns the outbox of the workspace. w is nil if the workspace could not be
// loaded.
func (t *teller) outbox(w *workspace.Workspace) notify.Outbox {
	if w == nil {
		w = &workspace.Workspace{Root: t.root, Settings: workspace.Settings{Notify: t.set}}
	}
	return t.sh.Outbox(w)
}

// note stores the message about a run that has ended. The archive must be open, and the
// end of the run must not be marked as reported yet, so that if the process is killed,
// the report is stored later.
func (t *teller) note(ctx context.Context, w *workspace.Workspace, a *archive.Archive, s batch.Summary, r model.Report) {
	if t == nil {
		return
	}
	con := t.anywhere()
	events, err := awaitingEvents(ctx, con, w, a)
	if err != nil {
		t.warn(err)
		return
	}
	t.run = s.Run
	for _, id := range s.Run.Agents {
		t.agents[id] = true
	}
	events = slices.Concat(runEvents(con, s), fallEvents(con, s, r), budgetEvents(con, s), events)
	for _, e := range events {
		t.holds[e.Key()] = true
	}
	if len(t.set.Channels) == 0 {
		return
	}
	var box bytes.Buffer
	t.warn(render.Box(&box, r, render.TerminalOptions{}))
	t.put(w, notify.Message{Run: s.Run.ID, Exit: s.Run.Exit, Events: events, Box: box.String()})
}

// anywhere returns a console that prints commands in a form that works in any folder.
func (t *teller) anywhere() *console { return &console{place: t.root} }

func (t *teller) put(w *workspace.Workspace, m notify.Message) {
	m.Workspace = t.root
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	m.Host = host
	if err = workspace.CheckState(t.root); err == nil {
		err = t.outbox(w).Put(m)
	}
	t.warn(err)
}

// end reports how the command ended, and sends the waiting messages.
func (t *teller) end(err error) {
	code := exitCode(err)
	good := code == 0 || code == exit.Awaiting
	if err != nil && !good && code != exit.Interrupted && (t.run.ID == "" || t.run.Exit == 0) {
		t.failed(code, err)
	}
	ctx, stop := t.sh.stoppable()
	defer stop()
	switch {
	case good:
		t.beat(ctx, notify.Succeeded, fmt.Sprintf("run %s, exit code %d", t.run.ID, code))
	case code != exit.Interrupted: // someone stopped the run, and may resume it
		t.beat(ctx, notify.Failed, fmt.Sprintf("exit code %d: %v", code, err))
	}
	if len(t.set.Channels) == 0 {
		return
	}
	faults, err := t.outbox(nil).Deliver(ctx, t.over)
	for _, f := range faults {
		t.sh.eprintf("warning: delivery by %s failed: %s; the next run tries again\n", text.Visible(f.Channel), text.Visible(f.Reason))
	}
	t.warn(err)
}

// failed stores a message about the failure of a command that began no run, or whose run
// has no record of the failure. If later nights fail in the same way, the failure is not
// reported again until a night has begun in between.
func (t *teller) failed(code int, err error) {
	words := strings.Join(strings.Fields(err.Error()), " ")
	sum := sha256.Sum256([]byte(words))
	e := notify.Event{
		Kind: workspace.EventFailed, Subject: fmt.Sprintf("exit-%d-%s", code, hex.EncodeToString(sum[:6])),
		Title: fmt.Sprintf("a night failed, exit code %d: %s", code, text.Visible(words)), Commands: []string{t.anywhere().command("evolve doctor")},
	}
	t.holds[e.Key()] = true
	if len(t.set.Channels) > 0 {
		t.put(nil, notify.Message{Run: t.run.ID, Exit: code, Events: []notify.Event{e}})
	}
}

// over reports whether an event no longer applies, judging by what this command has
// measured.
func (t *teller) over(kind, subject string) bool {
	if t.run.ID == "" || t.holds[notify.Event{Kind: kind, Subject: subject}.Key()] {
		return false
	}
	agent, _, _ := strings.Cut(subject, "/")
	switch kind {
	case workspace.EventFell:
		return t.agents[agent]
	case workspace.EventFailed:
		return strings.HasPrefix(subject, "exit-") || subject == branchTrouble
	case workspace.EventBudget:
		return !strings.HasPrefix(subject, "run/")
	}
	return true
}

// runEvents reports that a run ended early.
func runEvents(con *console, s batch.Summary) []notify.Event {
	e := notify.Event{
		Kind: workspace.EventFailed, Subject: s.Run.ID, Commands: []string{con.command("evolve report " + s.Run.ID)},
		Title: fmt.Sprintf("run %s failed, exit code %d: %s", s.Run.ID, s.Run.Exit, text.Visible(s.Run.Reason)),
	}
	switch s.Run.Exit {
	case 0, exit.Interrupted:
		return nil
	case exit.Budget:
		e.Kind, e.Subject = workspace.EventBudget, "run/"+s.Run.ID
		e.Title = fmt.Sprintf("run %s had too little budget: %s", s.Run.ID, text.Visible(s.Run.Reason))
	}
	return []notify.Event{e}
}

// awaitingEvents reports what awaits a decision: proposals and change requests.
func awaitingEvents(ctx context.Context, con *console, w *workspace.Workspace, a *archive.Archive) ([]notify.Event, error) {
	lines, err := linesOf(ctx, a, undecided)
	if err != nil {
		return nil, err
	}
	if err := markStale(ctx, w, a, lines); err != nil {
		return nil, err
	}
	var events []notify.Event
	for _, p := range lines {
		if len(p.Stale) > 0 { // it cannot be approved
			continue
		}
		approve := "evolve approve " + p.ID
		if p.State == archive.HumanLane {
			approve += ` --override-reason "…"`
		}
		title := fmt.Sprintf("%s awaits a decision: %s", p.ID, text.Visible(p.Title))
		if words := claimWords(p.Claim, p.broken); words != "" {
			title += " (" + words + ")"
		}
		commands := []string{"evolve show " + p.ID, approve, "evolve reject " + p.ID + ` --reason "…"`}
		if p.Branch != nil {
			title += "; " + strings.TrimPrefix(p.Branch.Words(), p.ID+" awaits a decision ")
			commands = slices.Delete(commands, 1, 2)
		}
		events = append(events, notify.Event{Kind: workspace.EventAwaits, Subject: p.ID, Title: title, Commands: con.commandList(commands)})
	}
	err = forEach("change requests", a.Requests(ctx), func(r archive.ChangeRequestRecord) {
		if r.State == archive.RequestOpen {
			events = append(events, notify.Event{
				Kind: workspace.EventAwaits, Subject: r.ID, Title: fmt.Sprintf("%s, a change request of agent %s, is open", r.ID, text.Visible(r.Agent)),
				Commands: con.commandList([]string{"evolve requests show " + r.ID, "evolve requests approve " + r.ID, "evolve requests deny " + r.ID + ` --reason "…"`}),
			})
		}
	})
	return events, err
}

// fallEvents reports what nights showed about the active configs: a fall in the score, or
// an adoption that disappoints.
func fallEvents(con *console, s batch.Summary, r model.Report) []notify.Event {
	champions := map[string]string{}
	for _, p := range s.Plans {
		champions[p.Agent] = p.Champion.Short()
	}
	var events []notify.Event
	for _, v := range r.Volatile.Agents {
		if v.Watch == nil {
			continue
		}
		for i, alarm := range v.Watch.Alarms() {
			subject := v.Watch.Agent + "/" + champions[v.Watch.Agent]
			if i > 0 || v.Watch.Fall == nil {
				subject = v.Watch.Agent + "/" + v.Watch.Adopted.Proposal
			}
			e := notify.Event{Kind: workspace.EventFell, Subject: subject, Title: text.Visible(v.Watch.Agent + ": " + alarm.Text), Commands: []string{}}
			if alarm.Command != "" {
				e.Commands = append(e.Commands, con.command(alarm.Command))
			}
			events = append(events, e)
		}
	}
	return events
}

// budgetEvents reports which budgets under policies are nearly used up.
func budgetEvents(con *console, s batch.Summary) []notify.Event {
	var events []notify.Event
	for _, g := range s.Run.Guards {
		for _, b := range g.Budgets {
			share, words := spentShare(b)
			if share < nearEnd {
				continue
			}
			whose := fmt.Sprintf("%s %s per %s", g.Kind, g.Name, b.Scope)
			if b.Agent != "" {
				whose += " of agent " + b.Agent
			}
			events = append(events, notify.Event{
				Kind: workspace.EventBudget, Subject: fmt.Sprintf("guard/%s/%s/%s/%s/%s", g.Kind, g.Origin, g.Name, b.Scope, b.Agent),
				Title:    text.Visible(fmt.Sprintf("the budget of %s is nearly used up: %s spent", whose, words)),
				Commands: []string{con.command("evolve report " + s.Run.ID)},
			})
		}
	}
	return events
}

// spentShare returns the spent share of the budget's resource that is closest to being used
// up, and a description of the spent and permitted amounts.
func spentShare(b policy.BudgetStat) (share float64, words string) {
	add := func(used, limit float64, say func(float64) string) {
		if limit > 0 && used/limit > share {
			share, words = used/limit, say(used)+" of "+say(limit)
		}
	}
	count := func(unit string) func(float64) string {
		return func(v float64) string { return humanize.Comma(int64(v)) + " " + unit }
	}
	add(b.Used.USD, b.Limit.USD, number.Dollars)
	add(float64(b.Used.Calls), float64(b.Limit.Calls), count("calls"))
	add(float64(b.Used.Tokens), float64(b.Limit.Tokens), count("tokens"))
	add(b.Used.Elapsed.Seconds(), b.Limit.Elapsed.Seconds(), count("seconds"))
	return share, words
}

// notifyState describes which messages of a workspace have not been delivered; it returns
// nil if all have been.
func notifyState(root string) (*notify.State, error) {
	s, err := notify.Look(wire.NotifyDir(root))
	if err != nil || s.Waiting == 0 && len(s.Faults) == 0 {
		return nil, err
	}
	return &s, nil
}

// printNotify prints the channels that failed to deliver.
func printNotify(con *console, s *notify.State) {
	if s == nil {
		return
	}
	for _, f := range s.Faults {
		con.printf("\n! notify  %s has delivered nothing since %s: %s\n", text.Visible(f.Channel), f.Since.Local().Format("2 Jan 15:04"), text.Visible(f.Reason))
	}
	if s.Waiting > 0 {
		con.printf("notify  %s waiting for delivery: the next run tries again, and %s tests the channels\n", orElse("1 message is", fmt.Sprintf("%d messages are", s.Waiting), s.Waiting == 1), con.command("evolve notify test"))
	}
}
