package workspace

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The parts of a good workspace, for cases that spoil one of them.
const (
	goodSuite = `{"id":"t1","goal":"say a","answer":"a","split":"search"}` + "\n" + `{"id":"t2","goal":"say b","answer":"b","split":"holdout"}` + "\n"
	goodHead  = "id: solver\nadapter: {kind: command, argv: [./a.sh]}\nsuites: [tasks]\n"
	goodSpace = "space:\n  heat: {type: float, min: 0, max: 2, default: 0.3}\n"
	goodBuilt = "id: helper\nadapter: {kind: builtin, model: heuristic}\nsuites: [tasks]\n"
)

// spoil is the good workspace with files changed; an empty name of a file is left out.
func spoil(changed map[string]string) map[string]string {
	files := map[string]string{
		"evolve.yaml":              "",
		"agents/solver/agent.yaml": goodHead + goodSpace,
		"suites/tasks.jsonl":       goodSuite,
	}
	for name, content := range changed {
		files[name] = content
	}
	return files
}

type badCase struct {
	name  string
	files map[string]string
	// want is every issue, one a line.
	want string
	// schema says that an editor sees it as well.
	schema bool
}

func settings(name, content, want string, schema bool) badCase {
	return badCase{name, map[string]string{"evolve.yaml": content}, want, schema}
}

func agentYAMLCase(name, content, want string, schema bool) badCase {
	return badCase{name, map[string]string{"agents/solver/agent.yaml": content}, want, schema}
}

func spaceCase(name, space, want string, schema bool) badCase {
	return agentYAMLCase(name, goodHead+"space:\n"+space, want, schema)
}

func builtinCase(name, tail, want string, schema bool) badCase {
	return badCase{name, map[string]string{"agents/helper/agent.yaml": goodBuilt + tail}, want, schema}
}

func badCases() []badCase {
	return []badCase{
		// evolve.yaml
		settings("misspelt top key", "budgte:\n  usd: 5\n", `evolve.yaml:1:1: unknown key "budgte" (did you mean "budget"?)`, true),
		settings("misspelt nested key", "limits:\n  timeuot: 60s\n", `evolve.yaml:2:3: unknown key "timeuot" (did you mean "timeout"?)`, true),
		settings("key far from any", "zebra: 1\n", `evolve.yaml:1:1: unknown key "zebra"`, true),
		settings("key of another version", "notify: [a]\narchive: {keep: 5}\n", `
evolve.yaml:1:1: "notify" is not supported by this version of evolve
evolve.yaml:2:1: "archive" is not supported by this version of evolve
`, true),
		settings("text for a number", "budget: {evaluations: many}\n", `evolve.yaml:1:23: "evaluations" must be a whole number, not text`, true),
		settings("fraction for a whole number", "budget: {evaluations: 1.5}\n", `evolve.yaml:1:23: "evaluations" must be a whole number, not 1.5`, true),
		settings("number for a duration", "budget: {time: 60}\n", `evolve.yaml:1:16: "time" must be a duration (write 60s for seconds)`, true),
		settings("bad duration", "limits: {timeout: 1 minute}\n", `evolve.yaml:1:19: "timeout" must be a duration (write it like 60s, 2m or 1h30m)`, true),
		settings("duration out of range", "limits: {timeout: 48h}\n", `evolve.yaml:1:19: "timeout" is 48h, outside 10ms to 24h`, false),
		settings("money of nothing", "budget: {usd: 0}\n", `evolve.yaml:1:15: "usd" must be above 0`, true),
		settings("negative money", "budget: {usd: -3}\n", `evolve.yaml:1:15: "usd" is -3, outside 0 to 1000000`, true),
		settings("not a number", "confirm: {level: .nan}\n", `evolve.yaml:1:18: "level" must be a finite number`, false),
		settings("infinite", "budget: {usd: .inf}\n", `evolve.yaml:1:15: "usd" must be a finite number`, false),
		settings("zero evaluations", "budget: {evaluations: 0}\n", `evolve.yaml:1:23: "evaluations" is 0, outside 1 to 1000000000`, true),
		settings("number beyond 64 bits", "budget: {evaluations: 99999999999999999999}\n", `evolve.yaml:1:23: "evaluations" must be a whole number, not 99999999999999999999`, true),
		settings("unknown selection", "search: {selection: topk}\n", `evolve.yaml:1:21: "selection" must be dgm, top_k or random, not "topk" (did you mean "top_k"?)`, true),
		settings("list for a section", "search: [a]\n", `evolve.yaml:1:9: "search" must hold keys with values, not a list`, true),
		settings("share out of range", "confirm: {share: 1}\n", `evolve.yaml:1:18: "share" is 1, outside 0.05 to 0.95`, true),
		settings("price without output", "prices:\n  small: {input: 1}\n", `evolve.yaml:2:10: "output" is missing`, true),
		settings("price misspelt", "prices:\n  small: {input: 1, ouput: 2}\n", `
evolve.yaml:2:10: "output" is missing
evolve.yaml:2:21: unknown key "ouput" (did you mean "output"?)
`, true),
		settings("version from the future", "version: 2\n", `evolve.yaml:1:10: "version" must be 1, not 2`, true),
		settings("scalar document", "hello\n", `evolve.yaml:1:1: must hold keys with values, not text`, true),
		settings("list document", "- a\n- b\n", `evolve.yaml:1:1: must hold keys with values, not a list`, true),
		settings("duplicate key", "budget: {usd: 1}\nlimits: {}\nbudget: {usd: 2}\n", `evolve.yaml:3:1: the key "budget" is here twice, first on line 1`, false),
		settings("two documents", "budget: {usd: 1}\n---\nbudget: {usd: 2}\n", `evolve.yaml:2:1: holds a second document`, false),
		settings("unclosed list", "budget: {usd: 1}\nprices: [1, 2\nlimits: {}\n", `evolve.yaml:3:7: not valid YAML: did not find expected ',' or ']', while parsing a flow sequence that begins at 2:9`, false),
		settings("tab", "budget:\n\tusd: 1\n", `evolve.yaml:2:1: not valid YAML: found character that cannot start any token (indent with spaces, not tabs)`, false),
		settings("invalid UTF-8", "budget: {usd: 1}\n# caf\xe9\n", `evolve.yaml:2:6: is not valid UTF-8`, false),
		settings("UTF-16", "\xff\xfeb\x00", `evolve.yaml:1:1: is not valid UTF-8`, false),
		settings("control character", "budget: {usd: 1} # \x07\n", `evolve.yaml:1:20: has the control character U+0007`, false),
		settings("alias", "budget: &b {usd: 1}\nlimits: *b\n", `
evolve.yaml:1:9: anchors are not supported
evolve.yaml:2:9: aliases are not supported (write the value out)
`, false),
		settings("unknown alias", "budget: *b\n", `evolve.yaml:1:9: not valid YAML: unknown anchor 'b' referenced`, false),
		settings("merge key", "budget: {<<: {usd: 1}}\n", `evolve.yaml:1:10: merge keys are not supported (write the keys out)`, false),
		settings("tag", "budget: {usd: !!float 1}\n", `evolve.yaml:1:15: tags are not supported`, false),
		settings("key that is a list", "? [a]\n: 1\n", `evolve.yaml:1:3: a key must be text`, false),
		settings("too deep", "prices: "+strings.Repeat("[", 100)+"\n", `evolve.yaml:1:41: not valid YAML: exceeded max depth of 32`, false),
		settings("alias bomb", "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a]\nc: &c [*b]\n", `
evolve.yaml:1:1: unknown key "a"
evolve.yaml:1:4: anchors are not supported
evolve.yaml:2:1: unknown key "b"
evolve.yaml:2:4: anchors are not supported
evolve.yaml:2:8: aliases are not supported (write the value out)
evolve.yaml:2:11: aliases are not supported (write the value out)
evolve.yaml:3:1: unknown key "c"
evolve.yaml:3:4: anchors are not supported
evolve.yaml:3:8: aliases are not supported (write the value out)
`, false),
		settings("too large", "# "+strings.Repeat("x", maxYAML), `evolve.yaml: is larger than 1048576 bytes`, false),
		{"no settings", map[string]string{"evolve.yaml": "-"}, `evolve.yaml: does not exist`, false},

		// agent.yaml
		agentYAMLCase("empty", "", `
agents/solver/agent.yaml:1:1: "id" is missing
agents/solver/agent.yaml:1:1: "adapter" is missing
agents/solver/agent.yaml:1:1: "suites" is missing
`, true),
		agentYAMLCase("only a comment", "# later\n", `
agents/solver/agent.yaml:1:1: "id" is missing
agents/solver/agent.yaml:1:1: "adapter" is missing
agents/solver/agent.yaml:1:1: "suites" is missing
`, true),
		agentYAMLCase("misspelt adapter key", "id: solver\nadapter:\n  kind: command\n  argv: [./a.sh]\n  timeout: 5s\n  pool: 2\n  protocal: jsonl\nsuites: [tasks]\n"+goodSpace, `agents/solver/agent.yaml:7:3: unknown key "protocal" (did you mean "protocol"?)`, true),
		agentYAMLCase("no adapter", "id: solver\nsuites: [tasks]\n", `agents/solver/agent.yaml:1:1: "adapter" is missing`, true),
		agentYAMLCase("unknown kind", "id: solver\nadapter: {kind: comand, argv: [a]}\nsuites: [tasks]\n", `agents/solver/agent.yaml:2:17: "kind" must be builtin or command, not "comand" (did you mean "command"?)`, true),
		agentYAMLCase("kind of another version", "id: solver\nadapter: {kind: http}\nsuites: [tasks]\n", `agents/solver/agent.yaml:2:17: "kind" http is not supported by this version of evolve`, true),
		agentYAMLCase("command without argv", "id: solver\nadapter: {kind: command}\nsuites: [tasks]\n", `agents/solver/agent.yaml:2:10: "argv" is missing`, true),
		agentYAMLCase("argv of nothing", "id: solver\nadapter: {kind: command, argv: []}\nsuites: [tasks]\n", `agents/solver/agent.yaml:2:32: "argv" must have at least 1 item`, true),
		agentYAMLCase("argv as text", "id: solver\nadapter: {kind: command, argv: python3}\nsuites: [tasks]\n", `agents/solver/agent.yaml:2:32: "argv" must be a list, not text (write [python3])`, true),
		agentYAMLCase("number in argv", "id: solver\nadapter: {kind: command, argv: [sleep, 5]}\nsuites: [tasks]\n", `agents/solver/agent.yaml:2:40: item 2 of "argv" must be text, not a number (write "5" in quotes)`, true),
		agentYAMLCase("builtin with argv", "id: solver\nadapter: {kind: builtin, argv: [a]}\nsuites: [tasks]\n", `agents/solver/agent.yaml:2:26: "argv" does not go with kind: builtin`, true),
		agentYAMLCase("unknown model", "id: solver\nadapter: {kind: builtin, model: heuristics}\nsuites: [tasks]\n", `agents/solver/agent.yaml:2:33: "model" must be heuristic, not "heuristics" (did you mean "heuristic"?)`, true),
		agentYAMLCase("unknown protocol and zero pool", "id: solver\nadapter: {kind: command, argv: [a], protocol: json, pool: 0}\nsuites: [tasks]\n", `
agents/solver/agent.yaml:2:47: "protocol" must be jsonl or once, not "json" (did you mean "jsonl"?)
agents/solver/agent.yaml:2:59: "pool" is 0, outside 1 to 1024
`, true),
		agentYAMLCase("value in env", "id: solver\nadapter: {kind: command, argv: [a], env: [KEY=secret, KEY2, KEY2]}\nsuites: [tasks]\n", `
agents/solver/agent.yaml:2:43: item 1 of "env" must be the name of an environment variable (names only: the values are taken from the environment)
agents/solver/agent.yaml:2:61: "env" has "KEY2" twice
`, true),
		agentYAMLCase("unknown sandbox", "id: solver\nadapter: {kind: command, argv: [a], sandbox: off, network: off}\nsuites: [tasks]\n", `
agents/solver/agent.yaml:2:46: "sandbox" must be auto or none, not "off"
agents/solver/agent.yaml:2:60: "network" must be host or none, not "off"
`, true),
		agentYAMLCase("yes for true", goodHead+"deterministic: yes\n"+goodSpace, `agents/solver/agent.yaml:4:16: "deterministic" must be true or false, not text (write true)`, true),
		agentYAMLCase("number for text", strings.Replace(goodHead, "solver", "7", 1)+"version: 1.10\n", `
agents/solver/agent.yaml:1:5: "id" must be text, not a number (write "7" in quotes)
agents/solver/agent.yaml:4:10: "version" must be text, not a number (write "1.10" in quotes)
`, true),
		agentYAMLCase("id that is no name", strings.Replace(goodHead, "solver", "../x", 1), `agents/solver/agent.yaml:1:5: "id" must be letters, digits, - and _, at most 64, not "../x"`, true),
		agentYAMLCase("id of another folder", strings.Replace(goodHead, "solver", "resolver", 1), `agents/solver/agent.yaml:1:5: the id "resolver" is not the name of its folder, "solver" (rename one of them)`, false),
		agentYAMLCase("unknown suite", strings.Replace(goodHead, "tasks", "taks", 1), `agents/solver/agent.yaml:3:10: there is no suite "taks" in suites/ (did you mean "tasks"?)`, false),
		agentYAMLCase("suite with its suffix", strings.Replace(goodHead, "tasks", "tasks.jsonl", 1), `agents/solver/agent.yaml:3:10: there is no suite "tasks.jsonl" in suites/ (write tasks)`, false),
		agentYAMLCase("suite twice", strings.Replace(goodHead, "[tasks]", "[tasks, tasks]", 1), `agents/solver/agent.yaml:3:17: "suites" has "tasks" twice`, true),
		agentYAMLCase("no suite", strings.Replace(goodHead, "suites: [tasks]\n", "", 1), `agents/solver/agent.yaml:1:1: "suites" is missing`, true),
		agentYAMLCase("tools of a command", goodHead+"tools: [grep]\n", `agents/solver/agent.yaml:4:8: "tools" is for built-in agents only (the program brings its own; to search them, declare a subset in space)`, false),
		agentYAMLCase("reviewer who is not there", goodHead+"reviewers: [solvers, solver]\n", `
agents/solver/agent.yaml:4:13: there is no agent "solvers" (did you mean "solver"?)
agents/solver/agent.yaml:4:22: an agent cannot review its own proposals
`, false),
		agentYAMLCase("bad domain", goodHead+"domains: {\"a b\": [x], ops: text}\n", `
agents/solver/agent.yaml:4:11: a domain's name must be letters, digits, - and _, at most 64, not "a b"
agents/solver/agent.yaml:4:28: "ops" must be a list, not text (write [text])
`, false),
		{"id of another agent", map[string]string{"agents/second/agent.yaml": goodHead}, `agents/second/agent.yaml:1:5: the id "solver" is that of agents/solver already`, false},
		{"folder without agent.yaml", map[string]string{"agents/empty/notes.txt": "x"}, `agents/empty/agent.yaml: does not exist`, false},
		{"agent as a file", map[string]string{"agents/extra.yaml": goodHead}, `agents/extra.yaml: is not read: an agent is a folder with the file agent.yaml`, false},
		{"same name in another case", map[string]string{"agents/Solver/agent.yaml": goodHead}, `
agents/Solver/agent.yaml:1:5: the id "solver" is not the name of its folder, "Solver" (rename one of them)
agents/solver: differs from agents/Solver only in upper and lower case
`, false},

		// space
		spaceCase("unknown type", "  heat: {type: flaot, min: 0, max: 1, default: 0}\n", `agents/solver/agent.yaml:5:16: "type" must be float, int, choice, bool, subset or text, not "flaot" (did you mean "float"?)`, true),
		spaceCase("no type", "  heat: {min: 0, max: 1, default: 0}\n", `agents/solver/agent.yaml:5:3: "type" is missing in "heat"`, true),
		spaceCase("no default", "  heat: {type: float, min: 0, max: 1}\n", `agents/solver/agent.yaml:5:3: "default" is missing in "heat"`, true),
		spaceCase("no range", "  steps: {type: int, default: 3}\n", `
agents/solver/agent.yaml:5:3: "min" is missing in "steps"
agents/solver/agent.yaml:5:3: "max" is missing in "steps"
`, true),
		spaceCase("min above max", "  heat: {type: float, min: 2, max: 1, default: 1}\n", `agents/solver/agent.yaml:5:28: parameter "heat" needs min below max`, false),
		spaceCase("default out of range", "  heat: {type: float, min: 0, max: 1, default: 1.5}\n", `agents/solver/agent.yaml:5:48: parameter "heat" has a default that is 1.5, outside 0 to 1`, false),
		spaceCase("fraction as default of int", "  steps: {type: int, min: 0, max: 5, default: 1.5}\n", `agents/solver/agent.yaml:5:47: parameter "steps" has a default that must be a whole number, not 1.5`, true),
		spaceCase("fraction as bound of int", "  steps: {type: int, min: 0.5, max: 5, default: 1}\n", `agents/solver/agent.yaml:5:27: parameter "steps" needs whole numbers as min and max`, false),
		spaceCase("log from zero", "  heat: {type: float, min: 0, max: 1, log: true, default: 1}\n", `agents/solver/agent.yaml:5:44: parameter "heat" is on a log scale and needs min above 0`, false),
		spaceCase("text as bound", "  heat: {type: float, min: low, max: 1, default: 1}\n", `agents/solver/agent.yaml:5:28: "min" must be a number, not text`, true),
		spaceCase("key of another type", "  on: {type: bool, log: true, default: true}\n", `agents/solver/agent.yaml:5:20: "log" does not go with type: bool`, true),
		spaceCase("choice without values", "  planner: {type: choice, values: [], default: a}\n", `agents/solver/agent.yaml:5:35: "values" must have at least 1 item`, true),
		spaceCase("choice of lists", "  planner: {type: choice, values: [[a], b], default: b}\n", `agents/solver/agent.yaml:5:36: item 1 of "values" must be text, a number, true or false, not a list`, true),
		spaceCase("choice with a value twice", "  planner: {type: choice, values: [1, 1.0], default: 1}\n", `agents/solver/agent.yaml:5:35: parameter "planner" has the value 1 twice`, false),
		spaceCase("default that is no choice", "  planner: {type: choice, values: [none, tree], default: linear}\n", `agents/solver/agent.yaml:5:58: parameter "planner" has a default that must be one of none, tree`, false),
		spaceCase("subset with a stranger", "  tools: {type: subset, of: [search, calc], default: [shell]}\n", `agents/solver/agent.yaml:5:54: parameter "tools" has a default that has "shell", which is not one of search, calc`, false),
		spaceCase("subset with impossible counts", "  tools: {type: subset, of: [search, calc], min: 3, default: [calc]}\n", `agents/solver/agent.yaml:5:50: parameter "tools" has a min and max that no list can meet`, false),
		spaceCase("subset of one word", "  tools: {type: subset, of: search, default: []}\n", `agents/solver/agent.yaml:5:29: "of" must be a list, not text (write [search])`, true),
		spaceCase("text without a bound", "  prompt: {type: text, default: \"\"}\n", `agents/solver/agent.yaml:5:3: "max_chars" is missing in "prompt"`, true),
		spaceCase("default longer than allowed", "  prompt: {type: text, max_chars: 3, default: \"four\"}\n", `agents/solver/agent.yaml:5:47: parameter "prompt" has a default that has 4 characters, at most 3 are allowed`, false),
		spaceCase("condition on nobody", "  a: {type: bool, default: true, when: {planer: [x]}}\n  planner: {type: choice, values: [x, y], default: x}\n", `agents/solver/agent.yaml:5:41: parameter "a" depends on "planer", which is not declared (did you mean "planner"?)`, false),
		spaceCase("condition that never holds", "  a: {type: bool, default: true, when: {planner: [z]}}\n  planner: {type: choice, values: [x, y], default: x}\n", `agents/solver/agent.yaml:5:40: parameter "a" depends on "planner" being z, which must be one of x, y`, false),
		spaceCase("condition in a circle", "  a: {type: bool, default: true, when: {b: [true]}}\n  b: {type: bool, default: true, when: {a: [true]}}\n", `agents/solver/agent.yaml:6:41: parameter "b" depends on itself`, false),
		spaceCase("condition as a scalar", "  a: {type: bool, default: true, when: {b: true}}\n  b: {type: bool, default: true}\n", `agents/solver/agent.yaml:5:44: "b" must be a list, not true or false (write [true])`, true),
		spaceCase("condition on a broken one", "  a: {type: bool, default: true, when: {b: [true]}}\n  b: {type: boool, default: true}\n", `agents/solver/agent.yaml:6:13: "type" must be float, int, choice, bool, subset or text, not "boool" (did you mean "bool"?)`, true),
		spaceCase("conditions too deep", "  a: {type: bool, default: true}\n  b: {type: bool, default: true, when: {a: [true]}}\n  c: {type: bool, default: true, when: {b: [true]}}\n  d: {type: bool, default: true, when: {c: [true]}}\n  e: {type: bool, default: true, when: {d: [true]}}\n  f: {type: bool, default: true, when: {e: [true]}}\n", `agents/solver/agent.yaml:10:40: parameter "f" depends on more than 4 parameters one after the other`, false),
		spaceCase("parameter twice", "  a: {type: bool, default: true}\n  a: {type: bool, default: false}\n", `agents/solver/agent.yaml:6:3: the key "a" is here twice, first on line 5`, false),
		spaceCase("parameter with a bad name", "  \"a b\": {type: bool, default: true}\n", `agents/solver/agent.yaml:5:3: a parameter's name must be letters, digits and _ . / : + -, at most 100, not "a b"`, false),
		spaceCase("everything at once", "  a: {type: bool, deflt: true}\n  b: {type: int, min: x, max: 3, default: 1}\n  c: 3\n  d: {type: choice, values: [1, null], default: 1, log: true}\n", `
agents/solver/agent.yaml:5:19: unknown key "deflt" (did you mean "default"?)
agents/solver/agent.yaml:6:23: "min" must be a number, not text
agents/solver/agent.yaml:7:6: "c" must hold keys with values, not a number
agents/solver/agent.yaml:8:33: item 2 of "values" must be text, a number, true or false, not nothing
agents/solver/agent.yaml:8:52: "log" does not go with type: choice
`, true),

		// the built-in agent
		builtinCase("unknown tool", "tools: [calcluate]\n", `agents/helper/agent.yaml:4:9: there is no tool "calcluate" (did you mean "calculate"?)`, false),
		builtinCase("unknown parameter", "space:\n  recall.minscore: {min: 0.6}\n", `agents/helper/agent.yaml:5:3: the built-in agent has no parameter "recall.minscore" (did you mean "recall.min_score"?)`, false),
		builtinCase("wider range", "space:\n  recall.min_score: {min: 0.1, max: 0.9}\n", `agents/helper/agent.yaml:5:27: "min" of "recall.min_score" is 0.1, outside 0.5 to 0.95`, false),
		builtinCase("default outside the narrowed range", "space:\n  recall.min_score: {min: 0.8}\n", `agents/helper/agent.yaml:5:3: parameter "recall.min_score" has a default that is 0.75, outside 0.8 to 0.95 (give it a default within)`, false),
		builtinCase("type changed", "space:\n  recall.min_score: {type: int, min: 1}\n", `agents/helper/agent.yaml:5:28: parameter "recall.min_score" is of the type float (leave the type out)`, false),
		builtinCase("key that does not apply", "space:\n  decompose.enabled: {min: 0}\n", `agents/helper/agent.yaml:5:28: "min" does not apply to a parameter of the type bool`, false),
		builtinCase("condition changed", "space:\n  decompose.max_subgoals: {when: {}}\n", `agents/helper/agent.yaml:5:34: the condition of a built-in parameter cannot be changed`, false),
		builtinCase("stranger in a subset", "space:\n  tools.selection: {of: [calculate, shell]}\n", `agents/helper/agent.yaml:5:37: parameter "tools.selection" has no member "shell"`, false),
		builtinCase("stranger among values", "space:\n  style: {values: [brief, terse]}\n", `agents/helper/agent.yaml:5:27: parameter "style" must be one of brief, full, 3`, false),
		builtinCase("nothing to search", "space: {}\n", `agents/helper/agent.yaml:4:8: "space" names no parameter to search (leave it out to search everything)`, false),
		builtinCase("misspelt key of an entry", "space:\n  recall.min_score: {mni: 0.6}\n", `agents/helper/agent.yaml:5:22: unknown key "mni" (did you mean "min"?)`, true),
		builtinCase("champion outside the narrowed range", "space:\n  recall.max_memories: {max: 10}\n", `agents/helper/config.yaml:1:22: parameter "recall.max_memories" is 12, outside 1 to 10`, false),

		// the champion
		{"fixed without a member", map[string]string{"agents/helper/agent.yaml": goodBuilt + "space:\n  style:\n", "agents/helper/config.yaml": "tools.selection: []\n"}, `agents/helper/agent.yaml:5:3: parameter "tools.selection" is empty and not searched (search it, or give it a member in config.yaml)`, false},
		{"search of what is switched off", map[string]string{"agents/helper/agent.yaml": goodBuilt + "space:\n  style:\n  decompose.max_subgoals: {max: 3, default: 3}\n", "agents/helper/config.yaml": "decompose.enabled: false\n"}, `agents/helper/agent.yaml:6:3: parameter "decompose.max_subgoals" can never be active under the champion (search what it depends on as well)`, false},
		{"unknown parameter in config", map[string]string{"agents/solver/config.yaml": "haet: 1\n"}, `agents/solver/config.yaml:1:1: parameter "haet" is not declared in the space (did you mean "heat"?)`, false},
		{"value out of range in config", map[string]string{"agents/solver/config.yaml": "# c\nheat: 7\n"}, `agents/solver/config.yaml:2:7: parameter "heat" is 7, outside 0 to 2`, false},
		{"wrong type in config", map[string]string{"agents/solver/config.yaml": "heat: warm\n"}, `agents/solver/config.yaml:1:7: parameter "heat" must be a number`, false},
		{"mapping in config", map[string]string{"agents/solver/config.yaml": "heat: {a: 1}\n"}, `agents/solver/config.yaml:1:7: parameter "heat" must have one value or a list, not a mapping`, false},
		{"nothing in config", map[string]string{"agents/solver/config.yaml": "heat:\n"}, `agents/solver/config.yaml:1:6: parameter "heat" has no value`, false},
		{"list as config", map[string]string{"agents/solver/config.yaml": "- heat\n"}, `agents/solver/config.yaml:1:1: must hold keys with values, not a list`, false},
		{"strategy that nobody reads", map[string]string{"agents/solver/STRATEGY.md": "Be brief.\n"}, `agents/solver/STRATEGY.md: the space has no text parameter "strategy" that it could hold`, false},
		{"strategy in config", map[string]string{"agents/helper/agent.yaml": goodBuilt, "agents/helper/config.yaml": "strategy: x\n"}, `agents/helper/config.yaml:1:11: the strategy is kept in STRATEGY.md`, false},
		{"strategy too long", map[string]string{"agents/helper/agent.yaml": goodBuilt, "agents/helper/STRATEGY.md": strings.Repeat("é", 4001)}, `agents/helper/STRATEGY.md: has 4001 characters, at most 4000 are allowed`, false},
		{"strategy that is no text", map[string]string{"agents/helper/agent.yaml": goodBuilt, "agents/helper/STRATEGY.md": "a\n\xff"}, `agents/helper/STRATEGY.md:2:1: is not valid UTF-8`, false},

		// memories and suites
		{"memories", map[string]string{"agents/solver/memories.jsonl": `{"id":"a","text":"x"}` + "\n\n" +
			`{"id":"b","txt":"x"}` + "\n" + `{"id":"a","text":"y"}` + "\n" + `{"id":"c","text":"y"` + "\n" + `{"id":"d","text":5}` + "\n" +
			`{"id":"e","text":"z","confidence":2}` + "\n" + `{"id":"f","text":"z","time":"soon"}` + "\n" + `[1]` + "\n" + `{"id":"g","text":"z"} x` + "\n" + `{"id":"h","id":"h","text":"z"}` + "\n"}, `
agents/solver/memories.jsonl:3:12: unknown key "txt" (did you mean "text"?)
agents/solver/memories.jsonl:4:1: the memory "a" is here twice, first on line 1
agents/solver/memories.jsonl:5:21: is not valid JSON: the line ends too early
agents/solver/memories.jsonl:6:19: "text" must be text, not a number
agents/solver/memories.jsonl:7:1: "confidence" is 2, outside 0 to 1
agents/solver/memories.jsonl:8:1: "time" is no time (write it like 2026-01-31T09:00:00Z)
agents/solver/memories.jsonl:9:1: must be a JSON object
agents/solver/memories.jsonl:10:23: has more than one JSON value
agents/solver/memories.jsonl:11:12: the key "id" is here twice
`, false},
		{"empty suite", map[string]string{"suites/other.jsonl": ""}, `suites/other.jsonl: holds no task`, false},
		{"bad line in an unused suite", map[string]string{"suites/other.jsonl": `{"id":"x","gaol":"y","answer":"z"}` + "\n"}, `suites/other.jsonl:1:11: unknown key "gaol" (did you mean "goal"?)`, false},
		{"suite with a bad name", map[string]string{"suites/my tasks.jsonl": goodSuite}, `suites/my tasks.jsonl: a suite's name must be letters, digits, - and _, at most 64`, false},
		{"one id in two suites", map[string]string{"suites/other.jsonl": goodSuite, "agents/solver/agent.yaml": strings.Replace(goodHead, "[tasks]", "[tasks, other]", 1) + goodSpace}, `agents/solver/agent.yaml:3:17: the suites "tasks" and "other" both have a task "t1"`, false},
	}
}

func TestBad(t *testing.T) {
	cases := badCases()
	if len(cases) < 40 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			files := spoil(c.files)
			if files["evolve.yaml"] == "-" {
				delete(files, "evolve.yaml")
			}
			if c.name == "champion outside the narrowed range" {
				files["agents/helper/config.yaml"] = "recall.max_memories: 12\n"
			}
			w, err := Load(build(t, files), testBuiltins())
			var errs *Errors
			if !errors.As(err, &errs) {
				t.Fatalf("loaded as %v with %v", w, err)
			}
			if w != nil {
				t.Error("a broken workspace was returned")
			}
			if diff := cmp.Diff(strings.TrimSpace(c.want), errs.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
