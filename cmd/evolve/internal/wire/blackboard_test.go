package wire

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"evolve/runtime/session"
)

// TestBlackboardIsKept checks that each agent's turn replaces only its own entries, and
// that an invalid file is an error.
func TestBlackboardIsKept(t *testing.T) {
	root := t.TempDir()
	now := func() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }
	post := func(agentID, key, value string) {
		t.Helper()
		board := session.NewBoard(now)
		posted, err := ReadBlackboard(root)
		if err != nil {
			t.Fatal(err)
		}
		board.Restore(posted)
		if err := board.Put(agentID, key, value, time.Hour); err != nil {
			t.Fatal(err)
		}
		if err := WriteBlackboard(root, agentID, board); err != nil {
			t.Fatal(err)
		}
	}
	post("a", "broadcast.x", "1")
	post("b", "broadcast.x", "2")
	post("a", "broadcast.x", "3")
	posted, err := ReadBlackboard(root)
	if err != nil || len(posted) != 2 {
		t.Fatalf("%+v, %v", posted, err)
	}
	board := session.NewBoard(now)
	board.Restore(posted)
	var seen []string
	for _, e := range board.Visible("c") {
		seen = append(seen, e.From+e.Value)
	}
	if strings.Join(seen, " ") != "a3 b2" {
		t.Error(seen)
	}
	file := filepath.Join(root, ".evolve", blackboardFile)
	for _, bad := range []string{"[", strings.Repeat("x", maxBlackboard+1)} {
		if err := os.WriteFile(file, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadBlackboard(root); err == nil {
			t.Errorf("%d bytes of nonsense are a blackboard", len(bad))
		}
	}
}
