package bench

import (
	"encoding/json"

	"evolve/runtime/agent"
)

// ParseMemory reads one memory from JSON, with the keys that the memories of a task may
// have. It reports every problem with its column in the line, in characters from 1; if
// there is a problem, the memory is not valid.
func ParseMemory(line []byte, report func(column int, text string)) agent.Memory {
	var m agent.Memory
	n, bad := parseJSON(line)
	if bad != nil {
		report(columnOf(line, bad.off), bad.text)
		return m
	}
	failed := false
	problem := func(off int, text string) {
		failed = true
		report(columnOf(line, off), text)
	}
	if n.kind == 'n' { // memoryShape treats null as absent
		problem(n.off, "a memory must be an object, not null")
	}
	memoryShape.walk(n, "a memory", problem)
	if failed {
		return m
	}
	if err := json.Unmarshal(line, &m); err != nil {
		problem(n.off, "cannot be read as a memory")
	}
	return m
}
