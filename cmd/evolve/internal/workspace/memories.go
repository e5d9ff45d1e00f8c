package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"

	"evolve/runtime/agent"
)

// The maximum size of one memory and the maximum number of memories.
const (
	maxMemoryText = 100_000 // bytes
	maxMemories   = 1_000_000
)

// memoryKeys are the keys of a line of memories.jsonl.
var memoryKeys = []string{"id", "domain", "text", "answer", "source", "time", "confidence", "retracted"}

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
	column := func(offset int64) int {
		_, c := position(line, min(int(offset), len(line)))
		return c
	}
	if !readKeys(s, no, line, column) {
		return agent.Memory{}, false
	}
	var m agent.Memory
	if err := json.Unmarshal(line, &m); err != nil {
		var te *json.UnmarshalTypeError
		if errors.As(err, &te) {
			wanted := "text"
			if te.Type.Kind() == reflect.Float64 {
				wanted = "a number"
			}
			s.at(no, column(te.Offset), "", "%q must be %s, not %s", te.Field, wanted, withArticle(te.Value))
		} else {
			s.at(no, 1, "write it like 2026-01-31T09:00:00Z", `"time" is no time`)
		}
		return m, false
	}
	switch {
	case m.ID == "" || strings.TrimSpace(m.ID) != m.ID || len(m.ID) > 200:
		s.at(no, 1, "", `"id" must be text of 1 to 200 bytes without white space at its ends`)
	case strings.TrimSpace(m.Text) == "":
		s.at(no, 1, "", `"text" is missing`)
	case len(m.Text)+len(m.Answer) > maxMemoryText:
		s.at(no, 1, "", "the memory is longer than %d bytes", maxMemoryText)
	case m.Confidence < 0 || m.Confidence > 1:
		s.at(no, 1, "", `"confidence" is %s, outside 0 to 1`, plain(m.Confidence))
	}
	return m, s.errs.total == before
}

// readKeys checks that the line is one JSON object with known keys, each once.
func readKeys(s *source, no int, line []byte, column func(int64) int) bool {
	before := s.errs.total
	dec := json.NewDecoder(bytes.NewReader(line))
	notJSON := func(err error) bool {
		var se *json.SyntaxError
		switch {
		case errors.As(err, &se):
			s.at(no, column(se.Offset), "", "is not valid JSON: %s", se)
		default:
			s.at(no, column(dec.InputOffset()), "", "is not valid JSON: the line ends too early")
		}
		return false
	}
	open, err := dec.Token()
	if err != nil {
		return notJSON(err)
	}
	if open != json.Delim('{') {
		s.at(no, 1, "", "must be a JSON object")
		return false
	}
	seen := map[string]bool{}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return notJSON(err)
		}
		name, _ := tok.(string)
		at := column(dec.InputOffset() - int64(len(name)) - 1)
		switch {
		case !slices.Contains(memoryKeys, name):
			s.at(no, at, didYouMean(name, memoryKeys), "unknown key %q", name)
		case seen[name]:
			s.at(no, at, "", "the key %q is here twice", name)
		}
		seen[name] = true
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return notJSON(err)
		}
	}
	if _, err := dec.Token(); err != nil {
		return notJSON(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		s.at(no, column(dec.InputOffset()), "", "has more than one JSON value")
		return false
	}
	return s.errs.total == before
}

func withArticle(kind string) string {
	switch {
	case kind == "array" || kind == "object":
		return "an " + kind
	case kind == "bool":
		return "true or false"
	case kind == "string":
		return "text"
	case strings.HasPrefix(kind, "number "):
		return "the " + kind
	}
	return "a " + kind
}
