package workspace

// badPolicies returns mistakes in the policies and safety sections of evolve.yaml.
func badPolicies() []badCase {
	environment := func(name, layer, want string, schema bool) badCase {
		return settings(name, "policies:\n  environment: "+layer+"\n", want, schema)
	}
	return []badCase{
		settings("unknown layer", "policies: {enviroment: {}}\n", `evolve.yaml:1:12: unknown key "enviroment" (did you mean "environment"?)`, true),
		environment("unknown limit", "{dedline: 5s}", `evolve.yaml:2:17: unknown key "dedline" (did you mean "deadline"?)`, true),
		environment("unknown key of a group", "{retry: {atempts: 3}}", `evolve.yaml:2:25: unknown key "atempts" (did you mean "attempts"?)`, true),
		environment("deadline of nothing", "{deadline: 0s}", `evolve.yaml:2:27: "deadline" is 0s, but must be from 1ms to 24h`, false),
		environment("every bound at once", "{deadline: 5, retry: {attempts: 0}, breaker: {failures: 1.5, slow_share: 0}, concurrency: -1}", `
evolve.yaml:2:27: "deadline" must be a duration (write 5s for seconds)
evolve.yaml:2:48: "attempts" is 0, but must be from 1 to 100
evolve.yaml:2:72: "failures" is 1.5, but must be from 0 to 1
evolve.yaml:2:89: "slow_share" must be above 0
evolve.yaml:2:106: "concurrency" is -1, but must be from 1 to 10000
`, true),
		environment("backoff that shrinks", "{retry: {backoff: 5s, max_backoff: 1s}}", `evolve.yaml:2:51: "max_backoff" is below "backoff"`, false),
		environment("rate without a time", "{rate: {calls: 60}}", `evolve.yaml:2:23: "calls" and "per" must be given together (write it like {calls: 60, per: 1m})`, false),
		environment("money of nothing in a budget", "{budget: {run: {usd: 0}}}", `evolve.yaml:2:37: "usd" must be above 0`, true),
		environment("unknown end of a budget", "{budget: {exhausted: stop}}", `evolve.yaml:2:37: "exhausted" must be deny or degrade, not "stop"`, true),
		environment("degrade without a provider", "{budget: {exhausted: degrade}}", `evolve.yaml:2:37: "degrade" needs a provider in "degrade_to"`, false),
		environment("degrade without saying so", "{budget: {degrade_to: local}}", `evolve.yaml:2:38: "degrade_to" has no effect without "exhausted: degrade"`, false),
		settings("degrade to a stranger", "providers: {local: {kind: openai}}\npolicies: {environment: {budget: {exhausted: degrade, degrade_to: locl}}}\n", `evolve.yaml:2:67: there is no provider "locl" (did you mean "local"?)`, false),
		settings("environment whose stand-in has none", "providers: {local: {kind: openai}}\npolicies: {environment: {budget: {exhausted: degrade, degrade_to: local}}}\n", `evolve.yaml:2:67: the provider "local" would become its own fallback (add local: {budget: {exhausted: deny}} under policies.providers)`, false),
		settings("degrade to itself", "providers: {a: {kind: openai}}\npolicies: {providers: {a: {budget: {exhausted: degrade, degrade_to: a}}}}\n", `evolve.yaml:2:69: the provider "a" cannot be its own fallback`, false),
		settings("layer of a strange provider", "providers: {local: {kind: openai}}\npolicies: {providers: {loca: {deadline: 5s}}}\n", `evolve.yaml:2:24: there is no provider "loca" (did you mean "local"?)`, false),
		settings("layer of a strange origin", "policies: {origins: {authord: {deadline: 5s}, \"mcp:serch\": {deadline: 5s}}}\nmcp: {search: {argv: [s], tools: {find: read}}}\n", `
evolve.yaml:1:22: an origin is local, authored, mcp or mcp:<server>, not "authord" (did you mean "authored"?)
evolve.yaml:1:47: there is no server "serch" under mcp (did you mean "search"?)
`, false),
		settings("layer of a strange agent", "policies: {roles: {solvr: {deadline: 5s}}}\n", `evolve.yaml:1:20: there is no agent "solvr" (did you mean "solver"?)`, false),
		settings("layer of a strange tool", "policies: {tools: {gerp: {deadline: 5s}}}\n", `evolve.yaml:1:20: there is no tool "gerp" (did you mean "grep"?)`, false),
		settings("providers that degrade in a circle", "providers: {a: {kind: openai}, b: {kind: openai}}\npolicies:\n  providers: {a: {budget: {exhausted: degrade, degrade_to: b}}, b: {budget: {exhausted: degrade, degrade_to: a}}}\n", `evolve.yaml:3:3: provider a: degrade_to forms a cycle`, false),
		settings("layer as a list", "policies: {tools: [grep]}\n", `evolve.yaml:1:19: "tools" must be a mapping of keys to values, not a list`, true),

		settings("pattern with a look-ahead", "safety: {never: [\"a(?=b)\"]}\n", "evolve.yaml:1:18: item 1 of \"never\" is not a valid pattern: error parsing regexp: invalid or unsupported Perl syntax: `(?=` (RE2 has no look-around and no back-references)", false),
		settings("pattern for everything", "safety: {never: [\".*\", \"\"]}\n", `
evolve.yaml:1:18: item 1 of "never" matches every answer
evolve.yaml:1:24: item 2 of "never" matches every answer
`, false),
		settings("pattern without a list", "safety: {never: secret}\n", `evolve.yaml:1:17: "never" must be a list, not text (write [secret])`, true),
		settings("misspelt safety", "safety: {nevr: [a]}\n", `evolve.yaml:1:10: unknown key "nevr" (did you mean "never"?)`, true),
	}
}
