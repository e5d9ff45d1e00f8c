package wire

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
)

var spoolTime = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// waitingTurn returns turn number n of a conversation.
func waitingTurn(n int) SpooledTurn {
	return SpooledTurn{
		Turn: archive.TurnRecord{
			Agent: "clerk", Session: "talk", Goal: fmt.Sprintf("question %d", n), Outcome: agent.OK, Created: spoolTime.Add(time.Duration(n) * time.Second),
			Transcript: agent.Transcript{Events: []agent.Event{{Kind: agent.EventDomain, Name: "sea"}}},
		},
		Session:  &agent.Session{Working: fmt.Sprintf("after %d", n)},
		Requests: []agent.ChangeRequest{{ID: fmt.Sprintf("%016x", n), Type: "config", Target: "x", Tool: "t", Arguments: []byte("{}")}},
	}
}

// spoolHost returns a process in a new workspace. Its warnings go to log.
func spoolHost(t *testing.T, log *strings.Builder) (h *Host, root string) {
	t.Helper()
	root = t.TempDir()
	if err := os.WriteFile(filepath.Join(root, workspace.SettingsFile), []byte("confirm: {finalists: 2}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return &Host{Ctx: t.Context(), Now: func() time.Time { return spoolTime }, Stderr: log, Log: slog.New(slog.NewTextHandler(log, nil))}, root
}

// TestWaitingTurnsAreStored checks that turns that ended while a run held the archive are
// stored by the next process that opens the archive: each turn once, in order, and with
// its conversation and requests.
func TestWaitingTurnsAreStored(t *testing.T) {
	log := &strings.Builder{}
	h, root := spoolHost(t, log)
	for _, n := range []int{2, 1} {
		if err := SpoolTurn(root, waitingTurn(n)); err != nil {
			t.Fatal(err)
		}
	}
	if s, err := EarlierSession(t.Context(), root, "clerk", "talk"); err != nil || s.Working != "after 2" {
		t.Errorf("the conversation goes on from %q, %v", s.Working, err)
	}
	files, err := spooled(root)
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	first, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	look := func() (goals []string, requests int, last agent.Session) {
		t.Helper()
		a, err := h.OpenArchive(root, "test")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = a.Close() }()
		for turn, err := range a.Turns(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			whole, err := a.Turn(t.Context(), turn.ID)
			if err != nil || len(whole.Transcript.Events) != 1 {
				t.Errorf("%+v, %v", whole, err)
			}
			goals = append(goals, turn.Goal)
		}
		for r, err := range a.Requests(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if requests++; r.Turn != fmt.Sprintf("T%d", requests) {
				t.Errorf("request %s is of turn %q", r.ID, r.Turn)
			}
		}
		if last, err = a.Session(t.Context(), "clerk", "talk"); err != nil {
			t.Fatal(err)
		}
		return goals, requests, last
	}
	for _, again := range []bool{false, true} { // killed before the file was removed
		if again {
			if err := os.WriteFile(files[0], first, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		goals, requests, last := look()
		if diff := cmp.Diff([]string{"question 1", "question 2"}, goals); diff != "" || requests != 2 || last.Working != "after 2" {
			t.Errorf("again %t: %d requests, after %q\n%s", again, requests, last.Working, diff)
		}
		if left, err := spooled(root); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	}
	if log.Len() > 0 {
		t.Errorf("warned: %s", log)
	}
}

// TestRequestsAreCountedOnce tests that each request is counted as often as it was made,
// both in a turn that a killed process had stored in part and in one that it had stored in
// full.
func TestRequestsAreCountedOnce(t *testing.T) {
	a := archive.OpenMemory()
	defer func() { _ = a.Close() }()
	whole := waitingTurn(1)
	whole.Requests = append(whole.Requests, whole.Requests[0], waitingTurn(2).Requests[0])
	part := whole
	for _, n := range []int{1, 2, 3, 3} {
		part.Requests = whole.Requests[:n]
		if err := storeOne(t.Context(), a, part); err != nil {
			t.Fatal(err)
		}
	}
	other := waitingTurn(3) // makes the same request later
	other.Requests = whole.Requests[:1]
	if err := storeOne(t.Context(), a, other); err != nil {
		t.Fatal(err)
	}
	var counts []int
	for r, err := range a.Requests(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		counts = append(counts, r.Count)
	}
	if diff := cmp.Diff([]int{3, 1}, counts); diff != "" {
		t.Error(diff)
	}
}

// TestForeignSpool checks that files that hold no turn are refused and stored under another
// name, and that they hold up neither the archive nor other turns.
func TestForeignSpool(t *testing.T) {
	log := &strings.Builder{}
	h, root := spoolHost(t, log)
	if err := SpoolTurn(root, waitingTurn(1)); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(`{"turn":{"agent":"clerk","outcome":"ok","created":"2026-03-02T12:00:00Z"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := spoolOf(root)
	for name, text := range map[string]string{
		"0000000000000000001-1.json": "no JSON",
		"0000000000000000002-1.json": `{"turn":{"agent":"clerk","outcome":"splendid","created":"2026-03-02T12:00:00Z"}}`,
		"0000000000000000003-1.json": `{"turn":{"agent":"","outcome":"ok","created":"2026-03-02T12:00:00Z"}}`,
		"0000000000000000004-1.json": `{"turn":{"agent":"clerk","session":"s","outcome":"ok","created":"2026-03-02T12:00:00Z"}}`,
		"0000000000000000005-1.json": `{"turn":{"agent":"clerk","session":"s","outcome":"ok","created":"2026-03-02T12:00:00Z"},"session":{"working":"` + strings.Repeat("x", 600<<10) + `"}}`,
		"0000000000000000006-1.json": strings.Repeat(" ", maxSpooledBytes+1),
		"another name.json":          "kept",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(secret, filepath.Join(dir, "0000000000000000007-1.json")); err != nil {
		t.Fatal(err)
	}
	a, err := h.OpenArchive(root, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	n := 0
	for turn, err := range a.Turns(t.Context()) {
		if n++; err != nil || turn.Goal != "question 1" {
			t.Errorf("%+v, %v", turn, err)
		}
	}
	refused, err := filepath.Glob(filepath.Join(dir, "*.refused"))
	if err != nil || n != 1 || len(refused) != 7 || strings.Count(log.String(), "is not stored") != 7 {
		t.Errorf("%d turns, refused %v\n%s", n, refused, log)
	}

	// The refused turns of a forgotten conversation, the fourth and the fifth, are removed.
	unread, err := ForgetRefused(root, "clerk", "s")
	left, _ := filepath.Glob(filepath.Join(dir, "*.refused"))
	if err != nil || len(left) != 5 || len(unread) != 4 {
		t.Errorf("left %v, of which is not supported %v, %v", left, unread, err)
	}
}

// TestSpoolIsBounded checks that a spool that no process empties does not grow for ever.
func TestSpoolIsBounded(t *testing.T) {
	root := t.TempDir()
	for n := range maxSpooled + 1 {
		if err := SpoolTurn(root, waitingTurn(n)); (err == nil) != (n < maxSpooled) {
			t.Fatalf("turn %d: %v", n, err)
		}
	}
	large := waitingTurn(0)
	large.Turn.Goal = strings.Repeat("x", maxSpooledBytes)
	if err := SpoolTurn(t.TempDir(), large); err == nil {
		t.Error("a turn of any size is kept")
	}
}
