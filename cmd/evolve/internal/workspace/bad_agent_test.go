package workspace

import "strings"

// badAgents returns mistakes in agent.yaml.
func badAgents() []badCase {
	return []badCase{
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
		agentYAMLCase("unknown kind", "id: solver\nadapter: {kind: comand, argv: [a]}\nsuites: [tasks]\n", `agents/solver/agent.yaml:2:17: "kind" must be builtin, command or http, not "comand" (did you mean "command"?)`, true),
		agentYAMLCase("command without argv", "id: solver\nadapter: {kind: command}\nsuites: [tasks]\n", `agents/solver/agent.yaml:2:10: "argv" is missing`, true),
		agentYAMLCase("argv of nothing", "id: solver\nadapter: {kind: command, argv: []}\nsuites: [tasks]\n", `agents/solver/agent.yaml:2:32: "argv" must have at least 1 item`, true),
		agentYAMLCase("argv as text", "id: solver\nadapter: {kind: command, argv: python3}\nsuites: [tasks]\n", `agents/solver/agent.yaml:2:32: "argv" must be a list, not text (write [python3])`, true),
		agentYAMLCase("number in argv", "id: solver\nadapter: {kind: command, argv: [sleep, 5]}\nsuites: [tasks]\n", `agents/solver/agent.yaml:2:40: item 2 of "argv" must be text, not a number (write "5" in quotes)`, true),
		agentYAMLCase("builtin with argv", "id: solver\nadapter: {kind: builtin, argv: [a]}\nsuites: [tasks]\n", `agents/solver/agent.yaml:2:26: "argv" cannot be used with kind: builtin`, true),
		agentYAMLCase("unknown model", "id: solver\nadapter: {kind: builtin, model: heuristics}\nsuites: [tasks]\n", `agents/solver/agent.yaml:2:33: there is no route "heuristics" (did you mean "heuristic"?)`, false),
		agentYAMLCase("unknown protocol and zero pool", "id: solver\nadapter: {kind: command, argv: [a], protocol: json, pool: 0}\nsuites: [tasks]\n", `
agents/solver/agent.yaml:2:47: "protocol" must be jsonl or once, not "json" (did you mean "jsonl"?)
agents/solver/agent.yaml:2:59: "pool" is 0, but must be from 1 to 1024
`, true),
		agentYAMLCase("value in env", "id: solver\nadapter: {kind: command, argv: [a], env: [KEY=secret, KEY2, KEY2]}\nsuites: [tasks]\n", `
agents/solver/agent.yaml:2:43: item 1 of "env" must be the name of an environment variable (give only names: the values are taken from the environment)
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
		agentYAMLCase("id that is no name", strings.Replace(goodHead, "solver", "../x", 1), `agents/solver/agent.yaml:1:5: "id" must be 1 to 64 letters, digits, - or _, not "../x"`, true),
		agentYAMLCase("id of another folder", strings.Replace(goodHead, "solver", "resolver", 1), `agents/solver/agent.yaml:1:5: the id "resolver" is not the name of its folder, "solver" (rename one of them)`, false),
		agentYAMLCase("unknown suite", strings.Replace(goodHead, "tasks", "taks", 1), `agents/solver/agent.yaml:3:10: there is no suite "taks" in suites/ (did you mean "tasks"?)`, false),
		agentYAMLCase("suite with its suffix", strings.Replace(goodHead, "tasks", "tasks.jsonl", 1), `agents/solver/agent.yaml:3:10: there is no suite "tasks.jsonl" in suites/ (write tasks)`, false),
		agentYAMLCase("suite twice", strings.Replace(goodHead, "[tasks]", "[tasks, tasks]", 1), `agents/solver/agent.yaml:3:17: "suites" has "tasks" twice`, true),
		agentYAMLCase("no suite", strings.Replace(goodHead, "suites: [tasks]\n", "", 1), `agents/solver/agent.yaml:1:1: "suites" is missing`, true),
		agentYAMLCase("tools of a command", goodHead+"tools: [grep]\n", `agents/solver/agent.yaml:4:8: "tools" is for built-in agents only (the program brings its own tools; to search them, declare a subset under space: in agent.yaml)`, false),
		agentYAMLCase("reviewer who is not there", goodHead+"reviewers: [solvers, solver]\n", `
agents/solver/agent.yaml:4:13: there is no agent "solvers" (did you mean "solver"?)
agents/solver/agent.yaml:4:22: an agent cannot review its own proposals
`, false),
		agentYAMLCase("bad domain", goodHead+"domains: {\"a b\": [x], ops: text}\n", `
agents/solver/agent.yaml:4:11: a domain's name must be 1 to 64 letters, digits, - or _; it is "a b"
agents/solver/agent.yaml:4:28: "ops" must be a list, not text (write [text])
`, false),
		agentYAMLCase("misspelt extension of a domain", goodHead+"domains: {+enginering: [x], engineering+: [y], -crypto: [z], \"+ research\": [w], +birds: [v]}\n", `
agents/solver/agent.yaml:4:11: the domain "+enginering" looks like a misspelling of a domain in the default table (did you mean "+engineering"?)
agents/solver/agent.yaml:4:29: the domain "engineering+" looks like a misspelling of a domain in the default table (did you mean "+engineering"?)
agents/solver/agent.yaml:4:48: the domain "-crypto" looks like a misspelling of a domain in the default table (did you mean "+crypto"?)
agents/solver/agent.yaml:4:62: the domain "+ research" looks like a misspelling of a domain in the default table (did you mean "+research"?)
`, false),
		{"id of another agent", map[string]string{"agents/second/agent.yaml": goodHead}, `agents/second/agent.yaml:1:5: the id "solver" is taken by agents/solver`, false},
		{"folder without agent.yaml", map[string]string{"agents/empty/notes.txt": "x"}, `agents/empty/agent.yaml: does not exist`, false},
		{"agent as a file", map[string]string{"agents/extra.yaml": goodHead}, `agents/extra.yaml: is ignored: an agent must be a folder that contains the file agent.yaml`, false},
		{"same name in another case", map[string]string{"agents/Solver/agent.yaml": goodHead}, `
agents/Solver/agent.yaml:1:5: the id "solver" is not the name of its folder, "Solver" (rename one of them)
agents/solver: differs from agents/Solver only in letter case
`, false},
	}
}
