package safety

import (
	"encoding/json"
	"maps"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	foreign "evolve/runtime/text"
)

// The kinds of things that only a person may change, as in [agent.ChangeRequest].
const (
	Source    = "source"
	Config    = "config"
	Policy    = "policy"
	Settings  = "settings"
	Benchmark = "benchmark"
	Grader    = "grader"
	Archive   = "archive"
	Tool      = "tool"
	Other     = "other"
)

// maxTarget is the maximum length of a target, in bytes.
const maxTarget = 4096

// Classify returns the kind of a path or of a parameter's name. A name that looks like a
// protected name to a person or to some file system counts as that protected name, even
// if it differs in case or white space or contains look-alike letters or escapes.
// Classify never accesses the file system, so the caller must resolve symbolic links.
func Classify(target string) string {
	parts := segments(target)
	if len(parts) == 0 {
		return Other
	}
	base := parts[len(parts)-1]
	base, fragment, _ := strings.Cut(base, "#")
	parts[len(parts)-1] = base
	if len(parts) == 1 && !isFile(base) {
		if kind := parameter(base); kind != Other {
			return kind
		}
	}
	in := func(name string) int { return slices.Index(parts, name) }
	switch {
	case in(".evolve") >= 0:
		return Archive
	case in(".git") >= 0:
		return Source
	case in("graders") >= 0, in("grader") >= 0, strings.HasPrefix(base, "grader"):
		return Grader
	case in("suites") >= 0:
		return Benchmark
	case base == "evolve.yaml", base == "evolve.yml", base == "evolve.json":
		if strings.HasPrefix(fragment, "polic") || strings.HasPrefix(fragment, "never") {
			return Policy
		}
		return Settings
	case in("policies") >= 0, in("policy") >= 0, stem(base) == "policy", stem(base) == "policies":
		return Policy
	}
	if at := in("agents"); at >= 0 {
		if kind := ofAgent(parts[at+1:]); kind != "" {
			return kind
		}
	}
	return byName(base)
}

// ofAgent returns the kind of a path inside the agents folder; parts begins with the
// agent's id.
func ofAgent(parts []string) string {
	switch {
	case len(parts) > 1 && (slices.Contains(parts[1:], "tools") || slices.Contains(parts[1:], "skills")):
		return Tool
	case len(parts) > 0 && byName(parts[len(parts)-1]) != Other:
		return byName(parts[len(parts)-1])
	}
	return Config
}

// byName returns the kind of a file, based only on its name.
func byName(base string) string {
	switch base {
	case "agent.yaml", "agent.yml", "config.yaml", "config.yml", "config.json", "strategy.md", "soul.md", "agent.md", "goals.md", "memory.md",
		"tools.md", "eval_feedback.md", "prosoche.md":
		return Config
	case "skill.md":
		return Tool
	case "makefile", "dockerfile", "go.mod", "go.sum", "license":
		return Source
	case "settings.json", "settings.yaml", "settings.yml", "crontab":
		return Settings
	}
	switch path.Ext(base) {
	case ".go", ".py", ".js", ".mjs", ".ts", ".tsx", ".jsx", ".rs", ".c", ".h", ".cc", ".cpp", ".java", ".rb", ".php", ".sh", ".bash", ".ps1", ".sql", ".proto", ".tmpl":
		return Source
	case ".star":
		return Tool
	case ".jsonl":
		return Benchmark
	case ".env", ".toml", ".ini", ".conf", ".cfg":
		return Settings
	}
	if base == ".env" || strings.HasPrefix(base, ".env.") {
		return Settings
	}
	return Other
}

// isFile reports whether a bare name is the name of a file rather than of a parameter.
func isFile(base string) bool {
	switch path.Ext(base) {
	case ".md", ".txt", ".csv", ".tsv", ".json", ".yaml", ".yml", ".html", ".xml", ".log", ".pdf", ".png", ".jpg", ".svg", ".bak", ".tmp", ".zip", ".gz":
		return true
	}
	return byName(base) != Other
}

// stem returns a name without its extension.
func stem(base string) string { return strings.TrimSuffix(base, path.Ext(base)) }

// parameter returns the kind of a parameter or of a bare word.
func parameter(name string) string {
	first, _, _ := strings.Cut(name, ".")
	if _, rest, ok := strings.Cut(name, "."); ok && first == "tools" {
		switch rest {
		case "expire_turns", "selection", "pattern_weight", "performance_weight", "cutoff":
			return Config
		}
	}
	switch first {
	case "temperature", "recall", "distill", "notes", "bootstrap", "loop", "decompose", "routes", "delegate", "strategy", "config", "pipeline_config", "prompt":
		return Config
	case "policy", "policies", "never", "deadline", "attempts", "breaker", "rate", "concurrency", "per_run", "per_agent", "per_day", "exhausted", "retries":
		return Policy
	case "settings", "budget", "budgets", "limits", "sandbox", "autonomy", "approval", "approvals", "schedule", "provider", "providers", "models", "env", "secrets", "evolve":
		return Settings
	case "grader", "graders", "rubric":
		return Grader
	case "suite", "suites", "task", "tasks", "holdout", "benchmark", "split", "splits":
		return Benchmark
	case "archive", "ledger", "lineage", ".evolve":
		return Archive
	case "tool", "tools", "skill", "skills":
		return Tool
	case "source", "code":
		return Source
	}
	return Other
}

// segments returns the parts of a target after undoing everything that can disguise one
// name as another.
func segments(target string) []string {
	text := target[:min(len(target), maxTarget)]
	text = strings.ToValidUTF8(text, "")
	for range 3 {
		plain, err := url.PathUnescape(text)
		if err != nil || plain == text {
			break
		}
		text = strings.ToValidUTF8(plain, "")
	}
	text, _, _ = strings.Cut(text, "\x00") // many programs stop reading at a NUL byte
	text = fold(text)
	if rest, ok := strings.CutPrefix(text, "file:"); ok {
		text = rest
	}
	var out []string
	for i, part := range strings.FieldsFunc(text, func(r rune) bool { return r == '/' || r == '\\' }) {
		part = strings.TrimSpace(part)
		if i == 0 && len(part) == 2 && part[1] == ':' {
			continue // a drive
		}
		if before, _, ok := strings.Cut(part, ":"); ok && before != "" {
			part = before // the rest names an alternate data stream of the file
		}
		if part == ".." {
			out = out[:max(0, len(out)-1)]
			continue
		}
		part = strings.TrimRight(part, ". ")
		if part != "" {
			out = append(out, part)
		}
	}
	return out
}

// fold replaces characters with the lower-case ASCII characters that they look like.
func fold(text string) string {
	text = norm.NFKD.String(text)
	text = strings.ToLower(text)
	alike := lookalikes()
	return strings.Map(func(r rune) rune {
		switch {
		case r < utf8.RuneSelf && r >= ' ':
			return r
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Cc, unicode.Variation_Selector):
			return -1
		}
		for letter, others := range alike {
			if strings.ContainsRune(others, r) {
				return letter
			}
		}
		return r
	}, text)
}

// lookalikes maps ASCII characters to other characters that look like them. Accented and
// full-width letters need no entry, because they are normalized first.
func lookalikes() map[rune]string {
	return map[rune]string{
		'a': "аɑαᴀ", 'b': "вᖯ", 'c': "сϲᴄ", 'd': "ԁժ", 'e': "еєεҽᴇ℮", 'f': "ғꞙ", 'g': "ɡցɢ", 'h': "һհнʜ", 'i': "іıιɪӏ", 'j': "јϳ", 'k': "кκᴋ", 'l': "ⅼʟǀ",
		'm': "мᴍ", 'n': "ոпɴ", 'o': "оοօσᴏ०", 'p': "рρᴘ", 'q': "ԛզ", 'r': "гʀ", 's': "ѕꜱ", 't': "тτᴛ", 'u': "υսᴜ", 'v': "ѵνᴠ", 'w': "ԝѡωᴡ", 'x': "хχ", 'y': "уүγʏ", 'z': "ᴢ",
		'/': "∕⁄⧸⟋╱", '\\': "∖⧵⧹╲", '.': "。․·", '-': "‐‑‒–—−ー", '_': "‗", ':': "：꞉∶",
	}
}

// targetNames returns the names of arguments that name a call's target, the most likely
// first.
func targetNames() []string {
	return []string{
		"path", "filepath", "file", "filename", "target", "targetpath", "targetfile", "destination", "dest", "dst", "to", "output", "outputpath", "newpath",
		"uri", "url", "key", "param", "parameter", "setting", "name", "id", "resource", "paths", "files", "source", "src", "from", "oldpath", "directory", "dir",
		"folder", "patch", "diff", "command", "cmd", "argv", "args",
	}
}

// Limits on the search through a call's arguments.
const (
	maxDepth = 8
	maxNodes = 4000
)

// TargetOf returns the path or name of the thing that a call's arguments refer to, or ""
// if there is none. If the arguments refer to several things, TargetOf prefers a
// protected thing, and then the thing in the argument with the most likely name.
func TargetOf(args json.RawMessage) string {
	var root any
	if len(args) > maxArguments || json.Unmarshal(args, &root) != nil {
		return ""
	}
	if text, ok := root.(string); ok {
		return bounded(text)
	}
	names := targetNames()
	best, rank := "", len(names)*2
	walk(root, func(name, text string) {
		at := slices.Index(names, plainName(name))
		if at < 0 || text == "" || text == "true" || text == "false" {
			return
		}
		for _, candidate := range candidates(plainName(name), text) {
			r := at + len(names)
			if Classify(candidate) != Other {
				r = at
			}
			if r < rank {
				best, rank = candidate, r
			}
		}
	})
	return bounded(best)
}

// candidates returns the possible targets in the text of an argument.
func candidates(name, text string) []string {
	text = text[:min(len(text), 64<<10)]
	switch name {
	case "patch", "diff":
		var out []string
		for line := range strings.Lines(text) {
			for _, mark := range []string{"+++ ", "--- ", "rename to ", "*** Update File: ", "*** Add File: ", "*** Delete File: "} {
				if file, ok := strings.CutPrefix(line, mark); ok && !strings.HasPrefix(file, "/dev/null") {
					file = strings.TrimSpace(file)
					file = strings.TrimPrefix(strings.TrimPrefix(file, "a/"), "b/")
					out = append(out, file)
				}
			}
		}
		return out
	case "command", "cmd", "argv", "args":
		return strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`;|&<>"'()=`, r) })
	}
	return []string{text}
}

// walk calls f with every string and boolean in a JSON value, together with the name of the
// object member that contains it, in order of depth and then of name. It returns false if
// the value exceeds the limits on size or depth.
func walk(root any, f func(name, text string)) (whole bool) {
	type node struct {
		name  string
		value any
		depth int
	}
	queue := []node{{"", root, 0}}
	whole = true
	deeper := func(at node, n int) bool {
		fits := at.depth < maxDepth || n == 0
		whole = whole && fits
		return fits
	}
	n := 0
	for ; len(queue) > 0 && n < maxNodes; n++ {
		at := queue[0]
		queue = queue[1:]
		switch v := at.value.(type) {
		case string:
			f(at.name, v)
		case bool:
			f(at.name, strconv.FormatBool(v))
		case []any:
			if deeper(at, len(v)) {
				for _, e := range v {
					queue = append(queue, node{at.name, e, at.depth + 1})
				}
			}
		case map[string]any:
			if deeper(at, len(v)) {
				for _, k := range slices.Sorted(maps.Keys(v)) {
					queue = append(queue, node{k, v[k], at.depth + 1})
				}
			}
		}
	}
	return whole && len(queue) == 0
}

// plainName returns the name of an argument in lower case, without separators.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' || r == '.' {
			return -1
		}
		return unicode.ToLower(r)
	}, name[:min(len(name), 64)])
}

// bounded returns s as valid UTF-8, cut to the maximum length of a target in a request.
func bounded(s string) string {
	return foreign.Clip(strings.ToValidUTF8(s, "\uFFFD"), maxTarget)
}
