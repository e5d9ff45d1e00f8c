package bench

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// The bounds of a file of memories.
const (
	maxMemoryText = 100_000 // bytes of text and answer
	maxMemoryID   = 200     // bytes
	MaxMemories   = 1_000_000
)

// MemoryLine is a line of a file of memories: each line of memories.jsonl holds one memory
// as JSON.
type MemoryLine struct {
	agent.Memory
	// Start and End are the byte offsets of the memory in the file, excluding surrounding
	// white space and the line break.
	Start, End int
}

// ReadMemories reads a file of memories. It reports every problem with its line, and with
// its column, which counts from 1 or is 0 if there is none. Lines with problems are left
// out.
func ReadMemories(data []byte, report func(line, column int, text string)) []MemoryLine {
	var out []MemoryLine
	first := map[string]int{}
	no, at := 0, 0
	if bytes.HasPrefix(data, []byte("\ufeff")) {
		at = len("\ufeff")
	}
	for line := range bytes.Lines(data[at:]) {
		no++
		start := at
		at += len(line)
		bare := bytes.TrimRight(line, "\r\n")
		if len(bytes.TrimSpace(bare)) == 0 {
			continue
		}
		if len(out) == MaxMemories {
			report(no, 0, fmt.Sprintf("has more than %d memories", MaxMemories))
			return nil
		}
		m, ok := readMemory(bare, func(column int, text string) { report(no, column, text) })
		if !ok {
			continue
		}
		if at, twice := first[m.ID]; twice {
			report(no, 1, fmt.Sprintf("the memory %q appears twice, first on line %d", m.ID, at))
			continue
		}
		first[m.ID] = no
		left := len(bare) - len(bytes.TrimLeft(bare, " \t"))
		out = append(out, MemoryLine{m, start + left, start + len(bytes.TrimRight(bare, " \t"))})
	}
	return out
}

// readMemory reads one line.
func readMemory(line []byte, report func(column int, text string)) (m agent.Memory, ok bool) {
	ok = true
	problem := func(column int, text string) {
		ok = false
		report(column, text)
	}
	m = ParseMemory(line, problem)
	switch {
	case !ok:
	case m.ID == "" || strings.TrimSpace(m.ID) != m.ID || len(m.ID) > maxMemoryID:
		problem(1, fmt.Sprintf(`"id" must be text of 1 to %d bytes without leading or trailing white space`, maxMemoryID))
	case strings.TrimSpace(m.Text) == "":
		problem(1, `"text" is empty`)
	case len(m.Text)+len(m.Answer) > maxMemoryText:
		problem(1, fmt.Sprintf("the memory is longer than %d bytes", maxMemoryText))
	}
	return m, ok
}

// AppendMemories returns a file of memories with more memories appended. The existing
// content of the file stays as it is.
func AppendMemories(data []byte, more []agent.Memory) ([]byte, error) {
	out := bytes.Clone(data)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	for _, m := range more {
		line, err := text.Marshal(m)
		if err != nil {
			return nil, fmt.Errorf("writing a memory: %w", err)
		}
		out = append(append(out, line...), '\n')
	}
	return out, nil
}

// RetractMemory returns a file of memories in which the memory on one line is marked as
// retracted. Every other byte stays as it is.
func RetractMemory(data []byte, l MemoryLine, reason string, at time.Time) ([]byte, error) {
	m := l.Memory
	m.Retracted, m.RetractedAt = reason, at
	line, err := text.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("writing a memory: %w", err)
	}
	if l.Retracted == "" && l.RetractedAt.IsZero() { // keep the line as a person wrote it, and append the mark
		mark, err := markOf(reason, at)
		if err != nil {
			return nil, err
		}
		marked := append(bytes.Clone(bytes.TrimSuffix(data[l.Start:l.End], []byte("}"))), mark...)
		if _, ok := readMemory(marked, func(int, string) {}); ok { // ok is false if the line already contains an empty mark
			line = marked
		}
	}
	return splice(data, l, line), nil
}

// RestoreMemory returns a file of memories in which the mark of a retracted memory is
// removed from one line. If [RetractMemory] made the mark, the line becomes exactly what it
// was before.
func RestoreMemory(data []byte, l MemoryLine) ([]byte, error) {
	mark, err := markOf(l.Retracted, l.RetractedAt)
	if err != nil {
		return nil, err
	}
	if before, ok := bytes.CutSuffix(data[l.Start:l.End], mark); ok {
		return splice(data, l, append(bytes.Clone(before), '}')), nil
	}
	m := l.Memory
	m.Retracted, m.RetractedAt = "", time.Time{}
	line, err := text.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("writing a memory: %w", err)
	}
	return splice(data, l, line), nil
}

// markOf returns the mark of a retracted memory as the JSON that replaces the closing brace
// of its line.
func markOf(reason string, at time.Time) ([]byte, error) {
	mark, err := text.Marshal(struct {
		Retracted   string    `json:"retracted"`
		RetractedAt time.Time `json:"retracted_at,omitzero"`
	}{reason, at})
	if err != nil {
		return nil, fmt.Errorf("writing a mark: %w", err)
	}
	mark[0] = ','
	return mark, nil
}

// splice replaces a line.
func splice(data []byte, l MemoryLine, line []byte) []byte {
	out := append(bytes.Clone(data[:l.Start]), line...)
	return append(out, data[l.End:]...)
}
