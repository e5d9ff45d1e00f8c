package importer

import (
	"strings"
	"testing"
)

// TestLongQuestion checks that a question of more than 1 MB is noted and kept.
func TestLongQuestion(t *testing.T) {
	t.Parallel()
	text := "question,answer\nwhy?,because\n" + strings.Repeat("why ", 300_000) + "?,now\n"
	tasks, notes, err := Read(strings.NewReader(text), Options{Format: CSV})
	if err != nil || len(tasks) != 2 {
		t.Fatalf("%d tasks, %v, %v", len(tasks), notes, err)
	}
	const want = "line 3: the question is 1.2 MB long, and each evaluation of the task sends all of it"
	if len(notes) != 1 || notes[0].String() != want {
		t.Errorf("the notes are %v, want %q", notes, want)
	}
}
