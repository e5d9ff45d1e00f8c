package typed

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"evolve/runtime/scrub"
)

// credentials returns the added lines in changed files that contain a credential. Tests and
// their data are left out, because their credentials are made up.
func credentials(c Change) []Finding {
	const why = "a credential is in the source; anyone who can read the repository has it"
	var out []Finding
	for _, p := range c.Changed {
		if strings.Contains("/"+p, "/testdata/") || strings.HasSuffix(p, "_test.go") {
			continue
		}
		now, err := os.ReadFile(filepath.Join(c.Candidate, filepath.FromSlash(p)))
		if err != nil {
			continue // removed
		}
		was, _ := os.ReadFile(filepath.Join(c.Base, filepath.FromSlash(p))) // absent: a new file
		whole := scrub.Line(now)
		if whole == 0 {
			continue
		}
		if scrub.Line(was) == 0 {
			out = append(out, Finding{Path: p, Line: whole, Why: why})
			continue
		}
		had := map[string]bool{}
		for line := range bytes.Lines(was) {
			had[string(bytes.TrimSpace(line))] = true
		}
		n := 0
		for line := range bytes.Lines(now) {
			n++
			if !had[string(bytes.TrimSpace(line))] && scrub.Line(line) > 0 {
				out = append(out, Finding{Path: p, Line: n, Why: why})
			}
		}
	}
	return out
}
