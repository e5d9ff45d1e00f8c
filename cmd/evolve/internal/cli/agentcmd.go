package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/bench"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
	"evolve/runtime/text"
)

func agentCommand(sh *shell) *cli.Command {
	task := []cli.Flag{
		agentFlag(),
		&cli.StringFlag{Name: "task", Usage: "run the task `ID` of the agent's suites instead of a goal, and grade the answer"},
		&cli.StringFlag{Name: "variant", Usage: "an archived `VARIANT` instead of the champion"},
		&cli.StringFlag{Name: "session", Usage: "continue the conversation `NAME`: its messages, notes, working state and memories"},
		&cli.BoolFlag{Name: "new", Usage: "start the conversation given by --session from the beginning"},
		&cli.StringFlag{Name: "domain", Usage: "the turn's subject area `DOMAIN`, instead of the one that the agent's keywords suggest"},
		&cli.StringFlag{Name: "dir", Usage: "let the file tools of the turn read the folder `PATH`"},
	}
	return &cli.Command{
		Name: "agent", Usage: "one agent: its config, a single turn, its stored turns and their lessons",
		Subcommands: []*cli.Command{
			{
				Name: "show", Usage: "show the effective config, and where each value comes from", ArgsUsage: "[AGENT]",
				Action: func(c *cli.Context) error { return agentShow(sh, c) },
			},
			{
				Name: "run", Usage: "run one turn, show it as it happens, and store it", ArgsUsage: "[GOAL…]", Flags: task,
				Action: func(c *cli.Context) error { return agentRun(sh, c) },
			},
			{
				Name: "turns", Usage: "list the stored turns, oldest first", Description: "Also works during a run.",
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "agent", Usage: "only the turns of `AGENT`"}, &cli.StringFlag{Name: "session", Usage: "only the turns of the conversation `NAME`"},
					&cli.IntFlag{Name: "last", Usage: "only the last `N` turns", Value: 30},
				},
				Action: func(c *cli.Context) error { return agentTurns(sh, c) },
			},
			{
				Name: "turn", Usage: "show one stored turn in full: goal, answer, outcome, every step", ArgsUsage: "ID", Description: "Also works during a run.",
				Action: func(c *cli.Context) error { return agentTurn(sh, c) },
			},
			agentLessonsCommand(sh),
			agentSessionsCommand(sh),
			agentForgetCommand(sh),
		},
	}
}

// loadAgent loads the workspace and returns it with the named agent, or with its only agent
// if name is empty.
func (sh *shell) loadAgent(c *cli.Context, name string) (*workspace.Workspace, *workspace.Agent, error) {
	w, err := sh.load(c)
	if err != nil {
		return nil, nil, err
	}
	a, err := oneAgent(c, w, name)
	return w, a, err
}

// oneAgent returns the named agent of a command, or the workspace's only agent if name is
// empty.
func oneAgent(c *cli.Context, w *workspace.Workspace, name string) (*workspace.Agent, error) {
	if name != "" {
		return namedAgent(w, name)
	}
	if len(w.Agents) == 1 {
		return &w.Agents[0], nil
	}
	hint := "name one as the argument AGENT: " + strings.Join(w.AgentIDs(), ", ")
	if slices.ContainsFunc(c.Command.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), "agent") }) {
		hint = agentFlags(w.AgentIDs())
	}
	return nil, exit.Errorf(exit.Usage, hint, "there are %d agents", len(w.Agents))
}

// agentFlags lists the flags with which a command chooses one of the agents, as in "--agent
// a or --agent b".
func agentFlags(ids []string) string { return "--agent " + strings.Join(ids, " or --agent ") }

// namedAgent returns the agent with the given id.
func namedAgent(w *workspace.Workspace, name string) (*workspace.Agent, error) {
	a, ok := w.Agent(name)
	if !ok {
		return nil, &batch.UnknownAgentError{Name: name, Known: w.AgentIDs()}
	}
	return a, nil
}

// valueLine is one parameter in `evolve agent show --json`.
type valueLine struct {
	Param  string `json:"param"`
	Value  any    `json:"value"`
	Origin string `json:"origin"`
	Range  string `json:"range"`
	// NotSearched is the reason why a search does not change the value, or "".
	NotSearched string `json:"not_searched,omitempty"`
}

func agentShow(sh *shell, c *cli.Context) error {
	w, a, err := sh.loadAgent(c, c.Args().First())
	if err != nil {
		return err
	}
	def := a.Known.Default()
	lines := []valueLine{}
	for _, p := range a.Known.Params {
		v, active := a.Champion[p.Name]
		if !active {
			continue
		}
		origin := "default"
		one, two := agent.Config{p.Name: v}, agent.Config{p.Name: def[p.Name]}
		if _, isDefault := def[p.Name]; !isDefault || !one.Equal(two) {
			origin = workspace.ConfigFile
			if p.Name == "strategy" {
				origin = workspace.StrategyFile
			}
		}
		lines = append(lines, valueLine{p.Name, v, origin, rangeOf(p), a.NotSearched(p.Name)})
	}
	version, policies, err := policiesOf(w, a)
	if err != nil {
		return err
	}
	if sh.json {
		return sh.printJSON(map[string]any{
			"agent": a.ID, "config": a.Champion.ID(), "adapter": a.Adapter.Kind, "suites": a.Suites, "values": lines,
			"not_searched": slices.Concat([]workspace.Unsearched{}, a.Unsearched),
			"allow":        slices.Concat([]string{}, a.Allow),
			"policy":       map[string]any{"version": version, "calls": policies},
		})
	}
	sh.printf("%s  config %s  %s, measured on %s\n\n", a.ID, a.Champion.ID().Short(), a.Adapter.Kind, strings.Join(a.Suites, ", "))
	for _, l := range lines {
		sh.printf("  %-26s %-12s %-28s %s\n", text.Visible(l.Param), l.Origin, oneLine(text.Visible(l.Range), 28), shown(l.Value))
	}
	if left := a.LeftAlone(); left != "" {
		sh.printf("\n  not searched: %s\n", text.Visible(left))
	}
	if named := a.NamedInVain(); named != "" {
		sh.printf("  agent.yaml nevertheless lists %s under the key `space`\n", text.Visible(named))
	}
	if len(a.Allow) > 0 {
		sh.printf("\n  tools allowed to keep or share text beyond a turn: %s; in live turns, only at autonomy level 2 or higher\n", strings.Join(a.Allow, ", "))
	}
	printPolicies(sh.console, version, policies)
	return nil
}

// rangeOf briefly describes a parameter's permitted values.
func rangeOf(p agent.Param) string {
	switch p.Kind {
	case agent.Float, agent.Int:
		return shown(p.Min) + " to " + shown(p.Max)
	case agent.Choice:
		parts := make([]string, len(p.Values))
		for i, v := range p.Values {
			parts[i] = shown(v)
		}
		return strings.Join(parts, " | ")
	case agent.Subset:
		return fmt.Sprintf("some of %d", len(p.Of))
	case agent.Text:
		return fmt.Sprintf("at most %d characters", p.MaxChars)
	}
	return string(p.Kind)
}

// taskOf returns the task that the flag --task names, or a task made from the goal.
func taskOf(c *cli.Context, w *workspace.Workspace, a *workspace.Agent) (*bench.Task, *bench.Suite, error) {
	id := c.String("task")
	if id == "" {
		goal := strings.Join(c.Args().Slice(), " ")
		if strings.TrimSpace(goal) == "" {
			return nil, nil, exit.Misuse(errors.New("a goal is missing: evolve agent run \"goal\", or --task ID"))
		}
		return &bench.Task{ID: "goal", Goal: goal, Domain: c.String("domain")}, nil, nil
	}
	for _, name := range a.Suites {
		s := w.Suites[name]
		for i := range s.Tasks {
			if s.Tasks[i].ID == id {
				return &s.Tasks[i], s, nil
			}
		}
	}
	return nil, nil, exit.Errorf(exit.Usage, "`evolve bench split SUITE` lists them", "no suite of %s has a task %q", a.ID, id)
}

// configOf returns the config of the champion or, if the flag variant is given, of that
// variant in the archive.
func configOf(c *cli.Context, w *workspace.Workspace, a *workspace.Agent) (agent.Config, error) {
	name := c.String("variant")
	if name == "" {
		return a.Champion, nil
	}
	store, err := wire.ReadArchive(w.Root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = store.Close() }()
	v, err := findVariant(c, store, a.ID, name)
	return v.Config, err
}
