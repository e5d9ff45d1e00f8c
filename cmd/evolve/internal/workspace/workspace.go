package workspace

import (
	"time"

	"evolve/bench"
	"evolve/bench/confirm"
	"evolve/runtime/agent"
	"evolve/runtime/policy"
)

// Workspace is a workspace that was loaded and checked.
type Workspace struct {
	// Root is the absolute path of the folder that holds evolve.yaml.
	Root     string
	Settings Settings
	Agents   []Agent
	Suites   map[string]*bench.Suite
	// SharedMemories are the ids of the memories that all agents read.
	SharedMemories map[string]bool
}

// StateDir returns the folder for everything that evolve itself writes.
func (w *Workspace) StateDir() string { return w.Root + "/.evolve" }

// Agent returns the agent with the given id.
func (w *Workspace) Agent(id string) (*Agent, bool) {
	for i := range w.Agents {
		if w.Agents[i].ID == id {
			return &w.Agents[i], true
		}
	}
	return nil, false
}

// AgentIDs lists the ids of the agents in order.
func (w *Workspace) AgentIDs() []string {
	ids := make([]string, len(w.Agents))
	for i := range w.Agents {
		ids[i] = w.Agents[i].ID
	}
	return ids
}

// Settings holds the content of evolve.yaml.
type Settings struct {
	Budget  Budget
	Limits  agent.Limits
	Search  Search
	Confirm confirm.Settings
	// Guards limits what a winner may consume, and Prefer sets by how much each point of
	// score relaxes these limits.
	Guards Guards
	Prefer Prefer
	// Prices holds the prices in USD per million tokens, by model name. They are frozen for
	// each run.
	Prices map[string]Price
	// Providers are the services that run language models. Routes are the models used from
	// these services.
	Providers map[string]Provider
	Routes    map[string]Route
	// Policies are the layers of policies that the operator sets.
	Policies policy.Book
	// MCP holds the tool servers, by name.
	MCP map[string]MCPServer
	// Never holds patterns (RE2) that no answer may match.
	Never []string
	// Adoption configures adoptions and the steps that follow them.
	Adoption Adoption
	// Patches describes the code for which patches may be proposed.
	Patches Patches
	// Workers configures evaluation on other machines.
	Workers Workers
	// Backup configures the copy of the archive that is made after each night. Keep
	// determines which records are retained.
	Backup Backup
	Keep   Keep
	// Audit names the keys that sign the heads of the ledger.
	Audit Audit
	// Notify configures the messages to people about nights.
	Notify Notify
	// Metrics configures the output of figures about nights.
	Metrics Metrics
}

// Adoption settings.
type Adoption struct {
	// After is the program that is started in the workspace's folder after an adoption or a
	// rollback; if empty, there is none.
	After []string
	// Via is ViaCommit or ViaBranch.
	Via string
	// Remote is the name of the remote repository that branches are pushed to. Base is the
	// branch that they are to be merged into; if it is empty, it is the remote's default
	// branch, or the checked-out branch if the remote has no default branch.
	Remote, Base string
	// Open is the program that opens the pull request for a branch; if empty, a person
	// opens it.
	Open []string
}

// The ways in which a person adopts a proposal.
const (
	ViaCommit = "commit" // evolve approve makes a commit
	ViaBranch = "branch" // a person merges a branch in a remote repository
)

// Search settings.
type Search struct {
	Selection   string // one of selection.Names; "clade" by default
	Concurrency int    // 8 by default
	Lookahead   int    // 32 by default, or Concurrency if that is higher
	// Baseline is the share of the search budget that goes to pure random search, .1 by
	// default; 0 disables it.
	Baseline float64
	// Reflect names the routes whose models propose changes.
	Reflect Reflect
}

// Price holds the prices of a model's tokens, in USD per million.
type Price struct {
	Input, Output, Cached float64
}

// Agent holds the content of agents/<id>: agent.yaml, config.yaml, STRATEGY.md and the
// bootstrap files.
type Agent struct {
	ID  string
	Dir string
	// Adapter describes how the agent is run.
	Adapter       Adapter
	Deterministic bool
	UsesSeed      bool
	Version       string
	Suites        []string
	// Alike counts the near-duplicate tasks across the agent's suites.
	Alike bench.Likeness
	// Space is the space that is searched. A parameter that is not searched has the
	// champion's value as its only value.
	Space agent.Space
	// Known is the space that champion files and archived configs are checked against. It
	// differs from Space in that parameters without effect have their declared range. For
	// the built-in runtime without a declared space it is the default space.
	Known agent.Space
	// Unsearched holds the parameters that could be searched but are not, in the order of
	// Known.
	Unsearched []Unsearched
	// Champion is the canonical config given by the defaults, overridden by config.yaml and
	// by STRATEGY.md, whose text is the parameter "strategy".
	Champion agent.Config
	// Domains maps each domain to its keywords; if empty, the default table applies.
	Domains map[string][]string
	// Guards and Prefer override the guards and preferences in evolve.yaml, key by key; see
	// [Workspace.Bounds].
	Guards Guards
	Prefer Prefer
	// Reviewers are the agents that review this agent's proposals.
	Reviewers []string
	// Tools are the registered tools of a built-in agent; nil means all.
	Tools []string
	// Allow names those tools that a built-in agent may use although they store text for
	// later turns, show it to other agents or leave drafts. All other tools in
	// [tool.Allowable] are denied.
	Allow []string
	// MCP names the servers whose tools a built-in agent may call.
	MCP []string
	// ToolFiles holds the contents of a built-in agent's tools/*.json and tools/*.star,
	// which are the agent's own approved tools. SkillFiles holds the contents of
	// skills/*.md. Both are keyed by file name, and Hash covers both.
	ToolFiles, SkillFiles map[string][]byte
	// Bootstrap maps the names of files such as SOUL.md and GOALS.md to their contents.
	Bootstrap map[string]string
	// Memories is the agent's memory snapshot: the memories in its own memories.jsonl,
	// followed by those in the memories.jsonl shared by all agents.
	Memories []agent.Memory
	// Hash covers everything in Dir that could change an answer under a given config, which
	// is everything except the champion (config.yaml, STRATEGY.md).
	Hash string

	// SearchedAs is the name of the patch target under which nights search the agent's code
	// together with its config; "" if only its config is searched.
	SearchedAs string

	// folder is the hash of everything in Dir, including the champion.
	folder string
	// hasStrategy reports whether Dir contains a STRATEGY.md.
	hasStrategy bool
}

// Adapter holds the adapter object of agent.yaml.
type Adapter struct {
	// Kind is "builtin", "command" or "http".
	Kind string
	// Model is the model of a built-in agent: "heuristic" or the name of a route.
	Model string
	// URL is the address of an http agent. HeadersEnv maps the names of headers to the
	// environment variables that hold their values.
	URL        string
	HeadersEnv map[string]string
	// The following fields describe a command agent. Pool and Timeout also apply to an http
	// agent.
	Argv     []string
	Protocol string // jsonl or once (the default)
	Pool     int    // 1 by default
	// Timeout is the time limit of one task; 0 means that Settings.Limits applies.
	Timeout time.Duration
	// Env names the environment variables that are passed to the program.
	Env []string
	// Sandbox is "auto" (the default) or "none". Network is "none" (the default) or "host".
	// Without a sandbox, the agent always uses the host's network.
	Sandbox string
	Network string
}
