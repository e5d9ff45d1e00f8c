package archive

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"evolve/runtime/agent"
)

// TestDeleteSession checks that the state and the texts of a conversation are deleted, that
// everything else stays, and that the archive is sound and can be exported.
func TestDeleteSession(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "archive")
	a := openAt(t, dir)
	for _, s := range []string{"talk", "other", "talk", ""} {
		var next *agent.Session
		if s != "" {
			next = &agent.Session{Working: "secret " + s, Messages: []agent.Message{{Role: "user", Content: "hello"}}}
		}
		must(a.PutTurn(ctx, TurnRecord{Agent: "clerk", Session: s, Goal: "goal " + s, Answer: "yes", Outcome: agent.OK, Created: day, Transcript: *transcript("a step")}, next, nil))(t)
	}
	if list := must(a.Sessions(ctx))(t); len(list) != 2 || list[0].Name != "other" || list[1].Messages != 1 {
		t.Errorf("stored are %+v", list)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := DeleteSession(ctx, dir, "aide", "talk", GCOptions{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("the session of another agent: %v", err)
	}
	if gone := must(DeleteSession(ctx, dir, "clerk", "talk", GCOptions{}))(t); gone.Sessions != 1 || gone.Turns != 2 {
		t.Errorf("gone are %+v", gone)
	}
	if _, err := DeleteSession(ctx, dir, "clerk", "talk", GCOptions{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("a second time: %v", err)
	}
	r := readAt(t, dir)
	closing(t, r)
	if err := r.Check(ctx); err != nil {
		t.Error(err)
	}
	if _, err := r.Session(ctx, "clerk", "talk"); !errors.Is(err, ErrNotFound) {
		t.Errorf("the session: %v", err)
	}
	must(r.Session(ctx, "clerk", "other"))(t)
	for id, stays := range map[string]bool{"T1": false, "T2": true, "T3": false, "T4": true} {
		turn := must(r.Turn(ctx, id))(t)
		if (turn.Goal != "") != stays || (turn.Answer != "") != stays || (len(turn.Transcript.Events) > 0) != stays || turn.Outcome != agent.OK {
			t.Errorf("%s: %+v", id, turn)
		}
	}
	if entries := collect(t, r.Ledger(ctx, 0)); entries[0].Kind != LedgerGC {
		t.Errorf("the ledger has %+v", entries)
	}
}
