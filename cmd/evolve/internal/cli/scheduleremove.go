package cli

import (
	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/schedule"
	"evolve/runtime/text"
)

// scheduleRemoved is the output of `evolve schedule remove --json`.
type scheduleRemoved struct {
	Removed []removedLine `json:"removed"`
}

type removedLine struct {
	Kind     schedule.Kind `json:"kind"`
	Files    []string      `json:"files"`
	Commands []string      `json:"commands"`
}

func scheduleRemoveCommand(sh *shell) *cli.Command {
	return &cli.Command{
		Name: "remove", Usage: "remove the nightly schedule",
		Description: "Removes the units and the lines that `evolve schedule install` wrote for this workspace. A night in progress continues.",
		Action: func(c *cli.Context) error {
			if err := outside(sh); err != nil {
				return err
			}
			root, err := sh.root(c)
			if err != nil {
				return err
			}
			h := sh.scheduler()
			found, err := h.Find(c.Context, realPath(root))
			if err != nil {
				return scheduleError(err)
			}
			view := scheduleRemoved{[]removedLine{}}
			for _, in := range found {
				done, err := h.Remove(c.Context, realPath(root), in)
				if err != nil {
					return scheduleError(err)
				}
				sh.stands = "the schedule is removed"
				view.Removed = append(view.Removed, removedLine{done.Kind, orEmpty(done.Files), done.Commands})
			}
			return sh.show(view, func() { printRemoved(sh.console, view) })
		},
	}
}

func printRemoved(con *console, v scheduleRemoved) {
	if len(v.Removed) == 0 {
		con.printf("nothing is scheduled for this workspace\n")
	}
	for _, r := range v.Removed {
		con.printf("%s no longer starts nights\n", r.Kind)
		for _, f := range r.Files {
			con.printf("  deleted  %s\n", text.Visible(f))
		}
		for _, command := range r.Commands {
			con.printf("  ran      %s\n", command)
		}
	}
}
