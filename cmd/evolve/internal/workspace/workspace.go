package workspace

import (
	"time"

	"evolve/bench"
	"evolve/bench/confirm"
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
	// SharedMemories are the ids of the memories that all agents read.
	SharedMemories map[string]bool
}

// StateDir returns the folder of everything that evolve itself writes.
func (w *Workspace) StateDir() string { return w.Root + "/.evolve" }

// Agent returns the agent with an id.
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

// Settings is the content of evolve.yaml.
type Settings struct {
	Budget  Budget
	Limits  agent.Limits
	Search  Search
	Confirm confirm.Settings
	// Guards limit the consumption of a winner, and Prefer is the price of a point of
	// score.
	Guards Guards
	Prefer Prefer
	// Prices in USD per million tokens by model name, frozen per run.
	Prices map[string]Price
	// Providers are the services of language models, Routes the models used on them.
	Providers map[string]Provider
	Routes    map[string]Route
	// Policies are the operator's layers.
	Policies policy.Book
	// MCP are the servers of tools, by name.
	MCP map[string]MCPServer
	// Never are patterns (RE2) that no answer may match.
	Never []string
	// Adoption configures adoptions and the steps after them.
	Adoption Adoption
	// Patches is the code that patches may be proposed for.
	Patches Patches
	// Workers configures the evaluation on other machines.
	Workers Workers
	// Backup configures the copy of the archive after each night, Keep its retention.
	Backup Backup
	Keep   Keep
	// Audit names the keys that sign heads of the ledger.
	Audit Audit
	// Notify configures the messages of nights to people.
	Notify Notify
	// Metrics configures the output of figures of nights.
	Metrics Metrics
}

// Adoption settings.
type Adoption struct {
	// After is the program that is started in the workspace's folder after an adoption or
	// a rollback; empty: none.
	After []string
	// Via is ViaCommit or ViaBranch.
	Via string
	// Remote is the name of the remote to which branches are pushed, and Base the branch that
	// they are to be merged into; empty: the remote's default branch, or else the one that is
	// checked out.
	Remote, Base string
	// Open is the program that opens the pull request of a branch; empty: a person does.
	Open []string
}

// The ways in which a person adopts a proposal.
const (
	ViaCommit = "commit" // evolve approve makes a commit
	ViaBranch = "branch" // a branch is merged at a remote
)

// Search settings.
type Search struct {
	Selection   string // one of selection.Names; "clade" by default
	Concurrency int    // 8 by default
	Lookahead   int    // 32 by default, or Concurrency if that is higher
	// Baseline is the share of the search budget for pure random search, .1 by default; 0
	// disables it.
	Baseline float64
	// Reflect names the routes whose models propose changes.
	Reflect Reflect
}

// Price is the price of a model, in USD per million tokens.
type Price struct {
	Input, Output, Cached float64
}

// Agent is agents/<id>: agent.yaml, config.yaml, STRATEGY.md and the bootstrap files.
type Agent struct {
	ID  string
	Dir string
	// Adapter describes how the agent is run.
	Adapter       Adapter
	Deterministic bool
	UsesSeed      bool
	Version       string
	Suites        []string
	// Alike counts the near-duplicates across its suites.
	Alike bench.Likeness
	// Space is the searched space. Parameters that are not searched have one value, the
	// champion's.
	Space agent.Space
	// Known is the space that champion files and archived configs are checked against:
	// Space, but with the declared range of parameters without effect. For the built-in
	// runtime without a declared space it is the default space.
	Known agent.Space
	// Unsearched are parameters that could be searched and are not, in the order of Known.
	Unsearched []Unsearched
	// Champion is config.yaml with STRATEGY.md as the parameter "strategy", over
	// the defaults, canonical.
	Champion agent.Config
	// Domains maps a domain to its keywords; empty: the default table.
	Domains map[string][]string
	// Guards and Prefer override those of evolve.yaml, key by key; see
	// [Workspace.Bounds].
	Guards Guards
	Prefer Prefer
	// Reviewers are the agents that review this one's proposals.
	Reviewers []string
	// Tools are the registered tools of a built-in agent; nil: all.
	Tools []string
	// Allow names the tools of a built-in agent that may keep text for later turns, show
	// it to other agents or leave drafts; all others of [tool.Allowable] are denied.
	Allow []string
	// MCP names the servers whose tools a built-in agent may call.
	MCP []string
	// ToolFiles are tools/*.json and tools/*.star of a built-in agent, its own approved
	// tools, and SkillFiles skills/*.md, by name. Hash covers them.
	ToolFiles, SkillFiles map[string][]byte
	// Bootstrap maps the names of files such as SOUL.md and GOALS.md to their texts.
	Bootstrap map[string]string
	// Memories is the agent's memory snapshot: its memories.jsonl, then the one of all agents.
	Memories []agent.Memory
	// Hash covers everything in Dir except the champion (config.yaml, STRATEGY.md): what
	// could change an answer under a given config.
	Hash string

	// SearchedAs is the target of patches as which nights search the agent's code together
	// with its config; "" for an agent that is searched alone.
	SearchedAs string

	// folder covers everything in Dir, including the champion.
	folder string
	// hasStrategy reports whether Dir contains a STRATEGY.md.
	hasStrategy bool
}

// Adapter is the adapter object of agent.yaml.
type Adapter struct {
	// Kind is "builtin", "command" or "http".
	Kind string
	// Model of a built-in agent: "heuristic" or the name of a route.
	Model string
	// URL is the address of an http agent; HeadersEnv maps headers to the variables that
	// hold their values.
	URL        string
	HeadersEnv map[string]string
	// The fields of a command. An http agent has Pool and Timeout as well.
	Argv     []string
	Protocol string // jsonl or once (the default)
	Pool     int    // 1 by default
	// Timeout of one task; 0 leaves it to Settings.Limits.
	Timeout time.Duration
	// Env names the variables that are passed.
	Env []string
	// Sandbox is "auto" (the default) or "none"; Network is "none" (the default) or
	// "host". Without a sandbox the network is the host's in any case.
	Sandbox string
	Network string
}
