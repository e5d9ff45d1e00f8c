package wire

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/runtime/agent"
	"evolve/runtime/autonomy"
	"evolve/runtime/experience"
	"evolve/runtime/session"
	"evolve/runtime/turn"
)

// The number of turns in a day of use, and the number of days in a month.
const (
	turnsPerDay = 10
	monthDays   = 30
)

// days drives an agent over many days. By day, the built-in runtime takes live turns with
// the experience from an archive; every night there is the review that a run makes.
type days struct {
	*service
	factory *AgentFactory
	store   *archive.Archive
	now     time.Time
	earlier agent.Session
	// last is the experience after the latest day. before is the experience after the day
	// before that.
	last, before experience.Experience
}

func newDays(t *testing.T) *days {
	d := &days{service: inService(t), now: spoolTime, store: archive.OpenMemory()}
	t.Cleanup(func() { _ = d.store.Close() })
	d.host.Now = func() time.Time { return d.now }
	var err error
	if d.factory, err = d.host.Agents(d.w); err != nil {
		t.Fatal(err)
	}
	return d
}

// day runs the turns of a day and then the night's review. Each turn begins with the user's
// reaction to the previous answer. day returns the tools that were called in each turn.
func (d *days) day(reaction string) (called [][]string) {
	d.Helper()
	for range turnsPerDay {
		d.now = d.now.Add(time.Minute)
		past, err := d.store.Experience(d.Context(), d.agent.ID)
		if err != nil {
			d.Fatal(err)
		}
		runtime, err := turn.New(turn.Options{Experience: &past, Level: autonomy.Level(2)})
		if err != nil {
			d.Fatal(err)
		}
		t := Turn{
			Agent: d.agent, Config: d.agent.Champion, Session: "talk", Earlier: d.earlier,
			Task: &bench.Task{ID: "goal", Domain: "operations", Goal: reaction + " According to the runbook, when does the server restart?"},
		}
		task := t.Task.ForAgent()
		task.Messages = session.BoundMessages(d.earlier.Messages)
		res := runtime.Run(d.Context(), agent.Request{
			ID: "turn", Task: task, Config: t.Config, Workdir: d.folder, Live: true, Session: d.earlier, Conversation: t.Session,
		})
		var tools []string
		for _, e := range res.Transcript.Events {
			if e.Kind == agent.EventTool {
				tools = append(tools, e.Name)
			}
		}
		called = append(called, tools)
		record := archive.TurnRecord{Agent: d.agent.ID, Session: t.Session, Goal: t.Task.Goal, Outcome: res.Outcome, Created: d.now, Transcript: res.Transcript}
		if res.Answer != nil {
			record.Answer = *res.Answer
		}
		if _, err := d.store.PutTurn(d.Context(), record, &res.Session, d.factory.Learned(t, TurnResult{Result: res})); err != nil {
			d.Fatal(err)
		}
		d.earlier = res.Session
	}
	d.before = d.last
	turns, err := StoredTurns(d.Context(), d.store, d.agent, func(t archive.TurnRecord) bool { return t.Created.After(d.now.AddDate(0, 0, -7)) })
	if err == nil {
		err = d.store.UpdateExperience(d.Context(), d.agent.ID, nil, func(e *experience.Experience) error {
			e.Review(turns, d.now)
			d.last = *e
			return nil
		})
	}
	if err != nil {
		d.Fatal(err)
	}
	d.now = d.now.Truncate(24 * time.Hour).Add(33 * time.Hour)
	return called
}

// bounded checks what must hold on every day, whatever the user does.
func (d *days) bounded(day int, called [][]string) {
	d.Helper()
	now, _ := d.last.CompetenceIn("operations")
	was, known := d.before.CompetenceIn("operations")
	if now < .1 || now > 1 || known && (now-was > .2+1e-9 || was-now > .2+1e-9) {
		d.Errorf("day %d: competence %.3f after %.3f", day, now, was)
	}
	for _, c := range d.last.Capsules {
		u := d.last.Usefulness(c.Tool, c.Method, c.Domain)
		if u < .15-1e-9 || u > .85+1e-9 {
			d.Errorf("day %d: the usefulness of %s is %.3f", day, c.Tool, u)
		}
	}
	for i, tools := range called {
		if len(tools) == 0 {
			d.Errorf("day %d: turn %d calls no tool: nothing could recover", day, i+1)
		}
	}
	if n := len(d.last.Lessons.Text()); n > 8<<10 {
		d.Errorf("day %d: lessons of %d bytes", day, n)
	}
	for _, p := range []*experience.Period{d.last.Lessons.Night, d.last.Lessons.Week} {
		if p != nil && len(p.Patterns)+len(p.Errors)+len(p.Tools) > 90 {
			d.Errorf("day %d: %d patterns, %d errors, %d tools", day, len(p.Patterns), len(p.Errors), len(p.Tools))
		}
	}
	if data, err := json.Marshal(d.last); err != nil || len(data) > 256<<10 {
		d.Errorf("day %d: %d bytes, %v", day, len(data), err)
	}
}

// limits returns the limits in force as one text.
func (d *days) limits() string {
	var out []string
	for _, l := range d.last.Limits() {
		out = append(out, l.String())
	}
	return strings.Join(out, "\n")
}

// TestAUserWhoAlwaysCorrects drives the loop of corrections, competence, choice of tools
// and lessons for thirty days, and then checks that good days undo the effects.
func TestAUserWhoAlwaysCorrects(t *testing.T) {
	if testing.Short() {
		t.Skip("many days, one after another")
	}
	d := newDays(t)
	for i := range monthDays {
		d.bounded(i+1, d.day("No, that is wrong."))
	}
	if got, _ := d.last.CompetenceIn("operations"); got > .15 {
		t.Errorf("competence %.2f after a month of corrections", got)
	}
	for _, want := range []string{"cannot fall below 0.10", "is avoided", "it remains available as a last resort"} {
		if !strings.Contains(d.limits(), want) {
			t.Errorf("no %q in:\n%s", want, d.limits())
		}
	}
	const recovery = 10 // good days
	for i := range recovery {
		d.bounded(monthDays+i+1, d.day("Thanks, that is right."))
	}
	if got, _ := d.last.CompetenceIn("operations"); got < .5 {
		t.Errorf("competence %.2f after %d good days", got, recovery)
	}
	if strings.Contains(d.limits(), "avoided") {
		t.Errorf("after %d good days:\n%s", recovery, d.limits())
	}
}

// TestAUserWhoAlwaysPraises checks that thirty days of praise raise nothing above its
// bound, and that later corrections still count.
func TestAUserWhoAlwaysPraises(t *testing.T) {
	if testing.Short() {
		t.Skip("many days, one after another")
	}
	d := newDays(t)
	for i := range monthDays {
		d.bounded(i+1, d.day("Thanks, that is right."))
	}
	if got, _ := d.last.CompetenceIn("operations"); got != 1 || !strings.Contains(d.limits(), "cannot rise above 1.00") {
		t.Errorf("competence %.2f after a month of praise:\n%s", got, d.limits())
	}
	const decline = 8
	for i := range decline {
		d.bounded(monthDays+i+1, d.day("No, that is wrong."))
	}
	if got, _ := d.last.CompetenceIn("operations"); got > .5 {
		t.Errorf("competence %.2f after %d bad days", got, decline)
	}
}
