package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/gates/review"
	"evolve/mutate/night"
	"evolve/runtime/text"
)

// noArchiveID is typed on the command line instead of an archive id, for a backup that has
// no id.
const noArchiveID = "none"

func archiveRestoreCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "restore", Usage: "recreate the archive from a backup, in a workspace without an archive", ArgsUsage: "FILE",
		Description: "Reads backups made by `evolve archive backup` and by nights, and the schema-N.backup that a change to the " +
			"archive's format leaves in .evolve/archive. The checksum, every record and the ledger are checked before the " +
			"archive is put in place. A backup is refused if .evolve/archive.head and the commits name a different archive. " +
			"Decisions that an older backup does not have are listed before you are asked to confirm.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "archive", Usage: "accept a backup of a different archive, the one with this `ID` (\"" + noArchiveID + "\" for a backup without an id)"},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask before records are lost; needed if there is no terminal"},
		},
		Action: func(c *cli.Context) error { return archiveRestore(sh, c) },
	}
}

// restoreView is the output of `evolve archive restore --json`.
type restoreView struct {
	backupView
	// Lost are the known decisions that the backup does not have. LostEntries is the number
	// of ledger entries known to be missing from the backup.
	Lost        []archive.LostDecision `json:"lost"`
	LostEntries int64                  `json:"lost_entries"`
}

func archiveRestore(sh *shell, c *cli.Context) error {
	name := c.Args().First()
	root, in, err := intoVacant(sh, c, "a backup is restored only into a workspace without an archive")
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	var lost archive.Succession
	how := archive.Building{Owner: "evolve archive restore", Now: sh.Now, Loses: func() archive.Succession { return lost }}
	how.Weigh = func(ctx context.Context, a *archive.Archive, held archive.Contents) (err error) {
		lost, err = compareBackup(ctx, sh, c, root, a, held)
		return err
	}
	held, err := archive.Restore(c.Context, wire.ArchiveDir(root), bufio.NewReader(in), how)
	if err != nil {
		var own *exit.Error
		if errors.As(err, &own) || errors.Is(err, night.ErrInterrupted) {
			return err
		}
		err = fmt.Errorf("restoring %s: %w", name, err)
		if code, _ := exit.Of(err); code == exit.Unexpected || errors.Is(err, archive.ErrCorrupt) {
			return exit.Errorf(exit.Integrity, "try an older backup: only a complete and unchanged backup is restored", "%w", err)
		}
		return err
	}
	sh.stands = "the archive is restored"
	if sh.json {
		return sh.printJSON(restoreView{backupView{name, held}, append([]archive.LostDecision{}, lost.Lost...), lost.Entries})
	}
	return printContents(sh.console, "restored from "+name, held)
}

// compareBackup compares a backup with what is known about the workspace's archive from the
// head stored next to the archive and from the commits. It refuses a backup of another
// archive, and asks for confirmation before anything is lost.
func compareBackup(ctx context.Context, sh *shell, c *cli.Context, root string, a *archive.Archive, held archive.Contents) (archive.Succession, error) {
	var lost archive.Succession
	w, there, err := archive.WitnessOf(wire.ArchiveDir(root))
	if err != nil && !errors.Is(err, archive.ErrCorrupt) {
		return lost, err
	}
	there = there && err == nil
	commits, err := commitsOf(ctx, sh, a, root, review.Audit{Older: true})
	if err != nil {
		return lost, err
	}
	id := cmp.Or(held.Archive, noArchiveID)
	foreign := ""
	switch named := slices.Sorted(maps.Keys(commits.Others)); {
	case there && w.Archive != held.Archive && (w.Next == nil || w.Next.Archive != held.Archive):
		foreign = filepath.Join(".evolve", "archive.head") + " names the archive " + w.Archive
	case !there && len(named) > 0 && commits.Compared+len(commits.Later)+len(commits.Lost) == 0:
		foreign = "the commits of this repository name the archive " + text.Visible(strings.Join(named, ", "))
	}
	switch wanted := c.String("archive"); {
	case foreign != "" && wanted == "":
		return lost, exit.Errorf(exit.Gate, "`evolve archive import` imports an export as history; to replace that archive with this backup, add --archive "+id,
			"the backup is of the archive %s, but %s", id, foreign)
	case wanted != "" && wanted != id:
		return lost, exit.Errorf(exit.Gate, "leave the flag out for a backup of this workspace", "the backup is of the archive %s, not of %s", id, wanted)
	}
	if lost, err = lossOf(ctx, root, a, w, there, commits); err != nil {
		return lost, err
	}
	if lost.Entries == 0 && len(lost.Lost) == 0 && foreign == "" {
		return lost, nil
	}
	return lost, confirmLoss(ctx, sh.console, c, lost, foreign)
}

// lossOf returns the records that a backup does not have, as far as they are known from an
// archive that was set aside in the workspace and from commits.
func lossOf(ctx context.Context, root string, a *archive.Archive, w archive.Witness, there bool, commits review.Commits) (archive.Succession, error) {
	var lost archive.Succession
	id, err := a.ID(ctx)
	if err != nil {
		return lost, err
	}
	end, head, err := a.LedgerHead(ctx)
	if err != nil {
		return lost, err
	}
	if there && w.Archive == id {
		has, err := a.Holds(ctx, w)
		if err != nil {
			return lost, err
		}
		if !has {
			lost.Entries = max(1, w.Seq-end)
		}
	}
	aside, err := filepath.Glob(filepath.Join(root, ".evolve", "*", "store"))
	if err != nil {
		return lost, err
	}
	for _, store := range aside {
		n, list := laterEntries(ctx, filepath.Dir(store), id, end, head)
		if n > lost.Entries || n == lost.Entries && len(list) > len(lost.Lost) {
			lost.Entries, lost.Lost = n, list
		}
	}
	for _, l := range commits.Later {
		told := func(d archive.LostDecision) bool { return d.Proposal == l.Proposal && d.Action == l.Action }
		if !l.Imported && l.Action != "" && !slices.ContainsFunc(lost.Lost, told) {
			lost.Lost = append(lost.Lost, archive.LostDecision{Proposal: l.Proposal, Action: l.Action, By: l.By, Commit: l.Commit})
		}
	}
	return lost, nil
}

// laterEntries compares the archive in a folder with the head of an older copy of it. It
// returns the number of the archive's entries after that head, and the decisions among
// them. It returns none if the folder has another archive, or if the archive does not
// have that head or cannot be read.
func laterEntries(ctx context.Context, dir, id string, end int64, head string) (int64, []archive.LostDecision) {
	a, err := archive.Inspect(dir)
	if err != nil {
		return 0, nil
	}
	defer func() { _ = a.Close() }()
	if other, err := a.ID(ctx); err != nil || other != id {
		return 0, nil
	}
	if has, err := a.Holds(ctx, archive.Witness{Seq: end, Hash: head}); err != nil || end > 0 && !has {
		return 0, nil
	}
	n, list, err := a.DecisionsAfter(ctx, end)
	if err != nil {
		return 0, nil
	}
	return n, list
}

// lostWords describes a lost decision.
func lostWords(d archive.LostDecision) string {
	done := d.Action
	switch done {
	case "approve":
		done = "approved"
	case "reject":
		done = "rejected"
	case "rollback":
		done = "rolled back"
	}
	words := text.Visible(fmt.Sprintf("%s was %s by %s", d.Proposal, done, d.By))
	if !d.Time.IsZero() {
		words += " on " + d.Time.Local().Format("2 Jan 2006 15:04")
	}
	if d.Commit != "" {
		words += fmt.Sprintf(" (commit %s)", text.Visible(wire.Abbreviated(d.Commit)))
	}
	return words
}

// confirmLoss lists what would be lost and asks for confirmation.
func confirmLoss(ctx context.Context, con *console, c *cli.Context, lost archive.Succession, foreign string) error {
	var b strings.Builder
	if foreign != "" {
		fmt.Fprintf(&b, "the backup is of a different archive: %s\n", foreign)
	}
	if lost.Entries > 0 || len(lost.Lost) > 0 {
		fmt.Fprintf(&b, "the backup is older than the records of this workspace: %s\n",
			orElse("commits record later decisions", orElse("1 ledger entry", fmt.Sprint(lost.Entries, " ledger entries"), lost.Entries == 1)+" would be lost", lost.Entries == 0))
	}
	for _, d := range lost.Lost {
		fmt.Fprintf(&b, "  %s\n", lostWords(d))
	}
	if lost.Entries > 0 && len(lost.Lost) == 0 {
		b.WriteString("  it is unknown which decisions they contain, if any\n")
	}
	who, ok := con.asker()
	if c.Bool("yes") || !ok {
		_, _ = fmt.Fprint(con.stderr, b.String())
	}
	if c.Bool("yes") {
		return nil
	}
	if !ok {
		return exit.Errorf(exit.Usage, "compare with newer backups first, then add --yes: the ledger records what is lost", "there is no terminal to confirm on; nothing was restored")
	}
	_, _ = fmt.Fprint(who.out, b.String())
	return who.confirm(ctx, "restored")
}

// notLost is like refuseLost, but for a command that has not opened the archive.
func notLost(ctx context.Context, root string, d decision, p archive.ProposalRecord, w review.Decision) error {
	if d.name != "approve" {
		return nil
	}
	return wire.Look(root, func(a *archive.Archive) error { return refuseLost(ctx, a, p, w.OverrideReason) })
}

// refuseLost refuses to approve a proposal if a restore has lost the part of the ledger
// in which the proposal was decided, unless a person gives a reason for the approval.
func refuseLost(ctx context.Context, a *archive.Archive, p archive.ProposalRecord, override string) error {
	if override != "" || !undecided(p) {
		return nil
	}
	d, err := a.LostDecision(ctx, p.ID)
	if err != nil || d == nil {
		return err
	}
	return exit.Errorf(exit.Gate, "`evolve reject "+p.ID+"` repeats a rejection; --override-reason adopts the proposal anyway",
		"%s, according to ledger entries that a restore lost", lostWords(*d))
}
