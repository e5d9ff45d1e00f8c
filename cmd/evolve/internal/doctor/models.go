package doctor

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"evolve/cmd/evolve/internal/workspace"
)

// probePatience is the timeout of the single call to a provider.
const probePatience = 20 * time.Second

// maxProbeText limits the part of a provider's answer that is shown, in characters.
const maxProbeText = 300

// checkProviders returns one check for each provider. It makes one cheap call to each,
// unless the provider's API key is not set or calls are disabled.
func checkProviders(ctx context.Context, p Probes, w *workspace.Workspace) []Check {
	var checks []Check
	for _, name := range workspace.SortedNames(w.Settings.Providers) {
		checks = append(checks, checkProvider(ctx, p, w, name))
	}
	return checks
}

func checkProvider(ctx context.Context, p Probes, w *workspace.Workspace, name string) Check {
	line, provider := "provider "+name, w.Settings.Providers[name]
	route, routed := routeTo(w, name)
	switch {
	case provider.Kind == workspace.ProviderReplay:
		if _, err := os.Stat(filepath.Join(w.Root, filepath.FromSlash(provider.Recording))); err != nil {
			return trouble(w, line, "to make the recording, set record: "+provider.Recording+" under a provider in evolve.yaml", "its recording %s cannot be read: %s", provider.Recording, workspace.Reason(err))
		}
		return ok(line, "its recording %s exists", provider.Recording)
	case provider.KeyEnv != "" && !p.set(provider.KeyEnv):
		return warn(line, "export "+provider.KeyEnv+"=…; set it for cron as well", "was not tested: %s is not set in the environment", provider.KeyEnv)
	case !routed:
		return ok(line, "was not tested: no route uses it")
	}
	ctx, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	detail, err := p.Probe(ctx, name, provider, route)
	if err != nil {
		return trouble(w, line, "", "%s does not answer: %s", route.Model, p.brief(err.Error()))
	}
	if detail = p.brief(detail); detail == "" {
		detail = "answers"
	}
	return ok(line, "%s: %s", route.Model, detail)
}

// set reports whether an environment variable is set to a value that is not blank.
func (p Probes) set(variable string) bool {
	v, there := p.LookupEnv(variable)
	return there && strings.TrimSpace(v) != ""
}

// brief returns foreign text as one line of bounded length.
func (Probes) brief(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if utf8.RuneCountInString(text) > maxProbeText {
		return string([]rune(text)[:maxProbeText]) + " …"
	}
	return text
}

// trouble returns a failed check if any agent has a judge or has a language model, because
// a language model may use any route. Otherwise it returns a warning.
func trouble(w *workspace.Workspace, name, hint, format string, args ...any) Check {
	if slices.ContainsFunc(w.Agents, func(a workspace.Agent) bool {
		return a.Adapter.Kind == workspace.KindBuiltin && a.Adapter.Model != workspace.ModelHeuristic || w.Judged(&a)
	}) {
		return fail(name, hint, format, args...)
	}
	return warn(name, hint, format, args...)
}

// routeTo returns a route to a provider, preferably the default route, and reports whether
// there is one.
func routeTo(w *workspace.Workspace, provider string) (workspace.Route, bool) {
	for _, name := range append([]string{workspace.DefaultRoute}, workspace.SortedNames(w.Settings.Routes)...) {
		if r, there := w.Settings.Routes[name]; there && r.Provider == provider {
			return r, true
		}
	}
	return workspace.Route{}, false
}

// checkServers returns one check for each tool server. It neither starts nor calls any.
func checkServers(ctx context.Context, p Probes, w *workspace.Workspace) []Check {
	var checks []Check
	for _, name := range workspace.SortedNames(w.Settings.MCP) {
		checks = append(checks, checkServer(ctx, p, w, name))
	}
	return checks
}

func checkServer(ctx context.Context, p Probes, w *workspace.Workspace, name string) Check {
	line, m := "mcp "+name, w.Settings.MCP[name]
	used := slices.ContainsFunc(w.Agents, func(a workspace.Agent) bool { return slices.Contains(a.MCP, name) })
	what, needs := "stands at "+hostOf(m.URL), mapValues(m.HeadersEnv)
	if len(m.Argv) > 0 {
		what, needs = `its program "`+m.Argv[0]+`" exists`, m.Env
		if err := workspace.Startable(w.Root, m.Argv[0], p.LookPath); err != nil {
			check := warn
			if used {
				check = fail
			}
			return check(line, "relative paths are resolved against the workspace", "its program %q %v", m.Argv[0], err)
		}
		what += "; " + p.networkOf(ctx, m.Network, m.Sandbox)
	}
	var unset []string
	for _, v := range needs {
		if !p.set(v) {
			unset = append(unset, v)
		}
	}
	switch {
	case len(unset) > 0:
		return warn(line, "", "%s; missing from the environment: %s", what, strings.Join(unset, ", "))
	case !used:
		return ok(line, "%s; no agent names it, so it is not used", what)
	}
	return ok(line, "%s", what)
}

// mapValues returns the values of a map in the order of its keys.
func mapValues(m map[string]string) []string {
	var out []string
	for _, name := range workspace.SortedNames(m) {
		out = append(out, m[name])
	}
	return out
}

// hostOf returns only the host in a URL, because the rest may be confidential.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address"
	}
	return u.Host
}
