package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"evolve/bench"
	"evolve/bench/grade"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
	"evolve/runtime/provider"
	"evolve/runtime/tool"
	"evolve/runtime/turn"
)

// Builtins returns the properties of this version that the workspace loader needs.
func Builtins() workspace.Builtins {
	names := func(tools []tool.Tool) []string {
		out := make([]string, len(tools))
		for i, t := range tools {
			out[i] = t.Spec().Name
		}
		return out
	}
	return workspace.Builtins{
		Space: func(model string, domains, tools, allowed []string, routes []workspace.Model) agent.Space {
			if domains == nil {
				domains = slices.Sorted(maps.Keys(turn.DefaultDomains()))
			}
			if model != workspace.ModelHeuristic {
				return languageSpace(domains, tools, allowed, routes)
			}
			if tools == nil {
				tools = names(tool.Builtin()) // the heuristic cannot use any other tools
			}
			return turn.DefaultSpace(domains, tools, nil)
		},
		Idle: func(space agent.Space, a *workspace.Agent, models []workspace.Model, tasks []agent.Task) map[string]string {
			files, err := withSkills(a)
			if err != nil { // a run refuses the file; until then no parameter is left out because of the file's length
				return nil
			}
			return turn.Idle(space, turn.Circumstances{
				Language: a.Adapter.Model != workspace.ModelHeuristic, Tools: a.Tools, Allowed: a.Allow, Bootstrap: files,
				Memories: len(a.Memories), Domains: a.Domains, Tasks: tasks,
				Untempered: len(models) > 0 && !slices.ContainsFunc(models, func(m workspace.Model) bool {
					return provider.TakesTemperature(provider.Kind(m.Kind), m.Name)
				}),
			})
		},
		Domains: turn.DefaultDomains, Tools: names(tool.Builtin()), Further: names(tool.Further()),
		Graders: grade.Rules(),
	}
}

// languageSpace returns [turn.LanguageSpace] with the temperature of the agent's own route
// as the default value of the general temperature.
func languageSpace(domains, tools, allowed []string, routes []workspace.Model) agent.Space {
	names := make([]string, len(routes))
	for i, r := range routes {
		names[i] = r.Route
	}
	space := turn.LanguageSpace(domains, tools, allowed, names)
	if heat := routes[0].Temperature; heat != nil {
		i := slices.IndexFunc(space.Params, func(p agent.Param) bool { return p.Name == "temperature" })
		p := &space.Params[i]
		p.Default, p.Max = *heat, max(p.Max, *heat)
	}
	return space
}

// BinaryHash returns a hash that identifies this program. It is needed because an
// evaluation depends on the behaviour of graders and built-in agents.
func BinaryHash() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding this program: %w", err)
	}
	f, err := os.Open(filepath.Clean(path))
	if err != nil {
		return "", fmt.Errorf("reading this program: %w", err)
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("reading this program: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// Load reads and checks the workspace in a folder.
func Load(root string) (*workspace.Workspace, error) { return workspace.Load(root, Builtins()) }

// SuiteRules returns the rules for the suites in a workspace.
func SuiteRules(root string) bench.GraderRules { return workspace.SuiteRules(root, Builtins()) }
