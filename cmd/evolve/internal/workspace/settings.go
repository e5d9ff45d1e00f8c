package workspace

import (
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"evolve/bench/confirm"
	"evolve/mutate/selection"
)

// The maximum counts and amounts of money in evolve.yaml. They catch typing errors; no
// workspace needs more.
const (
	maxCount = 1_000_000_000
	maxUSD   = 1_000_000
)

// DefaultSettings returns the settings of an empty evolve.yaml.
func DefaultSettings() Settings {
	return Settings{
		Search:   Search{Selection: selection.Default, Concurrency: 8, Lookahead: 32, Baseline: .1},
		Confirm:  confirm.DefaultSettings(),
		Adoption: Adoption{Via: ViaCommit, Remote: DefaultRemote},
		Patches:  Patches{Sandbox: "auto"},
		Backup:   Backup{Keep: 3, Dir: filepath.ToSlash(defaultBackups)},
		Notify:   Notify{Events: EventKinds()},
		Workers:  Workers{AckWait: 30 * time.Second, MaxAttempts: 5},
	}
}

// settingsFile holds the contents of evolve.yaml while it is being read, both values and
// their positions.
type settingsFile struct {
	Settings
	// given holds the value nodes of the top-level keys.
	given             map[string]*yaml.Node
	providers, routes map[string]entry
	// layers holds the layers of the policies by name, such as "environment" or
	// "roles.clerk".
	layers map[string]*layerEntry
	// patches holds the value nodes of the keys below patches.
	patches map[string]*yaml.Node
	// reflects contains the nodes of the route names that search.reflect lists.
	reflects []*yaml.Node
	// read reports whether the file could be parsed. If it could not, a name that seems to
	// be missing may be defined in it.
	read bool
}

func newSettingsFile() *settingsFile {
	return &settingsFile{Settings: DefaultSettings(), given: map[string]*yaml.Node{}, patches: map[string]*yaml.Node{}}
}

// settingsKeys describes every key of evolve.yaml, with the field of f that it is read
// into. The defaults shown in the schema and in comments are the values in f at the time of
// the call.
func settingsKeys(f *settingsFile) object {
	s := &f.Settings
	version := 1
	return object{
		seen: f.given,
		keys: append([]key{
			{name: "version", doc: "version of this file's format", field: whole[int]{&version, 1, 1}, def: "1"},
			{name: "budget", doc: "limits on one run, for all agents together, in any combination; a command-line flag overrides the corresponding key", field: budgetKeys(&s.Budget)},
			{name: "limits", doc: "limits on one evaluation; no config, agent or model can raise them", field: limitKeys(s)},
			{name: "search", doc: "how variants are searched for", field: searchKeys(f)},
			{name: "confirm", doc: "how the best variants are compared with the champion on the holdout tasks", field: confirmKeys(&s.Confirm)},
			{name: "guards", doc: "the most that a winner may consume, as a ratio to the champion's consumption; a better variant that breaks a guard is presented to you as a trade-off", field: guardsKeys(&s.Guards)},
			{name: "prefer", doc: "extra consumption accepted per point of score: for each point of the gain's lower confidence bound, the ratio that the metric's guard allows is raised by this share", field: preferKeys(&s.Prefer)},
			{name: "prices", doc: "prices of models, by model name, in USD per million tokens; they are frozen for each run", field: priceKeys(s), example: "{my-model: {input: 3, output: 15, cached: 0.3}}"},
			{name: "providers", doc: "language model services, under names of your choice; API keys belong in the environment, never here", field: providersKeys(f), example: "{openai: {kind: openai, key_env: OPENAI_API_KEY}}"},
			{name: "routes", doc: "models, under names of your choice; agent.yaml names a route as its model; the route default is required, and judges that name no route use it", field: routesKeys(f), example: "{default: {provider: openai, model: gpt-5-mini}}"},
			{name: "policies", doc: "limits on every call to a tool or a provider, in layers: environment, then origin, then role, then tool or provider; a later layer overrides an earlier one", field: policyKeys(f)},
			{name: "mcp", doc: "tool servers (Model Context Protocol); an agent can use those that its mcp key names", field: serversKeys(f), example: "{search: {argv: [./search], tools: {find: read}}}"},
			{name: "safety", doc: "rules that no agent can change", field: safetyKeys(f)},
			{name: "adoption", doc: "how proposals are adopted, and what follows an adoption or a rollback", field: adoptionKeys(s)},
			{name: "patches", doc: "code that patches may be proposed for; see evolve help patch", field: patchKeys(f)},
			{name: "backup", doc: "the copy of the archive that is made at the end of each night; evolve archive restore reads it", field: backupKeys(&s.Backup)},
			{name: "keep", doc: "number of nights whose records are kept; if left out, all are kept. Some records are always kept, such as the ledger, the results, open work and the evidence for proposals; evolve help archive lists them", field: keepKeys(&s.Keep)},
			{name: "workers", doc: "the hub through which other machines run evaluations; see evolve help workers", field: workersKeys(&s.Workers)},
			{name: "audit", doc: "signatures of the ledger's head, in .evolve/head.signed; evolve help trust explains what they prove", field: auditKeys(&s.Audit)},
		}, append(notificationKeys(&s.Notify), metricsKey(&s.Metrics))...),
		later: []string{"gates", "archive"},
	}
}

func adoptionKeys(s *Settings) object {
	a := &s.Adoption
	return object{keys: []key{
		{name: "via", doc: "commit: evolve approve makes a commit on the branch that is checked out; branch: proposals are pushed to a remote, and a merge there adopts them; see evolve help decisions", field: oneOf(&a.Via, ViaCommit, ViaBranch), def: ViaCommit},
		{name: "remote", doc: "with via: branch, the name of the remote in the workspace's repository and in the repositories of the patch targets", field: text{to: &a.Remote, pattern: regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`), rule: "the name of a git remote", private: true}, def: DefaultRemote},
		{name: "base", doc: "with via: branch, the branch into which proposals are to be merged; if left out, the default branch of the remote", field: text{to: &a.Base, check: baseProblem, form: schema{"type": "string", "pattern": basePattern, "not": schema{"pattern": "^evolve/"}}}, example: "main"},
		{name: "open", doc: "with via: branch, a program with its arguments that opens the pull request for a branch; it is started in the workspace's folder with JSON on stdin, runs for at most a minute, and may be started again for the same branch", field: argv(&a.Open), example: "[sh, open.sh]"},
		{name: "after", doc: "program with its arguments, started in the workspace's folder after a config, a tool or a patch is adopted or rolled back, for example to restart a service; if the program fails, the adoption or rollback remains in effect", field: argv(&s.Adoption.After), example: "[systemctl, --user, restart, agent]"},
	}}
}

// DefaultRemote is the default of adoption.remote.
const DefaultRemote = "origin"

// basePattern matches the names of branches.
const basePattern = `^[A-Za-z0-9_][A-Za-z0-9_+=@-]*([./][A-Za-z0-9_+=@-]+)*$`

var baseForm = regexp.MustCompile(basePattern)

func baseProblem(v string) (problem, hint string) {
	switch {
	case !baseForm.MatchString(v) || strings.HasSuffix(v, ".lock"):
		return "must be the name of a branch", "write it like main"
	case strings.HasPrefix(v, "evolve/"):
		return "must not begin with evolve/", "branches with this prefix are reserved for proposals"
	}
	return "", ""
}

func limitKeys(s *Settings) object {
	l := &s.Limits
	return object{keys: []key{
		{name: "timeout", doc: "wall time, such as 60s", field: duration{&l.Timeout, 10 * time.Millisecond, 24 * time.Hour}, example: "60s"},
		{name: "max_cost_usd", doc: "money in USD", field: number{to: &l.MaxCostUSD, max: maxUSD, above: true}, example: "0.10"},
		{name: "max_output_bytes", doc: "size of an answer including its transcript, in bytes", field: whole[int64]{&l.MaxOutputBytes, 1, 1 << 30}, example: "1000000"},
		{name: "max_iterations", doc: "rounds of model and tool calls in the built-in agent", field: whole[int]{&l.MaxIterations, 1, 1000}, example: "20"},
		{name: "max_tokens", doc: "model tokens, input and output", field: whole[int64]{&l.MaxTokens, 1, maxCount}, example: "200000"},
	}}
}

func searchKeys(f *settingsFile) object {
	s := &f.Search
	return object{keys: []key{
		{name: "selection", doc: "how parents are chosen; see evolve help search", field: oneOf(&s.Selection, selection.Names()...), def: s.Selection},
		{name: "concurrency", doc: "maximum number of evaluations at the same time", field: whole[int]{&s.Concurrency, 1, 10_000}, def: show(s.Concurrency)},
		{name: "lookahead", doc: "number of evaluations that the search may choose without waiting for a result, at least the concurrency; a deterministic agent gives the same results at any concurrency up to this number; for other agents, at most twice the concurrency are chosen in advance; if only the number of evaluations limits the night, evaluations of the same config run in the same process if it is free; if money or time limits the night, an evaluation is chosen only once it can start", field: whole[int]{&s.Lookahead, 1, 100_000}, def: show(s.Lookahead)},
		{name: "baseline", doc: "share of the search budget for pure random search, for comparison; 0 for none", field: number{to: &s.Baseline, max: .5}, def: plain(s.Baseline)},
		{name: "reflect", doc: "route of a language model that is shown a variant's failures and proposes one change to the variant at a time, or several routes with the rate and the limits of their calls; if left out, no model is used", field: reflectField(f), example: "default"},
	}}
}

func confirmKeys(c *confirm.Settings) object {
	return object{keys: []key{
		{name: "finalists", doc: "maximum number of variants that may enter the confirmation in one night; open confirmations from earlier nights continue in addition", field: whole[int]{&c.Finalists, 1, 100}, def: show(c.Finalists)},
		{name: "level", doc: "maximum expected number of false adoptions per agent in any 30 days; shared among the 12 variants that may enter the confirmation in that time", field: number{to: &c.Level, max: .2, above: true}, def: plain(c.Level)},
		{name: "share", doc: "share of the budget that is held back for the confirmation; less is held back if repeats add no evidence and one pass over the holdout tasks is enough", field: number{to: &c.Share, min: .05, max: .95}, def: plain(c.Share)},
	}}
}

func priceKeys(s *Settings) mapping {
	table := func(p *Price) object {
		return object{keys: []key{
			{name: "input", doc: "tokens sent to the model", field: number{to: &p.Input, max: maxUSD}, required: true},
			{name: "output", doc: "tokens that the model wrote", field: number{to: &p.Output, max: maxUSD}, required: true},
			{name: "cached", doc: "input tokens that the provider had cached; if left out, they cost as much as other input tokens", field: number{to: &p.Cached, max: maxUSD}},
		}}
	}
	return mapping{
		each: func(_ *source, k *yaml.Node) field {
			p := Price{Cached: math.NaN()}
			return then{table(&p), func() {
				if math.IsNaN(p.Cached) {
					p.Cached = p.Input
				}
				put(&s.Prices, k.Value, p)
			}}
		},
		item: table(new(Price)),
	}
}

// then is a field that, once it has been read, calls the function do.
type then struct {
	field
	do func()
}

func (t then) read(s *source, n *yaml.Node, name string) {
	t.field.read(s, n, name)
	t.do()
}

// readSettings reads evolve.yaml. Its result is meaningless if s has issues.
func readSettings(s *source, data []byte) *settingsFile {
	f := newSettingsFile()
	n := s.parse(data)
	if n == nil {
		return f
	}
	s.secrets(n, data)
	f.read = true
	settingsKeys(f).read(s, n, "")
	// If the file does not set lookahead, raise it to the concurrency. A concurrency above
	// the default lookahead would otherwise have no effect.
	if search := f.given["search"]; search != nil && child(search, "lookahead") == nil {
		f.Search.Lookahead = max(f.Search.Lookahead, f.Search.Concurrency)
	}
	f.checkModels(s)
	f.checkPolicies(s)
	return f
}
