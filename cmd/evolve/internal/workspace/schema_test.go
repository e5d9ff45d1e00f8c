package workspace

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

func compile(t *testing.T, data []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON converts a YAML document as an editor does before it applies a schema.
func asJSON(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	if err := yaml.Load(data, &v); err != nil {
		return nil // an empty file
	}
	return stringKeys(v)
}

func stringKeys(v any) any {
	switch v := v.(type) {
	case map[any]any:
		out := map[string]any{}
		for k, e := range v {
			out[fmt.Sprint(k)] = stringKeys(e)
		}
		return out
	case map[string]any:
		for k, e := range v {
			v[k] = stringKeys(e)
		}
	case time.Time: // text, for an editor
		return v.Format(time.DateOnly)
	case []any:
		for i, e := range v {
			v[i] = stringKeys(e)
		}
	}
	return v
}

// fullSettings and fullAgent use every key.
const (
	fullSettings = `
heartbeat: https://hc.example.org/ping/night
notify:
  events: [awaits, fell]
  remind: 168h
  channels:
    - {kind: program, argv: [sh, notify.sh], env: [NTFY_TOKEN]}
    - {kind: webhook, url: "https://hooks.example.org/e?x=1", secret_env: HOOK_SECRET}
    - {kind: webhook, url_env: HOOK_URL}
    - {kind: email, server: "mail.example.org:465", security: tls, user_env: SMTP_USER, password_env: SMTP_PASSWORD, from: evolve@example.org, to: [robin@example.org, kim@example.org]}
    - {kind: email, server: "localhost:25", security: none, from: evolve@example.org, to: [root@localhost]}
backup: {keep: 7, dir: /srv/backups}
keep: {nights: 60, size: 1.5GiB}
workers:
  hub: tls://hub.example.org:4222
  creds_env: HUB_CREDS
  tls: {ca: ca.pem, cert: cert.pem, key: key.pem}
  ack_wait: 1m
  max_attempts: 3
  lookahead: 64
  weaker_walls: true
audit: {sign: ~/.ssh/evolve, allowed_signers: keys/signers}
version: 1
budget: {evaluations: 10, usd: 2.5, time: 1h30m, until: "06:30"}
limits: {timeout: 90s, max_cost_usd: 0.25, max_output_bytes: 65536, max_iterations: 12, max_tokens: 50000}
search: {selection: top_k, concurrency: 4, lookahead: 16, baseline: 0}
confirm: {finalists: 5, level: 0.01, share: 0.7}
prices:
  small: {input: 0.5, output: 1.5}
  large: {input: 3, output: 15, cached: 0.3}
providers:
  openai: {kind: openai, base_url: https://api.openai.com/v1/, key_env: OPENAI_API_KEY, record: recordings/night.yaml}
  claude: {kind: anthropic, key_env: ANTHROPIC_API_KEY}
  tape:   {kind: replay, recording: recordings/night.yaml, of: openai}
  local:  {kind: openai, base_url: http://localhost:11434/v1}
routes:
  default: {provider: openai, model: gpt-5-mini, temperature: 0.2, max_tokens: 2000, context: 400000}
  code:    {provider: claude, model: claude-sonnet-5}
  tape:    {provider: tape, model: gpt-5-mini, temperature: 0}
policies:
  environment:
    deadline: 10s
    retry: {attempts: 3, backoff: 500ms, max_backoff: 30s}
    breaker: {calls: 20, failures: 0.5, slow: 5s, slow_share: 0.8, open: 30s, probes: 2}
    rate: {calls: 60, per: 1m, wait: 5s}
    concurrency: 8
    queue_wait: 30s
    budget:
      run: {usd: 2, calls: 10000, tokens: 1000000, time: 2h}
      agent: {calls: 5000}
      day: {usd: 5}
      exhausted: degrade
      degrade_to: local
  origins: {mcp: {deadline: 5s}, "mcp:search": {retry: {attempts: 1}}, authored: {concurrency: 1}, local: {}}
  roles: {solver: {concurrency: 2}}
  tools: {grep: {deadline: 2s}, search__find: {deadline: 3s}}
  providers: {openai: {rate: {calls: 10, per: 1s}}, local: {budget: {exhausted: deny}}}
mcp:
  search: {argv: [npx, some-server], env: [SEARCH_KEY], tools: {find: read}, network: none, sandbox: none}
  docs:   {url: https://docs.example.org/mcp?v=1, headers_env: {Authorization: DOCS_AUTH}, tools: {lookup: read, store: idempotent_write, drop: write}}
safety:
  never: ["(?i)internal use only", '\bsk-[A-Za-z]+']
adoption: {via: branch, remote: upstream, base: release/1.2, open: [sh, open.sh], after: [systemctl, --user, restart, agent]}
patches:
  targets:
    - {name: plain, allow: [internal/cache]}
    - name: code
      repo: ../code
      allow: [internal/cache, cmd/]
      deny: [internal/cache/key.go]
      cgo: true
      runtime: true
      max_files: 5
      max_bytes: 65536
      benchmark: {packages: [./internal/cache], pattern: Get, count: 12, metric: work/op, better: lower, tune: 0}
    - {name: quick, repo: /srv/quick, allow: [a], benchmark: {}}
    - {name: told, allow: [a], benchmark: {command: [sh, bench/run.sh, ""], count: 6}}
    - {name: own, repo: agents/solver, allow: [.], agent: solver, tasks: 60}
  reviewers: [solver]
  sandbox: none
  write: default
`
	fullAgent = `
id: solver
adapter: {kind: command, argv: [python3, agent.py], protocol: jsonl, pool: 2, timeout: 60s, env: [MY_API_KEY], sandbox: none, network: none}
deterministic: false                  # true: same request (seed included), same answer
uses_seed: true                       # false: the answer ignores the seed
version: ""                           # changes the identity of the agent
suites: [tasks]                       # suites/tasks.jsonl
domains: {engineering: [go, build], _global: []}
reviewers: []
space:
  temperature:      {type: float, min: 0, max: 2, default: 0.3}
  max_steps:        {type: int, min: 1, max: 64, log: true, default: 7}
  planner:          {type: choice, values: [none, linear, tree, critic], default: tree}
  level:            {type: choice, values: [1, 2.5, true, off, 2026-01-01], default: 2.5}
  use_retrieval:    {type: bool, default: true}
  critic_threshold: {type: float, min: 0, max: 1, default: 0.3, when: {planner: [tree, critic]}}
  tools:            {type: subset, of: [search, calc, shell], min: 1, max: 2, default: [search]}
  system_prompt:    {type: text, max_chars: 2000, default: "", lines: [Be brief.], description: what it is told}
  examples:         {type: text, max_chars: 900, use: demonstrations, default: '{"task":"a","answer":"b"}'}
`
	fullService = `
id: solver
adapter: {kind: http, url: "http://127.0.0.1:8000/run?v=1", headers_env: {Authorization: AGENT_AUTH}, pool: 4, timeout: 60s}
suites: [tasks]
` + goodSpace
	fullBuiltin = goodBuilt + `
tools: [calculate, grep]
mcp: []
space:
  recall.min_score: {min: 0.6, max: 0.9, default: 0.7}
  recall.max_memories: {max: 10}
  decompose.max_subgoals:
`
)

func TestSchemaAcceptsTheGood(t *testing.T) {
	forSettings, forAgent := compile(t, SettingsSchema()), compile(t, AgentSchema())
	for _, doc := range []string{fullSettings, string(annotatedSettings()), "budget:\n  usd: 1\nlimits:\n"} {
		if err := forSettings.Validate(asJSON(t, []byte(doc))); err != nil {
			t.Errorf("refused:\n%s\n%v", doc, err)
		}
	}
	solver, err := os.ReadFile("testdata/solver/agents/solver/agent.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range []string{fullAgent, fullBuiltin, fullService, goodBuilt, string(solver)} {
		if err := forAgent.Validate(asJSON(t, []byte(doc))); err != nil {
			t.Errorf("refused:\n%s\n%v", doc, err)
		}
	}
}

// TestSchemaRefusesTheBad checks that the schema detects what the loader refuses, as far
// as a schema can express it.
func TestSchemaRefusesTheBad(t *testing.T) {
	forSettings, forAgent := compile(t, SettingsSchema()), compile(t, AgentSchema())
	seen := 0
	for _, c := range badCases() {
		if !c.schema {
			continue
		}
		seen++
		for name, content := range c.files {
			s := forAgent
			if name == SettingsFile {
				s = forSettings
			}
			if err := s.Validate(asJSON(t, []byte(content))); err == nil {
				t.Errorf("%s: the schema accepts\n%s", c.name, content)
			}
		}
	}
	if seen < 40 {
		t.Errorf("only %d cases", seen)
	}
}
