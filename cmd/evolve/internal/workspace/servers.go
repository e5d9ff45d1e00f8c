package workspace

import (
	"cmp"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v4"

	"evolve/runtime/tool"
)

// MCPServer is an entry under mcp: in evolve.yaml: a server that offers tools. It is either
// a program (Argv) or a service with an address (URL).
type MCPServer struct {
	// Argv is the command line of the program, resolved like that of an agent's program,
	// but relative to the workspace's root.
	Argv []string
	// Env names the environment variables that are passed to the program.
	Env []string
	// Network is "host" (the default) or "none". Sandbox is "auto" (the default) or "none".
	Network, Sandbox string
	URL              string
	// HeadersEnv maps the names of headers to the environment variables that hold their
	// values.
	HeadersEnv map[string]string
	// Tools maps the name of each tool that may be called to the effect of a call. The
	// server's other tools are not offered to agents.
	Tools map[string]tool.Effect
}

var (
	serverPattern = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)
	toolPattern   = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]{0,127}$`)
	modelPattern  = regexp.MustCompile(`^[A-Za-z0-9_.:/@+~-]{1,200}$`)
)

// maxServerTools is the maximum number of tools for one server.
const maxServerTools = 64

const (
	serverRule = "lower-case letters, digits and -, at most 32"
	modelRule  = "letters, digits and _ . : / @ + ~ -, at most 200"
)

// programKeys are the keys that apply only to a server that is a program, and addressKeys
// are those that apply only to a server with an address.
var (
	programKeys = []string{"env", "network", "sandbox"}
	addressKeys = []string{"headers_env"}
)

// serverKeys describes the keys of one server, which is given as a program or as a URL.
func serverKeys(m *MCPServer) object {
	seen := map[string]*yaml.Node{}
	return object{seen: seen, limits: serverForm(), check: func(s *source, n *yaml.Node, name string) { checkServer(s, n, name, m, seen) }, keys: []key{
		{name: "argv", doc: "program with its arguments, communicating over standard input and output; relative paths are resolved against the workspace", field: argv(&m.Argv)},
		{name: "env", doc: "names of the environment variables to pass to the program; all others are withheld", field: environment(&m.Env)},
		{name: "network", doc: "host: the program uses the host's network; none: it has no network except its own loopback interface", field: oneOf(&m.Network, "host", "none"), def: "host"},
		{name: "sandbox", doc: "auto: the program runs in a sandbox if one is available; none: it always runs without one", field: oneOf(&m.Sandbox, "auto", "none"), def: "auto"},
		{name: "url", doc: "URL of a server that evolve calls instead of starting a program", field: address(&m.URL, false)},
		{name: "headers_env", doc: "headers to send to the URL, each with the name of the environment variable that holds its value", field: headersEnv(&m.HeadersEnv)},
		{name: "tools", doc: "tools that may be called, each marked as read, idempotent_write or write; all other tools are withheld", field: effects(&m.Tools), required: true},
	}}
}

// checkServer checks that the given keys can be combined.
func checkServer(s *source, n *yaml.Node, name string, m *MCPServer, seen map[string]*yaml.Node) {
	stray := func(names []string, what string) {
		for _, name := range names {
			if n := seen[name]; n != nil {
				s.bad(n, "", "%q cannot be used with %s", name, what)
			}
		}
	}
	program, there := seen["argv"], seen["url"]
	switch {
	case program == nil && there == nil:
		s.bad(n, "", `%s needs "argv" or "url"`, name)
	case program != nil && there != nil:
		s.bad(there, "", `%s has both "argv" and "url"`, name)
	case program != nil:
		stray(addressKeys, "a program")
		if !nonEmpty.MatchString(m.Argv[0]) {
			s.bad(program, "", `"argv" names no program`)
		}
		m.Network, m.Sandbox = cmp.Or(m.Network, "host"), cmp.Or(m.Sandbox, "auto")
	default:
		stray(programKeys, `a "url"`)
	}
	switch {
	case len(m.Tools) == 0:
		s.bad(seen["tools"], "write them like {web_search: read}", `%s names no "tools" that may be called`, name)
	case len(m.Tools) > maxServerTools:
		s.bad(seen["tools"], "", `%s names %d "tools", but at most %d are allowed`, name, len(m.Tools), maxServerTools)
	}
}

// serverForm returns the part of the schema that restricts which keys can be combined.
func serverForm() schema {
	need := func(name string, without ...string) schema {
		none := []any{}
		for _, other := range without {
			none = append(none, schema{"required": []any{other}})
		}
		return schema{"required": []any{name}, "not": schema{"anyOf": none}}
	}
	return schema{"oneOf": []any{need("argv", append(slices.Clone(addressKeys), "url")...), need("url", append(slices.Clone(programKeys), "argv")...)}}
}

// effects is the field that maps tools to the effect of calling them.
func effects(to *map[string]tool.Effect) mapping {
	words := func(to *string) text {
		return oneOf(to, string(tool.Read), string(tool.IdempotentWrite), string(tool.Write))
	}
	return mapping{
		each: func(s *source, k *yaml.Node) field {
			if !toolPattern.MatchString(k.Value) {
				s.bad(k, "", "a tool's name may contain only letters, digits and _ . / -, and at most 128 characters: %q", k.Value)
				return nil
			}
			var v string
			return then{words(&v), func() { put(to, k.Value, tool.Effect(v)) }}
		},
		item: words(new(string)),
	}
}

func serversKeys(f *settingsFile) mapping {
	return mapping{
		each: func(s *source, k *yaml.Node) field {
			if !serverPattern.MatchString(k.Value) {
				s.bad(k, "", "the name of a server must be %s, and begin with a letter; it is %q", serverRule, k.Value)
				return nil
			}
			var m MCPServer
			return then{serverKeys(&m), func() { put(&f.MCP, k.Value, m) }}
		},
		item: serverKeys(new(MCPServer)),
	}
}
