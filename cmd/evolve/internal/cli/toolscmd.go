package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/runtime/agent"
	"evolve/runtime/authored"
	"evolve/runtime/mcp"
	"evolve/runtime/text"
	"evolve/runtime/tool"
)

// The states of a tool in `evolve tools list`.
const (
	toolActive      = "active"      // callable from the start of every turn
	toolAvailable   = "available"   // callable after the agent has activated it
	toolQuarantined = "quarantined" // not callable until a person releases it
	toolNotAllowed  = "not allowed" // not callable until allow: in agent.yaml names it
	toolProposed    = "proposed"    // not callable until a person approves it
)

// toolLine is one tool of an agent.
type toolLine struct {
	Name   string      `json:"name"`
	Origin string      `json:"origin"`
	Effect tool.Effect `json:"effect"`
	State  string      `json:"state"`
	// Cause is the cause of a quarantine.
	Cause string `json:"cause,omitempty"`
	// Shared names the agents with which the tool is shared, and Owner names the agent that
	// wrote the tool and shares it.
	Shared []string `json:"shared,omitempty"`
	Owner  string   `json:"owner,omitempty"`
	// Proposal is the proposal that would add or change the tool.
	Proposal string `json:"proposal,omitempty"`
}

// note returns the remainder of the tool's line: the proposal, the cause of a quarantine,
// and the agents that share the tool.
func (l toolLine) note() string {
	notes := []string{l.Proposal, text.Visible(l.Cause)}
	if len(l.Shared) > 0 {
		notes = append(notes, "shared with "+text.Visible(strings.Join(l.Shared, ", ")))
	}
	if l.Owner != "" {
		notes = append(notes, "shared by "+text.Visible(l.Owner))
	}
	return strings.Join(slices.DeleteFunc(notes, func(n string) bool { return n == "" }), "; ")
}

// healthLine is the health of a tool that an agent wrote.
type healthLine struct {
	Agent    string        `json:"agent"`
	Tool     string        `json:"tool"`
	Source   string        `json:"source"`
	Failures int           `json:"failures"`
	Last     agent.Outcome `json:"last,omitempty"`
	// Causes holds the number of failures by cause.
	Causes map[string]int `json:"causes,omitempty"`
	// State is "in use", "quarantined", or "gone" if the agent no longer has a tool with
	// that source.
	State   string    `json:"state"`
	Updated time.Time `json:"updated"`
}

func toolsCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "tools", Usage: "what agents can call, and the health of the tools that they wrote",
		Subcommands: []*cli.Command{
			{
				Name: "list", Usage: "list the tools of an agent: origin, effect, state", ArgsUsage: "[AGENT]", Description: "Also works during a run.",
				Action: func(c *cli.Context) error { return toolsList(sh, c) },
			},
			{
				Name: "health", Usage: "show the results of an agent's tools in live turns or, without AGENT, the failures of the tools that agents wrote", ArgsUsage: "[AGENT]",
				Description: "Shows calls, successes, latency and last failures for each tool, method and domain, and what\n" +
					"to do about a tool whose referrals follow a pattern. Also works during a run.",
				Flags: []cli.Flag{&cli.StringFlag{Name: "agent", Usage: "without AGENT: only the tools of the agent `ID`"}},
				Action: func(c *cli.Context) error {
					if c.Args().Present() {
						return toolsUse(sh, c)
					}
					return toolsHealth(sh, c)
				},
			},
			toolDecision(sh, withdrawing()),
			toolDecision(sh, releasing()),
			toolsShare(sh),
			toolsUnshare(sh),
		},
	}
}

func toolsList(sh *shell, c *cli.Context) error {
	w, a, err := sh.loadAgent(c, c.Args().First())
	if err != nil {
		return err
	}
	var lines []toolLine
	err = wire.LookIfThere(w.Root, func(store *archive.Archive) (err error) {
		lines, err = toolLines(c.Context, w, a, store)
		return err
	})
	if err == nil && lines == nil { // nothing is recorded yet
		lines, err = toolLines(c.Context, w, a, nil)
	}
	if err != nil {
		return err
	}
	if sh.json {
		return sh.printJSON(map[string]any{"agent": a.ID, "tools": lines})
	}
	if len(lines) == 0 {
		why := "a separate program: evolve cannot see what it calls"
		if a.Adapter.Kind == workspace.KindBuiltin {
			why = "an agent without tools"
		}
		_, err = fmt.Fprintf(sh.stdout, "%s is %s\n", a.ID, why)
		return err
	}
	for _, l := range lines {
		sh.printf("%-24s %-14s %-16s %-11s %s\n", text.Visible(l.Name), text.Visible(l.Origin), l.Effect, l.State, l.note())
	}
	return nil
}

// toolLines lists the tools that a built-in agent can call and those that await a decision,
// sorted by origin and name. store is nil if there is no archive.
func toolLines(ctx context.Context, w *workspace.Workspace, a *workspace.Agent, store *archive.Archive) ([]toolLine, error) {
	lines := []toolLine{}
	if a.Adapter.Kind != workspace.KindBuiltin {
		return lines, nil
	}
	selection, selects := a.Champion.List("tools.selection")
	language := a.Adapter.Model != workspace.ModelHeuristic
	add := func(name, origin string, effect tool.Effect, category tool.Category) {
		state := toolAvailable
		if slices.Contains(selection, name) || category == tool.Essential && (language || !selects) {
			state = toolActive
		}
		if origin == "local" && slices.Contains(tool.Allowable(), name) && !slices.Contains(a.Allow, name) {
			state = toolNotAllowed
		}
		lines = append(lines, toolLine{Name: name, Origin: origin, Effect: effect, State: state})
	}
	local := tool.Builtin()
	if language {
		local = append(local, tool.Further()...)
	}
	for _, t := range local {
		if s := t.Spec(); a.Tools == nil || slices.Contains(a.Tools, s.Name) {
			add(s.Name, s.Origin, s.Effect, s.Category)
		}
	}
	for _, server := range a.MCP {
		for _, name := range workspace.SortedNames(w.Settings.MCP[server].Tools) {
			add(mcp.ToolName(server, name), "mcp:"+server, w.Settings.MCP[server].Tools[name], tool.Available)
		}
	}
	defs, err := wire.Definitions(a)
	if err != nil {
		return nil, err
	}
	shared := map[string]string{}
	if store != nil {
		if defs, shared, err = wire.WithShared(ctx, w, store, a, defs); err != nil {
			return nil, err
		}
	}
	for _, d := range defs {
		add(d.Name, "authored", tool.Read, tool.Available)
		if store == nil {
			continue
		}
		l := &lines[len(lines)-1]
		l.Owner = shared[d.Name]
		h, err := healthOf(ctx, store, cmp.Or(l.Owner, a.ID), d.Name)
		if err != nil {
			return nil, err
		}
		if l.Owner == "" {
			l.Shared = h.Shared
		}
		if h.Health.Quarantined(d.Hash()) {
			l.State = toolQuarantined
			l.Cause, _ = h.Health.Cause()
		}
	}
	if store == nil {
		return lines, nil
	}
	err = forEachProposal(ctx, store, func(p archive.ProposalRecord) {
		if kind, name := review.Written(p); kind == "tool" && p.Agent == a.ID && undecided(p) {
			lines = append(lines, toolLine{Name: name, Origin: "authored", Effect: tool.Read, State: toolProposed, Proposal: p.ID})
		}
	})
	return lines, err
}

// healthOf returns the stored health of a tool, or the zero value if none is stored.
func healthOf(ctx context.Context, store *archive.Archive, agentID, name string) (archive.ToolHealth, error) {
	h, err := store.ToolHealth(ctx, agentID, name)
	if errors.Is(err, archive.ErrNotFound) {
		return archive.ToolHealth{Agent: agentID, Tool: name}, nil
	}
	return h, err
}

func toolsHealth(sh *shell, c *cli.Context) error {
	w, err := sh.load(c)
	if err != nil {
		return err
	}
	only := c.String("agent")
	if only != "" {
		if _, err := namedAgent(w, only); err != nil {
			return err
		}
	}
	lines := []healthLine{}
	err = wire.LookIfThere(w.Root, func(store *archive.Archive) error {
		return forEach("health of tools", store.ToolHealths(c.Context), func(h archive.ToolHealth) {
			if only == "" || h.Agent == only {
				lines = append(lines, healthLineOf(w, h))
			}
		})
	})
	if err != nil {
		return err
	}
	return printList(sh.console, "health", lines, "no tool that an agent wrote has failed in use", func(l healthLine) error {
		_, err := fmt.Fprintf(sh.stdout, "%-16s %-24s %-11s %-11s last %s on %s%s\n", cell(l.Agent, 24), cell(l.Tool, 48), l.State,
			count(l.Failures, "failure"), orDash(string(l.Last)), stamp(l.Updated, "2 Jan 15:04"), causesLine(l.Causes))
		return err
	})
}

// causesLine lists causes with their counts, the most frequent first.
func causesLine(causes map[string]int) string {
	names := slices.SortedFunc(maps.Keys(causes), func(a, b string) int {
		return cmp.Or(cmp.Compare(causes[b], causes[a]), cmp.Compare(a, b))
	})
	var parts []string
	for _, c := range names {
		parts = append(parts, fmt.Sprintf("%s ×%d", cell(c, 60), causes[c]))
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

func healthLineOf(w *workspace.Workspace, h archive.ToolHealth) healthLine {
	return healthLine{
		Agent: h.Agent, Tool: h.Tool, Source: h.Health.Source, Failures: h.Health.Failures, Last: h.Health.Last,
		Causes: h.Health.Causes, State: healthState(w, h), Updated: h.Updated,
	}
}

// healthState describes what a stored health implies for the tool that the agent has now.
func healthState(w *workspace.Workspace, h archive.ToolHealth) string {
	a, ok := w.Agent(h.Agent)
	if !ok {
		return "gone"
	}
	d, err := definitionOf(a, h.Tool)
	switch {
	case err != nil || d.Hash() != h.Health.Source:
		return "gone"
	case h.Health.Quarantined(d.Hash()):
		return toolQuarantined
	}
	return "in use"
}

// definitionOf returns the definition of an agent's approved tool.
func definitionOf(a *workspace.Agent, name string) (authored.Definition, error) {
	defs, err := wire.Definitions(a)
	if err != nil {
		return authored.Definition{}, err
	}
	i := slices.IndexFunc(defs, func(d authored.Definition) bool { return d.Name == name })
	if i < 0 {
		return authored.Definition{}, exit.Errorf(exit.Usage, "`evolve tools list "+a.ID+"` lists its tools; to restrict tools that no agent wrote, use `tools` in agent.yaml",
			"%s has written no tool %q that is in use", a.ID, name)
	}
	return defs[i], nil
}

// toolWord is a command with which a person decides on a tool in use.
type toolWord struct {
	name, usage, about string
	// plan and done describe what is about to happen and what has happened.
	plan, done string
	// kind is the kind of the ledger entry.
	kind string
	// already returns the reason why there is nothing to do, or "" if the change can be
	// made.
	already func(quarantined bool) string
	change  func(h authored.Health, source string) authored.Health
}

func withdrawing() toolWord {
	return toolWord{
		name: "quarantine", usage: "quarantine a tool that an agent wrote, until it is released",
		about: "The tool's files stay, but calls to it are denied from the next turn or run on. To remove the tool, roll\n" +
			"back its proposal with `evolve rollback`.",
		plan: "quarantine the tool %s of %s", done: "the tool %s of %s is in quarantine", kind: "tool.quarantine",
		already: func(quarantined bool) string { return orElse("already in quarantine", "", quarantined) },
		change:  authored.Health.Withdrawn,
	}
}

func releasing() toolWord {
	return toolWord{
		name: "release", usage: "let a tool in quarantine be used again",
		about: "The tool's failures are counted from zero again.",
		plan:  "let the tool %s of %s be used again", done: "the tool %s of %s can be used again", kind: "tool.release",
		already: func(quarantined bool) string { return orElse("", "not in quarantine", quarantined) },
		change:  func(h authored.Health, _ string) authored.Health { return h.Released() },
	}
}

func toolDecision(sh *shell, d toolWord) *cli.Command {
	return &cli.Command{
		Name: d.name, Usage: d.usage, Description: d.about, ArgsUsage: "NAME",
		Flags:  append(decidingFlags("the `REASON`, for the ledger"), agentFlag()),
		Action: func(c *cli.Context) error { return decideTool(sh, c, d) },
	}
}

// ownTool returns the named tool, which must have been written by the agent that the
// command names. It returns an error if it is called inside an evaluation.
func ownTool(sh *shell, c *cli.Context) (*workspace.Workspace, *workspace.Agent, authored.Definition, error) {
	if err := outside(sh); err != nil {
		return nil, nil, authored.Definition{}, err
	}
	w, err := sh.load(c)
	if err != nil {
		return nil, nil, authored.Definition{}, err
	}
	a, err := author(w, c)
	if err != nil {
		return nil, nil, authored.Definition{}, err
	}
	def, err := definitionOf(a, c.Args().First())
	return w, a, def, err
}

// author returns the agent that --agent names or, without --agent, the only agent that
// wrote the tool named in the command.
func author(w *workspace.Workspace, c *cli.Context) (*workspace.Agent, error) {
	if c.String("agent") != "" || len(w.Agents) < 2 {
		return oneAgent(c, w, c.String("agent"))
	}
	name := c.Args().First()
	var found []*workspace.Agent
	for i := range w.Agents {
		defs, err := wire.Definitions(&w.Agents[i])
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(defs, func(d authored.Definition) bool { return d.Name == name }) {
			found = append(found, &w.Agents[i])
		}
	}
	switch len(found) {
	case 0:
		return nil, exit.Errorf(exit.Usage, "`evolve tools list "+w.Agents[0].ID+"` lists the tools of "+w.Agents[0].ID, "no agent has written a tool %q that is in use", name)
	case 1:
		return found[0], nil
	}
	return nil, exit.Errorf(exit.Usage, "name the agent: `evolve tools "+c.Command.Name+" "+name+" --agent "+found[0].ID+"`", "%d agents have written a tool %s", len(found), name)
}

func decideTool(sh *shell, c *cli.Context, d toolWord) error {
	w, a, def, err := ownTool(sh, c)
	if err != nil {
		return err
	}
	if !c.Bool("yes") {
		if err := confirmTool(c.Context, sh.console, "run `evolve tools health` first, then add --yes", fmt.Sprintf(d.plan, def.Name, a.ID)); err != nil {
			return err
		}
	}
	by, err := decider(sh, c, w.Root)
	if err != nil {
		return err
	}
	store, err := sh.OpenArchive(w.Root, "evolve tools "+d.name)
	if err != nil {
		return err
	}
	h, err := changeHealth(c.Context, sh, store, a, def, d, oneLine(by, 200), c.String("reason"))
	if err = errors.Join(err, store.Close()); err != nil {
		return err
	}
	return sh.result(healthLineOf(w, h), d.done+"\n", def.Name, a.ID)
}

// changeHealth stores a person's decision on a tool with its ledger entry.
func changeHealth(ctx context.Context, sh *shell, store *archive.Archive, a *workspace.Agent, def authored.Definition, d toolWord, by, reason string) (archive.ToolHealth, error) {
	h, err := healthOf(ctx, store, a.ID, def.Name)
	if err != nil {
		return h, err
	}
	if why := d.already(h.Health.Quarantined(def.Hash())); why != "" {
		return h, exit.Errorf(exit.Gate, "`evolve tools list "+a.ID+"` shows its state", "the tool %s of %s is %s", def.Name, a.ID, why)
	}
	note := wire.NoteOf(h.Health)
	note.Source, note.Reason = def.Hash(), oneLine(reason, 1000)
	told, err := note.Entry(d.kind, by, sh.Now())
	if err != nil {
		return h, err
	}
	h.Health, h.Updated = d.change(h.Health, def.Hash()), sh.Now().UTC()
	return h, store.PutToolHealth(ctx, h, &told)
}

// confirmTool prints the plan and asks a person whether to go on. If there is no terminal,
// it returns an error with the given hint.
func confirmTool(ctx context.Context, con *console, hint, plan string) error {
	who, ok := con.asker()
	if !ok {
		return exit.Errorf(exit.Usage, hint, "there is no terminal to confirm on")
	}
	_, _ = fmt.Fprintln(who.out, text.Visible(plan))
	return who.confirm(ctx, "done")
}
