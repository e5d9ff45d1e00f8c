package wire

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night"
	"evolve/runtime/autonomy"
	"evolve/runtime/command"
	"evolve/runtime/mcp"
	"evolve/runtime/model"
	"evolve/runtime/policy"
	"evolve/runtime/sandbox"
	"evolve/runtime/session"
	"evolve/runtime/tool"
	"evolve/runtime/turn"
)

// AgentFactory opens the agents of one process and holds what they share: the sandbox for
// programs, the policies for calls, the blackboard, and the identity of this program.
type AgentFactory struct {
	Sandbox *Sandbox
	Guard   *policy.Engine
	Board   *session.Board
	// Binary identifies this program.
	Binary string
	// Store is the archive that a run holds open; if it is nil, the archive is opened for
	// each read.
	Store *archive.Archive
	// Live reports whether turns come from a person rather than from evaluations.
	Live bool
	// Frozen replaces the archive for a worker; it is nil in every other process.
	Frozen *Frozen
	// Reflects reports whether the route of search.reflect is opened with each agent.
	Reflects bool

	host      *Host
	workspace *workspace.Workspace
	// workers runs evaluations on other machines; if it is nil, evaluations run on this
	// machine.
	workers *workers
	// earlier returns what earlier processes of the run have spent; nil means nothing.
	earlier func(policy.Kind, string) (policy.Usage, map[string]policy.Usage)
}

// strayPatience limits the wait for abandoned calls.
const strayPatience = 5 * time.Second

// Agents returns the factory for the agents of a workspace.
func (h *Host) Agents(w *workspace.Workspace) (*AgentFactory, error) {
	binary, err := BinaryHash()
	if err != nil {
		return nil, err
	}
	f := &AgentFactory{Sandbox: h.Sandbox(w), Board: session.NewBoard(h.Now), Binary: binary, host: h, workspace: w}
	f.Guard, err = policy.New(policy.Options{
		Book: w.Settings.Policies, Day: h.spentToday(w),
		Run: func(kind policy.Kind, name string) (policy.Usage, map[string]policy.Usage) {
			if f.earlier == nil {
				return policy.Usage{}, nil
			}
			return f.earlier(kind, name)
		},
	})
	return f, err
}

// Open prepares an agent. Only this method maps adapters to implementations.
func (f *AgentFactory) Open(ctx context.Context, a *workspace.Agent, scratch string) (night.Opened, error) {
	scratch, err := filepath.Abs(scratch)
	if err != nil {
		return night.Opened{}, fmt.Errorf("finding the folder for working directories: %w", err)
	}
	var opened night.Opened
	switch a.Adapter.Kind {
	case workspace.KindBuiltin:
		opened, err = f.openBuiltin(ctx, a, scratch)
	case workspace.KindCommand:
		opened, err = f.openCommand(a, scratch)
	case workspace.KindHTTP:
		opened, err = f.openHTTP(a)
	default:
		err = fmt.Errorf("no adapter is called %q", a.Adapter.Kind)
	}
	if err != nil {
		return night.Opened{}, fmt.Errorf("agent %s: %w", a.ID, err)
	}
	if f.Frozen != nil { // a worker neither grades nor reads the archive
		return opened, nil
	}
	if f.workers != nil && !f.Live {
		if opened, err = f.workers.offer(ctx, f, a, opened); err != nil {
			return night.Opened{}, fmt.Errorf("agent %s: %w", a.ID, err)
		}
	}
	routes := opened.Reflect // the agent's own
	if opened, err = f.withReflection(a, opened); err != nil {
		return night.Opened{}, fmt.Errorf("agent %s: search.reflect: %w", a.ID, err)
	}
	if routes == nil {
		routes = opened.Reflect
	}
	if opened, err = f.withJudge(a, opened, routes); err != nil {
		return night.Opened{}, fmt.Errorf("agent %s: %w", a.ID, err)
	}
	identity := []string{a.Hash, a.Version, f.Binary, f.workspace.ModelHash(a)}
	if opened.Identity != "" { // tools in quarantine
		identity = append(identity, opened.Identity)
	}
	opened.Identity = strings.Join(identity, "\x00")
	return f.Sandbox.withGraders(opened), nil
}

// withReflection opens the routes that search.reflect names. It does not do so if the
// agent's own routes are open, because all recordings of a provider must be written by one
// recorder.
func (f *AgentFactory) withReflection(a *workspace.Agent, opened night.Opened) (night.Opened, error) {
	routes := f.workspace.Settings.Search.Reflect.Routes
	switch {
	case !f.Reflects || len(routes) == 0:
		opened.Reflect = nil
		return opened, nil
	case opened.Reflect != nil:
		return opened, nil
	}
	router, done, err := f.route(a.ID, routes[0].Name)
	if err != nil {
		return opened, errors.Join(err, opened.Close())
	}
	opened.Reflect = router
	agentDone := opened.Close
	opened.Close = func() error { return errors.Join(agentDone(), done()) }
	return opened, nil
}

// route opens a route of the workspace on behalf of an agent, and returns it with the
// function that closes it.
func (f *AgentFactory) route(agentID, name string) (model.Model, func() error, error) {
	models, err := f.host.newModels(f.workspace, f.Sandbox.Scrubber.String)
	if err != nil {
		return nil, nil, err
	}
	router, err := models.router(agentID, name, f.Guard, f.Sandbox.Scrubber.String)
	if err != nil {
		return nil, nil, errors.Join(err, models.close())
	}
	return router, func() error { router.Close(); return models.close() }, nil
}

// Writer opens the route of patches.write on behalf of an agent, once the agents are
// closed.
func (f *AgentFactory) Writer(a *workspace.Agent) (model.Model, func() error, error) {
	return f.route(a.ID, f.workspace.Settings.Patches.Write)
}

// openBuiltin prepares the built-in runtime: its model, its tool servers, and the tools
// and skills that a person has approved.
func (f *AgentFactory) openBuiltin(ctx context.Context, a *workspace.Agent, scratch string) (opened night.Opened, err error) {
	var closers []func() error
	done := func() error { return f.closeBuiltin(ctx, a, closers) }
	defer func() {
		if err != nil {
			opened, err = night.Opened{}, errors.Join(err, done())
		}
	}()
	options := f.turnOptions(a)
	var held batch.HeldOut
	var withheld []string
	if f.Frozen != nil {
		options.Memories, withheld = f.Frozen.memories(a.Memories)
	} else {
		if held, err = f.heldOut(ctx); err != nil {
			return opened, err
		}
		options.Memories, withheld = held.Without(a.Memories, f.Sandbox.Scrubber.String)
	}
	if options.Level, err = f.level(ctx, a); err != nil {
		return opened, err
	}
	if f.Live {
		options.LevelNow = func(ctx context.Context) autonomy.Level { return f.levelNow(ctx, a) }
	}
	if a.Adapter.Model != workspace.ModelHeuristic {
		router, routeDone, err := f.route(a.ID, a.Adapter.Model)
		if err != nil {
			return opened, err
		}
		closers = append(closers, routeDone)
		options.Model, options.Language, options.Routes = router, true, routeNames(f.workspace, a.Adapter.Model)
		options.Windows = map[string]int{}
		for name, r := range f.workspace.Settings.Routes {
			options.Windows[name] = r.Context
		}
		opened.Reflect = router
	}
	clients, err := f.servers(ctx, a, scratch)
	if err != nil {
		return opened, err
	}
	closers = append(closers, clients.Close)
	servers := clients.Tools()
	f.warnOfChanges(servers)
	approved, err := f.approvedTools(ctx, a)
	if err != nil {
		return opened, err
	}
	closers = append(closers, approved.close)
	if options.Bootstrap, err = withSkills(a); err != nil {
		return opened, err
	}
	if opened.Experience, err = f.addExperience(ctx, a, &options, held); err != nil {
		return opened, err
	}
	options.Foreign = slices.Concat(servers, approved.tools)
	options.Author, options.Delete = approved.author, approved.remove
	options.Tools = slices.DeleteFunc(slices.Clone(a.Tools), func(name string) bool {
		return slices.ContainsFunc(options.Foreign, func(t tool.Tool) bool { return t.Spec().Name == name })
	})
	if opened.Agent, err = turn.New(options); err != nil {
		return opened, err
	}
	opened.Identity, opened.Sandbox = approved.identity+listing(servers), "in process"
	if len(withheld) > 0 {
		opened.Identity += " without the memories " + strings.Join(withheld, " ")
	}
	opened.Renew, opened.Close = clients.Renew, done
	return opened, nil
}

// turnOptions returns a built-in agent's options, except for the agent's model, the tools
// of servers and the approved tools.
func (f *AgentFactory) turnOptions(a *workspace.Agent) turn.Options {
	set := &f.workspace.Settings
	options := turn.Options{
		ID: a.ID, Memories: a.Memories, Bootstrap: a.Bootstrap, Domains: a.Domains, Allowed: a.Allow,
		HardLimits: set.Limits, Space: a.Known, Scrub: f.Sandbox.Scrubber.String, Flagged: f.Sandbox.Scrubber.Flags,
		Never: set.Never, Guard: f.Guard, PolicyVersion: set.Policies.Version(), Board: f.Board,
	}
	if f.Live { // an evaluation's clock is fixed, so that a run is repeatable
		options.Clock = f.host.Now
	}
	return options
}

// closeBuiltin closes everything that an agent has opened, the most recently opened first.
// It first waits for abandoned calls, because they may still use the resources to be
// closed.
func (f *AgentFactory) closeBuiltin(ctx context.Context, a *workspace.Agent, closers []func() error) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), strayPatience)
	defer stop()
	if err := f.Guard.Wait(ctx); err != nil {
		f.host.Log.Warn("an abandoned call is still running", "agent", a.ID)
	}
	var errs []error
	for _, done := range slices.Backward(closers) {
		errs = append(errs, done())
	}
	return errors.Join(errs...)
}

// servers connects to the tool servers that the agent may use.
func (f *AgentFactory) servers(ctx context.Context, a *workspace.Agent, scratch string) (*mcp.Clients, error) {
	var list []mcp.Server
	for _, name := range a.MCP {
		m := f.workspace.Settings.MCP[name]
		s := mcp.Server{
			Name: name, Argv: m.Argv, Dir: f.workspace.Root, Env: f.host.Env.passed(m.Env), URL: m.URL,
			Header: f.host.Env.headers(m.HeadersEnv), Effects: m.Tools, Network: m.Network != "none",
		}
		if len(m.Argv) > 0 {
			s.Sandbox, s.Scratch = f.around(m.Sandbox), scratch
			s.Hidden = []string{filepath.Join(f.workspace.Root, "suites"), f.workspace.StateDir(), filepath.Join(f.workspace.Root, "agents")}
		}
		list = append(list, s)
	}
	return mcp.Open(ctx, mcp.Options{Servers: list, Scrub: f.Sandbox.Scrubber.String, Log: f.host.Log})
}

// around returns the sandbox in which a program runs; if the setting disables isolation,
// the sandbox does not isolate the program.
func (f *AgentFactory) around(setting string) sandbox.Sandbox {
	if setting == "none" {
		return sandbox.None("switched off")
	}
	return f.Sandbox.Sandbox()
}

// Startable returns an error for agents whose programs are missing, before anything is
// started.
func Startable(agents ...*workspace.Agent) error {
	return workspace.MissingPrograms(agents, exec.LookPath)
}

// openCommand prepares an agent that is an operator's own program.
func (f *AgentFactory) openCommand(a *workspace.Agent, scratch string) (night.Opened, error) {
	ad, around := a.Adapter, f.around(a.Adapter.Sandbox)
	opened, err := command.New(command.Options{
		Argv: ad.Argv, Dir: a.Dir, Protocol: ad.Protocol, Pool: ad.Pool, Timeout: ad.Timeout, Env: f.host.Env.passed(ad.Env),
		Sandbox: around, Network: ad.Network == "host", Scrub: f.Sandbox.Scrubber.String, Scratch: scratch, Hidden: []string{f.Sandbox.root},
	})
	if err != nil {
		return night.Opened{}, err
	}
	walls := around.Name() + "; " + networkWithin(around, ad.Network)
	return f.within(a, night.Opened{Agent: opened, Sandbox: walls, Parallel: f.atOnce(a), Workdir: true, Renew: opened.Renew, Close: opened.Close}), nil
}

// networkWithin describes the network that a program has in a sandbox.
func networkWithin(around sandbox.Sandbox, network string) string {
	switch {
	case network == "host":
		return "the host's network"
	case around.Err() != nil:
		return "an unrestricted network, because there is no sandbox"
	}
	return "no network"
}

// openHTTP prepares an agent that is an operator's own service.
func (f *AgentFactory) openHTTP(a *workspace.Agent) (night.Opened, error) {
	ad := a.Adapter
	opened, err := command.NewHTTP(command.HTTPOptions{
		URL: ad.URL, Header: f.host.Env.headers(ad.HeadersEnv), Parallel: ad.Pool, Timeout: ad.Timeout, Scrub: f.Sandbox.Scrubber.String,
	})
	if err != nil {
		return night.Opened{}, err
	}
	return f.within(a, night.Opened{Agent: opened, Sandbox: "its own machine", Parallel: f.atOnce(a), Workdir: true, Close: opened.Close}), nil
}

// atOnce returns the maximum number of tasks that an operator's own agent runs at once.
func (f *AgentFactory) atOnce(a *workspace.Agent) int {
	n := max(a.Adapter.Pool, 1)
	if most := f.workspace.Settings.Policies.Roles[a.ID].Concurrency; most > 0 {
		n = min(n, most)
	}
	return n
}
