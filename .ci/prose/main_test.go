package main

import (
	"go/token"
	"testing"
)

// TestMarkers checks which texts are counted, in comments and in messages.
func TestMarkers(t *testing.T) {
	for text, want := range map[string]int{
		"read returns the file.":                     0,
		"It reports whether the task is held out.":   0,
		"The hint says what to do.":                  1,
		"The function tells the caller.":             1,
		"The reader hears of an error.":              1,
		"Nobody reads this line.":                    1,
		"What is taken away must have been reached.": 1,
		"It fails. What is left stays.":              1,
		"What was tried":                             0,
		"what remains is closed elsewhere":           1,
		"What is the answer?":                        0,
	} {
		var s survey
		s.report = func(token.Position, string) {}
		if err := s.read("a.go", "package a\n\n// "+text+"\nvar a = \"one "+text+" two\"\n"); err != nil {
			t.Fatal(err)
		}
		if s.comments.markers != want || s.comments.texts != 1 {
			t.Errorf("%q: %+v in the comment, want %d", text, s.comments, want)
		}
		if s.messages.texts != 1 {
			t.Errorf("%q: %d messages were read", text, s.messages.texts)
		}
	}
}
