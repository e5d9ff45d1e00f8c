package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/signing"
	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/runtime/autonomy"
	"evolve/runtime/text"
)

func autonomyCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "autonomy", Usage: "what an agent may do in live turns, and what a higher level needs",
		Subcommands: []*cli.Command{
			{
				Name: "status", Usage: "show the level and the tools of each agent, and which requirements of the next level it meets", ArgsUsage: "[AGENT]", Description: "Also works during a run.",
				Action: func(c *cli.Context) error { return autonomyStatus(sh, c) },
			},
			{
				Name: "request", Usage: "ask for the next higher level for an agent", ArgsUsage: "AGENT",
				Description: "The request becomes a proposal that a person approves with a comment. It is refused, with exit code 4, unless the\n" +
					"archive shows that the requirements are met.",
				Flags: []cli.Flag{
					&cli.IntFlag{Name: "level", Usage: "the autonomy level `N` to request"},
					&cli.StringFlag{Name: "reason", Usage: "the `REASON`, for the person who decides"},
					&cli.StringFlag{Name: "from", Usage: "the `ID` of the change request in which the agent asked for the level"},
					byFlag(),
				},
				Action: func(c *cli.Context) error { return autonomyRequest(sh, c) },
			},
			{
				Name: "requests", Usage: "list the requests for levels, open and decided", Description: "Also works during a run.",
				Action: func(c *cli.Context) error { return autonomyRequests(sh, c) },
			},
			{
				Name: "lower", Usage: "lower the level of an agent at once", ArgsUsage: "AGENT", Description: "Also works during a run: the level takes effect at once, and the run adds it to the ledger when it ends.",
				Flags: []cli.Flag{
					&cli.IntFlag{Name: "level", Usage: "the level `N`; the next lower one by default"},
					&cli.StringFlag{Name: "reason", Usage: "the `REASON`, for the ledger"},
					byFlag(),
				},
				Action: func(c *cli.Context) error { return autonomyLower(sh, c) },
			},
		},
	}
}

func autonomyRequest(sh *shell, c *cli.Context) error {
	if err := mayDecide(sh, c, "autonomy request", true); err != nil {
		return err
	}
	w, a, err := sh.loadAgent(c, c.Args().First())
	if err != nil {
		return err
	}
	if !c.IsSet("level") {
		return exit.Errorf(exit.Usage, "`evolve autonomy status "+a.ID+"` shows the next level", "--level is missing")
	}
	r := review.LevelRequest{Agent: a.ID, Level: autonomy.Level(c.Int("level")), Reason: sh.Scrub(w)(c.String("reason"))}
	if r.By, err = decider(sh, c, w.Root); err != nil {
		return err
	}
	if err := review.Discreet(c.String("reason")); err != nil {
		return err
	}
	store, err := sh.OpenArchive(w.Root, "evolve autonomy request")
	if err != nil {
		return err
	}
	p, err := proposeLevel(c.Context, sh, w, store, r, c.String("from"))
	if err = errors.Join(err, store.Close()); err != nil {
		return err
	}
	return sh.show(levelLineOf(p), func() {
		sh.printf("%s asks for %s\n\n  %s\n  %s\n", p.ID, text.Visible(p.Title), sh.command("evolve show "+p.ID), sh.command("evolve approve "+p.ID+` --reason "…"`))
	})
}

// proposeLevel makes a proposal to change an agent's level. from is the id of the agent's
// change request to which the proposal responds; it is empty if there is no such request.
func proposeLevel(ctx context.Context, sh *shell, w *workspace.Workspace, store *archive.Archive, r review.LevelRequest, from string) (archive.ProposalRecord, error) {
	if from != "" {
		asked, err := requestOf(ctx, store, from)
		if err != nil {
			return archive.ProposalRecord{}, err
		}
		if asked.Request.Type != autonomy.RequestType || asked.Agent != r.Agent {
			return archive.ProposalRecord{}, exit.Errorf(exit.Usage, "`evolve requests list` shows what each request asks for", "%s is not a request by %s for a level of autonomy", asked.ID, r.Agent)
		}
		if asked.State == archive.RequestDenied {
			return archive.ProposalRecord{}, exit.Errorf(exit.Gate, "leave --from out, and give your own reason", "%s was denied, so no request can be based on it", asked.ID)
		}
		r.Request = asked.ID
	}
	return sh.Reviewer(w, review.Opened(store)).ProposeAutonomy(ctx, r)
}

func autonomyLower(sh *shell, c *cli.Context) error {
	if err := mayDecide(sh, c, "autonomy lower", true); err != nil {
		return err
	}
	w, err := sh.load(c)
	if err != nil {
		return err
	}
	id := c.Args().First()
	if id == "" {
		return exit.Misuse(errors.New("autonomy lower needs an AGENT"))
	}
	word := review.Decision{Reason: c.String("reason")}
	if word.By, err = decider(sh, c, w.Root); err != nil {
		return err
	}
	if err := review.Discreet(word.Reason); err != nil {
		return err
	}
	r, err := lowerLevel(c, sh, w, id, word)
	if err != nil {
		return err
	}
	return sh.show(r, func() {
		last := r.Changes[len(r.Changes)-1]
		sh.printf("%s has autonomy level %d (%s) from now on; it was %d\n", text.Visible(r.Agent), r.Level, r.Level, last.From)
	})
}

// lowerLevel lowers the level of an agent. If the archive cannot be written to, because
// another process holds it or the key cannot be used, the lower level is in force without
// its ledger entry. The next command that records something adds the entry.
func lowerLevel(c *cli.Context, sh *shell, w *workspace.Workspace, id string, word review.Decision) (archive.AutonomyRecord, error) {
	to := autonomy.Level(c.Int("level"))
	store, err := sh.OpenArchive(w.Root, "evolve autonomy lower")
	if err == nil {
		r, err := lowerable(c, sh, w, store, id)
		if err == nil {
			r, err = sh.Reviewer(w, review.Opened(store)).LowerAutonomy(c.Context, id, to, word)
		}
		return r, errors.Join(err, store.Close())
	}
	if !errors.Is(err, archive.ErrLocked) && !errors.As(err, new(signing.KeyError)) {
		return archive.AutonomyRecord{}, err
	}
	unrecorded := err
	var r archive.AutonomyRecord
	err = wire.Look(w.Root, func(store *archive.Archive) (err error) {
		r, err = lowerable(c, sh, w, store, id)
		return err
	})
	if err != nil {
		return r, err
	}
	change, err := sh.Reviewer(w, nil).Lowering(r, to, word)
	if err != nil {
		return r, err
	}
	if err := wire.KeepLowering(w.Root, id, change); err != nil {
		return r, err
	}
	sh.Log.Warn("the lower level is in effect but not yet in the ledger; the next command that records something adds it: " + unrecorded.Error())
	r.Level, r.Changes = change.To, append(r.Changes, change)
	return r, nil
}

// lowerable returns the level of an agent, which must be in the workspace or have a stored
// level.
func lowerable(c *cli.Context, sh *shell, w *workspace.Workspace, store *archive.Archive, id string) (archive.AutonomyRecord, error) {
	r, err := wire.Autonomy(c.Context, w.Root, store, id)
	if err != nil {
		return r, err
	}
	if _, _, err := sh.loadAgent(c, id); err != nil && len(r.Changes) == 0 {
		return r, err
	}
	if c.IsSet("level") && c.Int("level") == 0 {
		return r, exit.Errorf(exit.Usage, "the lowest level is 1", "there is no level 0")
	}
	return r, nil
}

// levelLine is the entry for one level request in a list.
type levelLine struct {
	ID      string                `json:"id"`
	State   archive.ProposalState `json:"state"`
	Agent   string                `json:"agent"`
	From    autonomy.Level        `json:"from"`
	To      autonomy.Level        `json:"to"`
	Reason  string                `json:"reason"`
	By      string                `json:"by,omitempty"`
	Request string                `json:"request,omitempty"`
	Created time.Time             `json:"created"`
	// Figures and Requirements are those that the archive showed when the request was made.
	Figures      autonomy.Figures       `json:"figures"`
	Requirements []autonomy.Requirement `json:"requirements"`
	Risks        []string               `json:"risks"`
	Decision     *archive.DecisionBrief `json:"decision,omitempty"`
	Imported     bool                   `json:"imported,omitempty"`
}

func levelLineOf(p archive.ProposalRecord) levelLine {
	l := levelLine{
		ID: p.ID, State: p.State, Agent: p.Agent, Reason: p.Rationale, Created: p.Created, Decision: p.Decision, Imported: p.Imported != "",
		Requirements: []autonomy.Requirement{}, Risks: []string{},
	}
	if b := p.Autonomy; b != nil {
		l.From, l.To, l.By, l.Request, l.Figures = b.From, b.To, b.By, b.Request, b.Figures
		l.Requirements, l.Risks = append(l.Requirements, b.Needs...), append(l.Risks, b.Risks...)
	}
	return l
}

func autonomyRequests(sh *shell, c *cli.Context) error {
	lines := []levelLine{}
	err := readingIfThere(sh, c, func(_ string, a *archive.Archive) error {
		return forEachProposal(c.Context, a, func(p archive.ProposalRecord) {
			if p.Kind == archive.KindAutonomy {
				lines = append(lines, levelLineOf(p))
			}
		})
	})
	if err != nil {
		return err
	}
	return printList(sh.console, "requests", lines, "no level of autonomy has been requested", func(l levelLine) error {
		decided := ""
		if d := l.Decision; d != nil {
			decided = fmt.Sprintf("  %s by %s: %s", text.Visible(d.Action), cell(d.By, 40), cell(d.Reason, 60))
		}
		_, err := fmt.Fprintf(sh.stdout, "%-4s  %-9s  %s  %-12s  level %d to %d  %s%s\n", l.ID, l.State.Name(), stamp(l.Created, "_2 Jan 15:04"),
			cell(l.Agent, 24), l.From, l.To, cell(l.Reason, 60), decided)
		return err
	})
}

// printLevel prints what the archive showed about an agent when a level was requested.
func printLevel(con *console, b *archive.AutonomyBrief) {
	if b == nil {
		return
	}
	con.printf("\nrequirements of level %d (%s)\n", b.To, b.To)
	printRequirements(con, b.Needs)
	con.printf("\nwhat else the archive showed\n")
	printConduct(con, b.Figures)
	for _, risk := range b.Risks {
		con.printf("  ! risk: %s\n", text.Visible(risk))
	}
	con.printFacts([][2]string{{"asked by", b.By}, {"request", b.Request}})
}

func printRequirements(con *console, list []autonomy.Requirement) {
	for _, r := range list {
		con.printf("  %-5s  %-20s  %s; needed: %s\n", orElse("met", "unmet", r.Met), r.Name, text.Visible(r.Have), r.Need)
	}
}

// printConduct prints the figures that are not part of any requirement.
func printConduct(con *console, f autonomy.Figures) {
	for _, line := range conductLines(f) {
		con.printf("  %s\n", line)
	}
}

// conductLines returns lines with the figures that are not part of any requirement.
func conductLines(f autonomy.Figures) []string {
	list := []string{
		fmt.Sprintf("people approved %d of this agent's %d decided requests and proposals", f.Granted, f.Decided),
		fmt.Sprintf("it made %s, %d of them in the last 7 days", count(f.Unsafe, "unsafe request"), f.Recent),
	}
	if f.LeftOut > 0 {
		list = append(list, orElse("1 turn was", fmt.Sprintf("%d turns were", f.LeftOut), f.LeftOut == 1)+" imported and did not count")
	}
	if !f.Since.IsZero() {
		list = append(list, "turns count only if they came after the level was last lowered, on "+day(f.Since))
	}
	return list
}

// levelGrounds returns the lines about a level that are shown before the question whether
// to approve it.
func levelGrounds(to autonomy.Level, f autonomy.Figures) []string {
	var out []string
	for _, r := range autonomy.Requirements(to, f) {
		out = append(out, fmt.Sprintf("%s: %s; needed: %s", r.Name, r.Have, r.Need))
	}
	out = append(out, fmt.Sprintf("people approved %d of this agent's %d decided requests and proposals", f.Granted, f.Decided))
	for _, risk := range autonomy.Risks(to, f) {
		out = append(out, "! risk: "+risk)
	}
	return out
}

// needsComment refuses the approval of a level without a comment.
func needsComment(d decision, p archive.ProposalRecord, reason string) error {
	if d.name != "approve" || p.Kind != archive.KindAutonomy || strings.TrimSpace(reason) != "" {
		return nil
	}
	return exit.Errorf(exit.Usage, "add a comment for later readers with --reason \"…\"", "approving a level of autonomy needs a comment")
}
