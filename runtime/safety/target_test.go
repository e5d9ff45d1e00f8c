package safety

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestClassify(t *testing.T) {
	for target, want := range map[string]string{
		// plain
		"evolve.yaml": Settings, "evolve.yml": Settings, "evolve.yaml#policies.tools.grep": Policy, "evolve.yaml#budget": Settings,
		"policies/tools.yaml": Policy, "policy.yaml": Policy, ".env": Settings, "settings.json": Settings,
		"agents/solver/agent.yaml": Config, "agents/solver/config.yaml": Config, "agents/solver/STRATEGY.md": Config, "agents/solver/SOUL.md": Config, "agents/solver": Config,
		"agents/solver/tools/convert.star": Tool, "agents/solver/skills/sort.md": Tool, "agents/solver/agent.py": Source, "SKILL.md": Tool,
		"suites/tasks.jsonl": Benchmark, "suites/fixtures/a/b.csv": Benchmark, "tasks.jsonl": Benchmark, "suites": Benchmark,
		"suites/graders/check.py": Grader, "graders/x.sh": Grader, "grader.py": Grader,
		".evolve/archive/000001.vlog": Archive, ".evolve": Archive, "work/.evolve/x": Archive,
		"main.go": Source, "runtime/safety/loop.go": Source, "go.mod": Source, "Makefile": Source, "scripts/run.sh": Source, ".git/config": Source, "src/app.tsx": Source,
		"notes.txt": Other, "data/report.csv": Other, "": Other, "/": Other, "README.md": Other, "hello": Other, "..": Other, ".": Other,
		// parameters
		"temperature.code": Config, "recall.min_score": Config, "strategy": Config, "tools.selection": Config, "loop.max_iterations": Config,
		"policies": Policy, "deadline": Policy, "never": Policy, "budget.usd": Settings, "sandbox": Settings, "autonomy": Settings, "graders": Grader,
		"suite": Benchmark, "holdout": Benchmark, "archive": Archive, "ledger": Archive, "tool": Tool, "skills": Tool,
		// disguised
		"./evolve.yaml": Settings, "a/../evolve.yaml": Settings, "../../evolve.yaml": Settings, "/home/me/w/evolve.yaml": Settings, "//evolve.yaml": Settings,
		"agents//solver///agent.yaml": Config, `agents\solver\agent.yaml`: Config, `C:\w\evolve.yaml`: Settings, "c:/w/suites/x": Benchmark, `\\?\C:\w\.evolve\x`: Archive,
		"EVOLVE.YAML": Settings, "Suites/Tasks.JSONL": Benchmark, ".EVOLVE/x": Archive, "ſuites/x": Benchmark,
		"evolve.yaml.": Settings, "evolve.yaml ": Settings, "evolve.yaml. . ": Settings, " evolve.yaml": Settings, "suites /x": Benchmark, "suites./x": Benchmark,
		"evolve.yaml::$DATA": Settings, "evolve.yaml:stream": Settings,
		"еvolve.yaml": Settings, "evоlve.yаml": Settings, "εvolve.yaml": Settings, "ѕuites/x": Benchmark, "aɡents/solver/agent.yaml": Config, "suıtes/x": Benchmark,
		"ｅｖｏｌｖｅ．ｙａｍｌ": Settings, "𝐞𝐯𝐨𝐥𝐯𝐞.yaml": Settings, "ⓢuites/x": Benchmark, "évolve.yaml": Settings, "e\u0301volve.yaml": Settings, "ev\u200bolve.yaml": Settings, "ev\u00adolve.yaml": Settings,
		"\u202eevolve.yaml": Settings, "evolve\u2024yaml": Settings, "suites\u2215x": Benchmark, "suites\uff0fx": Benchmark, "agents\u2216solver\u2216agent.yaml": Config,
		"%65volve.yaml": Settings, "suites%2Fx": Benchmark, "suites%252Fx": Benchmark, "%2e%2e/evolve.yaml": Settings, "a%2f..%2fevolve.yaml": Settings, "file:///w/evolve.yaml": Settings, "FILE:/w/suites/x": Benchmark,
		"evolve.yaml\x00.txt": Settings, "evolve.yaml\n": Settings, "suites/../notes.txt": Other, "suites/.. /notes.txt": Other, "main.go\u00a0": Source,
		"\xff\xfeevolve.yaml": Settings, "evolve.yaml%00": Settings,
		// near misses
		"evolved.yaml": Other, "my-suites/x.md": Other, "agentsmith/x": Other, "100%": Other, "reevolve.yaml": Other,
	} {
		if got := Classify(target); got != want {
			t.Errorf("%q is %s, want %s", target, got, want)
		}
	}
}

func TestTargetOf(t *testing.T) {
	for args, want := range map[string]string{
		`{"path": "a.txt"}`:                                             "a.txt",
		`{"content": "x", "file": "b.txt"}`:                             "b.txt",
		`{"file_path": "c.txt", "name": "n"}`:                           "c.txt",
		`{"request": {"body": {"Target": "evolve.yaml"}}}`:              "evolve.yaml",
		`{"path": "notes.txt", "destination": "suites/x"}`:              "suites/x",
		`{"files": ["a.txt", "main.go"]}`:                               "main.go",
		`{"uri": "file:///w/evolve.yaml"}`:                              "file:///w/evolve.yaml",
		`{"key": "temperature.code", "value": 0.3}`:                     "temperature.code",
		`{"patch": "--- a/x.md\n+++ b/main.go\n@@ -1 +1 @@\n-a\n+b\n"}`: "main.go",
		`{"command": "echo x > suites/tasks.jsonl"}`:                    "suites/tasks.jsonl",
		`{"argv": ["rm", "-rf", ".evolve"]}`:                            ".evolve",
		`"evolve.yaml"`:                                                 "evolve.yaml",
		`{"n": 1}`:                                                      "", ``: "", `not json`: "", `[]`: "", `null`: "", `{"path": ""}`: "", `{"path": 3}`: "",
	} {
		if got := TargetOf(json.RawMessage(args)); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

func TestRequest(t *testing.T) {
	a := Request("write_file", "write", json.RawMessage(`{"path":"evolve.yaml","n":1.0}`), "raise the budget")
	b := Request("write_file", "write", json.RawMessage(`{ "n": 1, "path": "evolve.yaml" }`), "another reason")
	if a.ID != b.ID || len(a.ID) != 16 || a.Type != Settings || a.Target != "evolve.yaml" || !a.RequiresHumanApproval || a.Reason != "raise the budget" {
		t.Errorf("%+v\n%+v", a, b)
	}
	if c := Request("write_file", "write", json.RawMessage(`{"path":"evolve.yaml","n":2}`), ""); c.ID == a.ID || c.Reason == "" {
		t.Errorf("%+v", c)
	}
	for name, args := range map[string]string{
		"no json": "rm -rf / <&>", "empty": "", "large": `{"path":"x","c":"` + strings.Repeat("é\x01", 20<<10) + `"}`, "large json": `["` + strings.Repeat("a", 30<<10) + `"]`,
		"bad text": "{\"path\":\"\xff\"}", "quotes": strings.Repeat(`"`, 16<<10),
	} {
		r := Request("t", "write", json.RawMessage(args), strings.Repeat("why ", 500))
		out, err := json.Marshal(r)
		if err != nil || len(r.Arguments) > maxKept || len(r.Reason) > maxReason || !json.Valid(out) {
			t.Errorf("%s: %d bytes of arguments, %d of reason, %v", name, len(r.Arguments), len(r.Reason), err)
		}
	}
	if r := Request("pipeline_config", "write", json.RawMessage(`{"action":"set"}`), ""); r.Type != Config {
		t.Errorf("%+v", r)
	}
}

func FuzzClassify(f *testing.F) {
	for _, s := range []string{"evolve.yaml", "a/../b", "%25%32%65", "еvolve.yaml", "\xff", "c:\\x", "e\u0301", "..", "#", ":"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, target string) {
		kind := Classify(target)
		// Names that look the same to a person have the same kind.
		if other := Classify("./" + target); other != kind && !strings.Contains(target, ":") && len(segments(target)) > 1 {
			t.Errorf("%q is %s, with ./ before it %s", target, kind, other)
		}
		if strings.HasPrefix(target, "suites/") && len(target) < 1000 && !strings.ContainsAny(target, ".%:#") && kind == Other && fold(target) == target {
			t.Errorf("%q is %s", target, kind)
		}
	})
}

func FuzzRequest(f *testing.F) {
	for _, s := range []string{`{"path":"x"}`, ``, `{`, `"x"`, "\xff", `{"a":{"a":{"a":[]}}}`, `{"patch":"+++ b/x"}`, `{"n":1e400,"m":-0,"k":1.50}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, args string) {
		r := Request("t", "write", json.RawMessage(args), "")
		if _, err := json.Marshal(r); err != nil || len(r.Arguments) > maxKept || len(r.Target) > maxTarget {
			t.Errorf("%q: %v", args, err)
		}
		once := Canonical(json.RawMessage(args))
		if twice := Canonical(once); string(twice) != string(once) {
			t.Errorf("%q is %q, then %q", args, once, twice)
		}
		DisguisedWrite("t", "", json.RawMessage(args))
	})
}

func TestRequestIdentity(t *testing.T) {
	id := func(kind, target, tool, reason, args string) string {
		return NewRequest(kind, target, tool, reason, json.RawMessage(args)).ID
	}
	first := id("config", "x", "set", "because", `{"a":1,"b":"c"}`)
	if again := id("config", "x", "set", "for another reason", `{ "b":"c", "a": 1 }`); again != first {
		t.Error("the same wish has two identities")
	}
	for _, other := range []string{
		id("tool", "x", "set", "because", `{"a":1,"b":"c"}`), id("config", "xs", "et", "because", `{"a":1,"b":"c"}`),
		id("config", "x", "set", "because", `{"a":2,"b":"c"}`), id("config", "x", "set", "because", `"{}"`),
	} {
		if other == first {
			t.Error("two wishes have one identity")
		}
	}
}
