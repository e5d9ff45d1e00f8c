package patchwriter

import (
	"errors"
	"fmt"
	"strings"

	"evolve/bench"
	"evolve/runtime/memory"
)

// Bounds on an answer, in bytes. The scope has its own bounds on what a patch changes.
const (
	maxAnswer    = 256 << 10
	maxRationale = 1500
)

// Draft is a patch as a model wrote it: foreign text of bounded length.
type Draft struct{ Rationale, Diff string }

// read takes an answer apart. The error says, in words that follow "the answer", why it
// is none.
func (m Material) read(answer string) (Draft, error) {
	if len(answer) > maxAnswer {
		return Draft{}, fmt.Errorf("is too long: %d bytes of at most %d", len(answer), maxAnswer)
	}
	before, rest, fenced := strings.Cut(answer, "```diff")
	blank, rest, open := strings.Cut(rest, "\n")
	if !fenced || !open || strings.TrimSpace(blank) != "" {
		return Draft{}, errors.New("has no block that begins with ```diff")
	}
	// What the diff itself holds may look like a fence; the last one ends it.
	end := strings.LastIndex(rest, "\n```")
	if end < 0 {
		return Draft{}, errors.New("has a block that does not end with ```")
	}
	if strings.TrimSpace(rest[end+len("\n```"):]) != "" {
		return Draft{}, errors.New("goes on after the diff")
	}
	d := Draft{Rationale: memory.Line(before, maxRationale), Diff: rest[:end+1]}
	if d.Rationale == "" {
		return Draft{}, errors.New("gives no rationale")
	}
	if m.copies(d.Rationale) || m.copies(added(d.Diff)) {
		return Draft{}, errors.New("copies words of a task's answer")
	}
	return d, nil
}

// copies finds passages of tasks' answers. It does not repeat them: they may be the
// holdout's. What stands in the files already is no copy.
func (m Material) copies(text string) bool {
	if m.Answers == nil {
		return false
	}
	known := map[bench.Copied]bool{}
	for _, data := range m.Files {
		for _, c := range m.Answers.Find(string(data)) {
			known[c] = true
		}
	}
	for _, c := range m.Answers.Find(text) {
		if !known[c] {
			return true
		}
	}
	return false
}

// added are the lines that a diff adds.
func added(diff string) string {
	var b strings.Builder
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "+") {
			b.WriteString(line[1:])
		}
	}
	return b.String()
}
