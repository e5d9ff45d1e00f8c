package doctor

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate"
)

const (
	modelSettings = `
providers:
  openai: {kind: openai, key_env: OPENAI_API_KEY}
  claude: {kind: anthropic, key_env: ANTHROPIC_API_KEY}
  local:  {kind: openai, base_url: http://localhost:11434/v1}
  spare:  {kind: openai, base_url: http://localhost:11435/v1}
  tape:   {kind: replay, recording: recordings/night.yaml, of: openai}
routes:
  default: {provider: openai, model: gpt-5-mini}
  big:     {provider: openai, model: gpt-5}
  code:    {provider: claude, model: claude-sonnet-5}
  near:    {provider: local, model: llama}
mcp:
  docs:   {url: "https://docs.example.org/mcp?secret=1", headers_env: {Authorization: DOCS_AUTH}, tools: {lookup: read}}
  files:  {argv: [./server], tools: {open: read}}
  search: {argv: [npx, x], env: [SEARCH_KEY], tools: {find: read}, sandbox: none}
`
	thinker = "id: helper\nadapter: {kind: builtin, model: code}\nsuites: [tasks]\nmcp: [search, docs]\n"
	service = "id: service\nadapter: {kind: http, url: https://agents.example.org/run, headers_env: {Authorization: AGENT_AUTH}}\nsuites: [tasks]\n" + goodSpace
)

// asked records the calls of a probe.
type asked struct{ calls []string }

func (a *asked) probe(answers map[string]error) func(context.Context, string, workspace.Provider, workspace.Route) (string, error) {
	return func(ctx context.Context, name string, p workspace.Provider, r workspace.Route) (string, error) {
		if _, bounded := ctx.Deadline(); !bounded {
			return "", errors.New("no deadline")
		}
		a.calls = append(a.calls, fmt.Sprintf("%s %s %s", name, p.Kind, r.Model))
		return "1 token,\n in 12 ms", answers[name]
	}
}

func TestDoctorModels(t *testing.T) {
	for _, c := range []struct {
		name   string
		files  map[string]string
		env    string
		spoil  func(*Probes)
		errs   map[string]error
		want   string
		called string
		// settings are appended to evolve.yaml.
		settings string
	}{
		{
			name: "nothing set", files: map[string]string{"agents/helper/agent.yaml": thinker, "agents/service/agent.yaml": service},
			want: `warn sandbox: namespaces; switched off for mcp search
ok agent helper: built in, route code (claude-sonnet-5)
warn agent service: a service at agents.example.org; missing from the environment: AGENT_AUTH
warn provider claude: was not tested: ANTHROPIC_API_KEY is not set in the environment | export ANTHROPIC_API_KEY=…; set it for cron as well
ok provider local: llama: 1 token, in 12 ms
warn provider openai: was not tested: OPENAI_API_KEY is not set in the environment | export OPENAI_API_KEY=…; set it for cron as well
ok provider spare: was not tested: no route uses it
fail provider tape: its recording recordings/night.yaml cannot be read: no such file or directory | to make the recording, set record: recordings/night.yaml under a provider in evolve.yaml
warn mcp docs: stands at docs.example.org; missing from the environment: DOCS_AUTH
warn mcp files: its program "./server" cannot be found | relative paths are resolved against the workspace
warn mcp search: its program "npx" exists; it has the host's network (network: host); missing from the environment: SEARCH_KEY
`, called: "local openai llama",
		},
		{
			name: "all set", files: map[string]string{"agents/helper/agent.yaml": thinker, "agents/service/agent.yaml": service, "recordings/night.yaml": "x", "server": "x"},
			env: "OPENAI_API_KEY ANTHROPIC_API_KEY SEARCH_KEY DOCS_AUTH AGENT_AUTH",
			want: `warn sandbox: namespaces; switched off for mcp search
ok agent helper: built in, route code (claude-sonnet-5)
ok agent service: a service at agents.example.org
ok provider claude: claude-sonnet-5: 1 token, in 12 ms
ok provider local: llama: 1 token, in 12 ms
ok provider openai: gpt-5-mini: 1 token, in 12 ms
ok provider spare: was not tested: no route uses it
ok provider tape: its recording recordings/night.yaml exists
ok mcp docs: stands at docs.example.org
ok mcp files: its program "./server" exists; it has the host's network (network: host); no agent names it, so it is not used
ok mcp search: its program "npx" exists; it has the host's network (network: host)
`, called: "claude anthropic claude-sonnet-5, local openai llama, openai openai gpt-5-mini",
		},
		{
			name: "a provider is down", files: map[string]string{"recordings/night.yaml": "x", "server": "x"}, env: "OPENAI_API_KEY ANTHROPIC_API_KEY SEARCH_KEY DOCS_AUTH",
			errs: map[string]error{"local": errors.New("connection\nrefused"), "openai": errors.New(strings.Repeat("é", 400))},
			want: `warn sandbox: namespaces; switched off for mcp search
ok provider claude: claude-sonnet-5: 1 token, in 12 ms
warn provider local: llama does not answer: connection refused
warn provider openai: gpt-5-mini does not answer: ` + strings.Repeat("é", 300) + ` …
ok provider spare: was not tested: no route uses it
ok provider tape: its recording recordings/night.yaml exists
ok mcp docs: stands at docs.example.org; no agent names it, so it is not used
ok mcp files: its program "./server" exists; it has the host's network (network: host); no agent names it, so it is not used
ok mcp search: its program "npx" exists; it has the host's network (network: host); no agent names it, so it is not used
`, called: "claude anthropic claude-sonnet-5, local openai llama, openai openai gpt-5-mini",
		},
		{
			name: "no agent uses it", files: map[string]string{"recordings/night.yaml": "x", "server": "x", "agents/helper/agent.yaml": strings.Replace(thinker, "search, docs", "files", 1)},
			env: "OPENAI_API_KEY ANTHROPIC_API_KEY SEARCH_KEY DOCS_AUTH",
			spoil: func(p *Probes) {
				p.LookPath = func(string) (string, error) { return "", errors.New("no such program") }
			},
			want: `warn sandbox: namespaces; switched off for mcp search
ok agent helper: built in, route code (claude-sonnet-5)
ok provider claude: claude-sonnet-5: 1 token, in 12 ms
ok provider local: llama: 1 token, in 12 ms
ok provider openai: gpt-5-mini: 1 token, in 12 ms
ok provider spare: was not tested: no route uses it
ok provider tape: its recording recordings/night.yaml exists
ok mcp docs: stands at docs.example.org; no agent names it, so it is not used
fail mcp files: its program "./server" cannot be run: no such program | relative paths are resolved against the workspace
warn mcp search: its program "npx" cannot be run: no such program | relative paths are resolved against the workspace
`, called: "claude anthropic claude-sonnet-5, local openai llama, openai openai gpt-5-mini",
		},
		{
			name: "models that propose", files: map[string]string{"recordings/night.yaml": "x", "server": "x"}, env: "OPENAI_API_KEY SEARCH_KEY DOCS_AUTH",
			settings: "search: {reflect: {routes: [near, big, code, {route: default, max_usd: 1}]}}\n",
			want: `warn sandbox: namespaces; switched off for mcp search
warn provider claude: was not tested: ANTHROPIC_API_KEY is not set in the environment | export ANTHROPIC_API_KEY=…; set it for cron as well
ok provider local: llama: 1 token, in 12 ms
ok provider openai: gpt-5-mini: 1 token, in 12 ms
ok provider spare: was not tested: no route uses it
ok provider tape: its recording recordings/night.yaml exists
ok search.reflect near: llama of provider local
ok search.reflect big: gpt-5: 1 token, in 12 ms
ok search.reflect code: claude-sonnet-5 of provider claude
warn search.reflect default: max_usd has no effect: the price of gpt-5-mini is unknown | add gpt-5-mini to prices, or set max_calls
ok mcp docs: stands at docs.example.org; no agent names it, so it is not used
ok mcp files: its program "./server" exists; it has the host's network (network: host); no agent names it, so it is not used
ok mcp search: its program "npx" exists; it has the host's network (network: host); no agent names it, so it is not used
`, called: "local openai llama, openai openai gpt-5-mini, openai openai gpt-5",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := spoil(c.files)
			files["evolve.yaml"] = modelSettings + c.settings
			root := build(t, files)
			p := healthy(t, root)
			var a asked
			p.Probe = a.probe(c.errs)
			p.LookupEnv = func(name string) (string, bool) {
				if strings.Contains(" "+c.env+" ", " "+name+" ") {
					return "x", true
				}
				return " ", name == "OPENAI_API_KEY" // set, but blank
			}
			p.LookPath = func(name string) (string, error) {
				if _, there := files["server"]; strings.HasPrefix(name, root) && !there {
					return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
				}
				return name, nil
			}
			if c.spoil != nil {
				c.spoil(&p)
			}
			var got []Check
			for _, check := range Run(context.Background(), p) {
				kind, _, _ := strings.Cut(check.Name, " ")
				if kind == "provider" || kind == "search.reflect" || kind == "mcp" || kind == "sandbox" || check.Name == "agent helper" || check.Name == "agent service" {
					got = append(got, check)
				}
			}
			if diff := cmp.Diff(c.want, lines(got)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.called, strings.Join(a.calls, ", ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestReflectOfABrokenProvider checks that a route whose provider failed its check is not
// reported as a success.
func TestReflectOfABrokenProvider(t *testing.T) {
	w := &workspace.Workspace{Settings: workspace.Settings{Routes: map[string]workspace.Route{"near": {Provider: "local", Model: "llama"}}}}
	w.Settings.Providers = map[string]workspace.Provider{"local": {Kind: workspace.ProviderOpenAI}}
	w.Settings.Search.Reflect.Routes = []mutate.AuthorRoute{{Name: "near"}}
	got := checkReflect(t.Context(), Probes{}, w, []Check{fail("provider local", "", "connection refused")})
	if len(got) != 1 || got[0].Status != StatusWarn || got[0].Text != "was not tested: its provider local does not answer" {
		t.Errorf("%+v", got)
	}
}
