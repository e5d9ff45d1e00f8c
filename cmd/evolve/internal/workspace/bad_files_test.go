package workspace

import "strings"

// badFiles returns mistakes in the other files of a workspace.
func badFiles() []badCase {
	return []badCase{
		{"search of what is switched off", map[string]string{"agents/helper/agent.yaml": goodBuilt + "space:\n  style:\n  decompose.max_subgoals: {max: 3, default: 3}\n", "agents/helper/config.yaml": "decompose.enabled: false\n"}, `agents/helper/agent.yaml:6:3: parameter "decompose.max_subgoals" can never be active under the champion (also search the parameters that it depends on)`, false},
		{"unknown parameter in config", map[string]string{"agents/solver/config.yaml": "haet: 1\n"}, `agents/solver/config.yaml:1:1: parameter "haet" is not declared in the space (did you mean "heat"?)`, false},
		{"value out of range in config", map[string]string{"agents/solver/config.yaml": "# c\nheat: 7\n"}, `agents/solver/config.yaml:2:7: parameter "heat" is 7, but must be between 0 and 2`, false},
		{"wrong type in config", map[string]string{"agents/solver/config.yaml": "heat: warm\n"}, `agents/solver/config.yaml:1:7: parameter "heat" must be a number`, false},
		{"mapping in config", map[string]string{"agents/solver/config.yaml": "heat: {a: 1}\n"}, `agents/solver/config.yaml:1:7: parameter "heat" must have one value or a list, not a mapping`, false},
		{"nothing in config", map[string]string{"agents/solver/config.yaml": "heat:\n"}, `agents/solver/config.yaml:1:6: parameter "heat" has no value`, false},
		{"list as config", map[string]string{"agents/solver/config.yaml": "- heat\n"}, `agents/solver/config.yaml:1:1: must be a mapping of keys to values, not a list`, false},
		{"strategy that no parameter holds", map[string]string{"agents/solver/STRATEGY.md": "Be brief.\n"}, `agents/solver/STRATEGY.md: sets the text parameter "strategy", but the space has no such parameter`, false},
		{"strategy in config", map[string]string{"agents/helper/agent.yaml": goodBuilt, "agents/helper/config.yaml": "strategy: x\n"}, `agents/helper/config.yaml:1:11: the strategy belongs in STRATEGY.md, not here`, false},
		{"strategy too long", map[string]string{"agents/helper/agent.yaml": goodBuilt, "agents/helper/STRATEGY.md": strings.Repeat("é", 4001)}, `agents/helper/STRATEGY.md: has 4001 characters, but at most 4000 are allowed`, false},
		{"strategy that is no text", map[string]string{"agents/helper/agent.yaml": goodBuilt, "agents/helper/STRATEGY.md": "a\n\xff"}, `agents/helper/STRATEGY.md:2:1: is not valid UTF-8`, false},

		{"memories", map[string]string{"agents/solver/memories.jsonl": `{"id":"a","text":"x"}` + "\n\n" +
			`{"id":"b","txt":"x"}` + "\n" + `{"id":"a","text":"y"}` + "\n" + `{"id":"c","text":"y"` + "\n" + `{"id":"d","text":5}` + "\n" +
			`{"id":"e","text":"z","confidence":2}` + "\n" + `{"id":"f","text":"z","time":"soon"}` + "\n" + `[1]` + "\n" + `{"id":"g","text":"z"} x` + "\n" + `{"id":"h","id":"h","text":"z"}` + "\n"}, `
agents/solver/memories.jsonl:3:1: a memory needs "text"
agents/solver/memories.jsonl:3:11: unknown key "txt" (did you mean "text"?)
agents/solver/memories.jsonl:4:1: the memory "a" appears twice, first on line 1
agents/solver/memories.jsonl:5:20: is not valid JSON: unexpected end of JSON input
agents/solver/memories.jsonl:6:18: "text" must be text, not a number
agents/solver/memories.jsonl:7:35: "confidence" is 2, which is not between 0 and 1
agents/solver/memories.jsonl:8:29: "time" must be a time like 2026-01-31T06:00:00Z
agents/solver/memories.jsonl:9:1: a memory must be an object, not a list
agents/solver/memories.jsonl:10:23: is not valid JSON: invalid character 'x' after top-level value
agents/solver/memories.jsonl:11:11: key "id" occurs twice
`, false},
		{"empty suite", map[string]string{"suites/other.jsonl": ""}, `suites/other.jsonl: contains no tasks`, false},
		{"bad line in an unused suite", map[string]string{"suites/other.jsonl": `{"id":"x","gaol":"y","answer":"z"}` + "\n"}, `suites/other.jsonl:1:11: unknown key "gaol" (did you mean "goal"?)`, false},
		{"suite with a bad name", map[string]string{"suites/my tasks.jsonl": goodSuite}, `suites/my tasks.jsonl: a suite's name must be 1 to 64 letters, digits, - or _`, false},
		{"one id in two suites", map[string]string{"suites/other.jsonl": goodSuite, "agents/solver/agent.yaml": strings.Replace(goodHead, "[tasks]", "[tasks, other]", 1) + goodSpace}, `agents/solver/agent.yaml:3:17: the suites "tasks" and "other" both have a task "t1"`, false},
	}
}
