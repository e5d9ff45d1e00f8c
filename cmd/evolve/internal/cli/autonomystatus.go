package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/autonomy"
	"evolve/runtime/text"
)

// autonomyView is the level of one agent in `evolve autonomy status --json`.
type autonomyView struct {
	Agent string         `json:"agent"`
	Level autonomy.Level `json:"level"`
	Name  string         `json:"name"`
	// InForce is the level that the limits enforce. It is at most 2, because nothing beyond
	// level 2 is switched on.
	InForce autonomy.Level `json:"in_force"`
	// Allowed and KeptBack are the agent's tools that evolve offers to the agent in live
	// turns, and those that it withholds. Both are empty for an operator's own agent.
	Allowed  []string `json:"allowed"`
	KeptBack []string `json:"kept_back"`
	// Next is the next level with its requirements; it is absent at the highest level.
	Next    *nextLevel       `json:"next,omitempty"`
	Figures autonomy.Figures `json:"figures"`
	// Open is the request that awaits a decision.
	Open string `json:"open,omitempty"`
	// Advice is a recommendation to lower the level.
	Advice   string                `json:"advice,omitempty"`
	Unproven string                `json:"unproven,omitempty"`
	Changes  []archive.LevelChange `json:"changes"`
}

type nextLevel struct {
	Level        autonomy.Level         `json:"level"`
	Name         string                 `json:"name"`
	Met          bool                   `json:"met"`
	Requirements []autonomy.Requirement `json:"requirements"`
}

func autonomyStatus(sh *shell, c *cli.Context) error {
	w, err := sh.load(c)
	if err != nil {
		return err
	}
	ids := w.AgentIDs()
	if id := c.Args().First(); id != "" {
		if _, _, err := sh.loadAgent(c, id); err != nil {
			return err
		}
		ids = []string{id}
	}
	views := []autonomyView{}
	seen := false
	err = wire.LookIfThere(w.Root, func(a *archive.Archive) error {
		seen = true
		for _, id := range ids {
			v, err := autonomyViewOf(c.Context, sh, w, a, id)
			if err != nil {
				return err
			}
			views = append(views, v)
		}
		return nil
	})
	if !seen && err == nil { // without an archive every agent is at the lowest level
		empty := archive.OpenMemory()
		for _, id := range ids {
			var v autonomyView
			if v, err = autonomyViewOf(c.Context, sh, w, empty, id); err != nil {
				break
			}
			views = append(views, v)
		}
		err = errors.Join(err, empty.Close())
	}
	if err != nil {
		return err
	}
	return sh.show(map[string]any{"agents": views, "levels": autonomy.Ladder()}, func() {
		for i, v := range views {
			if i > 0 {
				sh.printf("\n")
			}
			printAutonomy(sh.console, v)
		}
	})
}

func autonomyViewOf(ctx context.Context, sh *shell, w *workspace.Workspace, a *archive.Archive, id string) (autonomyView, error) {
	v := autonomyView{Agent: id, Allowed: []string{}, KeptBack: []string{}}
	r, err := wire.Autonomy(ctx, w.Root, a, id)
	if err != nil {
		return v, err
	}
	v.Level, v.Name, v.InForce, v.Unproven, v.Changes = r.Level, r.Level.String(), r.Level.InForce(), r.Unproven, notNull(r.Changes)
	if v.Figures, err = a.Conduct(ctx, id, sh.Now()); err != nil {
		return v, err
	}
	if r.Level < autonomy.Highest {
		list := autonomy.Requirements(r.Level+1, v.Figures)
		v.Next = &nextLevel{Level: r.Level + 1, Name: (r.Level + 1).String(), Met: len(autonomy.Unmet(list)) == 0, Requirements: list}
	}
	if v.Figures.Lower() {
		v.Advice = lowerAdvice(id, r.Level, v.Figures.Recent)
	}
	err = forEachProposal(ctx, a, func(p archive.ProposalRecord) {
		if p.Kind == archive.KindAutonomy && p.Agent == id && p.Imported == "" && undecided(p) {
			v.Open = p.ID
		}
	})
	if err != nil {
		return v, err
	}
	agent, ok := w.Agent(id)
	if !ok {
		return v, nil
	}
	lines, err := toolLines(ctx, w, agent, a)
	if err != nil {
		return v, err
	}
	v.Allowed, v.KeptBack = toolsWithin(v.InForce, lines)
	return v, nil
}

// toolsWithin divides the tools that an agent may use into those that a level allows and
// those that it does not allow. If the level allows only some methods of a tool, the tool
// is in both lists, and the second list names it with each method that is not allowed.
func toolsWithin(level autonomy.Level, lines []toolLine) (allowed, kept []string) {
	allowed, kept = []string{}, []string{}
	named := map[string][]string{} // the methods, by tool, for which some level has a separate rule
	for _, s := range autonomy.Ladder() {
		for _, call := range s.Calls {
			if name, method, ok := strings.Cut(call, " "); ok {
				named[name] = append(named[name], method)
			}
		}
	}
	for _, l := range lines {
		if l.State != toolActive && l.State != toolAvailable {
			continue
		}
		if _, ok := level.Allows(l.Name, "", string(l.Effect)); !ok {
			kept = append(kept, l.Name)
			continue
		}
		allowed = append(allowed, l.Name)
		for _, method := range named[l.Name] {
			if _, ok := level.Allows(l.Name, method, string(l.Effect)); !ok {
				kept = append(kept, l.Name+" "+method)
			}
		}
	}
	return allowed, kept
}

// levelOf is an agent with a level above the lowest, or with repeated unsafe requests, in
// `evolve status`.
type levelOf struct {
	Agent  string         `json:"agent"`
	Level  autonomy.Level `json:"level"`
	Name   string         `json:"name"`
	Advice string         `json:"advice,omitempty"`
}

// fillLevels reads the levels above the lowest, and the agents with repeated unsafe requests.
func (v *statusView) fillLevels(ctx context.Context, a *archive.Archive, now time.Time) error {
	lowered, err := wire.ReadLowerings(v.Workspace)
	if err != nil {
		return err
	}
	recent, err := a.RecentUnsafe(ctx, now)
	if err != nil {
		return fmt.Errorf("reading the unsafe requests: %w", err)
	}
	advice := func(id string, level autonomy.Level) string {
		n := recent[id]
		delete(recent, id)
		if n < autonomy.Tolerated {
			return ""
		}
		return lowerAdvice(id, level, n)
	}
	err = forEach("levels of autonomy", a.Autonomies(ctx), func(r archive.AutonomyRecord) {
		r = lowered.On(r)
		l := levelOf{Agent: r.Agent, Level: r.Level, Name: r.Level.String(), Advice: advice(r.Agent, r.Level)}
		if l.Level > autonomy.Lowest || l.Advice != "" {
			v.Levels = append(v.Levels, l)
		}
	})
	for _, id := range slices.Sorted(maps.Keys(recent)) {
		if told := advice(id, autonomy.Lowest); told != "" {
			v.Levels = append(v.Levels, levelOf{Agent: id, Level: autonomy.Lowest, Name: autonomy.Lowest.String(), Advice: told})
		}
	}
	return err
}

func printLevels(con *console, list []levelOf) {
	if len(list) > 0 {
		con.printf("\n")
	}
	for _, l := range list {
		con.printf("%s has autonomy level %d (%s): %s\n", text.Visible(l.Agent), l.Level, l.Name, con.command("evolve autonomy status "+l.Agent))
		if l.Advice != "" {
			con.printf("  ! %s\n", con.localHint(text.Visible(l.Advice)))
		}
	}
}

// lowerAdvice recommends a lower level after repeated unsafe requests.
func lowerAdvice(agentID string, level autonomy.Level, recent int) string {
	told := fmt.Sprintf("%s made %d unsafe requests in the last 7 days", agentID, recent)
	if level == autonomy.Lowest {
		return told + ": `evolve requests list --all` shows them; the agent already has the lowest level"
	}
	return told + ": lower its level with `evolve autonomy lower " + agentID + " --reason \"…\"`"
}

func printAutonomy(con *console, v autonomyView) {
	con.printf("%s  autonomy level %d (%s)\n", text.Visible(v.Agent), v.Level, v.Name)
	if v.InForce != v.Level {
		con.printf("  it acts as if at level %d: this version of evolve enables nothing beyond level %d\n", v.InForce, autonomy.SwitchedOn)
	}
	if v.Unproven != "" {
		con.printf("  ! %s\n", text.Visible(v.Unproven))
	}
	if v.Advice != "" {
		con.printf("  ! %s\n", con.localHint(text.Visible(v.Advice)))
	}
	if len(v.Allowed)+len(v.KeptBack) == 0 {
		con.printf("  tools      only its own: evolve offers it no tools that the level could restrict\n")
	} else {
		con.printf("  allowed    %s\n", orDash(text.Visible(strings.Join(v.Allowed, ", "))))
		con.printf("  withheld   %s\n", orDash(text.Visible(strings.Join(v.KeptBack, ", "))))
	}
	if n := v.Next; n != nil {
		con.printf("\n  level %d (%s) needs\n", n.Level, n.Name)
		printRequirements(con, n.Requirements)
		switch {
		case v.Open != "":
			con.printf("  already requested: %s\n", con.command("evolve show "+v.Open))
		case n.Met:
			con.printf("  %s\n", con.command(fmt.Sprintf("evolve autonomy request %s --level %d --reason \"…\"", v.Agent, n.Level)))
		}
	}
	con.printf("\n")
	printConduct(con, v.Figures)
	for _, c := range slices.Backward(v.Changes) {
		note := orElse("  (imported, without effect)", "", c.Imported)
		if c.Entry == 0 && !c.Imported {
			note = "  (not in the ledger yet)"
		}
		con.printf("  %s  level %d to %d by %s: %s%s\n", day(c.Time), c.From, c.To, cell(c.By, 60), cell(c.Reason, 100), note)
	}
}
