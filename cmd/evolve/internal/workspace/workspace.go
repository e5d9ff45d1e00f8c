package workspace

import (
	"time"

	"evolve/bench"
	"evolve/runtime/agent"
	"evolve/runtime/policy"
)

// Workspace is a loaded and checked workspace.
type Workspace struct {
	// Root is the absolute folder that holds evolve.yaml.
	Root     string
	Settings Settings
	Agents   []Agent
	Suites   map[string]*bench.Suite
}

// StateDir is the folder of everything evolve itself writes.
func (w *Workspace) StateDir() string { return w.Root + "/.evolve" }

// Agent finds an agent by id.
func (w *Workspace) Agent(id string) (*Agent, bool) {
	for i := range w.Agents {
		if w.Agents[i].ID == id {
			return &w.Agents[i], true
		}
	}
	return nil, false
}

// AgentIDs lists the agents in order.
func (w *Workspace) AgentIDs() []string {
	ids := make([]string, len(w.Agents))
	for i := range w.Agents {
		ids[i] = w.Agents[i].ID
	}
	return ids
}

// Settings is evolve.yaml.
type Settings struct {
	Budget  Budget
	Limits  agent.Limits
	Search  Search
	Confirm Confirm
	// Guards bound what a winner consumes, Prefer says what a point of score may cost.
	Guards Guards
	Prefer Prefer
	// Prices in USD per million tokens by model name, frozen per run.
	Prices map[string]Price
	// Providers are where language models answer, Routes which of their models does.
	Providers map[string]Provider
	Routes    map[string]Route
	// Policies are the operator's layers.
	Policies policy.Book
	// MCP are the servers of tools, by name.
	MCP map[string]MCPServer
	// Never are patterns (RE2) that no answer may match.
	Never []string
	// Adoption is what follows an adoption.
	Adoption Adoption
	// Patches is the code that patches may be proposed for.
	Patches Patches
	// Backup is the copy of the archive after each night, Keep how long its bulk is kept.
	Backup Backup
	Keep   Keep
	// Audit names the keys that sign heads of the ledger.
	Audit Audit
}

// Adoption settings.
type Adoption struct {
	// After is started in the workspace's folder after an adoption or a rollback; empty:
	// nothing.
	After []string
}

// Search settings.
type Search struct {
	Selection   string // one of selection.Names; "clade" by default
	Concurrency int    // 8 by default
	Lookahead   int    // 32 by default, or Concurrency when that is more
	// Baseline is the share of the search budget for pure random search, .1 by
	// default; 0 is none.
	Baseline float64
	// Reflect is the route whose model proposes changes; empty: none does.
	Reflect string
}

// Confirm settings.
type Confirm struct {
	// Finalists bounds the variants that enter the confirmation in one night; 3 by default.
	Finalists int
	// Level is the number of false adoptions of an agent to expect at most in any 30
	// days; .05 by default.
	Level float64
	// Share of the budget that is held back for the confirmation; .65 by default.
	Share float64
}

// Price of a model, USD per million tokens.
type Price struct {
	Input, Output, Cached float64
}

// Agent is agents/<id>: agent.yaml, config.yaml, STRATEGY.md and the bootstrap files.
type Agent struct {
	ID  string
	Dir string
	// Adapter says how it is run.
	Adapter       Adapter
	Deterministic bool
	UsesSeed      bool
	Version       string
	Suites        []string
	// Alike counts the near-duplicates that lie in different ones of its suites.
	Alike bench.Likeness
	// Space is what is searched. Parameters that are not have one value, the champion's.
	Space agent.Space
	// Known is what champion files and archived configs are held against: as Space, with
	// the declared range of those parameters that cannot act. For the built-in runtime
	// without a declared space it is the default space of spec 3.2.
	Known agent.Space
	// Unsearched are parameters that could be searched and are not, in the order of Known.
	Unsearched []Unsearched
	// Champion is config.yaml with STRATEGY.md as the parameter "strategy", over
	// the defaults, canonical.
	Champion agent.Config
	// Domains maps a domain to the keywords that name it; empty: the default table.
	Domains map[string][]string
	// Guards and Prefer go before those of evolve.yaml, key by key; see [Workspace.Bounds].
	Guards Guards
	Prefer Prefer
	// Reviewers are the agents that review this one's proposals.
	Reviewers []string
	// Tools are the registered tools of a built-in agent; empty: all.
	Tools []string
	// Allow names the tools of a built-in agent that may keep text for later turns, put it
	// before other agents or leave drafts; all others of [tool.Allowable] are denied.
	Allow []string
	// MCP names the servers whose tools a built-in agent may call.
	MCP []string
	// ToolFiles are tools/*.json and tools/*.star of a built-in agent, approved
	// tools that it wrote, and SkillFiles skills/*.md, by name. They count for Hash.
	ToolFiles, SkillFiles map[string][]byte
	// Bootstrap maps the files SOUL.md, GOALS.md and the like, by name, to their texts.
	Bootstrap map[string]string
	// Memories is memories.jsonl, the agent's memory snapshot.
	Memories []agent.Memory
	// Hash covers everything in Dir but the champion (config.yaml, STRATEGY.md):
	// what could change an answer under a given config.
	Hash string

	// folder covers everything in Dir, the champion included.
	folder string
	// hasStrategy says that Dir holds a STRATEGY.md.
	hasStrategy bool
}

// Adapter is the adapter object of agent.yaml.
type Adapter struct {
	// Kind is "builtin", "command" or "http".
	Kind string
	// Model of a built-in agent: "heuristic" or the name of a route.
	Model string
	// URL is where an http agent answers; HeadersEnv maps headers to the variables
	// that hold their values.
	URL        string
	HeadersEnv map[string]string
	// The fields of a command (spec 2.2). An http agent has Pool and Timeout as well.
	Argv     []string
	Protocol string // jsonl or once (the default)
	Pool     int    // 1 by default
	// Timeout of one task; 0 leaves it to Settings.Limits.
	Timeout time.Duration
	// Env names the variables that are passed.
	Env []string
	// Sandbox is "auto" (the default) or "none"; Network is "none" (the default) or "host".
	// Without walls the network is the host's in any case.
	Sandbox string
	Network string
}
