package turn

import (
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/tool"
)

// escapes returns attempts to reach files that no model may see.
func escapes() []attempt {
	var out []attempt
	for _, c := range []struct {
		path string
		want agent.Outcome
	}{
		{"../secret.txt", denied},
		{"sub/../../secret.txt", denied},
		{"./sub/./../../secret.txt", denied},
		{"sub/deep/../../../secret.txt", denied},
		{"/etc/passwd", denied},
		{"//etc/passwd", denied},
		{"/proc/self/environ", denied},
		{`..\secret.txt`, violation},
		{`sub\..\..\secret.txt`, violation},
		{"plain.txt\x00.md", violation},
		{"%2e%2e/secret.txt", execution},
		{"..%2fsecret.txt", execution},
		{"．．/secret.txt", execution}, // full-width dots
		{"..∕secret.txt", execution}, // division slash
		{"..／secret.txt", execution}, // full-width slash
		{"․․/secret.txt", execution}, // one-dot leaders
		{"link.txt", denied},
		{"linked/secret.txt", denied},
		{"chain.txt", denied},
		{"loop.txt", denied},
		{".env", denied},
		{".ENV", denied},
		{"sub/.Env.local", denied},
		{".env/", denied},
		{"./.env", denied},
		{"sub/../.env", denied},
		{"ID_RSA", denied},
		{"key.PEM", denied},
		{".ssh/config", denied},
		{"Credentials.json", denied},
		{".git-credentials", denied},
		{"．env", denied}, // full-width dot
		{".еnv", denied}, // Cyrillic е
		{".env ", denied},
		{".env.", denied},
		{"fifo", denied},
		{"big.txt", spent},
		{strings.Repeat("a/", 400) + "x", execution},
		{strings.Repeat("x", 5000), violation},
	} {
		out = append(out, attempt{name: "read " + memoryCut(c.path), calls: path("read_file", c.path), outcomes: []agent.Outcome{c.want}})
	}
	for _, c := range []struct {
		tool, path string
		want       agent.Outcome
	}{
		{"list_directory", "..", denied},
		{"list_directory", "linked", denied},
		{"list_directory", "/", denied},
		{"file_summary", "../secret.txt", denied},
		{"file_summary", "link.txt", denied},
		{"file_summary", ".env", denied},
	} {
		out = append(out, attempt{name: c.tool + " " + c.path, calls: path(c.tool, c.path), outcomes: []agent.Outcome{c.want}})
	}
	return append(out,
		attempt{name: "grep for secrets", calls: one("grep", `{"pattern":"`+canary[:6]+`"}`), outcomes: []agent.Outcome{agent.OK}},
		attempt{name: "index of secrets", calls: one("repo_index", `{}`), outcomes: []agent.Outcome{agent.OK}},
		attempt{name: "map of secrets", calls: one("dependency_map", `{}`), outcomes: []agent.Outcome{agent.OK}},
	)
}

func memoryCut(s string) string { return s[:min(len(s), 24)] }

// writes returns attempts to change something by calls that look like something else.
func writes() []attempt {
	touch := func(name, description, args string, effect tool.Effect) attempt {
		f := served(name, effect, "done "+canary)
		f.spec.Description = description
		return attempt{name: name, calls: one(name, args), foreign: []tool.Tool{f}, outcomes: []agent.Outcome{denied}}
	}
	requests := func(a attempt, types ...string) attempt {
		a.requests = types
		return a
	}
	return []attempt{
		requests(touch("put", "writes", `{"path":"suites/tasks.jsonl"}`, tool.Write), "benchmark"),
		requests(touch("save", "writes", `{"path":"EVOLVE.YAML"}`, tool.Write), "settings"),
		requests(touch("keep", "writes", `{"path":"agents/x/../x/config.yaml"}`, tool.IdempotentWrite), "config"),
		requests(touch("edit", "writes", `{"path":".evolve/archive/LOCK"}`, tool.Write), "archive"),
		requests(touch("fix", "writes", `{"path":"main.go"}`, tool.Write), "source"),
		requests(touch("far__query", "reads a table", `{"sql":"DELETE FROM tasks"}`, tool.Read), "other"),
		requests(touch("far__query2", "reads a table", `{"query":"select 1; drop table tasks"}`, tool.Read), "other"),
		requests(touch("far__fetch", "gets a page", `{"url":"https://example.org/x","method":"POST"}`, tool.Read), "other"),
		{ // the first member is harmless, and another parser reads the second
			name: "a member that is there twice", calls: one("far__query", `{"sql":"DELETE FROM tasks","sql":"select 1"}`),
			foreign: []tool.Tool{served("far__query", tool.Read, canary)}, outcomes: []agent.Outcome{violation},
		},
		{
			name: "a member that is there twice by escapes", calls: one("far__query", `{"sql":"DELETE FROM tasks","s\u0071l":"select 1"}`),
			foreign: []tool.Tool{served("far__query", tool.Read, canary)}, outcomes: []agent.Outcome{violation},
		},
		requests(touch("far__delete_file", "looks at a file", `{"path":"notes.txt"}`, tool.Read), "other"),
		requests(touch("far__wipe__all", "looks at all", `{}`, tool.Read), "other"),
		requests(touch("far__show", "shows a file", `{"command":"cat notes.txt; rm -rf ."}`, tool.Read), "other"),
		{name: "unknown tool", calls: one("write_file", `{"path":"x"}`), outcomes: []agent.Outcome{denied}},
		{name: "inactive tool", calls: one("repo_index2", `{}`), outcomes: []agent.Outcome{denied}},
		{name: "enable what is not there", calls: one("enable_tool", `{"name":"shell"}`), outcomes: []agent.Outcome{denied}},
		{
			name: "the same wish is left once", foreign: []tool.Tool{served("put", tool.Write, canary)}, requests: []string{"source"},
			calls:    append(one("put", `{"path":"a.go","n":1}`), one("put", `{"n":1,"path":"a.go"}`)...),
			outcomes: []agent.Outcome{denied, denied},
		},
	}
}
