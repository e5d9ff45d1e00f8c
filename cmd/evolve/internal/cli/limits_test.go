package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/wire"
	"evolve/cmd/evolve/internal/workspace"
)

// TestLimitsFromFileAndFlags checks that each of the 16 sets of limits means the same in
// evolve.yaml and as flags, and that a flag overrides only its own key.
func TestLimitsFromFileAndFlags(t *testing.T) {
	file := [4]string{"evaluations: 100", "usd: 2.5", "time: 90m", `until: "06:00"`}
	flags := [4]string{"--budget-evals=100", "--budget-usd=2.5", "--budget-time=90m", "--until=06:00"}
	wants := [4]workspace.Budget{{Evaluations: 100}, {USD: 2.5}, {Time: 90 * time.Minute}, {Until: "06:00"}}
	given := workspace.Budget{Evaluations: 7, USD: 7, Time: 7 * time.Minute, Until: "07:07"}
	for set := range 16 {
		var keys, args []string
		var want workspace.Budget
		for i := range file {
			if set>>i&1 == 1 {
				keys, args, want = append(keys, file[i]), append(args, flags[i]), want.Override(wants[i])
			}
		}
		root := t.TempDir()
		if err := os.WriteFile(filepath.Join(root, "evolve.yaml"), fmt.Appendf(nil, "budget: {%s}\n", strings.Join(keys, ", ")), 0o600); err != nil {
			t.Fatal(err)
		}
		w, err := wire.Load(root)
		if err != nil {
			t.Fatalf("%v: %v", keys, err)
		}
		if w.Settings.Budget != want {
			t.Errorf("%v in the file are %+v", keys, w.Settings.Budget)
		}
		got := flagged(t, args)
		if got != want {
			t.Errorf("%v are %+v", args, got)
		}
		if both, key := given.Override(got), given.Override(want); both != key || set == 0 && both != given || set == 15 && both != want {
			t.Errorf("%v over %+v are %+v", args, given, both)
		}
	}
}

// flagged returns the budget that the given flags of `evolve run` result in.
func flagged(t *testing.T, args []string) (out workspace.Budget) {
	t.Helper()
	command := runCommand((&shell{}))
	command.Action = func(c *cli.Context) error {
		o, err := parseRun(c)
		out = o.given.Budget
		return err
	}
	app := &cli.App{Commands: []*cli.Command{command}}
	if err := app.Run(append([]string{"evolve", "run"}, args...)); err != nil {
		t.Fatal(err)
	}
	return out
}
