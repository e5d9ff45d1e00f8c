package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
	"evolve/runtime/experience"
)

// shown is an experience with a record of each kind, about the turn T1 of the session s0.
func shown() experience.Experience {
	return experience.Experience{
		Turns: 3, Updated: day,
		Capsules: []experience.Capsule{
			{
				Tool: "grep", Domain: "code", Origin: "local", Calls: 2, Outcomes: map[agent.Outcome]int{agent.OK: 1, agent.Timeout: 1},
				Latencies: []time.Duration{time.Second}, Failures: []experience.Failure{{Outcome: agent.Timeout, Cause: "<slow>", Time: day}},
				Axes: map[string]int{"scope": 1}, Last: day,
			},
			{Tool: "search", Method: "web", Domain: experience.Global, Origin: "mcp:web", Calls: 1, Outcomes: map[agent.Outcome]int{agent.OK: 1}},
		},
		Signatures:  []experience.Signature{{Tool: "grep", Domain: "code", Outcome: agent.Timeout, Message: "<slow>", Count: 1, First: day, Last: day}},
		Domains:     []experience.Competence{{Domain: "code", Score: .45, Turns: 2, Corrected: 1, Day: "2026-11-14", DayStart: .5}, {Domain: "ops", Score: .52, Turns: 1, Successes: 1, Day: "2026-11-14", DayStart: .5}},
		Stated:      []experience.Stated{{Turn: "T1", Domain: "code", Confidence: .75}},
		Corrections: []experience.Correction{{Turn: "T1", Domain: "code", Tools: []string{"grep"}, Text: "no, & not that", Time: day}},
		Recent:      []experience.Recent{{Session: "s0", Turn: "T1", Domain: "code", Outcome: agent.OK, Confidence: .5}},
		Feedback: []experience.Feedback{{
			ID: "F2", Verdict: experience.Negative, Action: experience.Penalise, Tool: "grep", Importance: .9, By: "Ada <a@b>", Evidence: "a & b", Time: day,
		}},
		LastFeedback: 2,
	}
}

// keepExperience replaces the stored experience of an agent.
func keepExperience(a *Archive, agentID string, e experience.Experience) error {
	return a.UpdateExperience(context.Background(), agentID, nil, func(old *experience.Experience) error {
		*old = e
		return nil
	})
}

func contractExperience(t *testing.T, p pairOf) {
	ctx := context.Background()
	if diff := cmp.Diff(experience.Experience{}, must(p.r.Experience(ctx, "solver"))(t)); diff != "" {
		t.Errorf("before anything was stored: %s", diff)
	}
	told := LedgerEntry{Time: day, Kind: "feedback.add", Actor: "Ada", Subject: "forged"}
	err := p.w.UpdateExperience(ctx, "solver", &told, func(e *experience.Experience) error {
		*e = shown()
		told.Data = []byte(`{"id":"F2"}`)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(shown(), must(p.r.Experience(ctx, "solver"))(t)); diff != "" {
		t.Error(diff)
	}
	if other := must(p.r.Experience(ctx, "solve"))(t); other.Turns != 0 {
		t.Errorf("another agent has %+v", other)
	}
	entries := collect(t, p.r.Ledger(ctx, 0))
	if len(entries) != 1 || entries[0].Subject != "solver" || string(entries[0].Data) != `{"id":"F2"}` {
		t.Errorf("the ledger has %+v", entries)
	}

	// An experience that cannot be stored changes nothing, including the ledger.
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		agent  string
		change func(*experience.Experience) error
		want   error
	}{
		"an error":        {"solver", func(e *experience.Experience) error { e.Turns = 9; return boom }, boom},
		"no agent":        {"", func(*experience.Experience) error { return nil }, nil},
		"a long agent":    {strings.Repeat("x", maxTurnName+1), func(*experience.Experience) error { return nil }, ErrTooLarge},
		"a number":        {"solver", func(e *experience.Experience) error { e.Turns = -1; return nil }, nil},
		"beyond its size": {"solver", func(e *experience.Experience) error { *e = heavy(30); return nil }, ErrTooLarge},
	} {
		err := p.w.UpdateExperience(ctx, c.agent, &told, c.change)
		if err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if diff := cmp.Diff(shown(), must(p.r.Experience(ctx, "solver"))(t)); diff != "" || len(collect(t, p.r.Ledger(ctx, 0))) != 1 {
		t.Error(diff, "or the ledger has more entries")
	}

	// A turn is learned under the id under which it is stored, or not at all.
	for n, want := range []int{4, 5} {
		learned := &experience.Turn{ID: "T9", Domain: "code", Outcome: agent.OK, Time: day.Add(time.Duration(n+1) * time.Hour)}
		turn := must(p.w.PutTurn(ctx, TurnRecord{Agent: "solver", Goal: "g", Outcome: agent.OK, Created: day}, nil, learned))(t)
		got := must(p.r.Experience(ctx, "solver"))(t)
		if learned.ID != turn.ID || turn.ID != fmt.Sprint("T", n+1) || got.Turns != want || !got.Updated.Equal(learned.Time) {
			t.Errorf("turn %s was learned as %s: %d turns until %s", turn.ID, learned.ID, got.Turns, got.Updated)
		}
	}
	must(p.w.PutTurn(ctx, TurnRecord{Agent: "solver", Goal: "g", Outcome: agent.OK}, nil, nil))(t)
	if got := must(p.r.Experience(ctx, "solver"))(t); got.Turns != 5 {
		t.Errorf("a turn with nothing to learn: %d turns", got.Turns)
	}
	if _, err := p.w.PutTurn(ctx, TurnRecord{Goal: "g"}, nil, &experience.Turn{}); err == nil {
		t.Error("a turn without agent was learned")
	}
}

// heavy returns the result of shown() with the given number of additional capsules, each
// of 150 KB.
func heavy(capsules int) experience.Experience {
	e := shown()
	for n := range capsules {
		c := experience.Capsule{Tool: fmt.Sprintf("tool%03d", n), Domain: "code"}
		for range 10 {
			c.Failures = append(c.Failures, experience.Failure{Outcome: agent.Timeout, Cause: strings.Repeat("x", 15_000), Time: day})
		}
		e.Capsules = append(e.Capsules, c)
	}
	return e
}

// TestFullExperience stores a turn whose calls no longer fit into the experience of its
// agent.
func TestFullExperience(t *testing.T) {
	if testing.Short() {
		t.Skip("much data, one call after another")
	}
	ctx := context.Background()
	a := openAt(t, t.TempDir())
	closing(t, a)
	full := heavy(28) // beyond the bound by less than one capsule
	last := &full.Capsules[len(full.Capsules)-1]
	for n := 0; len(must(json.Marshal(full))(t)) > maxExperience-200; n++ {
		last.Failures[n%10].Cause = last.Failures[n%10].Cause[100:]
	}
	if err := keepExperience(a, "solver", full); err != nil {
		t.Fatal(err)
	}
	learned := &experience.Turn{Domain: "code", Outcome: agent.OK, Time: day}
	for range 10 {
		learned.Calls = append(learned.Calls, experience.Call{Tool: "grep", Outcome: agent.Timeout, Cause: strings.Repeat("x", 100<<10)})
	}
	stored := must(a.PutTurn(ctx, TurnRecord{Agent: "solver", Goal: "g", Outcome: agent.OK}, nil, learned))(t)
	if got := must(a.Turn(ctx, stored.ID))(t); got.Goal != "g" {
		t.Errorf("stored %+v", got)
	}
	if got := must(a.Experience(ctx, "solver"))(t); got.Turns != 3 {
		t.Errorf("an experience of %d turns, want the 3 from before", got.Turns)
	}
}

// TestLargestExperience stores an experience that is near its bound, together with the
// largest turn, on disk.
func TestLargestExperience(t *testing.T) {
	ctx := context.Background()
	a := openAt(t, t.TempDir())
	closing(t, a)
	if err := keepExperience(a, "solver", heavy(27)); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 300<<10)
	turn := TurnRecord{Agent: "solver", Session: "s", Goal: long, Answer: long, Transcript: agent.Transcript{Events: []agent.Event{{Text: long[:maxTranscript/2]}}}}
	must(a.PutTurn(ctx, turn, &agent.Session{Summary: strings.Repeat("x", maxSession-30)}, &experience.Turn{Domain: "code", Outcome: agent.OK, Time: day}))(t)
	if got := must(a.Experience(ctx, "solver"))(t); got.Turns != 4 || len(got.Capsules) != 29 {
		t.Errorf("%d turns, %d capsules", got.Turns, len(got.Capsules))
	}
	if err := a.Check(ctx); err != nil {
		t.Error(err)
	}
}

// TestForgetExperience deletes a session and checks that the experience of its agent loses
// the session's texts.
func TestForgetExperience(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "archive")
	a := openAt(t, dir)
	for _, agentID := range []string{"clerk", "aide"} {
		must(a.PutTurn(ctx, TurnRecord{Agent: agentID, Session: "s0", Goal: "goal", Outcome: agent.OK, Created: day}, &agent.Session{Working: "w"}, nil))(t)
		e := shown()
		e.Corrections = append(e.Corrections, experience.Correction{Turn: "T7", Domain: "code", Text: "of another", Time: day})
		if err := keepExperience(a, agentID, e); err != nil {
			t.Fatal(err)
		}
		if err := a.FreezeExperience(ctx, agentID); err != nil {
			t.Fatal(err)
		}
	}
	failed := func(agentID, message string, turns ...string) ToolNote {
		return ToolNote{Agent: agentID, Origin: "local", Signatures: []experience.Signature{{Tool: "grep", Domain: "code", Outcome: agent.Timeout, Message: message, Count: 2, First: day, Last: day, Turns: turns}}}
	}
	run := Run{ID: "1-ab", Number: 1, State: RunDone, Tools: []ToolNote{failed("clerk", "its own", "T1"), failed("clerk", "of others too", "T1", "T7"), failed("aide", "another's", "T1")}}
	if err := a.PutRun(ctx, run); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	must(DeleteSession(ctx, dir, "clerk", "s0", GCOptions{}))(t)
	r := readAt(t, dir)
	closing(t, r)
	if err := r.Check(ctx); err != nil {
		t.Error(err)
	}
	want := shown()
	want.Recent, want.Corrections = nil, []experience.Correction{{Turn: "T7", Domain: "code", Text: "of another", Time: day}}
	if diff := cmp.Diff(want, must(r.Experience(ctx, "clerk"))(t)); diff != "" {
		t.Error(diff)
	}
	frozen := must(r.FrozenExperience(ctx, "clerk"))(t)
	if diff := cmp.Diff(want.ForEvaluations(), &frozen); diff != "" {
		t.Errorf("of a run: %s", diff)
	}
	run.Tools[0].Signatures, run.Tools[1].Signatures[0].Turns = nil, []string{"T7"}
	if diff := cmp.Diff(run.Tools, must(r.Run(ctx, "1-ab"))(t).Tools); diff != "" {
		t.Errorf("the notes of a run: %s", diff)
	}
	if other := must(r.Experience(ctx, "aide"))(t); len(other.Corrections) != 2 || len(other.Recent) != 1 {
		t.Errorf("another agent's is %+v", other)
	}
}
