package archive

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// TestQuestion checks that a question is bounded, belongs to its suites, and is not written
// again if it is already stored.
func TestQuestion(t *testing.T) {
	ctx := context.Background()
	a := OpenMemory()
	closing(t, a)
	long := Question{SuiteHash: "aa", Task: "t1", Goal: strings.Repeat("x", 10<<10), Expected: "42"}
	if err := a.PutQuestions(ctx, []Question{long, {SuiteHash: "aa", Task: "t2", Goal: "?"}}); err != nil {
		t.Fatal(err)
	}
	q := must(a.Question(ctx, "aa", "t1"))(t)
	if len(q.Goal) > maxQuestion || q.Expected != "42" {
		t.Errorf("it holds %d bytes of the goal, and expects %q", len(q.Goal), q.Expected)
	}
	if _, err := a.Question(ctx, "bb", "t1"); !errors.Is(err, ErrNotFound) {
		t.Errorf("other suites have the question, or %v", err)
	}
	var b batch
	if err := errors.Join(putQuestion(&b, long), putQuestion(&b, Question{SuiteHash: "bb", Task: "t1"}), a.dropStored(ctx, &b)); err != nil {
		t.Fatal(err)
	}
	if len(b.pairs) != 1 {
		t.Errorf("%d of 2 questions would be written, not the new one alone", len(b.pairs))
	}
	if err := a.PutQuestions(ctx, []Question{{Task: "t1"}}); err == nil {
		t.Error("a question without the hash of its suites was stored")
	}
}
