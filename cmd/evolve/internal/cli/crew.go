package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/command"
	"evolve/runtime/mcp"
	"evolve/runtime/model"
	"evolve/runtime/policy"
	"evolve/runtime/sandbox"
	"evolve/runtime/session"
	"evolve/runtime/tool"
	"evolve/runtime/turn"
)

// crew is what the agents of one process share: the sandbox for programs, the policies
// for calls, the blackboard, and the identity of this program.
type crew struct {
	sh        *shell
	workspace *workspace.Workspace
	walls     *walls
	guard     *policy.Engine
	board     *session.Board
	binary    string
	log       *slog.Logger
	// store is the archive that a run holds open; nil if each read opens it.
	store *archive.Archive
	// live reports whether turns are a person's, not evaluations.
	live bool
	// reflects reports whether to open the route of search.reflect with each agent.
	reflects bool
}

// strayPatience bounds the wait for abandoned calls.
const strayPatience = 5 * time.Second

// newCrew prepares what opening an agent needs.
func (sh *shell) newCrew(w *workspace.Workspace, log *slog.Logger, day func(policy.Kind, string) policy.Usage) (*crew, error) {
	binary, err := binaryHash()
	if err != nil {
		return nil, err
	}
	guard, err := policy.New(policy.Options{Book: w.Settings.Policies, Day: day})
	if err != nil {
		return nil, err
	}
	return &crew{
		sh: sh, workspace: w, walls: sh.newWalls(w), guard: guard, board: session.NewBoard(sh.now), binary: binary, log: log,
	}, nil
}

// open prepares an agent: the only table from adapter to implementation.
func (c *crew) open(ctx context.Context, a *workspace.Agent, scratch string) (batch.Opened, error) {
	scratch, err := filepath.Abs(scratch)
	if err != nil {
		return batch.Opened{}, fmt.Errorf("finding the folder of working directories: %w", err)
	}
	var opened batch.Opened
	switch a.Adapter.Kind {
	case workspace.KindBuiltin:
		opened, err = c.openBuiltin(ctx, a, scratch)
	case workspace.KindCommand:
		opened, err = c.openCommand(a, scratch)
	case workspace.KindHTTP:
		opened, err = c.openHTTP(a)
	default:
		err = fmt.Errorf("no adapter is called %q", a.Adapter.Kind)
	}
	if err != nil {
		return batch.Opened{}, fmt.Errorf("agent %s: %w", a.ID, err)
	}
	if opened, err = c.withReflection(a, opened); err != nil {
		return batch.Opened{}, fmt.Errorf("agent %s: search.reflect: %w", a.ID, err)
	}
	identity := []string{a.Hash, a.Version, c.binary, c.workspace.ModelHash(a)}
	if opened.Identity != "" { // tools in quarantine
		identity = append(identity, opened.Identity)
	}
	opened.Identity = strings.Join(identity, "\x00")
	return opened, nil
}

// withReflection opens the routes of the model of search.reflect, unless the agent's own
// are open: one recorder must write all recordings of a provider.
func (c *crew) withReflection(a *workspace.Agent, opened batch.Opened) (batch.Opened, error) {
	route := c.workspace.Settings.Search.Reflect
	switch {
	case !c.reflects || route == "":
		opened.Reflect = nil
		return opened, nil
	case opened.Reflect != nil:
		return opened, nil
	}
	models, err := c.sh.newModels(c.workspace, c.walls.scrubber.String)
	if err != nil {
		return opened, errors.Join(err, opened.Close())
	}
	router, err := models.router(a.ID, route, c.guard, c.walls.scrubber.String)
	if err != nil {
		return opened, errors.Join(err, models.close(), opened.Close())
	}
	opened.Reflect = router
	agentDone := opened.Close
	opened.Close = func() error {
		router.Close()
		return errors.Join(agentDone(), models.close())
	}
	return opened, nil
}

// writer opens the route of patches.write in an agent's name, after the agents are
// closed.
func (c *crew) writer(a *workspace.Agent) (model.Model, func() error, error) {
	models, err := c.sh.newModels(c.workspace, c.walls.scrubber.String)
	if err != nil {
		return nil, nil, err
	}
	router, err := models.router(a.ID, c.workspace.Settings.Patches.Write, c.guard, c.walls.scrubber.String)
	if err != nil {
		return nil, nil, errors.Join(err, models.close())
	}
	return router, func() error { router.Close(); return models.close() }, nil
}

// openBuiltin prepares the built-in runtime: its model, its tool servers, and the tools
// and skills that a person has approved.
func (c *crew) openBuiltin(ctx context.Context, a *workspace.Agent, scratch string) (batch.Opened, error) {
	w := c.workspace
	var closers []func() error
	var routed model.Model // the routes, where the agent has any
	done := func() error {
		// A call that was abandoned may still use the model or the tools that are closed below.
		patience, stop := context.WithTimeout(context.WithoutCancel(ctx), strayPatience)
		defer stop()
		errs := []error{}
		if err := c.guard.Wait(patience); err != nil {
			c.log.Warn("a call that was given up has not ended", "agent", a.ID)
		}
		for _, f := range slices.Backward(closers) {
			errs = append(errs, f())
		}
		return errors.Join(errs...)
	}
	options := turn.Options{
		ID: a.ID, Memories: a.Memories, Bootstrap: a.Bootstrap, Domains: a.Domains, Allowed: a.Allow,
		HardLimits: w.Settings.Limits, Space: a.Known, Scrub: c.walls.scrubber.String, Flagged: c.walls.scrubber.Flags,
		Never: w.Settings.Never, Guard: c.guard, PolicyVersion: w.Settings.Policies.Version(), Board: c.board,
	}
	if c.live { // an evaluation's clock is fixed, so that a run is repeatable
		options.Clock = c.sh.now
	}
	fail := func(err error) (batch.Opened, error) { return batch.Opened{}, errors.Join(err, done()) }
	if a.Adapter.Model != workspace.ModelHeuristic {
		models, err := c.sh.newModels(w, c.walls.scrubber.String)
		if err != nil {
			return fail(err)
		}
		closers = append(closers, models.close)
		router, err := models.router(a.ID, a.Adapter.Model, c.guard, c.walls.scrubber.String)
		if err != nil {
			return fail(err)
		}
		closers = append(closers, func() error { router.Close(); return nil })
		options.Model, options.Language, options.Routes = router, true, routeNames(w, a.Adapter.Model)
		options.Windows = map[string]int{}
		for name, r := range w.Settings.Routes {
			options.Windows[name] = r.Context
		}
		routed = router
	}
	clients, err := c.servers(ctx, a, scratch)
	if err != nil {
		return fail(err)
	}
	closers = append(closers, clients.Close)
	servers := clients.Tools()
	c.heed(servers)
	written, err := c.written(ctx, a)
	if err != nil {
		return fail(err)
	}
	closers = append(closers, written.close)
	if options.Bootstrap, err = withSkills(a); err != nil {
		return fail(err)
	}
	options.Foreign = slices.Concat(servers, written.tools)
	options.Author = written.author
	options.Tools = slices.DeleteFunc(slices.Clone(a.Tools), func(name string) bool {
		return slices.ContainsFunc(options.Foreign, func(t tool.Tool) bool { return t.Spec().Name == name })
	})
	built, err := turn.New(options)
	if err != nil {
		return fail(err)
	}
	return batch.Opened{Agent: built, Identity: written.quarantined + listing(servers), Sandbox: "in process", Reflect: routed, Renew: clients.Renew, Close: done}, nil
}

// servers connects to the tool servers that the agent may use.
func (c *crew) servers(ctx context.Context, a *workspace.Agent, scratch string) (*mcp.Clients, error) {
	var list []mcp.Server
	for _, name := range a.MCP {
		m := c.workspace.Settings.MCP[name]
		s := mcp.Server{
			Name: name, Argv: m.Argv, Dir: c.workspace.Root, Env: c.sh.passed(m.Env), URL: m.URL,
			Header: c.sh.headers(m.HeadersEnv), Effects: m.Tools, Network: m.Network != "none",
		}
		if len(m.Argv) > 0 {
			s.Walls, s.Scratch = c.around(m.Sandbox), scratch
			s.Hidden = []string{filepath.Join(c.workspace.Root, "suites"), c.workspace.StateDir(), filepath.Join(c.workspace.Root, "agents")}
		}
		list = append(list, s)
	}
	return mcp.Open(ctx, mcp.Options{Servers: list, Scrub: c.walls.scrubber.String, Log: c.log})
}

// around returns the sandbox, unless it is switched off.
func (c *crew) around(setting string) sandbox.Walls {
	if setting == "none" {
		return sandbox.None("switched off")
	}
	return c.walls.sandbox()
}

// passed returns the named variables of the environment, as NAME=value.
func (sh *shell) passed(names []string) []string {
	var env []string
	for _, name := range names {
		if value, ok := sh.lookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// headers returns headers whose values come from the environment.
func (sh *shell) headers(names map[string]string) map[string]string {
	out := map[string]string{}
	for header, name := range names {
		if value, ok := sh.lookupEnv(name); ok {
			out[header] = value
		}
	}
	return out
}

// startable refuses agents whose programs are missing, before anything starts.
func startable(agents ...*workspace.Agent) error {
	return workspace.MissingPrograms(agents, exec.LookPath)
}

// openCommand prepares an operator's program.
func (c *crew) openCommand(a *workspace.Agent, scratch string) (batch.Opened, error) {
	ad, around := a.Adapter, c.around(a.Adapter.Sandbox)
	opened, err := command.New(command.Options{
		Argv: ad.Argv, Dir: a.Dir, Protocol: ad.Protocol, Pool: ad.Pool, Timeout: ad.Timeout, Env: c.sh.passed(ad.Env),
		Walls: around, Network: ad.Network == "host", Scrub: c.walls.scrubber.String, Scratch: scratch, Hidden: []string{c.walls.root},
	})
	if err != nil {
		return batch.Opened{}, err
	}
	return batch.Opened{Agent: c.policed(a, opened), Sandbox: around.Name() + "; " + networkWithin(around, ad.Network), Parallel: c.atOnce(a), Workdir: true, Renew: opened.Renew, Close: opened.Close}, nil
}

// networkWithin describes a program's network in a sandbox.
func networkWithin(around sandbox.Walls, network string) string {
	switch {
	case network == "host":
		return "the host's network"
	case around.Err() != nil:
		return "the network is open, because nothing closes it"
	}
	return "no network"
}

// openHTTP prepares an operator's service.
func (c *crew) openHTTP(a *workspace.Agent) (batch.Opened, error) {
	ad := a.Adapter
	opened, err := command.NewHTTP(command.HTTPOptions{
		URL: ad.URL, Header: c.sh.headers(ad.HeadersEnv), Parallel: ad.Pool, Timeout: ad.Timeout, Scrub: c.walls.scrubber.String,
	})
	if err != nil {
		return batch.Opened{}, err
	}
	return batch.Opened{Agent: c.policed(a, opened), Sandbox: "its own machine", Parallel: c.atOnce(a), Workdir: true, Close: opened.Close}, nil
}

// atOnce returns how many tasks of an operator's own agent may run at once.
func (c *crew) atOnce(a *workspace.Agent) int {
	n := max(a.Adapter.Pool, 1)
	if most := c.workspace.Settings.Policies.Roles[a.ID].Concurrency; most > 0 {
		n = min(n, most)
	}
	return n
}
