package memory

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/runtime/agent"
)

func TestEachSentence(t *testing.T) {
	for text, want := range map[string][]string{
		"":                              nil,
		"One. Two! Three? four":         {"One.", "Two!", "Three?", "four"},
		"It is 4. Then 3.5 e.g. more":   {"It is 4.", "Then 3.5 e.g. more"},
		"1. First thing\n2. Second\n\n": {"1. First thing", "2. Second"},
		"Dr. J. Smith left. No. Yes":    {"Dr. J. Smith left.", "No.", "Yes"},
		"see a.go and v1.2.3":           {"see a.go and v1.2.3"},
	} {
		var got []string
		EachSentence(text, func(s string) bool {
			got = append(got, s)
			return true
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	n := 0
	EachSentence(strings.Repeat("a b. ", 50), func(string) bool {
		n++
		return n < 3
	})
	if n != 3 {
		t.Errorf("%d sentences after being told to stop", n)
	}
}

// TestLongEntriesAreSummarised tests that the excerpt recalled from a long memory contains
// what the query asks for, wherever it is in the memory.
func TestLongEntriesAreSummarised(t *testing.T) {
	filler := strings.Repeat("The corridor is long and grey today. ", 60)
	text := "Minutes of the facility meeting. " + filler + "The gate code is 4711. " + filler
	x := NewIndex(NewLexicon(), []agent.Memory{{ID: "a", Text: text}})
	hits := x.Recall(context.Background(), Query{Text: "gate code", MaxMemories: 3, Lambda: 1})
	if len(hits) != 1 {
		t.Fatalf("%d hits", len(hits))
	}
	got := hits[0].Memory.Text
	if len(got) > MaxEntryBytes || !strings.Contains(got, "The gate code is 4711.") || !strings.HasPrefix(got, "Minutes") || !strings.HasSuffix(got, "…") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

// TestExcerptBounds tests the length limit of an excerpt, and that a text that fits is not
// shortened.
func TestExcerptBounds(t *testing.T) {
	lex := NewLexicon()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`([a-c]{1,3}[ .?\n]{1,2}){0,60}`)).Draw(t, "text")
		terms, n := []string{"a", "bb"}, rapid.IntRange(0, 80).Draw(t, "n")
		if got := lex.excerpt(text, terms, n); len(got) > n || len(text) <= n && got != text {
			t.Fatalf("%q within %d: %q", text, n, got)
		}
	})
}
