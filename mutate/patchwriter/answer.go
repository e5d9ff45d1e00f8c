package patchwriter

import (
	"errors"
	"fmt"
	"strings"

	"evolve/bench"
	"evolve/runtime/memory"
)

// maxAnswer and maxRationale limit an answer and its rationale, in bytes. The scope has its
// own limits on a patch.
const (
	maxAnswer    = 256 << 10
	maxRationale = 1500
)

// Draft is a patch written by a model: untrusted text of bounded length.
type Draft struct{ Rationale, Diff string }

// read parses an answer. An error is the reason why the answer is invalid, in words that
// follow "the answer".
func (m Material) read(answer string) (Draft, error) {
	if len(answer) > maxAnswer {
		return Draft{}, fmt.Errorf("is too long: %d bytes, but at most %d are allowed", len(answer), maxAnswer)
	}
	before, rest, fenced := strings.Cut(answer, "```diff")
	blank, rest, open := strings.Cut(rest, "\n")
	if !fenced || !open || strings.TrimSpace(blank) != "" {
		return Draft{}, errors.New("has no block that begins with ```diff")
	}
	// The diff may contain lines that look like a closing fence; the last of these lines
	// ends the diff.
	end := strings.LastIndex(rest, "\n```")
	if end < 0 {
		return Draft{}, errors.New("has a block that does not end with ```")
	}
	if strings.TrimSpace(rest[end+len("\n```"):]) != "" {
		return Draft{}, errors.New("has text after the diff")
	}
	d := Draft{Rationale: memory.Line(before, maxRationale), Diff: rest[:end+1]}
	if d.Rationale == "" {
		return Draft{}, errors.New("gives no rationale")
	}
	if m.copies(d.Rationale) || m.copies(added(d.Diff)) {
		return Draft{}, errors.New("copies words from a task's answer")
	}
	return d, nil
}

// copies reports whether a text contains passages of tasks' answers. It does not quote
// these passages, because they may be from the holdout. Passages that the files already
// contain do not count.
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

// added returns the lines that a diff adds.
func added(diff string) string {
	var b strings.Builder
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "+") {
			b.WriteString(line[1:])
		}
	}
	return b.String()
}
