package workspace

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/bench/confirm"
	"evolve/gates/review"
	"evolve/patch/scope"
	"evolve/runtime/agent"
	"evolve/runtime/policy"
	rtext "evolve/runtime/text"
	"evolve/runtime/tool"
)

func TestSettings(t *testing.T) {
	defaults := DefaultSettings()
	with := func(change func(*Settings)) Settings {
		s := DefaultSettings()
		change(&s)
		return s
	}
	for _, c := range []struct {
		name, content string
		want          Settings
	}{
		{"empty", "", defaults},
		{"sections without keys", "budget:\nlimits:\nsearch:\nconfirm:\nprices:\n", defaults},
		{"the scaffold's own", string(annotatedSettings()), defaults},
		{"byte order mark and carriage returns", "\ufeffbudget:\r\n  usd: 3\r\n", with(func(s *Settings) { s.Budget.USD = 3 })},
		{"money bounds, so evaluations do not", "budget: {usd: 3}\n", with(func(s *Settings) { s.Budget.USD = 3 })},
		{"lookahead follows concurrency", "budget: {time: 2m}\nsearch: {concurrency: 100}\n", with(func(s *Settings) {
			s.Budget.Time = 2 * time.Minute
			s.Search.Concurrency, s.Search.Lookahead = 100, 100
		})},
		{"a lookahead of one's own is kept", "budget: {time: 2m}\nsearch: {concurrency: 100, lookahead: 2}\n", with(func(s *Settings) {
			s.Budget.Time = 2 * time.Minute
			s.Search.Concurrency, s.Search.Lookahead = 100, 2
		})},
		{"every key", fullSettings, Settings{
			Budget:  Budget{Evaluations: 10, USD: 2.5, Time: 90 * time.Minute, Until: "06:30"},
			Limits:  agent.Limits{Timeout: 90 * time.Second, MaxCostUSD: .25, MaxOutputBytes: 65536, MaxIterations: 12, MaxTokens: 50000},
			Search:  Search{Selection: "top_k", Concurrency: 4, Lookahead: 16, Baseline: 0},
			Confirm: confirm.Settings{Finalists: 5, Level: .01, Share: .7},
			Prices:  map[string]Price{"small": {.5, 1.5, .5}, "large": {3, 15, .3}},
			Providers: map[string]Provider{
				"openai": {Kind: "openai", BaseURL: "https://api.openai.com/v1", KeyEnv: "OPENAI_API_KEY", Record: "recordings/night.yaml"},
				"claude": {Kind: "anthropic", KeyEnv: "ANTHROPIC_API_KEY"},
				"tape":   {Kind: "replay", Recording: "recordings/night.yaml", Of: "openai", OfKind: "openai"},
				"local":  {Kind: "openai", BaseURL: "http://localhost:11434/v1"},
			},
			Routes: map[string]Route{
				"default": {"openai", "gpt-5-mini", new(.2), 2000, 400_000},
				"code":    {"claude", "claude-sonnet-5", nil, 0, 0},
				"tape":    {"tape", "gpt-5-mini", new(0.), 0, 0},
			},
			Policies: policy.Book{
				Environment: policy.Settings{
					Deadline: 10 * time.Second, Attempts: 3, Backoff: 500 * time.Millisecond, MaxBackoff: 30 * time.Second,
					BreakerCalls: 20, BreakerFailures: .5, BreakerSlow: 5 * time.Second, BreakerSlowShare: .8, BreakerOpen: 30 * time.Second, BreakerProbes: 2,
					RateCalls: 60, RatePer: time.Minute, RateWait: 5 * time.Second, Concurrency: 8, QueueWait: 30 * time.Second,
					PerRun:   policy.Budget{USD: 2, Calls: 10000, Tokens: 1e6, Elapsed: 2 * time.Hour},
					PerAgent: policy.Budget{Calls: 5000}, PerDay: policy.Budget{USD: 5},
					Exhausted: policy.Degrade, DegradedTo: "local",
				},
				Origins: map[string]policy.Settings{
					"mcp": {Deadline: 5 * time.Second}, "mcp:search": {Attempts: 1}, "authored": {Concurrency: 1}, "local": {},
				},
				Roles:     map[string]policy.Settings{"solver": {Concurrency: 2}},
				Tools:     map[string]policy.Settings{"grep": {Deadline: 2 * time.Second}, "search__find": {Deadline: 3 * time.Second}},
				Providers: map[string]policy.Settings{"openai": {RateCalls: 10, RatePer: time.Second}, "local": {Exhausted: policy.Deny}},
			},
			MCP: map[string]MCPServer{
				"search": {Argv: []string{"npx", "some-server"}, Env: []string{"SEARCH_KEY"}, Network: "none", Sandbox: "none", Tools: map[string]tool.Effect{"find": tool.Read}},
				"docs": {
					URL: "https://docs.example.org/mcp?v=1", HeadersEnv: map[string]string{"Authorization": "DOCS_AUTH"},
					Tools: map[string]tool.Effect{"lookup": tool.Read, "store": tool.IdempotentWrite, "drop": tool.Write},
				},
			},
			Never:    []string{"(?i)internal use only", `\bsk-[A-Za-z]+`},
			Adoption: Adoption{Via: ViaBranch, Remote: "upstream", Base: "release/1.2", Open: []string{"sh", "open.sh"}, After: []string{"systemctl", "--user", "restart", "agent"}},
			Patches: Patches{
				Targets: []PatchTarget{
					{Name: "plain", Repo: ".", Policy: scope.Policy{Allow: []string{"internal/cache"}}},
					{
						Name: "code", Repo: "../code",
						Policy:    scope.Policy{Allow: []string{"internal/cache", "cmd/"}, Deny: []string{"internal/cache/key.go"}, Cgo: true, Runtime: true, MaxFiles: 5, MaxBytes: 65536},
						Benchmark: &review.Benchmark{Packages: []string{"./internal/cache"}, Pattern: "Get", Count: 12, Metric: "work/op", Better: "lower"},
					},
					{Name: "quick", Repo: "/srv/quick", Policy: scope.Policy{Allow: []string{"a"}}, Benchmark: &review.Benchmark{Packages: []string{"./..."}, Pattern: ".", Count: 10, Metric: "sec/op", Tune: 40}},
					{Name: "told", Repo: ".", Policy: scope.Policy{Allow: []string{"a"}}, Benchmark: &review.Benchmark{Command: []string{"sh", "bench/run.sh", ""}, Count: 6, Metric: "sec/op", Tune: 40}},
					{Name: "own", Repo: "agents/solver", Policy: scope.Policy{Allow: []string{"."}}, Agent: "solver", Tasks: 60},
				},
				Reviewers: []string{"solver"}, Sandbox: "none", Write: "default",
			},
			Backup: Backup{Keep: 7, Dir: "/srv/backups"},
			Keep:   Keep{Nights: 60, Size: 3 << 29},
			Workers: Workers{
				Hub: "tls://hub.example.org:4222", CredsEnv: "HUB_CREDS", CA: "ca.pem", Cert: "cert.pem", Key: "key.pem", AckWait: time.Minute, MaxAttempts: 3,
				Lookahead: 64, Weaker: true,
			},
			Audit: Audit{Sign: "~/.ssh/evolve", AllowedSigners: "keys/signers"},
			Notify: Notify{
				Events: []string{EventAwaits, EventFell}, Remind: 168 * time.Hour, Heartbeat: "https://hc.example.org/ping/night",
				Channels: []Channel{
					{Kind: ChannelProgram, Argv: []string{"sh", "notify.sh"}, Env: []string{"NTFY_TOKEN"}, Security: StartTLS},
					{Kind: ChannelWebhook, URL: "https://hooks.example.org/e?x=1", SecretEnv: "HOOK_SECRET", Security: StartTLS},
					{Kind: ChannelWebhook, URLEnv: "HOOK_URL", Security: StartTLS},
					{Kind: ChannelEmail, Server: "mail.example.org:465", Security: TLS, UserEnv: "SMTP_USER", PasswordEnv: "SMTP_PASSWORD", From: "evolve@example.org", To: []string{"robin@example.org", "kim@example.org"}},
					{Kind: ChannelEmail, Server: "localhost:25", Security: NoTLS, From: "evolve@example.org", To: []string{"root@localhost"}},
				},
			},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var errs collector
			got := readSettings(&source{file: SettingsFile, errs: &errs}, []byte(c.content))
			if err := errs.err(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.Settings); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNearest(t *testing.T) {
	keys := []string{"protocol", "pool", "timeout", "min", "max", "env", "argv"}
	for word, want := range map[string]string{
		"protocal": "protocol", "Protocol": "protocol", "pol": "pool", "mni": "min", "timeuot": "timeout",
		"zebra": "", "x": "", "": "", "arg": "argv",
	} {
		if got := rtext.Nearest(word, keys); got != want {
			t.Errorf("nearest to %q is %q, want %q", word, got, want)
		}
	}
}
