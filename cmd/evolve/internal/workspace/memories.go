package workspace

import (
	"bytes"
	"strings"

	"evolve/bench"
	"evolve/runtime/agent"
)

// The maximum size of one memory and the maximum number of memories.
const (
	maxMemoryText = 100_000 // bytes
	maxMemories   = 1_000_000
)

// readMemories reads memories.jsonl: one memory per line, as JSON.
func readMemories(s *source, root string) []agent.Memory {
	data, ok := s.read(root, maxLines, false)
	if !ok {
		return nil
	}
	var out []agent.Memory
	first := map[string]int{}
	no := 0
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\ufeff"))) {
		no++
		line = bytes.TrimRight(line, "\r\n")
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if len(out) == maxMemories {
			s.at(no, 0, "", "has more than %d memories", maxMemories)
			return nil
		}
		m, ok := readMemory(s, no, line)
		if !ok {
			continue
		}
		if at, twice := first[m.ID]; twice {
			s.at(no, 1, "", "the memory %q is here twice, first on line %d", m.ID, at)
			continue
		}
		first[m.ID] = no
		out = append(out, m)
	}
	return out
}

// readMemory reads one line.
func readMemory(s *source, no int, line []byte) (agent.Memory, bool) {
	before := s.errs.total
	m := bench.ParseMemory(line, func(column int, text string) { s.at(no, column, "", "%s", text) })
	switch {
	case s.errs.total > before:
	case m.ID == "" || strings.TrimSpace(m.ID) != m.ID || len(m.ID) > 200:
		s.at(no, 1, "", `"id" must be text of 1 to 200 bytes without white space at its ends`)
	case strings.TrimSpace(m.Text) == "":
		s.at(no, 1, "", `"text" is empty`)
	case len(m.Text)+len(m.Answer) > maxMemoryText:
		s.at(no, 1, "", "the memory is longer than %d bytes", maxMemoryText)
	}
	return m, s.errs.total == before
}
