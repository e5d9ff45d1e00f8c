package archive

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
	"evolve/runtime/autonomy"
	"evolve/runtime/experience"
)

// climb raises an agent by one level, as an approved proposal does.
func climb(tb testing.TB, a *Archive, agentID string, at time.Time) AutonomyRecord {
	tb.Helper()
	ctx := context.Background()
	now, err := a.Autonomy(ctx, agentID)
	if err != nil {
		tb.Fatal(err)
	}
	p, err := a.NewProposal(ctx, ProposalRecord{
		Kind: KindAutonomy, State: Awaiting, Agent: agentID, Title: "autonomy", Created: at,
		Autonomy: &AutonomyBrief{From: now.Level, To: now.Level + 1},
	})
	if err != nil {
		tb.Fatal(err)
	}
	d := DecisionRecord{Proposal: p.ID, Action: "approve", By: "Ada <a@b>", Reason: "it has earned it", Time: at}
	p.State, p.Decision = Adopted, &DecisionBrief{Action: d.Action, By: d.By, Reason: d.Reason, Time: d.Time}
	r, err := a.RaiseAutonomy(ctx, d, p)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func lowered(tb testing.TB, a *Archive, agentID string, to autonomy.Level, at time.Time) AutonomyRecord {
	tb.Helper()
	r, err := a.LowerAutonomy(context.Background(), agentID, LevelChange{To: to, By: "Ada", Reason: "a < b", Time: at})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// once is the record of an agent whose autonomy level was raised in the past and has since
// been lowered.
func once() AutonomyRecord {
	return AutonomyRecord{Agent: "solver", Level: 1, Changes: []LevelChange{{From: 2, To: 1, By: "Ada", Reason: "a < b", Time: day, Entry: 1}}}
}

func TestAutonomy(t *testing.T) {
	ctx := context.Background()
	a := openAt(t, t.TempDir())
	closing(t, a)
	if r := must(a.Autonomy(ctx, "solver"))(t); r.Level != autonomy.Lowest || len(r.Changes) != 0 {
		t.Fatalf("an unknown agent has %+v", r)
	}
	if r := climb(t, a, "solver", day); r.Level != 2 {
		t.Fatalf("raised to %+v", r)
	}
	climb(t, a, "solver", day)
	lowered(t, a, "solver", 1, day)
	r := must(a.Autonomy(ctx, "solver"))(t)
	var steps []string
	for _, c := range r.Changes {
		steps = append(steps, fmt.Sprintf("%d to %d by %s, %s, %s", c.From, c.To, c.By, c.Proposal, c.Reason))
		e := must(document[LedgerEntry](ctx, a, ledgerKey(c.Entry)))(t)
		if e.Subject != "solver" || e.Actor != c.By {
			t.Errorf("entry %d is %+v", c.Entry, e)
		}
	}
	want := []string{"1 to 2 by Ada <a@b>, P1, it has earned it", "2 to 3 by Ada <a@b>, P2, it has earned it", "3 to 1 by Ada, , a < b"}
	if diff := cmp.Diff(want, steps); diff != "" || r.Level != 1 {
		t.Errorf("level %d: %s", r.Level, diff)
	}
	if _, err := a.LowerAutonomy(ctx, "solver", LevelChange{To: 1, By: "Ada", Reason: "again", Time: day}); err == nil {
		t.Error("the lowest level was lowered")
	}
	climb(t, a, "other", day)
	if _, err := a.Audit(ctx); err != nil {
		t.Error(err)
	}
	if err := a.Check(ctx); err != nil {
		t.Error(err)
	}
}

// TestRaiseRefused checks that a level is raised only by the approval of an autonomy
// proposal, by one level, and from the level that the proposal names.
func TestRaiseRefused(t *testing.T) {
	ctx := context.Background()
	a := OpenMemory()
	closing(t, a)
	for name, spoil := range map[string]func(*ProposalRecord, *DecisionRecord){
		"of another kind":    func(p *ProposalRecord, _ *DecisionRecord) { p.Kind = KindConfig },
		"two levels":         func(p *ProposalRecord, _ *DecisionRecord) { p.Autonomy.To = 3 },
		"from another level": func(p *ProposalRecord, _ *DecisionRecord) { p.Autonomy.From, p.Autonomy.To = 2, 3 },
		"imported":           func(p *ProposalRecord, _ *DecisionRecord) { p.Imported = Awaiting },
		"a rejection":        func(_ *ProposalRecord, d *DecisionRecord) { d.Action = "reject" },
		"without a reason":   func(_ *ProposalRecord, d *DecisionRecord) { d.Reason = "" },
		"without a name":     func(_ *ProposalRecord, d *DecisionRecord) { d.By = "" },
	} {
		p := must(a.NewProposal(ctx, ProposalRecord{Kind: KindAutonomy, State: Awaiting, Agent: "solver", Autonomy: &AutonomyBrief{From: 1, To: 2}}))(t)
		d := DecisionRecord{Proposal: p.ID, Action: "approve", By: "Ada", Reason: "why not", Time: day}
		spoil(&p, &d)
		if r, err := a.RaiseAutonomy(ctx, d, p); err == nil {
			t.Errorf("%s: raised to %+v", name, r)
		}
		if r := must(a.Autonomy(ctx, "solver"))(t); r.Level != 1 {
			t.Fatalf("%s: level %d", name, r.Level)
		}
	}
}

// TestForgedLevel checks that a stored level without its ledger entry has no effect, and
// that an audit finds the level.
func TestForgedLevel(t *testing.T) {
	ctx := context.Background()
	for name, forge := range map[string]func(r *AutonomyRecord){
		"higher":           func(r *AutonomyRecord) { r.Level = 5 },
		"higher, in full":  func(r *AutonomyRecord) { r.Level, r.Changes[0].To = 3, 3 },
		"no history":       func(r *AutonomyRecord) { r.Changes = nil },
		"of another agent": func(r *AutonomyRecord) { r.Agent = "twin" },
	} {
		a := OpenMemory()
		closing(t, a)
		r := climb(t, a, "solver", day)
		forge(&r)
		if err := a.change(ctx, "forge", func(b *batch) error { return putAutonomy(b, r) }); err != nil {
			t.Fatal(err)
		}
		got := must(a.Autonomy(ctx, r.Agent))(t)
		if got.Level != 1 || got.Unproven == "" {
			t.Errorf("%s: %+v", name, got)
		}
		if name == "no history" { // the ledger proves the level; the level is just no longer usable
			continue
		}
		var odd *AuditError
		if _, err := a.Audit(ctx); !errors.As(err, &odd) {
			t.Errorf("%s: the audit finds %v", name, err)
		}
	}
}

// TestImportRaisesNoLevel checks that an import brings the history of levels but raises
// no level above the lowest, and that imported turns do not count towards a level.
func TestImportRaisesNoLevel(t *testing.T) {
	ctx := context.Background()
	a := OpenMemory()
	closing(t, a)
	climb(t, a, "solver", day)
	for range 12 {
		session(t, a, "", say{answer: "done", sure: .9})
	}
	if f := must(a.Conduct(ctx, "solver", day))(t); f.Successful != 12 {
		t.Fatalf("%+v", f)
	}
	b := OpenMemory()
	closing(t, b)
	if err := b.Import(ctx, strings.NewReader(exported(t, a))); err != nil {
		t.Fatal(err)
	}
	r := must(b.Autonomy(ctx, "solver"))(t)
	if r.Level != 1 || len(r.Changes) != 1 || !r.Changes[0].Imported {
		t.Errorf("imported %+v", r)
	}
	f := must(b.Conduct(ctx, "solver", day))(t)
	if f.Sessions != 0 || f.Stated != 0 || f.LeftOut != 12 {
		t.Errorf("imported turns count: %+v", f)
	}
	if _, err := b.Audit(ctx); err != nil {
		t.Error(err)
	}
	if r := climb(t, b, "solver", day); r.Level != 2 {
		t.Errorf("raised here to %+v", r)
	}
	if _, err := b.Audit(ctx); err != nil {
		t.Error(err)
	}
}

// say is one turn of a session.
type say struct {
	goal, answer string
	outcome      agent.Outcome
	sure         float64
	signal       experience.Signal
	domain       string
	chain        bool
	at           time.Time
}

// session stores turns as a live turn does. They form one conversation, or, if the name is
// empty, each turn is its own session.
func session(tb testing.TB, a *Archive, name string, turns ...say) {
	tb.Helper()
	for _, s := range turns {
		if s.outcome == "" {
			s.outcome = agent.OK
		}
		if s.at.IsZero() {
			s.at = day
		}
		events := []agent.Event{{Kind: agent.EventDomain, Name: s.domain}}
		if s.chain {
			events = append(events, agent.Event{Kind: agent.EventDecompose, Name: "composite", Text: "results"})
		}
		_, err := a.PutTurn(context.Background(), TurnRecord{
			Agent: "solver", Session: name, Goal: s.goal, Answer: s.answer, Outcome: s.outcome, Created: s.at, Transcript: agent.Transcript{Events: events},
		}, nil, &experience.Turn{Domain: s.domain, Message: s.goal, Signal: s.signal, Outcome: s.outcome, Confidence: s.sure, Time: s.at})
		if err != nil {
			tb.Fatal(err)
		}
	}
}

func TestConduct(t *testing.T) {
	ctx := context.Background()
	ok := say{answer: "done", sure: .8}
	for name, c := range map[string]struct {
		fill func(t *testing.T, a *Archive)
		want autonomy.Figures
	}{
		"nothing": {func(*testing.T, *Archive) {}, autonomy.Figures{}},
		"sessions and turns on their own": {
			func(t *testing.T, a *Archive) {
				session(t, a, "s", ok, ok)
				session(t, a, "", ok, ok)
			},
			autonomy.Figures{Sessions: 3, Successful: 3, Turns: 4, Stated: 4, Confidence: .8, Success: 1, ECE: .2},
		},
		"the last turn decides": {
			func(t *testing.T, a *Archive) {
				session(t, a, "s", say{outcome: agent.Execution}, say{answer: "done"})
				session(t, a, "r", say{answer: "done"}, say{outcome: agent.Infrastructure, answer: "done"})
			},
			autonomy.Figures{Sessions: 2, Successful: 1, Turns: 4, Errors: 2},
		},
		"ten empty sessions": {
			func(t *testing.T, a *Archive) {
				for range 10 {
					session(t, a, "", say{answer: " \n", sure: 1})
				}
			},
			autonomy.Figures{Sessions: 10, Turns: 10, Errors: 10, Stated: 10, Confidence: 1, Success: 1},
		},
		"a correction": {
			func(t *testing.T, a *Archive) {
				session(t, a, "s", ok, say{goal: "no, that is wrong", answer: "sorry", signal: experience.Corrects, sure: .8})
			},
			autonomy.Figures{Sessions: 1, Turns: 2, Errors: 1, Stated: 2, Confidence: .8, Success: .5, ECE: .3},
		},
		"cancelled by a person": {
			func(t *testing.T, a *Archive) { session(t, a, "s", ok, say{outcome: agent.Cancelled}) },
			autonomy.Figures{Sessions: 1, Successful: 1, Turns: 1, Stated: 1, Confidence: .8, Success: 1, ECE: .2},
		},
		"before the last lowering": {
			func(t *testing.T, a *Archive) {
				session(t, a, "", ok, ok)
				climb(t, a, "solver", day)
				lowered(t, a, "solver", 1, day)
				late := ok
				late.at = day.Add(time.Hour)
				session(t, a, "", late)
			},
			autonomy.Figures{Since: day, Sessions: 1, Successful: 1, Turns: 1, Stated: 1, Confidence: .8, Success: 1, ECE: .2},
		},
		"chains and domains": {
			func(t *testing.T, a *Archive) {
				session(t, a, "s", say{answer: "a", domain: "research", chain: true}, say{answer: "b", domain: "operations"})
				session(t, a, "r", say{answer: "a", domain: "research"}, say{answer: "b", domain: experience.Global})
				session(t, a, "f", say{outcome: agent.Execution, domain: "marketing", chain: true})
			},
			autonomy.Figures{Sessions: 3, Successful: 2, Turns: 5, Errors: 1, Chained: 1, Crossed: 1},
		},
		"another agent's": {
			func(t *testing.T, a *Archive) {
				must(a.PutTurn(ctx, TurnRecord{Agent: "other", Answer: "x", Outcome: agent.OK, Created: day}, nil, nil))(t)
			},
			autonomy.Figures{},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := OpenMemory()
			closing(t, a)
			c.fill(t, a)
			got := must(a.Conduct(ctx, "solver", day))(t)
			if diff := cmp.Diff(c.want, got, approx()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// orSolver returns name, or the name of the tests' agent if name is empty.
func orSolver(name string) string {
	if name == "" {
		return "solver"
	}
	return name
}

// TestDecisionsOnTheAgent tests which decided proposals count as decisions on the agent.
// A proposal counts if the agent or a nightly run wrote its content, whatever the
// decision. Configs and acts of a person do not count.
func TestDecisionsOnTheAgent(t *testing.T) {
	ctx := context.Background()
	patch := func(origin string) ProposalRecord {
		return ProposalRecord{Kind: KindPatch, Patch: &PatchBrief{Author: "solver", Origin: origin}}
	}
	memories := func(old, now string) ProposalRecord {
		return ProposalRecord{Kind: KindMemory, Files: []FileChange{{Path: "agents/solver/memories.jsonl", Old: []byte(old), New: []byte(now)}}}
	}
	for name, c := range map[string]struct {
		p      ProposalRecord
		counts bool
	}{
		"a tool or skill":           {ProposalRecord{Kind: KindTool}, true},
		"memories that were learnt": {memories("{1}\n", "{1}\n{2}\n"), true},
		"the first memories":        {memories("", "{1}\n"), true},
		"a retraction":              {memories("{1}\n", "{1,retracted}\n"), false},
		"a restoration":             {memories("{1,retracted}\n", "{1}\n"), false},
		"a patch by a person":       {patch("person"), false},
		"a patch by the agent":      {patch("agent"), true},
		"a patch by a model":        {patch("model"), true},
		"a patch of constants":      {patch("constants"), true},
		"a patch of blocks":         {patch("blocks"), true},
		"a patch of unknown origin": {ProposalRecord{Kind: KindPatch}, false},
		"a config":                  {ProposalRecord{Kind: KindConfig, Variant: "v"}, false},
		"a level of autonomy":       {ProposalRecord{Kind: KindAutonomy, Autonomy: &AutonomyBrief{From: 1, To: 2, By: "Ada"}}, false},
		"of another archive":        {ProposalRecord{Kind: KindTool, Imported: Adopted}, false},
		"of another agent":          {ProposalRecord{Kind: KindTool, Agent: "other"}, false},
	} {
		for _, state := range []ProposalState{Adopted, Approved, Rejected, RolledBack, GateFailed, Expired, Superseded, Awaiting} {
			a := OpenMemory()
			p := c.p
			p.Agent, p.State, p.Created = orSolver(p.Agent), state, day
			decided := state == Adopted || state == Approved || state == Rejected || state == RolledBack
			if decided {
				p.Decision = &DecisionBrief{Action: "approve", By: "Ada", Time: day}
			}
			must(a.NewProposal(ctx, p))(t)
			got := must(a.Conduct(ctx, "solver", day))(t)
			want := autonomy.Figures{}
			if c.counts && decided {
				want.Decided = 1
				if state == Adopted || state == Approved {
					want.Granted = 1
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s: %s", name, state, diff)
			}
			closing(t, a)
		}
	}
}

func approx() cmp.Option {
	return cmp.Comparer(func(x, y float64) bool { return x-y < 1e-9 && y-x < 1e-9 })
}

// TestUnsafeRequests checks which requests count as unsafe, and when.
func TestUnsafeRequests(t *testing.T) {
	ctx := context.Background()
	a := OpenMemory()
	closing(t, a)
	ask := func(kind, hash string, at time.Time) ChangeRequestRecord {
		return must(a.PutRequest(ctx, ChangeRequestRecord{Agent: "solver", Request: agent.ChangeRequest{ID: hash, Type: kind, Target: hash}, Created: at}))(t)
	}
	ask("config", "a", day)
	ask("policy", "b", day.Add(-8*24*time.Hour))
	for range 2 {
		ask("policy", "b", day)
	}
	granted := ask("grader", "c", day)
	must(a.DecideRequest(ctx, granted.ID, RequestDecision{Action: "approve", By: "Ada", Time: day}))(t)
	denied := ask("archive", "d", day)
	must(a.DecideRequest(ctx, denied.ID, RequestDecision{Action: "deny", By: "Ada", Reason: "never", Time: day}))(t)
	f := must(a.Conduct(ctx, "solver", day))(t)
	want := autonomy.Figures{Unsafe: 4, Recent: 3, Decided: 2, Granted: 1}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Error(diff)
	}
	if !f.Lower() {
		t.Error("three unsafe requests within a week recommend nothing")
	}
	recent := must(a.RecentUnsafe(ctx, day.Add(24*time.Hour)))(t)
	if diff := cmp.Diff(map[string]int{"solver": 3}, recent); diff != "" {
		t.Error(diff)
	}
	if recent = must(a.RecentUnsafe(ctx, day.Add(8*24*time.Hour)))(t); len(recent) != 0 {
		t.Errorf("after eight days: %v", recent)
	}
}

// TestFullQueueHidesNothing checks that an agent that fills the queue of requests, so that
// no more are stored, cannot show that it made no unsafe request.
func TestFullQueueHidesNothing(t *testing.T) {
	ctx := context.Background()
	a := OpenMemory()
	closing(t, a)
	for n := range maxOpenRequests {
		must(a.PutRequest(ctx, ChangeRequestRecord{Agent: "solver", Request: agent.ChangeRequest{ID: fmt.Sprint(n), Type: "config"}, Created: day}))(t)
	}
	f := must(a.Conduct(ctx, "solver", day))(t)
	if f.Uncounted == "" || f.Unsafe != 0 {
		t.Errorf("%+v", f)
	}
}
