package tool

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"strings"

	"evolve/runtime/agent"
	foreign "evolve/runtime/text"
)

// Limits on what grep returns.
const (
	maxMatches   = 100
	maxMatchLine = 300 // bytes
)

type grepArgs struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
	Literal bool   `json:"literal"`
	Max     int    `json:"max"`
}

func grep() Tool {
	return define("grep",
		"The lines below a path that match a regular expression (RE2, case ignored) or a literal text, as path:line: text.",
		`{"type":"object","required":["pattern"],"additionalProperties":false,"properties":{"pattern":{"type":"string","minLength":1,"maxLength":500},"path":{"type":"string","maxLength":1000},"literal":{"type":"boolean"},"max":{"type":"integer","minimum":1,"maximum":100}}}`,
		Essential, []string{"engineering", "operations", "research"},
		func(ctx context.Context, env *Env, a grepArgs) Result {
			match, err := matcher(a)
			if err != nil {
				return Failed(agent.ContractViolation, "the pattern is not a regular expression")
			}
			clean, info, err := env.resolve(a.Path)
			if err != nil {
				return failed(err)
			}
			files, err := env.Files()
			if err != nil {
				return failed(err)
			}
			if !info.IsDir() {
				files = []File{{Path: clean, Size: info.Size()}}
				clean = path.Dir(clean)
			}
			most := a.Max
			if most == 0 {
				most = maxMatches
			}
			var b strings.Builder
			found := 0
			for _, f := range files {
				if ctx.Err() != nil {
					return ended(ctx)
				}
				if f.Dir || !below(f.Path, clean) {
					continue
				}
				text, err := env.Text(f.Path)
				if err != nil {
					continue // binary or too large: nothing to match
				}
				numbered(text, env.clean(f.Path, text), func(n int, line string) bool {
					line = strings.TrimRight(line, "\r\n")
					if !match(line) {
						return true
					}
					if found++; found > most {
						return false
					}
					fmt.Fprintf(&b, "%s:%d: %s\n", f.Path, n, foreign.Clip(strings.TrimSpace(line), maxMatchLine))
					return true
				})
				if found > most {
					fmt.Fprintf(&b, "… (more than %d lines match)\n", most)
					break
				}
			}
			return OK(strings.TrimSuffix(b.String(), "\n"))
		})
}

func matcher(a grepArgs) (func(line string) bool, error) {
	if a.Literal || regexp.QuoteMeta(a.Pattern) == a.Pattern {
		want := strings.ToLower(a.Pattern)
		return func(line string) bool { return strings.Contains(strings.ToLower(line), want) }, nil
	}
	re, err := regexp.Compile("(?i)" + a.Pattern)
	if err != nil {
		return nil, err
	}
	return re.MatchString, nil
}
