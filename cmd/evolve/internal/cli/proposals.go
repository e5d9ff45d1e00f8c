package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/wire"
	"evolve/gates/review"
	"evolve/reports/model"
	foreign "evolve/runtime/text"
)

// proposalLine is one proposal in a list.
type proposalLine struct {
	ID      string                `json:"id"`
	State   archive.ProposalState `json:"state"`
	Kind    archive.ProposalKind  `json:"kind"`
	Agent   string                `json:"agent"`
	Title   string                `json:"title"`
	Run     string                `json:"run"`
	Variant string                `json:"variant"`
	Created time.Time             `json:"created"`
	By      string                `json:"by,omitempty"`
	Commit  string                `json:"commit,omitempty"`
	// Claim describes the known facts about the variant; it is absent if there was no
	// confirmation.
	Claim stats.Claim `json:"claim,omitempty"`
	// Price lists what gets worse or more expensive with a variant that awaits a decision,
	// as in the decision box. For a decided variant it lists the guards that the variant
	// breaks. It is absent if there is nothing to list.
	Price []string `json:"price,omitempty"`
	// broken describes the guards that the variant breaks; it is empty if it breaks none.
	broken []string
	// Stale names what has changed in the workspace since a config was measured. A stale
	// config cannot be approved.
	Stale []string `json:"stale,omitempty"`
	// Moved states that a patch was made for code other than its target's present code, and
	// whether it still applies.
	Moved string `json:"moved,omitempty"`
	// Blocked reports whether the patch cannot be approved because the code moved.
	Blocked bool `json:"blocked,omitempty"`
	// Overtaken names the memories that the proposal adds or marks although they are
	// already as proposed, or have been retracted in the meantime.
	Overtaken []string `json:"overtaken,omitempty"`
	// Imported reports whether the line only repeats what an export states.
	Imported bool `json:"imported,omitempty"`
	// Branch is the branch on a remote under which the proposal awaits a person.
	Branch *model.Branch `json:"branch,omitempty"`
	// Lost is an earlier decision on a proposal that awaits a person; the decision was
	// recorded in ledger entries that a restore lost.
	Lost *archive.LostDecision `json:"lost_decision,omitempty"`
}

func lineOf(ctx context.Context, a *archive.Archive, p archive.ProposalRecord) (proposalLine, error) {
	l := proposalLine{
		ID: p.ID, State: p.State, Kind: p.Kind, Agent: p.Agent, Title: p.Title, Run: p.Run,
		Variant: string(p.Variant), Created: p.Created, Commit: p.AdoptedCommit,
	}
	if p.Decision != nil {
		l.By = p.Decision.By
	}
	l.Imported, l.Branch = p.Imported != "", model.BranchOf(p)
	var err error
	if undecided(p) {
		if l.Lost, err = a.LostDecision(ctx, p.ID); err != nil {
			return l, err
		}
	}
	if l.Claim, err = claimOf(ctx, a, p); err != nil {
		return l, err
	}
	if l.broken, err = pricesOf(ctx, a, p); err != nil {
		return l, err
	}
	if undecided(p) {
		l.Price, err = priceOf(ctx, a, p)
		return l, err
	}
	l.Price = breaking(l.broken)
	return l, nil
}

// allProposals reads the proposals.
func allProposals(ctx context.Context, a *archive.Archive) (list []archive.ProposalRecord, err error) {
	err = forEachProposal(ctx, a, func(p archive.ProposalRecord) { list = append(list, p) })
	return list, err
}

// linesOf lists the proposals for which wanted returns true.
func linesOf(ctx context.Context, a *archive.Archive, wanted func(archive.ProposalRecord) bool) ([]proposalLine, error) {
	list, err := allProposals(ctx, a)
	if err != nil {
		return nil, err
	}
	return linesIn(ctx, a, list, wanted)
}

// linesIn is like linesOf, for proposals that were already read.
func linesIn(ctx context.Context, a *archive.Archive, list []archive.ProposalRecord, wanted func(archive.ProposalRecord) bool) ([]proposalLine, error) {
	lines := []proposalLine{}
	for _, p := range list {
		if !wanted(p) {
			continue
		}
		line, err := lineOf(ctx, a, p)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// undecided reports whether a proposal still awaits a decision.
func undecided(p archive.ProposalRecord) bool { return slices.Contains(approving().states, p.State) }

func proposalsCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name:        "proposals",
		Usage:       "list what awaits a decision",
		Description: "Also works during a run.",
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "all", Usage: "also list what has been decided"}},
		Action: func(c *cli.Context) error {
			lines := []proposalLine{}
			err := readingIfThere(sh, c, func(root string, a *archive.Archive) (err error) {
				lines, err = linesOf(c.Context, a, func(p archive.ProposalRecord) bool { return undecided(p) || c.Bool("all") })
				if err != nil {
					return err
				}
				return markStale(c.Context, loadable(root), a, lines)
			})
			if err != nil {
				return err
			}
			return printList(sh.console, "proposals", lines, "nothing awaits a decision", func(p proposalLine) error {
				claim := ""
				if words := claimWords(p.Claim, p.broken); words != "" {
					claim = "  " + words
				}
				if len(p.Stale) > 0 {
					claim = "  stale: " + foreign.Visible(strings.Join(p.Stale, ", ")) + " changed; " + sh.command("evolve run") + " may measure it again"
				}
				if n := len(p.Overtaken); n > 0 {
					claim = "  overtaken: " + foreign.Visible(oneLine(firstOf(p.Overtaken, shownOvertaken), 200))
				}
				_, err := fmt.Fprintf(sh.stdout, "%-4s  %-11s  %s  %s%s\n", p.ID, p.State.Name(), p.Created.Local().Format("2 Jan 15:04"), foreign.Visible(p.Title), claim)
				printPrice(sh.console, "      ", p.Price)
				printLost(sh.console, p)
				printBranch(sh.console, "  ", p.Branch)
				return err
			})
		},
	}
}

// shownOvertaken is the maximum number of overtaken memories that are named on one line.
const shownOvertaken = 3

// firstOf joins the first n words of a list.
func firstOf(words []string, n int) string {
	text := strings.Join(words[:min(len(words), n)], ", ")
	if more := len(words) - n; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// looker opens the archive of the workspace at root and calls look with it.
type looker func(root string, look func(*archive.Archive) error) error

// in finds the workspace and calls look with its root and its archive.
func (open looker) in(sh *shell, c *cli.Context, look func(root string, a *archive.Archive) error) error {
	root, err := sh.root(c)
	if err != nil {
		return err
	}
	return open(root, func(a *archive.Archive) error { return look(root, a) })
}

// reading opens the archive for a command that only reads.
func reading(sh *shell, c *cli.Context, look func(root string, a *archive.Archive) error) error {
	return looker(wire.Look).in(sh, c, look)
}

// inspecting is like reading, for a command that examines a ledger that does not match the
// witness.
func inspecting(sh *shell, c *cli.Context, look func(root string, a *archive.Archive) error) error {
	return looker(wire.Inspect).in(sh, c, look)
}

// readingIfThere is like reading, but for a command that can also answer without an
// archive.
func readingIfThere(sh *shell, c *cli.Context, look func(root string, a *archive.Archive) error) error {
	return looker(wire.LookIfThere).in(sh, c, look)
}

// oneProposal reads the proposal that the command names and calls show with it.
func oneProposal(sh *shell, c *cli.Context, show func(claimed) error) error {
	return reading(sh, c, func(root string, a *archive.Archive) error {
		p, err := proposalOf(c.Context, a, c.Args().First())
		if err != nil {
			return err
		}
		out, err := claimedOf(c.Context, sh, a, root, p)
		if err != nil {
			return err
		}
		return show(out)
	})
}

// fileView is one file of a proposal in JSON form, with its contents as text.
type fileView struct {
	Path string  `json:"path"`
	Old  *string `json:"old"` // null if the file did not exist
	New  *string `json:"new"` // null if the file is removed
}

// proposalView is a proposal in JSON form: its record, with the files as text.
type proposalView struct {
	archive.ProposalRecord
	Files []fileView `json:"files"`
	// Claim describes what may be claimed about the variant; only `evolve show` looks it
	// up.
	Claim stats.Claim `json:"claim,omitempty"`
	// Price has the same meaning as in the list of proposals; only `evolve show` sets it.
	Price []string `json:"price,omitempty"`
	// Stale has the same meaning as in the list of proposals; only `evolve show` sets it.
	Stale []string `json:"stale,omitempty"`
	// Contradiction describes how the stored evaluations contradict the proposal's
	// evidence; only `evolve show` sets it.
	Contradiction string `json:"contradiction,omitempty"`
	// Notes describe how far a decision on the proposal can be trusted if it is known
	// only from an export, or if a restore has lost it. Only `evolve show` looks them up.
	Notes []string `json:"notes,omitempty"`
	// Decisions are all decisions on the proposal, the oldest first; only `evolve show` sets
	// them.
	Decisions []archive.DecisionRecord `json:"decisions,omitempty"`
	// Later holds the adopted patches that build on a patch that was rolled back. After is
	// the result of the operator's program. Both are set only for a decision.
	Later []string      `json:"later,omitempty"`
	After *review.After `json:"after,omitempty"`
	// RollbackBranch is the branch on a remote under which a rollback is proposed.
	RollbackBranch string `json:"rollback_branch,omitempty"`
	// Addressed names the locations of texts that address a reviewer.
	Addressed []string `json:"addressed_to_reviewers,omitempty"`
}

func viewOf(p archive.ProposalRecord) proposalView {
	v := proposalView{ProposalRecord: p, Files: []fileView{}, Addressed: model.Addressed(p)}
	text := func(data []byte) *string {
		if data == nil {
			return nil
		}
		s := string(data)
		return &s
	}
	for _, f := range p.Files {
		v.Files = append(v.Files, fileView{f.Path, text(f.Old), text(f.New)})
	}
	return v
}

func showCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name:        "show",
		Usage:       "show one proposal in full: what changes, its gates, its history",
		ArgsUsage:   "ID",
		Description: "Also works during a run.",
		Flags:       []cli.Flag{allGatesFlag()},
		Action: func(c *cli.Context) error {
			return oneProposal(sh, c, func(p claimed) error {
				if p.Patch != nil {
					return showPatch(sh, c, p)
				}
				view := viewOf(p.ProposalRecord)
				view.Claim, view.Contradiction, view.Notes, view.Price, view.Stale = p.claim, p.against, p.notes, p.price, p.stale
				view.Decisions = p.decisions
				return sh.show(view, func() { printProposal(sh.console, p, c.Bool("all")) })
			})
		},
	}
}

// printProposal shows a proposal that is not a patch. If all is set, it lists each gate.
func printProposal(con *console, p claimed, all bool) {
	con.printf("%s  %s  %s\n", p.ID, foreign.Visible(p.Title), p.State.Name())
	if p.waited != "" {
		con.printf("    %s\n", p.waited)
	}
	if p.Rationale != "" {
		con.printf("    %s\n", foreign.Visible(p.Rationale))
	}
	if words := claims[p.claim]; words != "" {
		con.printf("    claim: %s\n", words)
	}
	if words := p.staleWords(con); words != "" {
		con.printf("    %s\n", words)
	}
	printPrice(con, "    ", p.price)
	if p.against != "" {
		con.printf("  ! no claim: %s\n", foreign.Visible(p.against))
	}
	printFlags(con, p.Gates)
	con.printAddressed("  ", model.Addressed(p.ProposalRecord))
	con.printf("\nchanges\n")
	printChanges(con.stdout, p.Changes, 24)
	printFiles(con.stdout, p.Files, false)
	printWritten(con, p.ProposalRecord)
	printLevel(con, p.Autonomy)
	printGates(con, p.ID, p.Gates, all)
	con.printf("\nprovenance\n")
	con.printFacts(p.provenance())
	printDecisions(con, orLatest(p.decisions, p.ID, p.Decision))
	con.printAddressed("  ", p.notes)
	printBranch(con, "  ", model.BranchOf(p.ProposalRecord))
	printCommands(con, p.commands())
}

// provenance names the origins of a proposal; empty values are left out.
func (p claimed) provenance() [][2]string {
	return [][2]string{
		{"imported", p.Imported.Name()},
		{"agent", p.Agent},
		{"run", p.Run},
		{"variant", p.variant},
		{"instead of", p.champion},
		{"evidence", p.Evidence},
		{"commit", p.Commit},
		{"ref", p.Ref},
		{"adopted as", p.AdoptedCommit},
	}
}

// printPrice prints what gets worse or more expensive.
func printPrice(con *console, indent string, lines []string) {
	for _, line := range lines {
		con.printf("%s%s\n", indent, foreign.Visible(line))
	}
}

// printAddressed prints the locations of texts that address a reviewer.
func (con *console) printAddressed(indent string, places []string) {
	for _, place := range places {
		con.printf("%s! %s\n", indent, place)
	}
}

// printFlags prints the findings that gates flagged for a person.
func printFlags(con *console, list []archive.GateVerdict) {
	for _, flag := range model.Flags(list) {
		con.printf("    flagged: %s\n", foreign.Visible(flag))
	}
}

func printDecided(con *console, action, by string, at time.Time, reason string) {
	con.printf("  %-10s %s\n", "decision", decidedWords(action, by, at, "", reason))
}

// decidedWords describes a decision. commit may be empty; otherwise it is abbreviated.
func decidedWords(action, by string, at time.Time, commit, reason string) string {
	words := foreign.Visible(action) + " by " + foreign.Visible(by) + " on " + day(at)
	if commit != "" {
		words += ", commit " + foreign.Visible(commit[:min(12, len(commit))])
	}
	if reason != "" {
		words += ": " + foreign.Visible(reason)
	}
	return words
}

// printCommands prints the possible next commands.
func printCommands(con *console, commands []string) {
	if len(commands) > 0 {
		con.printf("\n")
	}
	for _, command := range commands {
		con.printf("  %s\n", con.command(command))
	}
}

// decisionsOn returns the commands for deciding on a proposal.
func decisionsOn(p archive.ProposalRecord) []string {
	reject := "evolve reject " + p.ID + ` --reason "…"`
	if model.BranchOf(p) != nil {
		return []string{"evolve diff " + p.ID, reject}
	}
	if p.Kind == archive.KindAutonomy {
		switch p.State {
		case archive.Awaiting:
			return []string{"evolve approve " + p.ID + ` --reason "…"`, reject}
		case archive.Adopted:
			if p.Imported == "" {
				return []string{"evolve autonomy lower " + p.Agent + ` --reason "…"`}
			}
			return nil
		}
	}
	switch p.State {
	case archive.Awaiting:
		return []string{"evolve approve " + p.ID, "evolve diff " + p.ID, reject}
	case archive.HumanLane:
		return []string{"evolve approve " + p.ID + ` --override-reason "…"`, "evolve diff " + p.ID, reject}
	case archive.Approved: // the commit is missing, and a second approval creates it
		return []string{"evolve approve " + p.ID, reject}
	case archive.GateFailed, archive.Drafted:
		return []string{reject}
	case archive.Adopted:
		if p.Imported == "" { // what another archive adopted can be reverted only with git
			return []string{"evolve rollback " + p.ID}
		}
	}
	return nil
}

// printLost shows a decision on a proposal if a restore has lost the decision.
func printLost(con *console, p proposalLine) {
	if p.Lost != nil {
		con.printf("  ! %s, according to ledger entries that a restore lost\n", lostWords(*p.Lost))
	}
}

// provenanceNotes describes how far a decision on a proposal can be trusted if the ledger
// here did not record the decision.
func provenanceNotes(ctx context.Context, sh *shell, a *archive.Archive, root string, p archive.ProposalRecord) ([]string, error) {
	if undecided(p) {
		d, err := a.LostDecision(ctx, p.ID)
		if err != nil || d == nil {
			return nil, err
		}
		return []string{lostWords(*d) + ", according to ledger entries that a restore lost"}, nil
	}
	if p.Imported == "" || p.Decision == nil {
		return nil, nil
	}
	commits, err := commitsOf(ctx, sh, a, root, review.Audit{})
	var odd *archive.AuditError
	switch {
	case errors.As(err, &odd):
		return []string{"imported, but a commit here contradicts the ledger: " + foreign.Visible(odd.Error())}, nil
	case err != nil:
		return nil, err
	case commits.Confirmed[p.ID]:
		return []string{"imported; a commit here confirms the decision and who made it"}, nil
	}
	return []string{"imported: the decision and who made it are as stated in the export, without proof"}, nil
}

func diffCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name:        "diff",
		Usage:       "show what a proposal changes, file by file",
		ArgsUsage:   "ID",
		Description: "Invisible and control characters are shown escaped. Also works during a run.",
		Action: func(c *cli.Context) error {
			return oneProposal(sh, c, func(p claimed) error {
				files := viewOf(p.ProposalRecord).Files
				return sh.show(map[string]any{"id": p.ID, "changes": p.Changes, "files": files}, func() { printDiff(sh.console, p.ProposalRecord) })
			})
		},
	}
}

func printDiff(con *console, p archive.ProposalRecord) {
	out := unfolded(con.stdout)
	if p.Patch != nil {
		_, _ = fmt.Fprint(out, review.Unified(p)) // escaped
		return
	}
	for _, f := range p.Files {
		before, after := "a/"+f.Path, "b/"+f.Path
		if f.Old == nil {
			before = "/dev/null"
		}
		if f.New == nil {
			after = "/dev/null"
		}
		for line := range strings.Lines(udiff.Unified(before, after, string(f.Old), string(f.New))) {
			_, _ = fmt.Fprintf(out, "%s\n", foreign.Visible(strings.TrimSuffix(line, "\n")))
		}
	}
}

// forEach calls look for every record in a list. Errors contain the name of the list.
func forEach[T any](name string, list iter.Seq2[T, error], look func(T)) error {
	for v, err := range list {
		if err != nil {
			return fmt.Errorf("reading the %s: %w", name, err)
		}
		look(v)
	}
	return nil
}

// forEachProposal calls the function look once for each proposal.
func forEachProposal(ctx context.Context, a *archive.Archive, look func(archive.ProposalRecord)) error {
	return forEach("proposals", a.Proposals(ctx), look)
}
