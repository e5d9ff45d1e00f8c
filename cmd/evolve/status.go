package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/reports"
)

// statusView is `evolve status --json`.
type statusView struct {
	Workspace string         `json:"workspace"`
	Running   bool           `json:"running"`
	Awaiting  []proposalLine `json:"awaiting"`
	// Requests counts the change requests that are open.
	Requests int            `json:"open_requests"`
	Runs     []runLine      `json:"runs"`
	Adopted  []proposalLine `json:"adopted"`
}

type runLine struct {
	Run     string           `json:"run"`
	Number  int              `json:"number"`
	State   archive.RunState `json:"state"`
	Exit    int              `json:"exit"`
	Started time.Time        `json:"started"`
	Ended   time.Time        `json:"ended,omitzero"`
	Reason  string           `json:"reason,omitempty"`
	Budget  int              `json:"budget_evals,omitempty"`
	Agents  []agentLine      `json:"agents"`
}

type agentLine struct {
	Agent       string          `json:"agent"`
	Verdict     archive.Verdict `json:"verdict,omitempty"`
	Reason      string          `json:"reason,omitempty"`
	Champion    string          `json:"champion"`
	Evaluations int             `json:"evaluations"`
}

// statusRuns is how many runs the status looks back.
const statusRuns = 5

func (sh *shell) statusCommand() *cli.Command {
	return &cli.Command{
		Name:        "status",
		Usage:       "what awaits a decision, the last runs, what was adopted",
		Description: "Works while a run is on.",
		Action: func(c *cli.Context) error {
			root, err := sh.root(c)
			if err != nil {
				return err
			}
			view := statusView{Workspace: root, Awaiting: []proposalLine{}, Runs: []runLine{}, Adopted: []proposalLine{}}
			if err := lookIfThere(root, func(a *archive.Archive) error { return view.fill(c.Context, a) }); err != nil {
				return err
			}
			if c.Bool("json") {
				return sh.printJSON(view)
			}
			sh.printStatus(view)
			return nil
		},
	}
}

func (v *statusView) fill(ctx context.Context, a *archive.Archive) error {
	err := forEachProposal(ctx, a, func(p archive.ProposalRecord) {
		switch {
		case undecided(p):
			v.Awaiting = append(v.Awaiting, lineOf(p))
		case p.State == archive.Adopted:
			v.Adopted = append(v.Adopted, lineOf(p))
		}
	})
	if err != nil {
		return err
	}
	err = forEachRequest(ctx, a, func(r archive.ChangeRequestRecord) {
		if r.State == archive.RequestOpen {
			v.Requests++
		}
	})
	if err != nil {
		return err
	}
	for r, err := range a.Runs(ctx) {
		if err != nil {
			return fmt.Errorf("reading the runs: %w", err)
		}
		if len(v.Runs) == statusRuns {
			break
		}
		line := runLine{Run: r.ID, Number: r.Number, State: r.State, Exit: r.Exit, Started: r.Started, Ended: r.Ended, Reason: r.Reason, Budget: r.BudgetEval, Agents: []agentLine{}}
		v.Running = v.Running || r.State == archive.RunRunning
		for _, id := range r.Agents {
			agent, err := agentLineOf(ctx, a, r.ID, id)
			if err != nil {
				return err
			}
			line.Agents = append(line.Agents, agent)
		}
		v.Runs = append(v.Runs, line)
	}
	return nil
}

func agentLineOf(ctx context.Context, a *archive.Archive, run, id string) (agentLine, error) {
	line := agentLine{Agent: id}
	plan, err := a.Plan(ctx, run, id)
	if errors.Is(err, archive.ErrNotFound) {
		return line, nil
	}
	if err != nil {
		return line, fmt.Errorf("reading a plan: %w", err)
	}
	champion, err := a.Variant(ctx, id, plan.Champion)
	if err == nil {
		line.Champion = fmt.Sprintf("v%d", champion.Number)
	} else if !errors.Is(err, archive.ErrNotFound) {
		return line, fmt.Errorf("reading the champion: %w", err)
	}
	result, err := a.Result(ctx, run, id)
	if errors.Is(err, archive.ErrNotFound) {
		return line, nil
	}
	if err != nil {
		return line, fmt.Errorf("reading a result: %w", err)
	}
	line.Verdict, line.Reason, line.Evaluations = result.Verdict, result.Reason, result.Search.Evaluations
	return line, nil
}

func (sh *shell) printStatus(v statusView) {
	out := func(format string, args ...any) { _, _ = fmt.Fprintf(sh.stdout, format, args...) }
	if v.Requests > 0 {
		defer out("\n%s of agents %s open: %s\n", count(v.Requests, "change request"), orElse("is", "are", v.Requests == 1), sh.typed("evolve requests list"))
	}
	if len(v.Runs)+len(v.Awaiting)+len(v.Adopted) == 0 {
		out("nothing has run in this workspace yet\n\n  next    %s\n", sh.typed("evolve run"))
		return
	}
	if len(v.Awaiting) == 0 {
		out("nothing awaits a decision\n")
	}
	for _, p := range v.Awaiting {
		out("%s awaits a decision: %s\n", p.ID, reports.Visible(p.Title))
		out("    %s\n    %s\n", sh.typed("evolve show "+p.ID), sh.typed("evolve approve "+p.ID))
	}
	if len(v.Runs) > 0 {
		out("\nlast runs\n")
	}
	for _, r := range v.Runs {
		out("  %-12s  %s  %s", r.Run, r.Started.Local().Format("_2 Jan 15:04"), r.State)
		if r.Exit != 0 {
			out(" (exit %d)", r.Exit)
		}
		if r.Budget > 0 {
			out(", budget %s evaluations", humanize.Comma(int64(r.Budget)))
		}
		out("\n")
		for _, a := range r.Agents {
			out("      %s  %s", reports.Visible(a.Agent), orDash(a.Champion))
			if a.Verdict != "" {
				out("  %s: %s", a.Verdict, reports.Visible(a.Reason))
			}
			out("\n")
		}
	}
	if len(v.Adopted) > 0 {
		out("\nadopted\n")
		for _, p := range v.Adopted {
			out("  %-4s %s     %s\n", p.ID, reports.Visible(p.Title), sh.typed("evolve rollback "+p.ID))
		}
	}
}
