package workspace

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"evolve/runtime/mcp"
)

// The folders for an agent's own approved tools and skills, the maximum size of one of
// their files in bytes, and the maximum number of files.
const (
	toolsDir  = "tools"
	skillsDir = "skills"

	maxTool  = 64 << 10
	maxSkill = 64 << 10
	maxParts = 200
)

// checkModel checks the model and the servers of an agent against evolve.yaml.
func (l *loader) checkModel(s *source, f *agentFile) {
	if !l.set.read {
		return
	}
	routes, servers := SortedNames(l.set.Routes), SortedNames(l.set.MCP)
	if model := f.agent.Adapter.Model; f.adapter["model"] != nil && model != ModelHeuristic && !slices.Contains(routes, model) {
		hint := didYouMean(model, append([]string{ModelHeuristic}, routes...))
		if hint == "" && len(routes) == 0 {
			hint = "evolve.yaml has no routes"
		}
		s.bad(f.adapter["model"], hint, "there is no route %q", model)
	}
	for i, name := range f.agent.MCP {
		if !slices.Contains(servers, name) {
			s.bad(f.item("mcp", i), didYouMean(name, servers), "there is no server %q under mcp in %s", name, SettingsFile)
		}
	}
}

// routesOf returns the routes that a built-in agent may use, its own route first; it
// returns nil for an agent without a language model.
func (l *loader) routesOf(a *Agent) []string {
	if a.Adapter.Model == ModelHeuristic {
		return nil
	}
	routes := []string{a.Adapter.Model}
	for _, name := range SortedNames(l.set.Routes) {
		if name != a.Adapter.Model {
			routes = append(routes, name)
		}
	}
	return routes
}

// Model is a route with the name of its model.
type Model struct {
	Route string
	// Kind is the provider's kind: openai or anthropic.
	Kind, Name string
	// Temperature is the route's temperature; it is nil if the route has none.
	Temperature *float64
}

// modelsOf returns the models of an agent's routes, beginning with the model of the agent's
// own route. It returns none for the heuristic.
func (l *loader) modelsOf(a *Agent) []Model {
	var out []Model
	for _, name := range l.routesOf(a) {
		route := l.set.Routes[name]
		p := l.set.Providers[route.Provider]
		out = append(out, Model{Route: name, Kind: cmp.Or(p.OfKind, p.Kind), Name: route.Model, Temperature: route.Temperature})
	}
	return out
}

// toolsOf returns the tools that a built-in agent may be given: evolve's tools, the tools
// of the agent's servers, and the agent's own.
func (l *loader) toolsOf(a *Agent) []string {
	known := slices.Clone(l.builtins.Tools)
	if a.Adapter.Model != ModelHeuristic {
		known = append(known, l.builtins.Further...)
	}
	for _, server := range a.MCP {
		known = append(known, l.serverTools(server)...)
	}
	for _, file := range SortedNames(a.ToolFiles) {
		if name, ok := strings.CutSuffix(file, ".star"); ok {
			known = append(known, name)
		}
	}
	return known
}

// serverTools returns the names under which agents see the tools of a server.
func (l *loader) serverTools(server string) []string {
	var out []string
	for _, t := range SortedNames(l.set.MCP[server].Tools) {
		out = append(out, mcp.ToolName(server, t))
	}
	return out
}

func (l *loader) checkTools(s *source, f *agentFile) {
	if f.agent.Adapter.Kind != KindBuiltin {
		return
	}
	known := l.toolsOf(&f.agent)
	for i, name := range f.agent.Tools {
		if !slices.Contains(known, name) {
			s.bad(f.item("tools", i), didYouMean(name, known), "there is no tool %q", name)
		}
	}
}

// checkPolicyNames checks the names in the policy layers of agents and tools.
func (l *loader) checkPolicyNames(agents []Agent) {
	ids, tools := []string{}, slices.Clone(l.builtins.Tools)
	for _, name := range SortedNames(l.set.MCP) {
		tools = append(tools, l.serverTools(name)...)
	}
	for i := range agents {
		ids = append(ids, agents[i].ID)
		tools = append(tools, l.toolsOf(&agents[i])...)
	}
	l.set.policyNames(l.source(SettingsFile), ids, tools)
	l.set.policyReach(l.source(SettingsFile), agents)
}

// folderFiles reads the files in a folder that have one of the given extensions. It reports
// links as issues, because their targets are not part of the agent's hash.
func (l *loader) folderFiles(dir string, limit int64, endings ...string) map[string][]byte {
	if info, err := os.Lstat(filepath.Join(l.root, filepath.FromSlash(dir))); err == nil && !info.IsDir() {
		l.source(dir).fail("is a link or a file, not a folder")
		return nil
	}
	var out map[string][]byte
	for _, e := range l.entries(dir) {
		name := e.Name()
		ext := path.Ext(name)
		if !slices.Contains(endings, ext) {
			continue
		}
		s := l.source(dir, name)
		switch {
		case len(out) == maxParts:
			l.source(dir).fail("has more than %d files", maxParts)
			return out
		case !e.Type().IsRegular():
			s.fail("is not a regular file")
			continue
		case !namePattern.MatchString(strings.TrimSuffix(name, ext)):
			s.fail("its name must be %s, followed by %s", nameRule, ext)
			continue
		}
		if data, ok := s.read(l.root, limit, true); ok {
			put(&out, name, data)
		}
	}
	return out
}
