package workspace

import "strings"

// badModels returns mistakes in the providers and routes in evolve.yaml.
func badModels() []badCase {
	const good = "providers: {local: {kind: openai, base_url: http://localhost:8080/v1}}\n"
	provider := func(name, entry, want string, schema bool) badCase {
		return settings(name, "providers:\n  p: "+entry+"\n", want, schema)
	}
	return []badCase{
		provider("unknown kind of provider", "{kind: opnai}", `evolve.yaml:2:13: "kind" must be openai, anthropic or replay, not "opnai" (did you mean "openai"?)`, true),
		provider("provider without kind", "{key_env: KEY}", `evolve.yaml:2:6: "kind" is missing from "p"`, true),
		provider("misspelt key of a provider", "{kind: openai, baseurl: https://a.example}", `evolve.yaml:2:21: unknown key "baseurl" (did you mean "base_url"?)`, true),
		provider("key of another kind", "{kind: anthropic, recording: a.yaml}", `evolve.yaml:2:24: "recording" cannot be used with kind: anthropic`, true),
		provider("replay without recording", "{kind: replay, of: openai}", `evolve.yaml:2:6: "recording" is missing`, true),
		provider("replay of an unknown provider", "{kind: replay, recording: a.yaml, of: opnai}", `evolve.yaml:2:44: there is no provider "opnai" (did you mean "openai"?)`, false),
		provider("replay of itself", "{kind: replay, recording: a.yaml, of: p}", `evolve.yaml:2:44: "p" is a replay provider, so its exchanges cannot have been recorded (name the provider whose exchanges were recorded)`, false),
		provider("plain http to the world", "{kind: openai, base_url: http://api.example.com/v1}", `evolve.yaml:2:31: "base_url" must begin with https:// (http is only for this machine and private networks)`, false),
		provider("plain http to a number", "{kind: openai, base_url: http://134744072/v1}", `evolve.yaml:2:31: "base_url" must begin with https:// (http is only for this machine and private networks)`, false),
		provider("plain http to link-local", "{kind: openai, base_url: http://169.254.169.254/v1}", `evolve.yaml:2:31: "base_url" must begin with https:// (http is only for this machine and private networks)`, false),
		provider("another scheme", "{kind: openai, base_url: file:///etc/passwd}", `evolve.yaml:2:31: "base_url" must be a URL (write it like https://host/path)`, true),
		provider("another scheme with a host", "{kind: openai, base_url: ftp://a.example}", `evolve.yaml:2:31: "base_url" must begin with https://`, true),
		provider("address without scheme", "{kind: openai, base_url: api.example.com/v1}", `evolve.yaml:2:31: "base_url" must be a URL (write it like https://host/path)`, true),
		provider("user in the address", "{kind: openai, base_url: https://me@a.example/v1}", `evolve.yaml:2:31: "base_url" must not contain a user name or a password (put secrets in environment variables and give only the variables' names)`, true),
		provider("query in the address", "{kind: openai, base_url: \"https://a.example/v1?k=1\"}", `evolve.yaml:2:31: "base_url" must not have a query string`, true),
		provider("fragment in the address", "{kind: openai, base_url: \"https://a.example/v1#k\"}", `evolve.yaml:2:31: "base_url" must have no fragment`, true),
		provider("value for the name of a key", "{kind: openai, key_env: hunter-2}", `evolve.yaml:2:30: "key_env" must be the name of an environment variable (give only names: the values are taken from the environment)`, true),
		provider("recording outside", "{kind: openai, record: ../night.yaml}", `evolve.yaml:2:29: "record" must be a path inside the workspace (write it like recordings/night.yaml)`, true),
		provider("recording at an absolute path", "{kind: openai, record: /tmp/night.yaml}", `evolve.yaml:2:29: "record" must be a path inside the workspace (write it like recordings/night.yaml)`, true),
		provider("recording that steps aside", "{kind: openai, record: a/../../b.yaml}", `evolve.yaml:2:29: "record" must be a path inside the workspace (write it like recordings/night.yaml)`, false),
		provider("recording among the agents", "{kind: openai, record: agents/solver/agent.yaml}", `evolve.yaml:2:29: "record" must be neither evolve.yaml nor in agents/, suites/ or a hidden folder (write it like recordings/night.yaml)`, false),
		provider("recording over the settings", "{kind: openai, record: evolve.yaml}", `evolve.yaml:2:29: "record" must be neither evolve.yaml nor in agents/, suites/ or a hidden folder (write it like recordings/night.yaml)`, false),
		provider("recording in another form", "{kind: openai, record: night.json}", `evolve.yaml:2:29: "record" must end in .yaml (write it like recordings/night.yaml)`, true),
		settings("two that record in one file", "providers:\n  a: {kind: openai, record: n.yaml}\n  b: {kind: anthropic, record: n.yaml}\n", `evolve.yaml:3:32: the providers "a" and "b" record to the same file`, false),
		settings("bad name of a provider", "providers:\n  \"a b\": {kind: openai}\n", `evolve.yaml:2:3: the name of a provider must be 1 to 64 letters, digits, - or _; it is "a b"`, false),
		settings("provider as text", "providers: {p: openai}\n", `evolve.yaml:1:16: "p" must be a mapping of keys to values, not text`, true),

		settings("route to an unknown provider", good+"routes: {default: {provider: locl, model: m}}\n", `evolve.yaml:2:30: there is no provider "locl" (did you mean "local"?)`, false),
		settings("no default route", good+"routes:\n  code: {provider: local, model: m}\n", `evolve.yaml:3:3: the route "default" is missing (it is used if no other route is named)`, false),
		settings("route without model", good+"routes: {default: {provider: local}}\n", `evolve.yaml:2:19: "model" is missing`, true),
		settings("model with a space", good+"routes: {default: {provider: local, model: my model}}\n", `evolve.yaml:2:44: "model" must be letters, digits and _ . : / @ + ~ -, at most 200, not "my model"`, true),
		settings("route that is too warm", good+"routes: {default: {provider: local, model: m, temperature: 3, max_tokens: 0, context: 10}}\n", `
evolve.yaml:2:60: "temperature" is 3, but must be from 0 to 2
evolve.yaml:2:75: "max_tokens" is 0, but must be from 1 to 20000
evolve.yaml:2:87: "context" is 10, but must be from 1000 to 100000000
`, true),
		settings("route with the name of a model", good+"routes: {default: {provider: local, model: m}, heuristic: {provider: local, model: m}}\n", `evolve.yaml:2:48: a route cannot be called "heuristic": that name stands for the model that needs no provider`, false),
		settings("reflection by a route that is not there", good+"routes: {default: {provider: local, model: m}, code: {provider: local, model: m}}\nsearch: {reflect: cod}\n", `evolve.yaml:3:19: there is no route "cod" (did you mean "code"?)`, false),
		settings("reflection without routes", "search: {reflect: default}\n", `evolve.yaml:1:19: there is no route "default" (evolve.yaml has no routes)`, false),
		settings("reflection by no name", "search: {reflect: a b}\n", `evolve.yaml:1:19: "reflect" must be 1 to 64 letters, digits, - or _, not "a b"`, true),
		settings("reflection by routes", good+"routes: {default: {provider: local, model: m}}\nsearch:\n  reflect: {routes: [default, {route: cod}, {route: default, max_usd: 0, max_tokens: 0}], every: 0}\n", `
evolve.yaml:4:39: there is no route "cod"
evolve.yaml:4:53: the route "default" is named twice
evolve.yaml:4:71: "max_usd" must be above 0
evolve.yaml:4:86: "max_tokens" is 0, but must be from 1 to 1000000000000
evolve.yaml:4:98: "every" is 0, but must be from 1 to 1000000000
`, true),
		settings("reflection by no route", good+"search: {reflect: {every: 3}}\n", `evolve.yaml:2:19: "routes" is missing`, true),
		{"model that is no route", map[string]string{
			"evolve.yaml":              good + "routes: {default: {provider: local, model: m}, code: {provider: local, model: m}}\n",
			"agents/helper/agent.yaml": strings.Replace(goodBuilt, "heuristic", "cod", 1),
		}, `agents/helper/agent.yaml:2:33: there is no route "cod" (did you mean "code"?)`, false},
		{"model without routes", map[string]string{"agents/helper/agent.yaml": strings.Replace(goodBuilt, "heuristic", "gpt-5-mini", 1)}, `agents/helper/agent.yaml:2:33: there is no route "gpt-5-mini" (evolve.yaml has no routes)`, false},
	}
}
