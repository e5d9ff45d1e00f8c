package workspace

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	foreign "evolve/runtime/text"
	"evolve/runtime/tool"
	"evolve/runtime/turn"
)

// The kinds of adapter, and the built-in model that needs no provider.
const (
	// KindCode is the kind of a patch target whose marked blocks a night searches as if the
	// target were an agent. No agent.yaml has this kind.
	KindCode       = "code"
	KindBuiltin    = "builtin"
	KindCommand    = "command"
	KindHTTP       = "http"
	ModelHeuristic = "heuristic"
)

// agentFile is agent.yaml while it is being read: its values, and their positions.
type agentFile struct {
	agent Agent
	// folder is the name of the agent's folder.
	folder string
	// given holds the nodes of the values of the top-level keys.
	given map[string]*yaml.Node
	// adapter holds the YAML nodes of the adapter's values, by key.
	adapter map[string]*yaml.Node
	// further contains the domains whose names begin with + in the file.
	further map[string][]string
	// params holds the declared parameters, in file order.
	params []*paramDraft
}

func newAgentFile() *agentFile {
	return &agentFile{given: map[string]*yaml.Node{}, adapter: map[string]*yaml.Node{}}
}

// agentKeys describes agent.yaml: every key, bound to the part of f that stores its value.
func agentKeys(f *agentFile) object {
	a := &f.agent
	return object{
		seen: f.given,
		keys: []key{
			{name: "id", doc: "name of the agent, the same as the name of its folder", field: text{to: &a.ID, pattern: namePattern, rule: nameRule}, required: true},
			{name: "adapter", doc: "how the agent is run: {kind: builtin, model: heuristic}, a program of your own, or a service", field: adapterKeys(f), required: true},
			{name: "deterministic", doc: "true: the same request, seed included, always gets the same answer, which makes runs reproducible byte for byte; a guard on latency is then not judged", field: flag{&a.Deterministic}, def: "false; true for the heuristic model"},
			{name: "uses_seed", doc: "false: the answer ignores the seed, so further repeats of a task show nothing new", field: flag{&a.UsesSeed}, def: "true; false for the heuristic model"},
			{name: "version", doc: "part of the agent's identity in the evaluation cache, in addition to the hash of its folder", field: text{to: &a.Version}},
			{name: "suites", doc: "benchmarks of the agent: the names of files in suites/, without the extension .jsonl", field: words(&a.Suites, 1, nil, ""), required: true},
			{name: "domains", doc: "subject areas with the keywords that name them; if omitted, a default table is used", field: domainKeys(f)},
			{name: "tools", doc: "tools that may be given to the built-in agent; a tool of a server is written server__tool; [] means none; if omitted, all", field: words(&a.Tools, 0, nil, "")},
			{name: "allow", doc: "tools that the built-in agent may use although they can keep or share text beyond a turn, from this list: " + strings.Join(tool.Allowable(), ", ") + "; if omitted, all of them are denied", field: allowed(&a.Allow), example: "[memory_add]"},
			{name: "mcp", doc: "servers under mcp in evolve.yaml whose tools the built-in agent may call; if omitted, none", field: words(&a.MCP, 0, serverPattern, serverRule)},
			{name: "guards", doc: "limits on what a winning variant may consume; overrides guards in evolve.yaml, key by key", field: guardsKeys(&a.Guards)},
			{name: "prefer", doc: "what a point of score is worth; overrides prefer in evolve.yaml, key by key", field: preferKeys(&a.Prefer)},
			{name: "reviewers", doc: "agents that review this agent's proposals", field: words(&a.Reviewers, 0, namePattern, nameRule)},
			{name: "space", doc: "parameters that the search may change, each with its type, range and default; a built-in agent has its own, and naming some here narrows the search to them", field: spaceKeys(f)},
		},
	}
}

// item returns the node of item i in the list under a top-level key. Items that were
// refused are missing from the list that i indexes, so the node is found by its value.
func (f *agentFile) item(name string, i int) *yaml.Node {
	list := map[string][]string{"suites": f.agent.Suites, "tools": f.agent.Tools, "mcp": f.agent.MCP, "reviewers": f.agent.Reviewers}[name]
	for _, n := range f.given[name].Content {
		if n.Value == list[i] {
			return n
		}
	}
	return f.given[name]
}

// allowed is the field for a list of tools that an operator can allow.
func allowed(to *[]string) listOf {
	return listOf{unique: true, each: func() field { return appended{to: to, text: text{words: tool.Allowable()}} }}
}

// nonEmpty matches text that is not blank.
var nonEmpty = regexp.MustCompile(`^[^\x00]*[^\s\x00][^\x00]*$`)

// words is the field for a list of distinct texts.
func words(to *[]string, least int, pattern *regexp.Regexp, rule string) listOf {
	l := texts(to, least, pattern, rule)
	l.unique = true
	return l
}

// texts is the field for a list of texts that are not blank.
func texts(to *[]string, least int, pattern *regexp.Regexp, rule string) listOf {
	if pattern == nil {
		pattern, rule = nonEmpty, "text that is not empty"
	}
	return listOf{min: least, each: func() field { return appended{to: to, text: text{pattern: pattern, rule: rule}} }}
}

// appended is the field for a text that is appended to a list.
type appended struct {
	text
	to *[]string
}

func (a appended) read(s *source, n *yaml.Node, name string) {
	var v string
	a.text.to = &v
	if a.take(s, n, name) {
		*a.to = append(*a.to, v)
	}
}

var argPattern = regexp.MustCompile(`^[^\x00]*$`)

var envPattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func adapterKeys(f *agentFile) union {
	ad := &f.agent.Adapter
	kinds := []string{KindBuiltin, KindCommand, KindHTTP}
	kind := key{name: "kind", doc: "builtin, command (a program) or http (a service)", field: text{to: &ad.Kind, words: kinds}, required: true}
	pool := func(doc string) key {
		return key{name: "pool", doc: doc, field: whole[int]{&ad.Pool, 1, 1024}, def: "1"}
	}
	timeout := key{name: "timeout", doc: "maximum wall time of one task, such as 60s; if omitted, limits.timeout in evolve.yaml applies", field: duration{&ad.Timeout, 10 * time.Millisecond, 24 * time.Hour}}
	return union{
		by:    "kind",
		names: kinds,
		members: map[string]object{
			KindBuiltin: {seen: f.adapter, keys: []key{
				kind,
				{name: "model", doc: "heuristic, which needs no provider, or a route in evolve.yaml", field: text{to: &ad.Model, pattern: namePattern, rule: nameRule}, def: ModelHeuristic},
			}},
			KindCommand: {seen: f.adapter, keys: []key{
				kind,
				{name: "argv", doc: "program with its arguments; relative paths are resolved against the agent's folder", field: argv(&ad.Argv), required: true},
				{name: "protocol", doc: "jsonl: a process reads one request per line and keeps running; once: a process handles one task, with the request on stdin", field: oneOf(&ad.Protocol, "jsonl", "once"), def: "once"},
				pool("maximum number of processes"),
				timeout,
				{name: "env", doc: "names of the environment variables to pass; all others are withheld", field: environment(&ad.Env)},
				{name: "sandbox", doc: "auto: run the program in a sandbox if one is available; none: run it without a sandbox", field: oneOf(&ad.Sandbox, "auto", "none"), def: "auto"},
				{name: "network", doc: "none: no network except its own loopback interface; host: the host's network, for a program that calls a model or another service", field: oneOf(&ad.Network, "host", "none"), def: "none"},
			}},
			KindHTTP: {seen: f.adapter, keys: []key{
				kind,
				{name: "url", doc: "URL of the service, which receives by POST the same objects that a command would read; https, or http on this machine or a private network", field: address(&ad.URL, false), required: true},
				{name: "headers_env", doc: "headers to send, each with the name of the environment variable that holds its value", field: headersEnv(&ad.HeadersEnv)},
				pool("maximum number of concurrent requests"),
				timeout,
			}},
		},
	}
}

// environment is the field for a list of names of environment variables.
func environment(to *[]string) listOf {
	return listOf{unique: true, each: func() field { return appended{to: to, text: envName(nil)} }}
}

// argv is the field for a command line. The program is required, and arguments may be
// empty.
func argv(to *[]string) listOf {
	return listOf{min: 1, each: func() field {
		return appended{to: to, text: text{pattern: argPattern, rule: "text without NUL characters"}}
	}}
}

// domainKeys is the field for a table of domains with their keywords. A domain whose name
// begins with + is added to the other domains in the file or, if there are none, to the
// default table.
func domainKeys(f *agentFile) mapping {
	keywords := func(to *[]string) listOf { return words(to, 0, nil, "") }
	return mapping{
		each: func(s *source, k *yaml.Node) field {
			name, further := strings.CutPrefix(k.Value, "+")
			if meant := misspeltExtension(k.Value); meant != "" {
				s.bad(k, fmt.Sprintf("did you mean %q?", "+"+meant), "the domain %q looks like a misspelling of a domain in the default table", k.Value)
				return nil
			}
			if DomainProblem(name) != "" {
				s.bad(k, "", "%s", DomainProblem(k.Value))
				return nil
			}
			var list []string
			to := &f.agent.Domains
			if further {
				to = &f.further
			}
			return then{keywords(&list), func() { put(to, name, list) }}
		},
		item: keywords(new([]string)),
	}
}

// misspeltExtension returns the domain in the default table that a name seems to be meant
// to extend. It returns "" if the name is the name of a different domain, or if it does
// extend a domain.
func misspeltExtension(name string) string {
	bare := strings.Trim(name, "+-＋ \t")
	defaults := slices.Sorted(maps.Keys(turn.DefaultDomains()))
	switch {
	case name == bare || name == "+"+bare && slices.Contains(defaults, bare):
		return ""
	case slices.Contains(defaults, bare):
		return bare
	}
	return foreign.Nearest(bare, defaults)
}

// readAgentFile reads agent.yaml and checks everything that does not depend on the rest of
// the workspace. It returns nil if the file cannot be parsed.
func readAgentFile(s *source, data []byte) *agentFile {
	n := s.parse(data)
	if n == nil {
		return nil
	}
	f := newAgentFile()
	s.secrets(n, data)
	agentKeys(f).read(s, n, "")
	f.defaults(s)
	return f
}

// defaults fills in omitted values, and refuses keys that belong to another kind of agent.
func (f *agentFile) defaults(s *source) {
	ad := &f.agent.Adapter
	builtin := ad.Kind == KindBuiltin
	switch ad.Kind {
	case KindBuiltin:
		ad.Model = cmp.Or(ad.Model, ModelHeuristic)
		if tools := f.given["tools"]; tools != nil && !isNull(tools) && f.agent.Tools == nil {
			f.agent.Tools = []string{}
		}
	case KindCommand:
		ad.Protocol = cmp.Or(ad.Protocol, "once")
		ad.Sandbox = cmp.Or(ad.Sandbox, "auto")
		ad.Network = cmp.Or(ad.Network, "none")
		ad.Pool = max(ad.Pool, 1)
		if len(ad.Argv) > 0 && !nonEmpty.MatchString(ad.Argv[0]) {
			s.bad(f.adapter["argv"], "", `"argv" names no program`)
		}
	case KindHTTP:
		ad.Pool = max(ad.Pool, 1)
	}
	if ad.Kind != "" && !builtin {
		for _, k := range [][2]string{
			{"tools", "the program brings its own tools; to search them, declare a subset under space: in agent.yaml"},
			{"allow", "the program brings its own tools"},
			{"mcp", "the program uses its own MCP servers"},
		} {
			if n := f.given[k[0]]; n != nil {
				s.bad(n, k[1], "%q is for built-in agents only", k[0])
			}
		}
	}
	// A language model samples, so the same request may get a different answer.
	sure := builtin && ad.Model == ModelHeuristic
	if f.given["deterministic"] == nil {
		f.agent.Deterministic = sure
	}
	if f.given["uses_seed"] == nil {
		f.agent.UsesSeed = !sure
	}
}
