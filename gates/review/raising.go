package review

import (
	"path/filepath"
	"regexp"
	"strings"
)

// pythonHead matches the line on which the head of a function begins.
var pythonHead = regexp.MustCompile(`^\s*(async\s+)?def\s+\w+\s*\(`)

// raisingAtOnce returns a text of Python with functions that raise as their first statement;
// "" if it is another language or has none whose body begins on a line of its own.
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
			continue // the body is on the same line
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
