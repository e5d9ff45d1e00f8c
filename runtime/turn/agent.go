package turn

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/autonomy"
	"evolve/runtime/experience"
	"evolve/runtime/memory"
	"evolve/runtime/model"
	"evolve/runtime/safety"
	"evolve/runtime/session"
	"evolve/runtime/tool"
)

// Options configure a built-in agent. The zero value is the heuristic agent with every
// built-in tool and no memory.
type Options struct {
	// ID is the agent's name, for policies, the blackboard and delegation.
	ID string
	// Model chooses the steps; nil means the heuristic model.
	Model model.Model
	// Language reports whether Model is a language model. A language model gets the further
	// built-in tools, is asked to evaluate its answer if the utility is in doubt, and has
	// its history distilled.
	Language bool
	// Routes are the configured hints for a turn's route; the first is the default.
	Routes []string
	// Windows holds the context sizes of the models that the routes lead to, in tokens; the
	// model of a route that is not in Windows is assumed to have 128,000.
	Windows map[string]int
	// Memories is the agent's snapshot of memories, which all runs share.
	Memories []agent.Memory
	// Bootstrap maps workspace files (SOUL.md, GOALS.md …) to their texts.
	Bootstrap map[string]string
	// Domains maps a domain to its keywords; nil means [DefaultDomains].
	Domains map[string][]string
	// Tools lists the registered tools; nil means all built-in ones.
	Tools []string
	// Allowed lists the tools that the operator allows to remember, share or draft; see
	// [tool.Options].
	Allowed []string
	// Level is the agent's autonomy level, which limits the tools of its live turns; 0
	// means the lowest level. Evaluations ignore it, so their scores do not change when a
	// person raises or lowers the level.
	Level autonomy.Level
	// LevelNow returns the level at the moment of a call, because a person may have lowered
	// it since the turn began. Nil means that Level applies to the whole turn.
	LevelNow func(context.Context) autonomy.Level
	// Foreign holds tools from servers and tools that agents wrote. These tools are
	// registered whatever the value of Tools is, because Foreign holds only tools that
	// the agent itself lists.
	Foreign []tool.Tool
	// Guard applies the policies to every tool call, and PolicyVersion is the version of
	// the policies.
	Guard         tool.Guard
	PolicyVersion string
	// Board is the blackboard shared with other agents; nil means none.
	Board *session.Board
	// Experience holds what was learned from the agent's live turns; nil means nothing.
	// Others holds the experiences of other agents, for suggestions to delegate. Runs
	// only read these fields.
	Experience *experience.Experience
	Others     map[string]*experience.Experience
	// Clock returns the time for tools and for the decay of memories. Nil means a fixed
	// clock that shows the newest time among Memories, or else the start of 2026, so the
	// same request has the same answer on any day.
	Clock func() time.Time
	// HardLimits limit every run; a request can only be stricter. Zero fields mean one
	// minute, 24 iterations and 64 KiB of output; tokens have no default limit.
	HardLimits agent.Limits
	// Space is the search space of the configs; the zero value means [HeuristicSpace], or
	// [LanguageSpace] for a language model.
	Space agent.Space
	// Scrub removes credentials from tool outputs; nil leaves outputs unchanged.
	Scrub func(string) string
	// Flagged reports whether a text seems to contain a credential; nil flags no text.
	Flagged func(string) bool
	// Author checks the draft of a tool that the agent wrote; nil refuses all drafts. It
	// returns the tool if the tool may be called for the rest of the turn. It also
	// returns the change request that is submitted if the tool helps.
	Author func(ctx context.Context, draft json.RawMessage) (tool.Tool, tool.Result)
	// Delete leaves a change request to delete a tool that the agent wrote; nil refuses all
	// deletions.
	Delete func(name, reason string) tool.Result
	// Never holds the operator's patterns (RE2) that no answer may match, in addition to
	// the built-in ones; a matching answer is denied.
	Never []string
}

// Agent is the built-in agent. Its fields are immutable or safe for concurrent use; Run
// may be called from many goroutines.
type Agent struct {
	model    model.Model
	lex      *memory.Lexicon
	memories *memory.Index
	settled  map[string]bool // ids and texts of memories that facts of a session must not repeat
	files    map[string]string
	board    *session.Board
	domains  *classifier
	registry *tool.Registry
	library  *memory.Index // index of the available tools, for a language model
	id       string
	language bool
	routes   []string
	windows  map[string]int
	policy   string
	level    autonomy.Level
	levelNow func(context.Context) autonomy.Level
	past     *experience.Experience
	lessons  string // the lessons in past, for a language model
	others   map[string]*experience.Experience
	clock    func() time.Time
	limits   agent.Limits
	space    agent.Space
	// defaults holds the defaults of every parameter that the runtime reads.
	defaults agent.Config
	scrub    func(string) string
	never    safety.Never
	flagged  func(string) bool
	author   func(ctx context.Context, draft json.RawMessage) (tool.Tool, tool.Result)
	remove   func(name, reason string) tool.Result
}

var _ agent.Agent = (*Agent)(nil)

// New builds an agent that can be used for many runs. It fails if a tool is unknown or the
// space is contradictory.
func New(o Options) (*Agent, error) {
	lex := memory.NewLexicon()
	a := &Agent{
		model: o.Model, lex: lex, memories: memory.NewIndex(lex, clean(o.Scrub, o.Memories)), files: bootstrapFiles(o.Bootstrap),
		clock: o.Clock, space: o.Space, scrub: o.Scrub,
		id: o.ID, language: o.Language, routes: o.Routes, windows: o.Windows,
		policy: o.PolicyVersion, level: o.Level.InForce(), levelNow: o.LevelNow, past: o.Experience, others: o.Others, board: o.Board, flagged: o.Flagged, author: o.Author, remove: o.Delete,
	}
	a.settled = settle(o.Memories)
	if a.scrub == nil {
		a.scrub = func(s string) string { return s }
	}
	if a.model == nil {
		a.model = model.NewHeuristic(lex)
	}
	if a.clock == nil {
		at := newest(o.Memories)
		a.clock = func() time.Time { return at }
	}
	var err error
	if a.never, err = safety.NewNever(o.Never); err != nil {
		return nil, fmt.Errorf("never: %w", err)
	}
	table := o.Domains
	if table == nil {
		table = DefaultDomains()
	}
	a.domains = newClassifier(lex, table)
	tools, err := registered(o.Tools, o.Language)
	if err != nil {
		return nil, err
	}
	tools = append(tools, o.Foreign...)
	if a.registry, err = tool.NewRegistry(tool.Options{Agent: o.ID, Scrub: o.Scrub, Guard: o.Guard, Restrict: restrict, Allowed: o.Allowed}, tools...); err != nil {
		return nil, fmt.Errorf("register tools: %w", err)
	}
	if a.language {
		a.library = newLibrary(lex, a.registry)
	}
	if a.past == nil {
		a.past = &experience.Experience{}
	}
	if a.language {
		a.lessons = a.past.Lessons.Told(a.names())
	}
	a.defaults = DefaultSpace(nil, a.registry.Names(), nil).Default()
	if o.Language {
		a.defaults = LanguageSpace(nil, a.registry.Names(), o.Allowed, nil).Default()
	}
	switch {
	case len(a.space.Params) > 0:
	case o.Language:
		a.space = LanguageSpace(a.domains.domains, a.registry.Names(), o.Allowed, a.routes)
	default:
		a.space = HeuristicSpace(a.domains.domains, a.registry.Names())
	}
	if problems := a.space.Check(); len(problems) > 0 {
		return nil, errors.New(problems[0].String())
	}
	a.limits = stricter(o.HardLimits, agent.Limits{Timeout: time.Minute, MaxIterations: hardIterations, MaxOutputBytes: 64 << 10})
	return a, nil
}

// Space returns the search space of the agent's configs.
func (a *Agent) Space() agent.Space { return a.space }

func registered(names []string, language bool) ([]tool.Tool, error) {
	all := tool.Builtin()
	if language {
		all = append(all, tool.Further()...)
	}
	if names == nil {
		return all, nil
	}
	var out []tool.Tool
	for _, n := range names {
		i := slices.IndexFunc(all, func(t tool.Tool) bool { return t.Spec().Name == n })
		if i < 0 {
			return nil, fmt.Errorf("there is no tool %q", n)
		}
		out = append(out, all[i])
	}
	return out, nil
}

// newest returns the latest time among the memories that are not retracted, or a fixed day
// if there are none.
func newest(memories []agent.Memory) time.Time {
	var at time.Time
	for _, m := range memories {
		if m.Retracted == "" && m.Time.After(at) {
			at = m.Time
		}
	}
	if at.IsZero() {
		return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return at
}

// stricter returns the smaller of the two values of each limit, where zero means no limit.
func stricter(a, b agent.Limits) agent.Limits {
	return agent.Limits{
		Timeout:        least(a.Timeout, b.Timeout),
		MaxCostUSD:     least(a.MaxCostUSD, b.MaxCostUSD),
		MaxTokens:      least(a.MaxTokens, b.MaxTokens),
		MaxOutputBytes: least(a.MaxOutputBytes, b.MaxOutputBytes),
		MaxIterations:  least(a.MaxIterations, b.MaxIterations),
	}
}

func least[N cmp.Ordered](a, b N) N {
	var zero N
	if a <= zero {
		return b
	}
	if b <= zero {
		return a
	}
	return min(a, b)
}
