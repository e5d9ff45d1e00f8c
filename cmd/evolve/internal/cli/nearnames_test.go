package cli

import (
	"strings"
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
		{"s", "there is no flag -s", "`--help` lists the flags"}, // four flags begin with s
		{"x", "there is no flag -x", "`--help` lists the flags"},
	} {
		err := unknownFlag(c.name, "", flags)
		if code, hint := exit.Of(err); err.Error() != c.says || hint != c.hint || code != exit.Usage {
			t.Errorf("-%s: exit %d, %q, %q, want %q, %q", c.name, code, err, hint, c.says, c.hint)
		}
	}
}

// TestUnknownFlagOfOthers checks which flags of the actual commands are suggested for flags
// of other programs.
func TestUnknownFlagOfOthers(t *testing.T) {
	commands := testCommands(t)
	for _, c := range []struct{ command, typed, hint string }{
		{"run", "--evaluations 5", "did you mean --budget-evals?"},
		{"run", "--evals 5", "did you mean --budget-evals?"},
		{"run", "--max-evals=5", "did you mean --budget-evals?"},
		{"run", "--max_evaluations 5", "did you mean --budget-evals?"},
		{"run", "--n-trials 5", "did you mean --budget-evals?"},
		{"run", "--usd 5", "did you mean --budget-usd?"},
		{"run", "--max-cost 5", "did you mean --budget-usd?"},
		{"run", "--timeout 5m", "did you mean --budget-time or --until?"},
		{"run", "--workers 5", "did you mean --concurrency?"},
		{"run", "--strategy top_k", "did you mean --selection?"},
		{"run", "--preview", "did you mean --dry-run?"},
		{"run", "--folder x", "did you mean --workspace?"},
		{"run", "--colour", "did you mean --no-color?"},
		{"bench import", "--to x", "did you mean --suite?"},
		{"bench import", "--to x", "did you mean --suite?"},
		{"report", "--format json", "did you mean --json?"},
		{"report", "--format=CSV", "did you mean --csv?"},
		{"report", "--output-format junit", "did you mean --junit?"},
		{"report", "--format pdf", "did you mean --html, --markdown or --json?"},
		{"report", "--browser", "did you mean --open?"},
		{"reject", "--message no", "did you mean --reason?"},
		{"bench import", "--expected x", "did you mean --answer?"},
		{"bench import", "--category-column x", "did you mean --domain?"},
		{"status", "--frobnicate x", "`--help` lists the flags"},
	} {
		args := append(strings.Fields(c.command), strings.Fields(c.typed)...)
		_, err := arrange(commands, args)
		if _, hint := exit.Of(err); hint != c.hint {
			t.Errorf("evolve %s %s: %v, hint %q, want %q", c.command, c.typed, err, hint, c.hint)
		}
	}
}

// TestUsualWords checks that each flag listed in usualWords exists.
func TestUsualWords(t *testing.T) {
	every := append(common(), allFlags(testCommands(t))...)
	for word, flags := range usualWords {
		for _, name := range flags {
			if findFlag(every, name) == nil {
				t.Errorf("%q stands for --%s, which no command has", word, name)
			}
		}
	}
}
