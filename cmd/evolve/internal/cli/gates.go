package cli

import (
	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/reports/model"
	"evolve/runtime/text"
)

func allGatesFlag() cli.Flag {
	return &cli.BoolFlag{Name: "all", Usage: "list all gates, not only those that did not pass"}
}

// printGates shows the gates of a proposal. If there are few, or if all is set, it shows
// them one by one; otherwise it shows them by group, and singly only the gates that did not
// pass.
func printGates(con *console, id string, list []archive.GateVerdict, all bool) {
	if len(list) > 0 {
		con.printf("\ngates\n")
	}
	if all || len(list) <= model.MaxSingleGates {
		listGates(con, "  ", list)
		return
	}
	groups, width := model.GateGroups(list), 0
	for _, g := range groups {
		width = max(width, len(g.Name))
	}
	for _, g := range groups {
		con.printf("  %-*s  %s\n", width, g.Name, g.Words())
		listGates(con, "    ", g.Rest)
	}
	con.printf("  what each of the %d gates checked: %s\n", len(list), con.command("evolve show "+id+" --all"))
}

// maxGateColumn is the maximum width of the column with the names of gates. A longer name
// shifts the rest of its line.
const maxGateColumn = 24

// listGates shows gates one by one.
func listGates(con *console, indent string, list []archive.GateVerdict) {
	width := 0
	for _, g := range list {
		if n := len(g.Gate); n <= maxGateColumn {
			width = max(width, n)
		}
	}
	for _, g := range list {
		con.printf("%s%-*s  %-8s %s\n", indent, width, text.Visible(g.Gate), stateName(g.Verdict), text.Visible(g.Evidence))
	}
}
