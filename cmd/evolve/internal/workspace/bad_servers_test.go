package workspace

import "strings"

// badServers returns mistakes in the tool servers in evolve.yaml.
func badServers() []badCase {
	server := func(name, entry, want string, schema bool) badCase {
		return settings(name, "mcp:\n  s: "+entry+"\n", want, schema)
	}
	return []badCase{
		settings("bad name of a server", "mcp: {Search: {argv: [s], tools: {find: read}}}\n", `evolve.yaml:1:7: the name of a server must be lower-case letters, digits and -, at most 32, and begin with a letter; it is "Search"`, false),
		server("server of neither sort", "{tools: {find: read}}", `evolve.yaml:2:6: "s" needs "argv" or "url"`, true),
		server("server of both sorts", "{argv: [s], url: https://a.example/mcp, tools: {find: read}}", `evolve.yaml:2:23: "s" has both "argv" and "url"`, true),
		server("program with headers", "{argv: [s], headers_env: {Authorization: KEY}, tools: {find: read}}", `evolve.yaml:2:31: "headers_env" cannot be used with a program`, true),
		server("address with the keys of a program", "{url: https://a.example/mcp, env: [KEY], network: none, sandbox: none, tools: {find: read}}", `
evolve.yaml:2:40: "env" cannot be used with a "url"
evolve.yaml:2:56: "network" cannot be used with a "url"
evolve.yaml:2:71: "sandbox" cannot be used with a "url"
`, true),
		server("server without tools", "{argv: [s]}", `evolve.yaml:2:6: "tools" is missing`, true),
		server("server with no tool", "{argv: [s], tools: {}}", `evolve.yaml:2:25: "s" names no "tools" that may be called (write them like {web_search: read})`, false),
		server("unknown effect", "{argv: [s], tools: {find: reed}}", `evolve.yaml:2:32: "find" must be read, idempotent_write or write, not "reed" (did you mean "read"?)`, true),
		server("bad name of a tool", "{argv: [s], tools: {\"a b\": read}}", `evolve.yaml:2:26: a tool's name may contain only letters, digits and _ . / -, and at most 128 characters: "a b"`, false),
		server("no program", "{argv: [\"\"], tools: {find: read}}", `evolve.yaml:2:13: "argv" names no program`, false),
		server("value in the server's env", "{argv: [s], env: [KEY=hunter2], tools: {find: read}}", `evolve.yaml:2:24: item 1 of "env" must be the name of an environment variable (give only names: the values are taken from the environment)`, true),
		server("value of a header", "{url: https://a.example/mcp, headers_env: {X-Key: hunter-2, Host: NAME, x-key: NAME, \"a b\": NAME}, tools: {find: read}}", `
evolve.yaml:2:56: "X-Key" must be the name of an environment variable (give only names: the values are taken from the environment)
evolve.yaml:2:66: the header "Host" is set by the protocol
evolve.yaml:2:78: the header "x-key" appears twice
evolve.yaml:2:91: a header's name must consist of letters, digits and -, at most 64 characters
`, true),
		server("server in the clear", "{url: \"http://a.example/mcp\", tools: {find: read}}", `evolve.yaml:2:12: "url" must begin with https:// (http is only for this machine and private networks)`, false),
		{"server that evolve does not there", map[string]string{
			"evolve.yaml":              "mcp: {search: {argv: [s], tools: {find: read}}}\n",
			"agents/helper/agent.yaml": goodBuilt + "mcp: [serch]\ntools: [fnd, find]\n",
		}, `
agents/helper/agent.yaml:4:7: there is no server "serch" under mcp in evolve.yaml (did you mean "search"?)
agents/helper/agent.yaml:5:9: there is no tool "fnd"
agents/helper/agent.yaml:5:14: there is no tool "find"
`, false},
		agentYAMLCase("servers of a program", goodHead+"mcp: [search]\n", `
agents/solver/agent.yaml:4:6: "mcp" is for built-in agents only (the program uses its own MCP servers)
agents/solver/agent.yaml:4:7: there is no server "search" under mcp in evolve.yaml
`, false),
		builtinCase("bad name of the agent's server", "mcp: [\"../x\"]\n", `agents/helper/agent.yaml:4:7: item 1 of "mcp" must be lower-case letters, digits and -, at most 32, not "../x"`, true),
	}
}

// badAdapters returns mistakes in the adapter of a service, and in the files of an agent's
// own tools and skills.
func badAdapters() []badCase {
	service := func(name, keys, want string, schema bool) badCase {
		return agentYAMLCase(name, "id: solver\nadapter: {kind: http"+keys+"}\nsuites: [tasks]\n"+goodSpace, want, schema)
	}
	helper := func(name, file, content, want string) badCase {
		return badCase{name, map[string]string{"agents/helper/agent.yaml": goodBuilt, "agents/helper/" + file: content}, want, false}
	}
	return []badCase{
		service("service without an address", "", `agents/solver/agent.yaml:2:10: "url" is missing`, true),
		service("service with a program", ", url: https://a.example, argv: [a]", `agents/solver/agent.yaml:2:47: "argv" cannot be used with kind: http`, true),
		service("service in the clear", ", url: \"http://a.example\"", `agents/solver/agent.yaml:2:28: "url" must begin with https:// (http is only for this machine and private networks)`, false),
		service("service with a password", ", url: \"https://me:pw@a.example\"", `agents/solver/agent.yaml:2:28: a value looks like a secret (put secrets in environment variables and give only the variables' names)`, true),
		service("service with the value of a header", ", url: https://a.example, headers_env: {Authorization: Basic x}", `agents/solver/agent.yaml:2:76: "Authorization" must be the name of an environment variable (give only names: the values are taken from the environment)`, true),
		service("service without limits", ", url: https://a.example, pool: 0, timeout: 0s", `
agents/solver/agent.yaml:2:53: "pool" is 0, but must be from 1 to 1024
agents/solver/agent.yaml:2:65: "timeout" is 0s, but must be from 10ms to 24h
`, true),
		helper("tool that is too large", "tools/a.star", strings.Repeat("#", maxTool+1), `agents/helper/tools/a.star: is larger than 65536 bytes`),
		helper("tool that is no text", "tools/a.json", "\xff", `agents/helper/tools/a.json:1:1: is not valid UTF-8`),
		helper("tool with a bad name", "tools/a b.json", "{}", `agents/helper/tools/a b.json: its name must be 1 to 64 letters, digits, - or _, followed by .json`),
		helper("skill that is a folder", "skills/a.md/b", "x", `agents/helper/skills/a.md: is not a regular file`),
	}
}
