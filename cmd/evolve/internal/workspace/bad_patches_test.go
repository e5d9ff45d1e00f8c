package workspace

// badPatches returns mistakes in the patches section of evolve.yaml.
func badPatches() []badCase {
	one := func(name, entry, want string, schema bool) badCase {
		return settings(name, "patches:\n  targets:\n    - "+entry+"\n", want, schema)
	}
	return []badCase{
		settings("unknown key of patches", "patches: {target: []}\n", `evolve.yaml:1:11: unknown key "target" (did you mean "targets"?)`, true),
		one("target without a scope", "{name: code}", `evolve.yaml:3:7: "allow" is missing`, true),
		one("target with an empty scope", "{name: code, allow: []}", `evolve.yaml:3:27: "allow" must have at least 1 item`, true),
		one("target without a name", "{allow: [a]}", `evolve.yaml:3:7: "name" is missing`, true),
		one("misspelt key of a target", "{name: code, alow: [a]}", `
evolve.yaml:3:7: "allow" is missing
evolve.yaml:3:20: unknown key "alow" (did you mean "allow"?)
`, true),
		one("scope that leads out", "{name: code, allow: [../a, /a, a//b, .., a/./b, 'a\\b']}", `
evolve.yaml:3:28: item 1 of "allow" must be a path from the root of the repository, such as internal/cache, or . for all of it, not "../a"
evolve.yaml:3:34: item 2 of "allow" must be a path from the root of the repository, such as internal/cache, or . for all of it, not "/a"
evolve.yaml:3:38: item 3 of "allow" must be a path from the root of the repository, such as internal/cache, or . for all of it, not "a//b"
evolve.yaml:3:44: item 4 of "allow" must be a path from the root of the repository, such as internal/cache, or . for all of it, not ".."
evolve.yaml:3:48: item 5 of "allow" must be a path from the root of the repository, such as internal/cache, or . for all of it, not "a/./b"
evolve.yaml:3:55: item 6 of "allow" must be a path from the root of the repository, such as internal/cache, or . for all of it, not "a\\b"
`, true),
		one("two targets of one name", "{name: code, allow: [a]}\n    - {name: code, allow: [b]}", `evolve.yaml:4:14: there are two targets named "code"`, false),
		one("bounds of a target", "{name: code, allow: [a], max_files: 0, max_bytes: 0}", `
evolve.yaml:3:43: "max_files" is 0, but must be from 1 to 1000
evolve.yaml:3:57: "max_bytes" is 0, but must be from 1 to 67108864
`, true),
		one("too few runs of a benchmark", "{name: code, allow: [a], benchmark: {count: 3, pattern: '(', packages: [/srv], metric: 'ns op'}}", `
evolve.yaml:3:51: "count" is 3, but must be from 6 to 100
evolve.yaml:3:63: "pattern" is not a valid pattern: error parsing regexp: missing closing ): `+"`(`"+`
evolve.yaml:3:79: item 1 of "packages" must be a package in the repository, such as ./cache or ./..., not "/srv"
evolve.yaml:3:94: "metric" must be a unit such as sec/op, B/op or allocs/op, not "ns op"
`, true),
		one("metric of an unknown unit", "{name: code, allow: [a], benchmark: {metric: work/op}}", `evolve.yaml:3:52: no setting specifies whether lower or higher values of work/op are better (add better: lower, or better: higher)`, false),
		one("neither better nor worse", "{name: code, allow: [a], benchmark: {metric: work/op, better: less, tune: -1}}", `
evolve.yaml:3:69: "better" must be lower or higher, not "less"
evolve.yaml:3:81: "tune" is -1, but must be from 0 to 10000
`, true),
		one("two ways to measure", "{name: code, allow: [a], benchmark: {packages: [./a], command: [sh, run.sh], pattern: Get}}", `
evolve.yaml:3:54: "packages" cannot be used with "command" (the command replaces Go benchmarks: leave one of the two keys out)
evolve.yaml:3:93: "pattern" cannot be used with "command" (the command replaces Go benchmarks: leave one of the two keys out)
`, true),
		one("a command of nothing", "{name: code, allow: [a], benchmark: {command: []}}", `evolve.yaml:3:53: "command" must have at least 1 item`, true),
		one("a command as text", "{name: code, allow: [a], benchmark: {command: sh run.sh}}", `evolve.yaml:3:53: "command" must be a list, not text (write [sh run.sh])`, true),
		one("a command without a program", "{name: code, allow: [a], benchmark: {command: ['', run.sh]}}", `evolve.yaml:3:53: "command" names no program`, false),
		one("a command with a unit of its own", "{name: code, allow: [a], benchmark: {command: [run], metric: work/op}}", `evolve.yaml:3:68: no setting specifies whether lower or higher values of work/op are better (add better: lower, or better: higher)`, false),
		one("a unit that is kept in another", "{name: code, allow: [a], benchmark: {metric: ns/op, better: lower}}", `evolve.yaml:3:52: results in ns/op are recorded in sec/op (write sec/op)`, false),
		one("tried on too few tasks", "{name: code, allow: [a], agent: solver, tasks: 5}", `evolve.yaml:3:54: "tasks" is 5, but must be from 6 to 1000`, true),
		one("tasks without an agent", "{name: code, allow: [a], tasks: 50}", `evolve.yaml:3:39: "tasks" requires "agent" (name the agent whose program the target is)`, false),
		one("agents that cannot be tried", "{name: a, allow: [a], agent: solvr}\n    - {name: b, allow: [a], agent: solver}\n    - {name: c, allow: [a], repo: ../code, agent: solver}\n    - {name: d, allow: [a], repo: .., agent: solver}", `
evolve.yaml:3:36: there is no agent "solvr" (did you mean "solver"?)
evolve.yaml:4:36: the folder of the agent "solver" is part of the workspace, which no patch of this target may touch (make the agent's folder a repository of its own, and set repo: agents/solver)
evolve.yaml:5:51: the folder of the agent "solver" is not in the target's repository (make the agent's folder a repository of its own, and set repo: agents/solver)
evolve.yaml:6:46: the folder of the agent "solver" is part of the workspace, which no patch of this target may touch (make the agent's folder a repository of its own, and set repo: agents/solver)
`, false),
		{"an agent that is no program", map[string]string{
			"evolve.yaml":              "patches:\n  targets:\n    - {name: code, allow: [a], repo: agents/helper, agent: helper}\n",
			"agents/helper/agent.yaml": goodBuilt,
		}, `evolve.yaml:3:60: the agent "helper" is not a separate program (name an agent whose adapter is command)`, false},
		one("blocks without a score", "{name: code, allow: [a], blocks: [b]}", `evolve.yaml:3:7: target "code" has keys for the search over blocks, but neither score nor agent (add score: [PROGRAM, ARGUMENTS], or agent: AGENT, whose tasks then score the target's code)`, false),
		one("a metric of an agent's tasks", "{name: code, repo: agents/solver, allow: [a], agent: solver, metric: error}", `evolve.yaml:3:76: "metric" requires "score" (leave "metric" out: the agent's tasks score the target's code, unless score names a program)`, false),
		one("a profile of an agent's program alone", "{name: code, repo: agents/solver, allow: [a], agent: solver, profile: [p]}", `evolve.yaml:3:77: "profile" is useful only for a target whose code is searched (add blocks, build, test or score)`, false),
		one("a profile that is no command", "{name: code, allow: [a], score: [s], profile: []}", `evolve.yaml:3:53: "profile" must have at least 1 item`, true),
		one("the code of one agent twice", "{name: a, repo: agents, allow: [a], agent: solver, blocks: [b]}\n    - {name: b, repo: agents, allow: [a], agent: solver, test: [t]}", `evolve.yaml:4:50: target "a" already searches the code of agent "solver" (merge the two targets into one with the blocks of both)`, false),
		settings("patches are written by a route that is not there", "patches: {write: fast}\n", `evolve.yaml:1:18: there is no route "fast" (evolve.yaml has no routes)`, false),
		settings("reviewer that is not there", "patches: {reviewers: [solvr]}\n", `evolve.yaml:1:23: there is no agent "solvr" (did you mean "solver"?)`, false),
		settings("no such walls", "patches: {sandbox: off}\n", `evolve.yaml:1:20: "sandbox" must be auto or none, not "off"`, true),
		settings("nothing to start afterwards", "adoption: {after: []}\n", `evolve.yaml:1:19: "after" must have at least 1 item`, true),
		settings("a remote that is an address", "adoption: {via: branch, remote: \"git@example.org:x\"}\n", `evolve.yaml:1:33: "remote" must be the name of a git remote`, true),
		settings("a base that is an option", "adoption: {via: branch, base: --force}\n", `evolve.yaml:1:31: "base" must be the name of a branch (write it like main)`, true),
		settings("a base of evolve's own", "adoption: {via: branch, base: evolve/P1}\n", `evolve.yaml:1:31: "base" must not begin with evolve/ (branches with this prefix are reserved for proposals)`, true),
		settings("a slip of the keyboard", "adoption: {aftr: [restart]}\n", `evolve.yaml:1:12: unknown key "aftr" (did you mean "after"?)`, true),
		settings("where it never belonged", "patches: {after: [restart]}\n", `evolve.yaml:1:11: unknown key "after"`, true),
	}
}
