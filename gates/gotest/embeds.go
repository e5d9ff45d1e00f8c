package gotest

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// If code embeds its own tests, it embeds the instrumented tests, including the words that
// they report, and could then report these words itself.

// embedded returns the patterns that a Go file embeds, as far as they can be parsed.
func embedded(src []byte) []string {
	var out []string
	for line := range strings.Lines(string(src)) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "//go:embed")
		if !ok || strings.TrimLeft(rest, " \t") == rest {
			continue
		}
		for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
			word, err := strconv.QuotedPrefix(rest)
			if err != nil {
				word, _, _ = strings.Cut(strings.ReplaceAll(rest, "\t", " "), " ")
			}
			rest = rest[len(word):]
			if text, err := strconv.Unquote(word); err == nil {
				word = text
			}
			out = append(out, strings.TrimPrefix(word, "all:"))
		}
	}
	return out
}

// embeds describes the code that embeds a test file of a package; "" if there is none.
func (s graph) embeds(p *pkg) string {
	for _, dir := range slices.Sorted(maps.Keys(s.folders)) {
		for _, pattern := range s.folders[dir].embeds {
			for _, name := range p.tests {
				if covers(path.Join(dir, pattern), path.Join(p.dir, name)) {
					return fmt.Sprintf("%s embeds %q", s.folders[dir].path, pattern)
				}
			}
		}
	}
	return ""
}

// covers reports whether a pattern matches a file or any folder that contains it.
func covers(pattern, file string) bool {
	for ; file != "."; file = path.Dir(file) {
		if ok, err := path.Match(pattern, file); ok && err == nil {
			return true
		}
	}
	return pattern == "."
}
