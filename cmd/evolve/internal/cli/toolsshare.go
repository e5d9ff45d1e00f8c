package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/authored"
)

// sharingView is the output of `evolve tools share --json`.
type sharingView struct {
	Agent  string   `json:"agent"`
	Tool   string   `json:"tool"`
	Shared []string `json:"shared"`
}

func toolsShare(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "share", Usage: "let other agents call a tool that an agent wrote", ArgsUsage: "NAME",
		Description: "From the next turn or run on, the agents can call the tool and every version of it that is approved later.\n" +
			"Each agent calls it under its own policies and limits. Failures are counted for the agent that wrote the tool.",
		Flags:  append(decidingFlags("the `REASON`, for the ledger"), agentFlag(), &cli.StringSliceFlag{Name: "with", Usage: "the `AGENT`s; repeat the flag, or separate the agents with commas"}),
		Action: func(c *cli.Context) error { return changeSharing(sh, c, "share", "with") },
	}
}

func toolsUnshare(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "unshare", Usage: "stop sharing a tool with other agents", ArgsUsage: "NAME",
		Description: "Without --with, the tool is no longer shared with any agent.",
		Flags:       append(decidingFlags("the `REASON`, for the ledger"), agentFlag(), &cli.StringSliceFlag{Name: "with", Usage: "the `AGENT`s; repeat the flag, or separate the agents with commas"}),
		Action:      func(c *cli.Context) error { return changeSharing(sh, c, "unshare", "from") },
	}
}

// changeSharing shares a tool with agents, or stops sharing it, on behalf of a person.
func changeSharing(sh *shell, c *cli.Context, verb, preposition string) error {
	w, a, def, err := ownTool(sh, c)
	if err != nil {
		return err
	}
	with := slices.Compact(slices.Sorted(slices.Values(c.StringSlice("with"))))
	if verb == "share" {
		err = receivers(w, a, def, with)
	}
	if err != nil {
		return err
	}
	if !c.Bool("yes") {
		plan := fmt.Sprintf("%s the tool %s of %s %s %s", verb, def.Name, a.ID, preposition, orElse("all agents", strings.Join(with, ", "), len(with) == 0))
		if err := confirmTool(c.Context, sh.console, "run `evolve tools list` first, then add --yes", plan); err != nil {
			return err
		}
	}
	by, err := decider(sh, c, w.Root)
	if err != nil {
		return err
	}
	store, err := sh.OpenArchive(w.Root, "evolve tools "+verb)
	if err != nil {
		return err
	}
	h, err := storeSharing(c.Context, sh, store, a, def, sharingChange{verb, with, oneLine(by, 200), c.String("reason")})
	if err = errors.Join(err, store.Close()); err != nil {
		return err
	}
	view := sharingView{Agent: a.ID, Tool: def.Name, Shared: append([]string{}, h.Shared...)}
	return sh.result(view, "the tool %s of %s is shared with %s\n", def.Name, a.ID, orElse("no other agent", strings.Join(h.Shared, ", "), len(h.Shared) == 0))
}

// receivers checks that a tool can be shared with the named agents.
func receivers(w *workspace.Workspace, owner *workspace.Agent, def authored.Definition, with []string) error {
	if len(with) == 0 {
		return exit.Errorf(exit.Usage, "name the agents: --with AGENT,AGENT", "sharing the tool %s requires the name of at least one agent", def.Name)
	}
	for _, id := range with {
		a, err := namedAgent(w, id)
		if err != nil {
			return err
		}
		defs, err := wire.Definitions(a)
		if err != nil {
			return err
		}
		switch {
		case a.ID == owner.ID:
			return exit.Errorf(exit.Usage, "name a different agent", "%s wrote the tool %s itself", owner.ID, def.Name)
		case a.Adapter.Kind != workspace.KindBuiltin || a.Adapter.Model == workspace.ModelHeuristic:
			return exit.Errorf(exit.Gate, "share it with a built-in agent that has a language model", "%s cannot call tools that agents wrote", a.ID)
		case slices.ContainsFunc(defs, func(d authored.Definition) bool { return d.Name == def.Name }):
			return exit.Errorf(exit.Gate, "`evolve tools list "+a.ID+"` shows it", "%s has a tool %s of its own", a.ID, def.Name)
		}
	}
	return nil
}

// sharingChange is a person's decision about sharing a tool.
type sharingChange struct {
	verb       string
	with       []string
	by, reason string
}

// storeSharing stores the agents with which a tool is shared, together with the ledger
// entry.
func storeSharing(ctx context.Context, sh *shell, store *archive.Archive, a *workspace.Agent, def authored.Definition, d sharingChange) (archive.ToolHealth, error) {
	h, err := healthOf(ctx, store, a.ID, def.Name)
	if err != nil {
		return h, err
	}
	if d.verb == "unshare" && len(d.with) == 0 {
		d.with = h.Shared
	}
	d.with = slices.DeleteFunc(slices.Clone(d.with), func(id string) bool { return slices.Contains(h.Shared, id) == (d.verb == "share") })
	if len(d.with) == 0 {
		return h, exit.Errorf(exit.Gate, "`evolve tools list "+a.ID+"` shows it", "there is nothing to %s: %s is shared with %s", d.verb, def.Name, orElse("no other agent", strings.Join(h.Shared, ", "), len(h.Shared) == 0))
	}
	kept := slices.DeleteFunc(slices.Clone(h.Shared), func(id string) bool { return slices.Contains(d.with, id) })
	if d.verb == "share" {
		kept = slices.Sorted(slices.Values(append(kept, d.with...)))
	}
	told, err := archive.NewLedgerEntry(sh.Now(), "tool."+d.verb, "", wire.ToolSharing{Source: def.Hash(), With: d.with, Reason: oneLine(d.reason, 1000)})
	if err != nil {
		return h, err
	}
	told.Actor = d.by
	h.Shared, h.Updated = kept, sh.Now().UTC()
	return h, store.PutToolHealth(ctx, h, &told)
}
