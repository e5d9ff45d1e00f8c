package review

import (
	"path/filepath"
	"regexp"
	"strings"
)

// pythonHead matches the beginning of the head of a Python function.
var pythonHead = regexp.MustCompile(`^\s*(async\s+)?def\s+\w+\s*\(`)

// raisingAtOnce returns the source of a Python file, changed so that its functions raise
// an exception as their first statement. Functions whose body begins on the line of their
// head are not changed. It returns "" if no function is changed or the file is not in
// Python.
func raisingAtOnce(file, source string) string {
	if filepath.Ext(file) != ".py" {
		return ""
	}
	var out strings.Builder
	lines, depth, inHead, changed := strings.SplitAfter(source, "\n"), 0, false, false
	for i, line := range lines {
		out.WriteString(line)
		if !inHead && pythonHead.MatchString(line) {
			inHead, depth = true, 0
		}
		if !inHead {
			continue
		}
		code, _, _ := strings.Cut(line, "#")
		for _, c := range code {
			switch c {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth--
			}
		}
		if depth > 0 {
			continue
		}
		inHead = false
		if !strings.HasSuffix(strings.TrimSpace(code), ":") {
			continue // the function's body is on the line of its head
		}
		for _, next := range lines[i+1:] {
			if body := strings.TrimLeft(next, " \t"); strings.TrimSpace(body) != "" && body[0] != '#' {
				out.WriteString(next[:len(next)-len(body)] + "raise RuntimeError(\"evolve canary\")\n")
				changed = true
				break
			}
		}
	}
	if !changed {
		return ""
	}
	return out.String()
}
