package cli

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/cmd/evolve/internal/exit"
	"evolve/cmd/evolve/internal/wire"
	"evolve/runtime/text"
)

func archiveRepairCommand(sh *shell) *cli.Command {
	var yes bool
	return &cli.Command{
		Name: "repair", Usage: "recover what can still be read of a damaged archive",
		Description: "Lists what is damaged, counts what a repair would keep and lose, and changes nothing; ends with exit code 8 if there is " +
			"damage. With --yes it builds a sound archive from every record that can be read, before " +
			"and after the damage. The ledger is kept up to the end of its unbroken chain, and a new entry names what was " +
			"lost. The whole damaged archive is moved aside. A repair that was killed can be repeated.",
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "yes", Destination: &yes, Aliases: []string{"y"}, Usage: "repair it"}},
		Action: func(c *cli.Context) error { return archiveRepair(sh, c, yes) },
	}
}

// repairView is the output of `evolve archive repair --json`.
type repairView struct {
	Sound    bool `json:"sound"`
	Repaired bool `json:"repaired"`
	archive.Repair
}

func archiveRepair(sh *shell, c *cli.Context, yes bool) error {
	root, err := sh.root(c)
	if err != nil {
		return err
	}
	dir := wire.ArchiveDir(root)
	var r *archive.Repair
	if yes {
		r, err = archive.RepairArchive(c.Context, dir, archive.Building{Owner: "evolve archive repair", Now: sh.Now})
	} else {
		r, err = archive.PlanRepair(c.Context, dir)
	}
	if err != nil {
		_, err = wire.Begun(nil, err)
		return err
	}
	if r.Aside != "" {
		sh.stands = "the archive is repaired; the damaged one was moved to " + r.Aside
	}
	if sh.json {
		err = sh.printJSON(repairView{r.Sound(), r.Aside != "", *r})
	} else {
		err = printRepair(sh.console, root, r)
	}
	if err == nil && !r.Sound() && r.Aside == "" {
		err = exit.Silent(exit.Integrity)
	}
	return err
}

// printRepair shows what was found, and which records are or would be retained.
func printRepair(con *console, root string, r *archive.Repair) error {
	if r.Sound() {
		_, err := fmt.Fprintln(con.stdout, "sound: there is nothing to repair")
		return err
	}
	for _, d := range r.Damage {
		con.printf("damaged  %s\n", text.Visible(strings.TrimPrefix(d.Error(), archive.ErrCorrupt.Error()+": ")))
	}
	con.printf("kept     %s\n", tally(r.Kept))
	con.printf("lost     %s\n", orElse("nothing that can be detected", "at least "+tally(r.Lost), len(r.Lost) == 0))
	if r.Older > 0 {
		con.printf("older    only an older version of %s can be read\n", count(r.Older, "record"))
	}
	con.printf("ledger   the chain is intact up to entry %s of %s", humanize.Comma(r.Ledger), humanize.Comma(r.LedgerKnown))
	if r.Behind > 0 {
		con.printf("; %s after it can still be read in the damaged archive", orElse("1 entry", humanize.Comma(int64(r.Behind))+" entries", r.Behind == 1))
	}
	con.printf("\n")
	if r.Aside == "" {
		_, err := fmt.Fprintf(con.stdout, "\nnothing was changed\n\n  next    %s\n", con.command("evolve archive repair --yes"))
		return err
	}
	name, err := filepath.Rel(root, r.Aside)
	if err != nil {
		name = r.Aside
	}
	_, err = fmt.Fprintf(con.stdout, "\nrepaired; the damaged archive was moved to %s\n\n  next    %s\n", text.Visible(name), con.command("evolve archive check"))
	return err
}

// tally lists counts by kind, as in "12 evaluations, 1 proposal".
func tally(counts map[string]int) string {
	if len(counts) == 0 {
		return "nothing"
	}
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		n := counts[kind]
		if n == 1 {
			kind = singular(kind)
		}
		parts = append(parts, humanize.Comma(int64(n))+" "+kind)
	}
	return strings.Join(parts, ", ")
}

// singular returns the name of a single record of a kind.
func singular(kind string) string {
	first, rest, more := strings.Cut(kind, " of ")
	switch {
	case strings.HasSuffix(first, "ies"):
		first = strings.TrimSuffix(first, "ies") + "y"
	default:
		first = strings.TrimSuffix(first, "s")
	}
	if more {
		return first + " of " + rest
	}
	return first
}
