package cli

import (
	"testing"

	"github.com/urfave/cli/v2"

	"evolve/cmd/evolve/internal/exit"
)

// TestUnknownFlag checks the suggestions for a misspelt flag and for single letters.
func TestUnknownFlag(t *testing.T) {
	var flags []cli.Flag
	for _, name := range []string{"budget-evals", "budget-usd", "dry-run", "seed", "selection", "stages", "slots", "agent", "workspace", "concurrency", "repo", "repeats"} {
		flags = append(flags, &cli.BoolFlag{Name: name})
	}
	for _, c := range []struct{ name, says, hint string }{
		{"bugdet-evals", "there is no flag --bugdet-evals", "did you mean --budget-evals?"},
		{"bugdet", "there is no flag --bugdet", "did you mean --budget-evals or --budget-usd?"},
		{"budget", "there is no flag --budget", "did you mean --budget-evals or --budget-usd?"},
		{"dyr", "there is no flag --dyr", "did you mean --dry-run?"},
		{"hepl", "there is no flag --hepl", "did you mean --help?"},
		{"xyz", "there is no flag --xyz", "`--help` lists the flags"},
		{"n", "there is no flag -n", "did you mean --dry-run?"},
		{"j", "there is no flag -j", "did you mean --concurrency?"},
		{"v", "there is no flag -v", "did you mean --version?"},
		{"A", "there is no flag -A", "did you mean --agent?"},
		{"r", "there is no flag -r", "did you mean --repo or --repeats?"},
		{"s", "there is no flag -s", "`--help` lists the flags"}, // four begin with it
		{"x", "there is no flag -x", "`--help` lists the flags"},
	} {
		err := unknownFlag(c.name, flags)
		if code, hint := exit.Of(err); err.Error() != c.says || hint != c.hint || code != exit.Usage {
			t.Errorf("-%s: exit %d, %q, %q, want %q, %q", c.name, code, err, hint, c.says, c.hint)
		}
	}
}
